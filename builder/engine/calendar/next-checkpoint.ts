/** The checkpoint at the end of the last complete day, but for its holders. */

import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import type { DayBlocks } from "../flows.ts";
import type { Checkpoint } from "../history/checkpoint.ts";
import { bucketRange, type Outline } from "../history/outline.ts";
import { destroyedSoFar } from "./coin-days.ts";
import { type BlockPeriodRows, openBlocksAt } from "./object-periods.ts";
import { type CollectedDays, openBucketsAt } from "./weeks-and-months.ts";

/**
 * @param days the flows of the days after the outline's checkpoint, and their blocks
 * @param limits as in `blockPeriods`
 * @returns undefined when no day is complete
 */
export function nextCheckpoint(
  outline: Outline,
  days: CollectedDays,
  blocks: readonly DayBlocks[],
  limits?: BlockPeriodRows,
): Checkpoint | undefined {
  const { checkpoint, lastEvent, totalsAtLastClose } = outline;
  const range = bucketRange(outline, "day");
  if (!range) return undefined;
  const time = range.last + BUCKET_SECONDS.day;
  if (checkpoint?.time === time) return checkpoint;
  return {
    time,
    lastEvent: lastEvent!,
    totals: totalsAtLastClose,
    coinDaysDestroyed: destroyedSoFar(outline, days, Float64Array.of(range.last))[0]!,
    openBlocks: openBlocksAt(outline, blocks, time, limits),
    openBuckets: openBucketsAt(outline, days, time),
  };
}
