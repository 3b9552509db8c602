/** An earlier version, to measure beside this one. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BENCH_FOLDER } from "./data.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/** Runs `work` with the folders of this version, "now", and of a commit, by its name; with the packages of this one. */
export async function withCheckout<T>(
  commit: string | undefined,
  work: (folders: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  if (commit === undefined) return work({ now: PROJECT });
  const folder = mkdtempSync(join(BENCH_FOLDER, "commit-"));
  execFileSync("git", ["worktree", "add", "--detach", folder, commit], { cwd: PROJECT, stdio: "ignore" });
  try {
    symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"));
    return await work({ now: PROJECT, [commit]: folder });
  } finally {
    execFileSync("git", ["worktree", "remove", "--force", folder], { cwd: PROJECT });
  }
}
