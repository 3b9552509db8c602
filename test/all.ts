/**
 * `npm test`: every check, whichever fails. `--long`: the long tests instead, with `--shard=1/2` the first half of them;
 * `--chain`: those against a real node; `--cluster`: those on a Slurm cluster. Several of these run at the same time.
 * `--record` notes how long files take. The last lines name the slowest files, what failed and what was skipped; the last
 * one counts: each check as one, and the tests of vitest.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const project = fileURLToPath(new URL("..", import.meta.url));

/** Bytes: more than the files of tests take at a time, and than the tests need of the memory beside them. */
const ROOM = 10 * 2 ** 30;

/** Tests write many small files, durably: on a disk in memory, where there is one, builds take a sixth less of a processor. */
function diskOfTests(): string {
  const inMemory = "/dev/shm";
  if (process.env.TMPDIR || !existsSync(inMemory)) return tmpdir();
  const { bavail, bsize } = statfsSync(inMemory);
  return Math.min(bavail * bsize, freemem()) > ROOM && runsPrograms(inMemory) ? inMemory : tmpdir();
}

/** Whether a disk may have programs, which some tests write: it may be mounted without. */
function runsPrograms(disk: string): boolean {
  const folder = mkdtempSync(join(disk, "soprano-test-"));
  const program = join(folder, "program");
  writeFileSync(program, "", { mode: 0o755 });
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const scratch = mkdtempSync(join(diskOfTests(), "soprano-test-"));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }));

/** A program of node_modules/.bin with its arguments. */
type Check = [title: string, program: string, ...args: string[]];

/** The types of one project. Several checkers side by side would each work out the types that all need: tests are beside it. */
const types = (of: string, folder = "."): Check => [`types${of}`, "tsc", "-p", folder, "--noEmit", "--checkers", "1"];

const CHECKS: Check[] = [
  ["types of the API, generated", "node", "clients/typescript/generate.ts"],
  types(""),
  types(" of the Worker", "worker"),
  types(" of the explorer", "explorer"),
  types(" of the TypeScript client", "clients/typescript"),
  types(" of the Worker's tests", "test/worker"),
  types(" of the Worker's benchmark", "bench/worker/workerd"),
  ["lint and format", "biome", "ci", "."],
  ["what nothing uses", "knip", "--no-progress"],
];

/** Vitest would run the tests in workerd after all others, and leave half the machine idle: they are a run of their own. */
const USUAL: Record<string, string[]> = {
  node: ["--project", "unit", "--project", "property", "--project", "e2e"],
  worker: ["--project", "worker"],
};
const isRequested = (name: string) => process.argv.includes(`--${name}`);
const ON_REQUEST: Record<string, string[]> = {
  // Many of the long tests wait for processes, disks and timers. Tests in workerd run once more, on tokens in packs.
  long: [
    ...["--project", "slow", "--project", "packed", "--maxWorkers", "3"],
    ...process.argv.filter((word) => word.startsWith("--shard=")),
  ],
  // Beside the long tests, which keep the processors busy, one file at a time.
  chain: ["--project", "node", ...(isRequested("long") ? ["--maxWorkers", "1"] : [])],
  cluster: ["--project", "cluster"],
};
const requested = Object.entries(ON_REQUEST).filter(([name]) => isRequested(name));
const isUsual = requested.length === 0;

interface Count {
  passed: number;
  failed: number;
  skipped: number;
  /** What failed, with the beginning of its error, and a line for each group of tests that was skipped. */
  notes: string[];
  /** How long each file of tests took. */
  files: { file: string; seconds: number }[];
}

/**
 * Runs a program and prints its lines, each with the title; true when it exits with 0.
 *
 * @param files the folder for its temporary files
 */
async function run(title: string, program: string, args: string[], files = scratch): Promise<boolean> {
  const start = performance.now();
  const child = spawn(program, args, {
    cwd: project,
    env: {
      ...process.env,
      // The processes that tests start load the same modules again and again.
      NODE_COMPILE_CACHE: join(scratch, "compiled"),
      TEST_SCRATCH: scratch,
      TMPDIR: files,
      // TypeScript and esbuild, which are Go, collect their garbage as it has grown fivefold, not twofold.
      GOGC: "400",
    },
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on("line", (line) => console.log(`${title} │ ${line}`));
  }
  const [status] = await once(child, "close").catch((error: Error) => [error.message]);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`${title} │ ${status === 0 ? "passed" : `failed (${status})`} in ${seconds} s`);
  return status === 0;
}

async function runChecks(): Promise<Count> {
  const count: Count = { passed: 0, failed: 0, skipped: 0, notes: [], files: [] };
  for (const [title, program, ...args] of CHECKS) {
    if (await run(title, program, args)) count.passed++;
    else {
      count.failed++;
      count.notes.push(`Failed: ${title}`);
    }
  }
  return count;
}

async function runVitest(name: string, args: string[]): Promise<Count> {
  const output = join(scratch, `${name}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${output}`];
  // A file in memory would count as memory of the task that Slurm limits.
  const files = name === "cluster" ? tmpdir() : scratch;
  const isPassed = await run(`${name} tests`, "vitest", ["run", ...args, ...reporters], files);
  try {
    const results: VitestResults = JSON.parse(readFileSync(output, "utf8"));
    const failed = results.testResults.flatMap(({ name: path, assertionResults, message }) => {
      const file = relative(project, path);
      const problems = assertionResults
        .filter(({ status }) => status === "failed")
        .map(({ fullName, title, failureMessages }) => {
          const text = failureMessages.join("\n");
          return `${beginningOf(`${fullName}\n${text}`)}\n  again: ${commandOf(file, title, text)}`;
        });
      return (problems.length > 0 ? problems : message ? [beginningOf(message)] : []).map(
        (problem) => `Failed: ${file}: ${problem}`,
      );
    });
    return {
      passed: results.numPassedTests,
      // A file that could not be loaded has no tests to count.
      failed: Math.max(results.numFailedTests, isPassed ? 0 : 1),
      skipped: results.numPendingTests + results.numTodoTests,
      notes: [...failed, ...skippedIn(results)],
      files: results.testResults.map(({ name: file, startTime, endTime }) => ({
        file: relative(project, file),
        seconds: (endTime - startTime) / 1000,
      })),
    };
  } catch (error) {
    const notes = [`Failed: ${name} tests: ${(error as Error).message}`];
    return { passed: 0, failed: 1, skipped: 0, notes, files: [] };
  }
}

/** A failure in short: the end of a long log, which may be all that is kept, says why a test failed. */
const beginningOf = (text: string) => stripVTControlCharacters(text).slice(0, 2_000).replaceAll("\n", "\n  ");

/** Repeats a test that failed; one of random cases, with the case that failed. */
function commandOf(file: string, title: string, text: string): string {
  const [, seed, path] = text.match(/\{ seed: (-?\d+), path: "([\d:]+)"/) ?? [];
  const repeat = seed === undefined ? "" : `TEST_SEED=${seed},${path} `;
  // Vitest takes the name for a regular expression.
  const name = title.replaceAll(/[^\w\s,:;<>=/%#-]/g, ".");
  return `${repeat}npx vitest run ${file} -t "${name}"`;
}

/** What vitest writes of its tests as JSON. */
interface VitestResults {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: {
    name: string;
    message: string;
    /** Milliseconds since 1970. */
    startTime: number;
    endTime: number;
    assertionResults: {
      status: string;
      fullName: string;
      title: string;
      ancestorTitles: string[];
      failureMessages: string[];
    }[];
  }[];
}

/** Files of tests that are named at the end, for whoever wants them to take less time. */
const SLOWEST = 20;

function slowest(files: Count["files"]): string[] {
  const sorted = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  return sorted.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
}

/** A line for each group of tests of a file. The title of the group says what it needs. */
function skippedIn({ testResults }: VitestResults): string[] {
  return testResults.flatMap(({ name, assertionResults }) => {
    const skipped = assertionResults.filter(({ status }) => status !== "passed" && status !== "failed");
    const groups = Map.groupBy(skipped, ({ ancestorTitles: [group], fullName }) => group ?? fullName);
    return Array.from(groups, ([group, { length }]) => `Skipped: ${relative(project, name)}: ${group} (${length})`);
  });
}

/** So long that it matters when a file begins. */
const NOTED_SECONDS = 10;

/** Notes how long files take, for vitest.config.ts: those that were run now, and of the others what was noted before. */
function record(files: Count["files"]): void {
  const path = join(project, "test/seconds.json");
  const before: Record<string, number> = JSON.parse(readFileSync(path, "utf8"));
  const now = files.map(({ file, seconds }) => [file, Math.round(seconds)] as const);
  const noted = Object.entries({ ...before, ...Object.fromEntries(now) })
    .filter(([file, seconds]) => seconds >= NOTED_SECONDS && existsSync(join(project, file)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(noted), null, 2)}\n`);
}

const lanes = (isUsual ? Object.entries(USUAL) : requested).map(([name, args]) => runVitest(name, args));
const counts = await Promise.all(isUsual ? [runChecks(), ...lanes] : lanes);

const total = (of: "passed" | "failed" | "skipped") => counts.reduce((sum, count) => sum + count[of], 0);
if (isRequested("record")) record(counts.flatMap(({ files }) => files));
console.log(`\nThe slowest files:\n${slowest(counts.flatMap(({ files }) => files)).join("\n")}`);
console.log(`\n${counts.flatMap(({ notes }) => notes).join("\n")}`);
if (process.env.TEST_WITHOUT)
  console.log(`Left out, as nothing that they test has changed: ${process.env.TEST_WITHOUT}.`);
console.log(`\n${total("passed")} passed, ${total("failed")} failed, ${total("skipped")} skipped`);
process.exitCode = total("failed") === 0 ? 0 : 1;
