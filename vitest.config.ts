import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Whole programs: commands, processes, servers and a browser. */
const E2E = ["test/commands/**/*.test.ts", "test/explorer/{explorer,pages}.test.ts"];

/** Fetching from nodes, real and made-up ones: `npm run test:chain`. */
const CHAIN = ["test/**/*.node.test.ts", "test/fetch/{fetch,interrupted,terms,check/check}.test.ts"];

/** Builds on a cluster of namespaces, which takes minutes and root: `npm run test:cluster`. */
const CLUSTER = ["test/cluster/slurm.test.ts"];

/** Too long for `npm test`: `npm run test:long`. Real processes, disks and compilers, which mostly take their own time. */
const LONG = [
  "test/bench/{explorer,fetch,programs}.test.ts",
  "test/chain/{node-logs-faults,nodes,portal}.test.ts",
  "test/cli.test.ts",
  "test/clients/{python,typescript/client}.test.ts",
  "test/cluster/kubernetes.test.ts",
  "test/commands/{build,builds,deal,export,full-disk,keys,probe,refusals}.test.ts",
  "test/docs/snippets.test.ts",
  "test/end-to-end/**/*.test.ts",
  "test/engine/{hum,resume}.test.ts",
  "test/explorer/charts.test.ts",
  "test/explorer/formula/programs.test.ts",
  "test/explorer/{families,formulas,large-charts,look,pages,share}.test.ts",
  "test/hostile/hostile.test.ts",
  "test/incremental/nights.test.ts",
  "test/input/transfers/{parquet-rows,shares}.test.ts",
  "test/pipeline/{batch,build}.test.ts",
  "test/publish/{disturbed,interrupted,label-coverage,publication,random-changes,restatements}.test.ts",
  "test/simulate/simulate.test.ts",
  "test/stages/{alone,bucket,cuts}.test.ts",
  "test/store/{damage,faults,idle-connections,local-failures,overdue,workerd}.test.ts",
  "test/verify/verify.test.ts",
];

/** Many cases each: random histories against the reference, planted faults, interruptions at every write. */
const PROPERTY = [
  "test/chain/{blocks,node-logs,rpc/redact}.test.ts",
  "test/engine/{engine,supply}.test.ts",
  "test/fetch/prices/{hourly,read-pools}.test.ts",
  "test/fetch/{journal,transfer-file}.test.ts",
  "test/incremental/{checkpoint-file,previous,seen-addresses}.test.ts",
  "test/input/{read,cells/{numbers,words},duckdb/table,transfers/{new-rows,read,read-share}}.test.ts",
  "test/pipeline/dry-run.test.ts",
  "test/kernels.test.ts",
  "test/output/round-trip.test.ts",
  "test/reference/histories.test.ts",
  "test/store/store.test.ts",
  "test/verify/history.test.ts",
];

/** Its files share their modules: loading the builder again for each would take as long as many of the tests. */
const project = (name: string, include: string[], exclude: string[] = []) => ({
  test: {
    ...{ name, include, exclude, isolate: false, testTimeout: 120_000, hookTimeout: 120_000 },
    // On a busy machine, a page may take seconds for what usually takes milliseconds.
    expect: { poll: { timeout: 10_000 } },
  },
});

export default defineConfig({
  test: {
    // Vitest would start one on two cores. Tests mostly wait for threads and processes of their own.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // A log line a request would hide the tests' own output.
    onConsoleLog: (line) => !line.startsWith('{"event":"request"'),
    projects: [
      project("unit", ["test/**/*.test.ts"], ["test/worker/**", ...E2E, ...LONG, ...PROPERTY, ...CHAIN, ...CLUSTER]),
      project("property", PROPERTY),
      project("e2e", E2E, [...LONG, ...CHAIN]),
      project("long", LONG),
      project("chain", CHAIN),
      project("cluster", CLUSTER),
      "test/worker/vitest.config.ts",
    ],
  },
});
