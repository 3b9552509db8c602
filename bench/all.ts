/** `npm run bench`: both halves, one after the other; `--full` is passed on to them. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

for (const half of ["builder.ts", "worker.ts"]) {
  const program = fileURLToPath(new URL(half, import.meta.url));
  // A process of its own: neither finds the other's memory or threads in its way.
  const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
