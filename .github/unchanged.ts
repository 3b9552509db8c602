/**
 * Names the tests that a push or pull request can't make fail, for `TEST_WITHOUT`: those of which no path has changed.
 * `node .github/unchanged.ts COMMIT` compares with that commit. A tag, or a commit that is not there, leaves none out.
 */

import { spawnSync } from "node:child_process";

/** Folders of test/ that are slow and of which few changes are: what they test. thorough.yml runs them each week all the same. */
export const PATHS: Readonly<Record<string, readonly string[]>> = {
  clients: ["clients/", "worker/", "data-schema/", "builder/serve/", "builder/store/", "package-lock.json"],
  cluster: ["cluster/", "builder/", "data-schema/", "package-lock.json"],
  bench: ["bench/", "builder/", "worker/", "data-schema/", "explorer/", "package-lock.json"],
};

/** Changes that may make any test fail. */
const EVERYTHING = ["test/all.ts", "vitest.config.ts", ".ci/", ".github/"];

/** The folders of test/ to leave out. */
export function unchanged(changed: readonly string[]): string[] {
  const has = (paths: readonly string[]) => changed.some((file) => paths.some((path) => file.startsWith(path)));
  if (changed.length === 0 || has(EVERYTHING)) return [];
  return Object.entries(PATHS).flatMap(([name, paths]) => (has([...paths, `test/${name}/`]) ? [] : [name]));
}

if (import.meta.main) {
  const { status, stdout } = spawnSync("git", ["diff", "--name-only", process.argv[2] ?? "", "HEAD"], {
    encoding: "utf8",
  });
  console.log(unchanged(status === 0 ? stdout.split("\n").filter(Boolean) : []).join(","));
}
