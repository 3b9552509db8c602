/** Builds as a user runs them, by the command line. */

import { globSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BENCH_FOLDER } from "./data.ts";
import { type Cost, costOf } from "./process-tree.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** With the bytes that the store has more than before. */
export type BuildCost = Cost & { written: number };

/**
 * Builds assets in turn into one store, which is removed afterwards.
 *
 * @param paths of ASSET.json; of one token they are nights
 * @param from the folder of the version that builds
 * @returns what each takes, with the local store
 * @throws {Error} a build failed
 */
export async function costOfBuilds(
  paths: readonly string[],
  options: readonly string[] = [],
  from = PROJECT,
): Promise<BuildCost[]> {
  mkdirSync(BENCH_FOLDER, { recursive: true });
  const persist = mkdtempSync(join(BENCH_FOLDER, "state-"));
  const costs: BuildCost[] = [];
  let stored = 0;
  try {
    for (const path of paths) {
      const build = ["builder/cli.ts", "build", path, "--persist", persist, "--quiet", ...options];
      const cost = await costOf(process.execPath, build, from);
      const before = stored;
      stored = bytesBelow(join(persist, "v3"));
      costs.push({ ...cost, written: stored - before });
    }
  } finally {
    rmSync(persist, { recursive: true, force: true });
  }
  return costs;
}

/** The bytes of all files of a folder. */
export function bytesBelow(folder: string): number {
  const files = globSync("**", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
