/** Creates the checkpoint at the end of the last complete day. */

import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { openBucketsAt } from "./calendar.ts";
import { allocateHolders, type BlockTime, type Checkpoint, type Holders } from "./checkpoint.ts";
import type { History } from "./history.ts";
import { type BlockPeriodRows, openBlocksAt } from "./periods.ts";
import type { PartitionHolders, PartitionReplay } from "./replay.ts";
import { bucketRange, firstRowAt, type Timeline } from "./timeline.ts";

/**
 * @param limits as in `blockPeriods`
 * @returns undefined when no day is complete
 */
export function createCheckpoint(
  timeline: Timeline,
  replays: readonly PartitionReplay[],
  limits?: BlockPeriodRows,
): Checkpoint | undefined {
  const { checkpoint, history, totalsAtLastClose } = timeline;
  const days = bucketRange(timeline, "day");
  if (!days) return undefined;
  const time = days.last + BUCKET_SECONDS.day;
  if (checkpoint?.time === time) return checkpoint;
  const partitions = replays.map(({ holdersAtLastClose }) => holdersAtLastClose!);
  return {
    time,
    lastEvent: lastEventBefore(history, time) ?? checkpoint!.lastEvent,
    totals: totalsAtLastClose,
    holders: mergeHolders(history, partitions),
    openBlocks: openBlocksAt(timeline, time, limits),
    openBuckets: openBucketsAt(timeline, time),
  };
}

function lastEventBefore(history: History, time: number): BlockTime | undefined {
  const row = firstRowAt(history, time) - 1;
  return row < 0 ? undefined : { block: history.block[row]!, t: history.timestamp[row]! };
}

function mergeHolders({ addresses }: History, partitions: readonly PartitionHolders[]): Holders {
  const count = partitions.reduce((sum, { ids }) => sum + ids.length, 0);
  const words = Math.max(1, ...partitions.map(wordsInUse));
  const holders = allocateHolders(count, words);
  // Copied as words: a view of 20 bytes for each address would take longer.
  const from = new Uint32Array(addresses.buffer, addresses.byteOffset, addresses.length / 4);
  const into = new Uint32Array(holders.addresses.buffer);
  let at = 0;
  for (const partition of partitions) {
    holders.basis.set(partition.basis, at);
    holders.purchaseTime.set(partition.purchaseTime, at);
    partition.ids.forEach((id, i) => {
      for (let word = 0; word < 5; word++) into[5 * at + word] = from[5 * id + word]!;
      for (let word = 0; word < Math.min(words, partition.words); word++) {
        holders.balances[at * words + word] = partition.balances[i * partition.words + word]!;
      }
      at++;
    });
  }
  return holders;
}

/** The 32-bit words that the largest balance needs. */
function wordsInUse({ balances, words }: PartitionHolders): number {
  let used = words;
  const isUsed = (word: number) => {
    for (let at = word; at < balances.length; at += words) if (balances[at] !== 0) return true;
    return false;
  };
  while (used > 1 && !isUsed(used - 1)) used--;
  return used;
}
