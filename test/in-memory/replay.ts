/** The replay of a history that is in memory: it writes the standings to the timeline. */

import { FIRST_EXCHANGE, UNLISTED } from "../../builder/engine/classification.ts";
import type { SortedAddresses } from "../../builder/engine/closes/close.ts";
import { toBigInt } from "../../builder/engine/history/amounts.ts";
import type { Standings } from "../../builder/engine/history/history.ts";
import type { Overdraft } from "../../builder/engine/history/overdraft.ts";
import {
  type HoldersOfPartition,
  Partition,
  type PartitionEnd,
  REPLAY_ROWS,
  Replayer,
} from "../../builder/engine/replay/replay.ts";
import { joinBytes } from "../../data-schema/text/bytes.ts";
import type { Holders } from "./checkpoint.ts";
import type { Timeline } from "./timeline.ts";

export interface PartitionReplay extends PartitionEnd {
  /** At the close of the last new day; undefined when there is none. */
  holdersAtLastClose: HoldersOfPartition | undefined;
  /** The partition's first overdraft: the events after it were not replayed. */
  overdraft: Overdraft | undefined;
}

/**
 * Replays the partition of that index.
 *
 * @throws {Failure} the partition needs more than 4 GB of memory, or a holder's cost exceeds the range of a double
 */
export function replayPartition(timeline: Timeline, index: number, count: number): PartitionReplay {
  const { history, labels, checkpoint } = timeline;
  const partition = new Partition(index, count);
  const addresses = history.addresses.length / 20;
  let holdersAtLastClose: HoldersOfPartition | undefined;
  const replayer = new Replayer(timeline, partition, addresses, sortedOf(history.addresses, partition), () => {
    holdersAtLastClose = replayer.holders();
  });
  for (let id = index; id < addresses; id += count) replayer.setLabel(id, labels[id]!);
  if (checkpoint) restore(replayer, checkpoint.holders);
  const overdraft = replayEvents(replayer, timeline);
  return { ...replayer.end(), holdersAtLastClose, overdraft };
}

/** The partition's share of addresses in ascending order. */
function sortedOf(addresses: Uint8Array, partition: Partition): SortedAddresses {
  const count = addresses.length / 20;
  const ids = Array.from({ length: count }, (_, id) => id).filter((id) => id > 0 && partition.includes(id));
  const bytesOf = (id: number) => addresses.subarray(20 * id, 20 * id + 20);
  ids.sort((a, b) => Buffer.compare(bytesOf(a), bytesOf(b)));
  const places = new Uint32Array(count);
  for (const [place, id] of ids.entries()) places[partition.holderOf(id)] = place;
  return { bytes: joinBytes(ids.map(bytesOf)), places };
}

/** Restores the partition's share of a checkpoint's holders, which are the addresses from 1 on. */
function restore(
  replayer: Replayer,
  { words, balances, basis, purchaseTime, firstEvent, lastEvent, lastDeposit, ...holders }: Holders,
): void {
  const { index, count } = replayer.partition;
  for (let id = index || count; id <= basis.length; id += count) {
    const times = {
      purchase: purchaseTime[id - 1]!,
      firstEvent: firstEvent[id - 1]!,
      lastEvent: lastEvent[id - 1]!,
      lastDeposit: lastDeposit[id - 1]!,
      realised: holders.realised[id - 1]!,
      sent: holders.sent[id - 1]!,
      receipts: holders.receipts[id - 1]!,
      sends: holders.sends[id - 1]!,
    };
    replayer.restore(id, balances, (id - 1) * words, words, basis[id - 1]!, times);
  }
}

function replayEvents(replayer: Replayer, timeline: Timeline): Overdraft | undefined {
  const { history, price, groups } = timeline;
  const { partition } = replayer;
  const seen = (address: number) =>
    address === 0 || partition.includes(address)
      ? address
      : partition.otherAddress((groups[address]! & ~UNLISTED) >= FIRST_EXCHANGE);
  const { rows, valueWords } = history;
  for (let begin = 0; begin < rows; begin += REPLAY_ROWS) {
    const end = Math.min(rows, begin + REPLAY_ROWS);
    const { results, overdraft } = replayer.replay({
      from: history.from.subarray(begin, end).map(seen),
      to: history.to.subarray(begin, end).map(seen),
      timestamp: history.timestamp.subarray(begin, end),
      price: price.subarray(begin, end),
      values: history.values.subarray(begin * valueWords, end * valueWords),
    });
    if (overdraft) {
      const row = begin + overdraft.index;
      const sender = history.addresses.subarray(20 * history.from[row]!, 20 * history.from[row]! + 20);
      return {
        block: history.block[row]!,
        logIndex: history.logIndex[row]!,
        balance: overdraft.balance,
        sender: `0x${Buffer.from(sender).toString("hex")}`,
        value: toBigInt(history.values, row * valueWords, valueWords),
      };
    }
    copyResults(results, timeline, begin, end, replayer.partition);
  }
  return undefined;
}

/** Copies the results of the rows [begin, end): of each event, the partition knows its own side only. */
function copyResults(results: Standings, timeline: Timeline, begin: number, end: number, partition: Partition): void {
  const { from, to } = timeline.history;
  for (let i = 0, row = begin; row < end; i++, row++) {
    if (results.tokens[i] === 0) continue;
    timeline.tokens[row] = results.tokens[i]!;
    if (partition.includes(from[row]!)) {
      timeline.basis[row] = results.basis[i]!;
      timeline.since[row] = results.since[i]!;
      timeline.sender[row] = results.sender[i]!;
    }
    if (partition.includes(to[row]!)) timeline.receiver[row] = results.receiver[i]!;
    timeline.deposits[row]! |= results.deposits[i]!;
  }
}
