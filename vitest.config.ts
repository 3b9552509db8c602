import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import seconds from "./test/seconds.json" with { type: "json" };

const SECONDS: Readonly<Record<string, number>> = seconds;

/** The kind of a test is in its name: `*.slow.test.ts`. Those without one are quick, and need nothing but the sources. */
const KINDS = {
  /** Many cases each: random histories against the reference, planted faults, interruptions at every write. */
  property: "test/**/*.property.test.ts",
  /** A browser on a server. */
  e2e: "test/**/*.e2e.test.ts",
  /** Too long for `npm test`: `npm run test:long`. Real processes, disks and compilers, which mostly take their own time. */
  slow: "test/**/*.slow.test.ts",
  /** Fetching from nodes, real and made-up ones: `npm run test:chain`. */
  node: "test/**/*.node.test.ts",
  /** Builds on a cluster of namespaces, which takes minutes and root: `npm run test:cluster`. */
  cluster: "test/**/*.cluster.test.ts",
};

/** Begins with the longest, so that none of them runs alone at the end. `npm test -- --record` notes how long they take. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification) => SECONDS[relative(import.meta.dirname, moduleId)] ?? 0;
    return (await super.sort(files)).toSorted((a, b) => secondsOf(b) - secondsOf(a));
  }
}

/** Folders of test/ that are left out, such as `clients,bench`: .github/unchanged.ts names those that nothing can have changed. */
const WITHOUT = (process.env.TEST_WITHOUT ?? "")
  .split(",")
  .filter(Boolean)
  .map((folder) => `test/${folder}/**`);

/**
 * The heap may grow to so many megabytes before all garbage is collected, buffers outside it included: a third of the
 * processor's time of many tests went there, as each answer over HTTP has a buffer of 64 kB. Older V8s count those apart.
 */
const HEAP = [
  "--initial-old-space-size=512",
  ...(Number.parseInt(process.versions.node, 10) >= 26 ? ["--external-memory-accounted-in-global-limit"] : []),
];

/** Its files share their modules: loading the builder again for each would take as long as many of the tests. */
const project = (name: string, include: string[], exclude: string[] = []) => ({
  test: {
    name,
    include,
    exclude: [...exclude, ...WITHOUT],
    passWithNoTests: WITHOUT.length > 0,
    isolate: false,
    execArgv: HEAP,
    setupFiles: ["test/repeat.ts"],
    provide: { seed: process.env.TEST_SEED ?? "" },
    // The long tests share two processors with each other, and those against nodes with a cluster.
    testTimeout: name === "slow" || name === "node" ? 300_000 : 120_000,
    hookTimeout: 120_000,
    // On a busy machine, a page may take seconds for what usually takes milliseconds.
    expect: { poll: { timeout: 10_000 } },
  },
});

export default defineConfig({
  test: {
    // Vitest would start one on two cores. Tests mostly wait for threads and processes of their own.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    // A log line a request would hide the tests' own output.
    onConsoleLog: (line) => !line.startsWith('{"event":"request"'),
    projects: [
      project("unit", ["test/**/*.test.ts"], ["test/worker/**", ...Object.values(KINDS)]),
      ...Object.entries(KINDS).map(([kind, files]) => project(kind, [files])),
      "test/worker/vitest.config.ts",
      "test/worker/vitest.packed.config.ts",
    ],
  },
});
