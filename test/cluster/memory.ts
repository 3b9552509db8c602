/** The memory of the tasks of stages, as the kernel counts it, wherever on this machine they run. */

import { readdirSync, readFileSync } from "node:fs";

const STAGE = /\0stage\0(\w+)\0/;

/** Looks again and again until it is stopped. */
export class PeakMemory {
  /** Largest resident set of a task, by stage, in MB. */
  readonly megabytes = new Map<string, number>();
  readonly #timer = setInterval(() => this.#look(), 200);

  #look(): void {
    for (const pid of readdirSync("/proc")) {
      if (!/^\d+$/.test(pid)) continue;
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "latin1");
        const stage = /^[^\0]*node\0/.test(command) && STAGE.exec(command)?.[1];
        if (!stage) continue;
        // The peak so far, not what it has now.
        const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
        const peak = Math.round(Number(kilobytes) / 1024);
        if (peak > (this.megabytes.get(stage) ?? 0)) this.megabytes.set(stage, peak);
      } catch {
        // It has ended.
      }
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
