/** Worker threads for the tasks of builds. They are slow to start, so several builds may share them. */

import { availableParallelism } from "node:os";
import { MessageChannel } from "node:worker_threads";
import { Piscina } from "piscina";
import type { LocalFolder } from "../stages/local-folder.ts";
import type { TaskStage } from "../stages/names.ts";
import type { StageStore } from "../stages/task.ts";
import { received } from "./errors.ts";
import { serveStore } from "./store-port.ts";
import type { ThreadTask } from "./tasks.ts";

export const MAX_THREADS = 64;

/** As many threads as the machine runs at once. */
export const defaultThreads = () => Math.min(MAX_THREADS, availableParallelism());

export class Pool {
  readonly threads: number;
  readonly #piscina: Piscina;

  constructor(threads: number) {
    this.threads = threads;
    this.#piscina = new Piscina({
      filename: new URL("./tasks.ts", import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
    });
  }

  /**
   * Runs the tasks of a stage, and waits for all that have begun even if one fails.
   *
   * @param atOnce tasks that run at the same time, at most
   * @param onDone called with the number of tasks that are done
   * @throws the error of the first task, by number, that failed
   */
  async runStage(
    { scratch: folder, assetPath }: LocalFolder,
    stage: TaskStage,
    tasks: number,
    atOnce: number,
    store: StageStore,
    onDone: (done: number) => void = () => {},
  ): Promise<void> {
    let next = 0;
    let done = 0;
    const failures: { index: number; error: unknown }[] = [];
    const lane = async () => {
      while (next < tasks && failures.length === 0) {
        const index = next++;
        try {
          await this.#run(
            { folder, assetPath, stage, index, threads: Math.max(1, Math.floor(this.threads / tasks)) },
            store,
          );
          onDone(++done);
        } catch (error) {
          failures.push({ index, error });
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, this.threads) }, lane));
    const [first] = failures.sort((a, b) => a.index - b.index);
    if (first) throw first.error;
  }

  async #run(task: Omit<ThreadTask, "port">, store: StageStore): Promise<void> {
    const { port1, port2 } = new MessageChannel();
    serveStore(port1, store);
    try {
      const failed = await this.#piscina.run({ ...task, port: port2 } satisfies ThreadTask, { transferList: [port2] });
      if (failed) throw received(failed);
    } finally {
      port1.close();
    }
  }

  async close(): Promise<void> {
    await this.#piscina.destroy();
  }
}
