/** Task `holders`: merges what the partitions leave of their addresses into the rows of the checkpoint. */

import { countLabels, type LabelCounts } from "../../input/labels/address-labels.ts";
import { encodeRows, type WrittenRows } from "../checkpoint/checkpoint-file.ts";
import type { CheckpointRows } from "../checkpoint/checkpoint-rows.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { HolderFacts } from "../left/facts.ts";
import { readResults } from "../left/results.ts";
import { readPartitions } from "../left/runs.ts";
import type { StagePlan } from "../left/stage-plan.ts";
import type { StageTask } from "../left/task.ts";
import { mergeClosing, openClosing } from "./merge-closing.ts";

/** The beginning of the checkpoint's file. */
export const HOLDERS = "holders";

export async function mergeHolders({ plan, folder }: StageTask): Promise<HolderFacts> {
  const partitions = await readPartitions(folder, plan);
  const words = Math.max(1, ...partitions.map(({ wordsInUse }) => wordsInUse));
  const held = countLabels([]);
  const batches = countingLabels(mergeClosing(await openClosing(folder, partitions), words), held);
  let rows: WrittenRows;
  await folder.write(
    HOLDERS,
    (function* () {
      rows = yield* encodeRows(words, batches);
    })(),
  );
  return { ...rows!, held };
}

function* countingLabels(batches: Iterable<CheckpointRows>, held: LabelCounts): Generator<CheckpointRows> {
  for (const batch of batches) {
    countLabels(batch.labels.subarray(0, batch.rows), held);
    yield batch;
  }
}

/** @throws {Failure} they have not been merged */
export async function readHolders(folder: StageFolder, plan: StagePlan): Promise<HolderFacts> {
  const [facts] = await readResults(folder, plan, "holders");
  return facts!;
}
