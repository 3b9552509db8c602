/**
 * Worker threads for the tasks of builds. They are slow to start, so several builds share them; and they start with the first
 * build that has tasks.
 */

import { availableParallelism } from "node:os";
import { MessageChannel, type Worker } from "node:worker_threads";
import { Piscina } from "piscina";
import { givenNow } from "../../lib/advised.ts";
import type { LocalFolder } from "../folder/local-folder.ts";
import type { StageStore, StageTask } from "../left/task.ts";
import { type PlannedTask, runTask } from "../stages/task-kinds.ts";
import { received } from "./errors.ts";
import { serveStore } from "./store-port.ts";
import type { ThreadTask } from "./thread-task.ts";

export const MAX_THREADS = 64;

/** The default is as many threads as the machine runs at once. */
export const defaultThreads = () => Math.min(MAX_THREADS, availableParallelism());

/** With less memory a thread, in bytes, it collects young garbage more often: 40 MB less for some percent more CPU time. */
const LITTLE = 512 * 2 ** 20;
const YOUNG_MB = 12;

/** Bytes that the last stage of even a small build takes. */
const LAST_STAGE = 64 * 2 ** 20;

export interface SharedByTasks extends Pick<StageTask, "plan" | "runs" | "store"> {
  folder: LocalFolder;
}

/** The threads of pools that have been closed, where the process keeps them. */
let kept: Piscina[] | undefined;

/** From now on, pools of this process get the threads of those before them: for tests, which build all the time. */
export function keepThreads(): void {
  kept ??= [];
}

export class Pool {
  readonly most: number;
  readonly #memory: number;
  /** How many the build at hand wants. */
  #threads = 0;
  /** `loaded`: when all threads have loaded their code. */
  #started: { piscina: Piscina; loaded: Promise<unknown> } | undefined;

  /**
   * @param most threads at the same time
   * @param memory bytes that the builds may use
   */
  constructor(most: number, memory = Number.POSITIVE_INFINITY) {
    this.most = most;
    this.#memory = memory;
  }

  /**
   * Lets the threads of a build load their code before its first task is there.
   *
   * @param threads 0 for tasks so small that the main thread does them itself: another one would load and compile all code
   *   again. Where memory is short, it is one that can be ended before the last stage
   */
  async start(threads: number): Promise<void> {
    this.#threads = Math.min(this.#isShort(1) ? Math.max(1, threads) : threads, this.most);
    if (this.#threads === 0) return;
    if (this.#started && this.#started.piscina.threads.length < this.#threads) await this.close();
    this.#running();
  }

  #running(): Piscina {
    this.#started ??= this.#start(this.#threads);
    return this.#started.piscina;
  }

  #start(threads: number) {
    const at = this.#isShort(threads) ? undefined : kept?.findLastIndex((one) => one.threads.length === threads);
    const [found] = at === undefined || at < 0 ? [] : kept!.splice(at, 1);
    if (found) return { piscina: found, loaded: Promise.resolve() };
    const piscina = new Piscina({
      filename: new URL("./thread-task.ts", import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
      ...(this.#isShort(threads) && { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } }),
    });
    return { piscina, loaded: Promise.all(piscina.threads.map(hasLoaded)) };
  }

  /** Whether so many threads have little memory each. */
  #isShort(threads: number): boolean {
    return this.#memory / threads < LITTLE;
  }

  /**
   * Runs tasks in their order, but for those that still wait for others. If one fails, no other begins.
   *
   * @param shared what all tasks need
   * @param atOnce tasks that run at the same time, at most
   * @param onDone called with the number of tasks that are done
   * @throws when all that have begun have ended, the error of the first task, in their order, that failed
   */
  async run(
    { folder, plan, runs, store }: SharedByTasks,
    tasks: readonly PlannedTask[],
    atOnce: number,
    onDone: (done: number) => void = () => {},
  ): Promise<void> {
    const most = Math.max(1, this.#threads);
    const threads = Math.max(1, Math.floor(most / tasks.length));
    const waiting = [...tasks];
    const running = new Set<Promise<void>>();
    const done = new Set<PlannedTask>();
    const failed = new Map<PlannedTask, unknown>();
    const begin = (task: PlannedTask) => {
      const { kind, index } = task;
      const run = () =>
        this.#threads === 0
          ? runTask(kind, { folder, plan, runs, index, threads, store })
          : this.#run({ folder: folder.scratch, plan, runs, kind, index, threads }, store);
      const ended = run()
        .then(
          () => onDone(done.add(task).size),
          (error) => void failed.set(task, error),
        )
        .finally(() => running.delete(ended));
      running.add(ended);
    };
    const isReady = ({ after }: PlannedTask) => after.every((task) => done.has(task));
    for (;;) {
      while (failed.size === 0 && running.size < Math.min(atOnce, most)) {
        const next = waiting.findIndex(isReady);
        if (next < 0) break;
        begin(waiting.splice(next, 1)[0]!);
      }
      if (running.size === 0) break;
      await Promise.race(running);
    }
    const first = tasks.find((task) => failed.has(task));
    if (first) throw failed.get(first);
  }

  async #run(task: Omit<ThreadTask, "given" | "port">, store: StageStore): Promise<void> {
    const { port1, port2 } = new MessageChannel();
    serveStore(port1, store);
    try {
      const failed = await this.#running().run({ ...task, given: givenNow(), port: port2 } satisfies ThreadTask, {
        transferList: [port2],
      });
      if (failed) throw received(failed);
    } finally {
      port1.close();
    }
  }

  /** Where memory is short, ends the threads until the next build: the last stage runs in this one, and needs theirs. */
  async rest(): Promise<void> {
    if (process.memoryUsage.rss() > this.#memory - LAST_STAGE) await this.close();
  }

  async close(): Promise<void> {
    if (!this.#started) return;
    const { piscina, loaded } = this.#started;
    this.#started = undefined;
    // A thread that is ended while it loads DuckDB would abort the process.
    for (const thread of piscina.threads) thread.ref();
    await loaded;
    if (!kept || this.#isShort(piscina.threads.length)) return piscina.destroy();
    for (const thread of piscina.threads) thread.unref();
    kept.push(piscina);
  }
}

/** A thread's first message says so; one that fails to load ends. */
const hasLoaded = (thread: Worker) =>
  new Promise<void>((resolve) => {
    thread.once("message", () => resolve());
    thread.once("exit", () => resolve());
  });
