/** The checkpoint at the end of the last complete day. */

import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import type { BlockTime, Checkpoint, Holders } from "./checkpoint.ts";
import type { History } from "./history.ts";
import { openBlocksAt } from "./periods.ts";
import type { PartHolders, PartReplay } from "./replay.ts";
import { bucketRange, firstRowAt, type Timeline } from "./timeline.ts";

/**
 * @param fullRows as of `blockPeriods`
 * @returns undefined when no day is complete
 */
export function takeCheckpoint(
  timeline: Timeline,
  replays: readonly PartReplay[],
  fullRows?: number,
): Checkpoint | undefined {
  const { before, history, closed } = timeline;
  const days = bucketRange(timeline, "day");
  if (!days) return undefined;
  const time = days.last + BUCKET_SECONDS.day;
  if (before?.time === time) return before;
  return {
    time,
    lastEvent: lastEventBefore(history, time) ?? before!.lastEvent,
    totals: closed,
    holders: joinHolders(
      history,
      replays.map(({ closing }) => closing!),
    ),
    openBlocks: openBlocksAt(timeline, time, fullRows),
  };
}

function lastEventBefore(history: History, time: number): BlockTime | undefined {
  const row = firstRowAt(history, time) - 1;
  return row < 0 ? undefined : { block: history.block[row], t: history.timestamp[row] };
}

function joinHolders({ addresses }: History, parts: readonly PartHolders[]): Holders {
  const count = parts.reduce((sum, { numbers }) => sum + numbers.length, 0);
  const words = Math.max(1, ...parts.map(wordsInUse));
  const shared = (bytes: number) => new SharedArrayBuffer(bytes);
  const holders = {
    addresses: new Uint8Array(shared(20 * count)),
    words,
    balances: new Uint32Array(shared(4 * words * count)),
    basis: new Float64Array(shared(8 * count)),
    since: new Float64Array(shared(8 * count)),
  };
  // As words: views of a few bytes each take longer.
  const from = new Uint32Array(addresses.buffer, addresses.byteOffset, addresses.length / 4);
  const into = new Uint32Array(holders.addresses.buffer);
  let at = 0;
  for (const part of parts) {
    holders.basis.set(part.basis, at);
    holders.since.set(part.since, at);
    part.numbers.forEach((number, i) => {
      for (let word = 0; word < 5; word++) into[5 * at + word] = from[5 * number + word];
      for (let word = 0; word < Math.min(words, part.words); word++) {
        holders.balances[at * words + word] = part.balances[i * part.words + word];
      }
      at++;
    });
  }
  return holders;
}

/** 32-bit words that the largest balance takes. */
function wordsInUse({ balances, words }: PartHolders): number {
  let used = words;
  const isUsed = (word: number) => {
    for (let at = word; at < balances.length; at += words) if (balances[at] !== 0) return true;
    return false;
  };
  while (used > 1 && !isUsed(used - 1)) used--;
  return used;
}
