/** Worker threads that share one timeline. They start with the pool, before there is a timeline. */

import { availableParallelism } from "node:os";
import { Piscina } from "piscina";
import { MAX_PARTITIONS } from "../engine/replay.ts";
import type { Timeline } from "../engine/timeline.ts";
import type { TaskInput, TaskName, TaskResult } from "./tasks.ts";

/** As many threads as the machine runs at once, but no more than a replay has partitions. */
export function defaultThreads(): number {
  return Math.min(MAX_PARTITIONS, availableParallelism());
}

/** How many more inputs than threads are made at once: they are read from a store, which is mostly waiting. */
const PREFETCH = 6;

/** An input, or what makes it when it is its turn; undefined: the inputs after it are not wanted either. */
export type Prepared<Input extends object> = Input | (() => Promise<Input | undefined>);

export class Pool {
  readonly threads: number;
  /** Its columns are in shared memory, so passing it to a thread is cheap. */
  timeline: Timeline | undefined;
  readonly #piscina: Piscina;

  constructor(threads: number) {
    this.threads = threads;
    this.#piscina = new Piscina({
      filename: new URL("./tasks.ts", import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
    });
  }

  /** Runs one task of tasks.ts, over the pool's timeline, on a free thread. */
  run<Name extends TaskName>(name: Name, input: TaskInput<Name>): Promise<TaskResult<Name>> {
    return this.#piscina.run({ timeline: this.timeline, name, input });
  }

  /**
   * Runs a task for each input, and passes on the results as they come. Limits how many inputs are in progress, `use`
   * included, so that inputs and results don't pile up in memory.
   */
  async forEach<Name extends TaskName>(
    name: Name,
    inputs: readonly Prepared<TaskInput<Name>>[],
    use: (result: TaskResult<Name>, index: number) => Promise<void> | void,
  ): Promise<void> {
    let next = 0;
    let isStopped = false;
    const lane = async () => {
      try {
        while (next < inputs.length && !isStopped) {
          const index = next++;
          const prepared = inputs[index]!;
          const input = typeof prepared === "function" ? await prepared() : prepared;
          if (input === undefined) isStopped = true;
          else await use(await this.run(name, input), index);
        }
      } catch (error) {
        isStopped = true;
        throw error;
      }
    };
    // Waits for what is under way even after a failure: the pool may be given another timeline next.
    const prefetch = inputs.some((input) => typeof input === "function") ? PREFETCH : 1;
    const lanes = await Promise.allSettled(Array.from({ length: this.threads + prefetch }, lane));
    for (const outcome of lanes) if (outcome.status === "rejected") throw outcome.reason;
  }

  async close(): Promise<void> {
    await this.#piscina.destroy();
  }
}
