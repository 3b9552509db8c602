/** The processes of workerd. */

import { execFileSync } from "node:child_process";

/** The ids of those that a process has started. */
export function workerdsOf(parent: number): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" }).trim().split("\n");
  const processes = lines.map((line) => line.trim().split(/\s+/));
  return processes
    .filter(([, owner, name]) => Number(owner) === parent && name?.includes("workerd"))
    .map(([id]) => Number(id));
}
