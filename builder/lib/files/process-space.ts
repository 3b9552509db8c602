/**
 * Where a process's number means something: one boot of one machine, and in a container the container alone. Containers
 * may share a host's name and a disk, and number their processes alike.
 */

import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** What tells the space of this process from others, as far as the system says. */
function facts(): string[] {
  const attempt = (read: () => string) => {
    try {
      return read();
    } catch {
      // Not Linux.
      return "";
    }
  };
  return [
    hostname(),
    attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    attempt(() => readlinkSync("/proc/self/ns/pid")),
  ];
}

/** Ten hexadecimal digits. */
export const PROCESS_SPACE: string = createHash("sha256").update(facts().join("\n")).digest("hex").slice(0, 10);

/** Whether a process of this space is running. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
