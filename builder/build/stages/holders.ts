/** Task `holders`: merges what the partitions leave of their addresses into the rows of the checkpoint, and lists of them. */

import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { bucketRange } from "../../engine/history.ts";
import type { CheckpointRows } from "../checkpoint/checkpoint-rows.ts";
import type { StageFolder } from "../folder/folder.ts";
import { writeTableAndLists } from "../holders/table-and-lists.ts";
import type { HolderFacts } from "../left/facts.ts";
import { partitionsOf } from "../left/partitions.ts";
import { readResults } from "../left/results.ts";
import { outlineOfRuns } from "../left/run-outline.ts";
import { readPartitions } from "../left/runs.ts";
import { lotMethods, type StagePlan } from "../left/stage-plan.ts";
import type { StageTask } from "../left/task.ts";
import { amountWords } from "../lots/lot-files.ts";
import { writeLotTable } from "../lots/lot-table.ts";
import { mergeClosing, openClosing } from "./merge-closing.ts";

export async function mergeHolders({ plan, folder, runs }: StageTask): Promise<HolderFacts> {
  const partitions = await readPartitions(folder, plan);
  const words = Math.max(1, ...partitions.map(({ wordsInUse }) => wordsInUse));
  const closing = await openClosing(folder, partitions);
  const rows = closing.reduce((sum, { file }) => sum + file.rows, 0);
  const outline = outlineOfRuns(plan, runs);
  const days = bucketRange(outline, "day");
  const close = days && days.last + BUCKET_SECONDS.day;
  const batches = mergeClosing(closing, words);
  const methods = lotMethods(plan);
  if (methods.length === 0) return writeTableAndLists(folder, plan, { batches, rows, words, close });
  const groups: Uint16Array[] = [];
  const facts = await writeTableAndLists(folder, plan, { batches: noting(batches, plan, groups), rows, words, close });
  const lots: HolderFacts["lots"] = {};
  const widths = { partitions: plan.partitions, amountWords: amountWords(outline), words };
  for (const method of methods) lots[method] = await writeLotTable(folder, method, groups, widths);
  return { ...facts, lots };
}

/** Notes of which partition each address is; batches are as large as the checkpoint's row groups. */
function* noting(
  batches: Iterable<CheckpointRows>,
  { partitions }: StagePlan,
  groups: Uint16Array[],
): Generator<CheckpointRows> {
  for (const batch of batches) {
    groups.push(partitionsOf(batch.addresses, partitions).subarray(0, batch.rows));
    yield batch;
  }
}

/** @throws {Failure} they have not been merged */
export async function readHolders(folder: StageFolder, plan: StagePlan): Promise<HolderFacts> {
  const [facts] = await readResults(folder, plan, "holders");
  return facts!;
}
