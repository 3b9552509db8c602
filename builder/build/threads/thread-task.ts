/** What a worker thread does: tasks of a build's stages. */

import type { MessagePort } from "node:worker_threads";
import { advising, type GivenCommand } from "../../lib/advised.ts";
import { collectIfLarge } from "../../lib/garbage.ts";
import { LocalFolder } from "../folder/local-folder.ts";
import type { TaskKind } from "../left/names.ts";
import type { StageTask } from "../left/task.ts";
import { runTask } from "../stages/task-kinds.ts";
import { type SentError, toSend } from "./errors.ts";
import { storeOver } from "./store-port.ts";

export interface ThreadTask extends Omit<StageTask, "folder" | "store"> {
  /** The path of a `LocalFolder`. */
  folder: string;
  kind: TaskKind;
  /** For whom messages are. */
  given: GivenCommand;
  /** The port to the store. */
  port: MessagePort;
}

/** @returns the error with which the task has failed */
export default async function run({ folder, kind, given, port, ...task }: ThreadTask): Promise<SentError | undefined> {
  try {
    const local = new LocalFolder(folder, task.plan.asset.path, false);
    await advising(given, () => runTask(kind, { ...task, folder: local, store: storeOver(port) }));
    return undefined;
  } catch (error) {
    return toSend(error);
  } finally {
    port.close();
    collectIfLarge(task.plan.taskBytes / 4);
  }
}
