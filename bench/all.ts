/** `npm run bench`: builder, Worker, fetching and the explorer, one after the other. Passes `--full` on to them. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

for (const part of ["builder.ts", "worker.ts", "fetch.ts", "explorer.ts"]) {
  const program = fileURLToPath(new URL(part, import.meta.url));
  // In a process of its own, so that no part is affected by the memory or threads of another.
  const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
