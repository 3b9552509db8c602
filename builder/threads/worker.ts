/** A worker thread: runs the tasks of tasks.ts over the timeline that it was started with. */

import { workerData } from "node:worker_threads";
import { move, transferableSymbol, valueSymbol } from "piscina";
import type { Timeline } from "../engine/timeline.ts";
import { TASKS, type TaskInput, type TaskName } from "./tasks.ts";

const timeline = workerData as Timeline;

export default function run({ name, input }: { name: TaskName; input: TaskInput<TaskName> }): unknown {
  const task = TASKS[name] as (timeline: Timeline, input: unknown) => unknown;
  const value = task(timeline, input);
  const files = (value as { files?: { bytes: Uint8Array }[] }).files;
  if (!files?.length) return value;
  // The bytes go to the other thread as they are, without a copy.
  return move({ [transferableSymbol]: files.map(({ bytes }) => bytes.buffer), [valueSymbol]: value as object });
}
