/** Task `holders`: merges what the partitions leave of their addresses into the rows of the checkpoint, and lists of them. */

import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { bucketRange } from "../../engine/history.ts";
import type { StageFolder } from "../folder/folder.ts";
import { writeTableAndLists } from "../holders/table-and-lists.ts";
import type { HolderFacts } from "../left/facts.ts";
import { readResults } from "../left/results.ts";
import { outlineOfRuns } from "../left/run-outline.ts";
import { readPartitions } from "../left/runs.ts";
import type { StagePlan } from "../left/stage-plan.ts";
import type { StageTask } from "../left/task.ts";
import { mergeClosing, openClosing } from "./merge-closing.ts";

export async function mergeHolders({ plan, folder, runs }: StageTask): Promise<HolderFacts> {
  const partitions = await readPartitions(folder, plan);
  const words = Math.max(1, ...partitions.map(({ wordsInUse }) => wordsInUse));
  const closing = await openClosing(folder, partitions);
  const rows = closing.reduce((sum, { file }) => sum + file.rows, 0);
  const days = bucketRange(outlineOfRuns(plan, runs), "day");
  const close = days && days.last + BUCKET_SECONDS.day;
  return writeTableAndLists(folder, plan, { batches: mergeClosing(closing, words), rows, words, close });
}

/** @throws {Failure} they have not been merged */
export async function readHolders(folder: StageFolder, plan: StagePlan): Promise<HolderFacts> {
  const [facts] = await readResults(folder, plan, "holders");
  return facts!;
}
