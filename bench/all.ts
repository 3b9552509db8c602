/** `npm run bench`: the halves that there are, one after the other; `--full` is passed on to them. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const HALVES = ["builder.ts", "worker.ts"];

for (const half of HALVES) {
  const program = fileURLToPath(new URL(half, import.meta.url));
  if (!existsSync(program)) continue;
  // A process of its own: neither finds the other's memory or threads in its way.
  const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
