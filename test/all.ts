/**
 * `npm test`: every check, one after the other, whatever fails before. The last line counts them all: each of the
 * single checks as one, and the tests of vitest.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "soprano-test-"));
const vitestResults = join(scratch, "vitest.json");

const checks: [title: string, program: string, ...args: string[]][] = [
  ["types", "tsc", "--noEmit"],
  ["types of the Worker", "tsc", "-p", "worker", "--noEmit"],
  ["types of the explorer", "tsc", "-p", "explorer", "--noEmit"],
  ["types of the Worker's tests", "tsc", "-p", "test/worker", "--noEmit"],
  ["types of the Worker's benchmark", "tsc", "-p", "bench/worker/workerd", "--noEmit"],
  ["lint and format", "biome", "ci", "."],
];

const counts = { passed: 0, failed: 0, skipped: 0 };

/** Runs a program of node_modules/.bin; true when it exits with 0. */
function run(title: string, program: string, ...args: string[]): boolean {
  console.log(`\n── ${title}`);
  const { status, error } = spawnSync(program, args, {
    cwd: project,
    stdio: "inherit",
    // The tests start a hundred processes that load the same modules.
    env: { ...process.env, NODE_COMPILE_CACHE: join(scratch, "compiled") },
    shell: process.platform === "win32",
  });
  if (error) console.error(error.message);
  return status === 0;
}

for (const [title, program, ...args] of checks) counts[run(title, program, ...args) ? "passed" : "failed"]++;

const vitest = run(
  "tests",
  "vitest",
  "run",
  "--config",
  "test/vitest.config.ts",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${vitestResults}`,
);
try {
  const results = JSON.parse(readFileSync(vitestResults, "utf8"));
  counts.passed += results.numPassedTests;
  counts.failed += results.numFailedTests;
  counts.skipped += results.numPendingTests + results.numTodoTests;
  // A file that could not be loaded has no tests to count.
  if (!vitest && results.numFailedTests === 0) counts.failed++;
} catch {
  counts.failed++;
}
rmSync(scratch, { recursive: true });

console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed === 0 ? 0 : 1;
