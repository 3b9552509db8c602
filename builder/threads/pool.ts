/** Worker threads that share one timeline. They start with the pool, before there is a timeline. */

import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import { MOST_PARTS } from "../engine/replay.ts";
import type { Timeline } from "../engine/timeline.ts";
import type { TaskInput, TaskName, TaskResult } from "./tasks.ts";

/** As many threads as the machine runs at once, but no more than a replay has partitions. */
export function defaultThreads(): number {
  return Math.min(MOST_PARTS, availableParallelism());
}

/** Inputs that are prepared at once, beside one a thread: they are read from a store, which is mostly waiting. */
const PREFETCH = 6;

/** An input, or how to prepare it when its turn comes. */
export type Prepared<Input extends object> = Input | (() => Promise<Input>);

export class Pool {
  readonly threads: number;
  /** Its columns are in shared memory, so passing it to a thread is cheap. */
  timeline: Timeline | undefined;
  readonly #piscina: Piscina;

  constructor(threads: number) {
    this.threads = threads;
    this.#piscina = new Piscina({
      filename: new URL("./worker.ts", import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
    });
  }

  /** Runs one task of tasks.ts, over the pool's timeline, on a free thread. */
  run<Name extends TaskName>(name: Name, input: TaskInput<Name>): Promise<TaskResult<Name>> {
    return this.#piscina.run({ timeline: this.timeline, name, input });
  }

  /**
   * Runs a task for each input, and passes on the results as they come. No more run at once, `use` included, than keep
   * the threads busy: inputs and results don't pile up in memory.
   */
  async forEach<Name extends TaskName>(
    name: Name,
    inputs: readonly Prepared<TaskInput<Name>>[],
    use: (result: TaskResult<Name>, index: number) => Promise<void> | void,
  ): Promise<void> {
    let next = 0;
    let failed = false;
    const lane = async () => {
      try {
        while (next < inputs.length && !failed) {
          const index = next++;
          const input = inputs[index]!;
          await use(await this.run(name, typeof input === "function" ? await input() : input), index);
        }
      } catch (error) {
        failed = true;
        throw error;
      }
    };
    const extra = inputs.some((input) => typeof input === "function") ? PREFETCH : 1;
    // After a failure, too, waits for all lanes: the pool may be used again with another timeline.
    const lanes = await Promise.allSettled(Array.from({ length: this.threads + extra }, lane));
    for (const outcome of lanes) if (outcome.status === "rejected") throw outcome.reason;
  }

  async close(): Promise<void> {
    await this.#piscina.destroy();
  }
}
