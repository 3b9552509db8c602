/** A worker thread: runs the tasks of tasks.ts. */

import { move, transferableSymbol, valueSymbol } from "piscina";
import type { Timeline } from "../engine/timeline.ts";
import { TASKS, type TaskInput, type TaskName } from "./tasks.ts";

interface Task {
  timeline: Timeline;
  name: TaskName;
  input: TaskInput<TaskName>;
}

export default function run({ timeline, name, input }: Task): unknown {
  const task = TASKS[name] as (timeline: Timeline, input: unknown) => unknown;
  const value = task(timeline, input);
  const files = (value as { files?: { bytes: Uint8Array }[] }).files;
  if (!files?.length) return value;
  // Moves the bytes to the main thread without a copy.
  return move({ [transferableSymbol]: files.map(({ bytes }) => bytes.buffer), [valueSymbol]: value as object });
}
