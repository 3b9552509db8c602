/** The memory of the tasks of stages, as the kernel counts it. */

import { stageProcesses } from "./processes.ts";

/** Looks again and again until it is stopped. */
export class PeakMemory {
  /** Largest resident set of a task, by stage, in MB. */
  readonly megabytes = new Map<string, number>();
  readonly #timer = setInterval(() => this.#look(), 100);

  #look(): void {
    for (const { stage, peakMegabytes } of stageProcesses()) {
      if (peakMegabytes > (this.megabytes.get(stage) ?? 0)) this.megabytes.set(stage, peakMegabytes);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
