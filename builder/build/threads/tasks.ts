/** What a worker thread does: tasks of a build's stages. */

import type { MessagePort } from "node:worker_threads";
import { collectIfLarge } from "../../lib/garbage.ts";
import { LocalFolder } from "../tasks/local-folder.ts";
import type { TaskStage } from "../tasks/names.ts";
import { runTask } from "../tasks/run-task.ts";
import type { StageTask } from "../tasks/task.ts";
import { type SentError, toSend } from "./errors.ts";
import { storeOver } from "./store-port.ts";

export interface ThreadTask extends Omit<StageTask, "folder" | "store"> {
  /** Of a `LocalFolder`. */
  folder: string;
  stage: TaskStage;
  /** To the store. */
  port: MessagePort;
}

/** @returns the error with which the task has failed */
export default async function run({ folder, stage, port, ...task }: ThreadTask): Promise<SentError | undefined> {
  try {
    const local = new LocalFolder(folder, task.plan.asset.path, false);
    await runTask(stage, { ...task, folder: local, store: storeOver(port) });
    return undefined;
  } catch (error) {
    return toSend(error);
  } finally {
    port.close();
    collectIfLarge();
  }
}
