/** What a worker thread does: tasks of a build's stages. */

import type { MessagePort } from "node:worker_threads";
import { LocalFolder } from "../stages/local-folder.ts";
import type { TaskStage } from "../stages/names.ts";
import { runTask } from "../stages/run-task.ts";
import { collectGarbage } from "./collect.ts";
import { type SentError, toSend } from "./errors.ts";
import { storeOver } from "./store-port.ts";

/** Bytes of the process: up to here, garbage does no harm. No build may be given less than 512 MB. */
const LITTLE = 400 * 2 ** 20;

export interface ThreadTask {
  /** Of a `LocalFolder`. */
  folder: string;
  assetPath: string;
  stage: TaskStage;
  index: number;
  /** For libraries that have threads of their own. */
  threads: number;
  /** To the store. */
  port: MessagePort;
}

/** @returns the error with which the task has failed */
export default async function run(task: ThreadTask): Promise<SentError | undefined> {
  const { folder, assetPath, stage, index, threads, port } = task;
  try {
    await runTask(new LocalFolder(folder, assetPath, false), stage, index, storeOver(port), threads);
    return undefined;
  } catch (error) {
    return toSend(error);
  } finally {
    port.close();
    if (process.memoryUsage.rss() > LITTLE) collectGarbage();
  }
}
