/** Turns rows into events: drops repeats, finds contradictions, writes the columns of a history. Source: docs/methodology.md §1. */

import { isoTime } from "../../../../data-schema/text.ts";
import type { History } from "../../../engine/history.ts";
import { rowAt } from "../../../lib/columns/order.ts";
import { pick, sharedBytes, sharedDoubles, sharedWords } from "../../../lib/columns/shared.ts";
import { ADDRESS_BYTES } from "../../../lib/widths.ts";
import { wordsOf } from "../../address-order.ts";
import { ADDRESS_WORDS, NO_NUMBER } from "../../addresses.ts";
import type { Mark } from "../columns/marks.ts";
import type { Transfers } from "./read.ts";

/** Two rows that can't both be right. */
export interface Contradiction {
  first: number;
  second: number;
  /** A column that tells; its cells are named with the places. */
  shows?: Mark;
  /** The sentence for the user, given the places of the two rows. */
  message(first: string, second: string): string;
}

export interface Events {
  count: number;
  /** Rows that were dropped because a reorganisation has removed them. */
  removed: number;
  /** Their rows in order, without repeats; not yet cut at as-of. Undefined if these are all rows as they are. */
  rows: Uint32Array | undefined;
}

/** Walks the rows in order. Stops at the first two that contradict each other. */
export function findEvents(transfers: Transfers): Events | Contradiction {
  const { order, block, logIndex, timestamp, marks } = transfers;
  if (!order && areEvents(transfers)) return { count: transfers.rows, removed: 0, rows: undefined };
  const rows = new Uint32Array(transfers.rows);
  let count = 0;
  let removed = 0;
  let last = 0;
  /** The last row with a hash: of this block, and of the transaction of this event. */
  let [inBlock, inTransaction] = [NO_ROW, NO_ROW];
  for (let place = 0; place < rows.length; place++) {
    const row = rowAt(order, place);
    if (marks.removed?.[row]) {
      removed++;
      continue;
    }
    const isSameBlock = count > 0 && block[row] === block[last];
    if (!isSameBlock) inBlock = NO_ROW;
    if (count > 0) {
      if (timestamp[row]! < timestamp[last]! && !isSameBlock) return decreasingTime(transfers, last, row);
      if (isSameBlock) {
        if (areOfTwo(marks.blockHash, inBlock, row)) return twoBlocks(transfers, inBlock, row);
        if (timestamp[row] !== timestamp[last]) return differentTimes(transfers, last, row);
      }
    }
    if (marks.blockHash?.[row]) inBlock = row;
    const isSameLog = isSameBlock && logIndex[row] === logIndex[last];
    if (isSameLog && areOfTwo(marks.transactionHash, inTransaction, row)) {
      return twoTransactions(transfers, inTransaction, row);
    }
    if (isSameLog && !isSameEvent(transfers, last, row)) return differentTransfers(transfers, last, row);
    if (!isSameLog) inTransaction = NO_ROW;
    if (marks.transactionHash?.[row]) inTransaction = row;
    if (isSameLog) continue;
    rows[count++] = row;
    last = row;
  }
  const events = { count, removed, rows: rows.subarray(0, count) };
  return (removed > 0 && findRetracted(transfers, events)) || events;
}

const NO_ROW = -1;

/** Whether the hashes of two rows are known and differ. */
function areOfTwo(hashes: Uint32Array | undefined, known: number, row: number): boolean {
  return hashes !== undefined && known !== NO_ROW && hashes[row] !== 0 && hashes[row] !== hashes[known];
}

/** Whether all rows, as they are, are events: in strict order, and without contradictions. */
function areEvents({ rows, block, logIndex, timestamp, marks: { blockHash, removed } }: Transfers): boolean {
  for (let row = 1; row < rows; row++) {
    const isNext =
      block[row]! > block[row - 1]!
        ? timestamp[row]! >= timestamp[row - 1]!
        : block[row] === block[row - 1] &&
          logIndex[row]! > logIndex[row - 1]! &&
          timestamp[row] === timestamp[row - 1] &&
          blockHash?.[row] === blockHash?.[row - 1];
    if (!isNext) return false;
  }
  return !removed?.subarray(0, rows).some((mark) => mark !== 0);
}

/** An event that a removed row retracts: the same log, as far as the two rows tell. */
function findRetracted(transfers: Transfers, { rows, count }: Events): Contradiction | undefined {
  const { order, block, logIndex, marks } = transfers;
  let at = 0;
  for (let place = 0; place < transfers.rows; place++) {
    const row = rowAt(order, place);
    if (!marks.removed?.[row]) continue;
    const isBefore = (event: number) =>
      block[event]! < block[row]! || (block[event] === block[row] && logIndex[event]! < logIndex[row]!);
    while (at < count && isBefore(rows![at]!)) at++;
    if (at === count) break;
    const event = rows![at]!;
    if (block[event] !== block[row] || logIndex[event] !== logIndex[row] || !isSameEvent(transfers, event, row))
      continue;
    const isAnother = [marks.blockHash, marks.transactionHash].some(
      (hashes) => hashes?.[event] && areOfTwo(hashes, event, row),
    );
    if (!isAnother) return retracted(transfers, event, row);
  }
  return undefined;
}

function isSameEvent({ from, to, values, valueWords }: Transfers, a: number, b: number): boolean {
  if (from[a] !== from[b] || to[a] !== to[b]) return false;
  for (let word = 0; word < valueWords; word++) {
    if (values[a * valueWords + word] !== values[b * valueWords + word]) return false;
  }
  return true;
}

const differentTransfers = ({ block, logIndex }: Transfers, first: number, second: number): Contradiction => ({
  first,
  second,
  message: (a, b) =>
    `Block ${block[first]} has two different transfers with log index ${logIndex[first]}: ${a} and ${b}; remove the wrong one.`,
});

const twoBlocks = ({ block }: Transfers, a: number, b: number): Contradiction => ({
  first: Math.min(a, b),
  second: Math.max(a, b),
  shows: "blockHash",
  message: (one, other) =>
    `Block ${block[a]} has two hashes: ${one} and ${other}. A reorganisation has orphaned one of the two blocks: remove its rows, or export the final blocks again.`,
});

const twoTransactions = ({ block, logIndex }: Transfers, a: number, b: number): Contradiction => ({
  first: Math.min(a, b),
  second: Math.max(a, b),
  message: (one, other) =>
    `Block ${block[a]} has transfers of two transactions with log index ${logIndex[a]}: ${one} and ${other}. The log index seems to count within a transaction: export the log's index in its block, or remove the row of an orphaned block.`,
});

const retracted = ({ block, logIndex }: Transfers, event: number, removed: number): Contradiction => ({
  first: event,
  second: removed,
  message: (kept, dropped) =>
    `Block ${block[event]} has a transfer with log index ${logIndex[event]} that is there (${kept}) and removed (${dropped}); remove both rows, or export the final blocks again.`,
});

const differentTimes = ({ block, timestamp }: Transfers, first: number, second: number): Contradiction => ({
  first,
  second,
  message: (a, b) =>
    `Block ${block[first]} has two times: ${isoTime(timestamp[first]!)} in ${a} and ${isoTime(timestamp[second]!)} in ${b}; correct one of them.`,
});

const decreasingTime = ({ block, timestamp }: Transfers, first: number, second: number): Contradiction => {
  const of = (row: number) => ({ block: block[row]!, time: timestamp[row]! });
  return { first, second, message: (a, b) => decreasingTimeText(of(first), of(second), a, b) };
};

/** A block and its time in Unix seconds. */
interface TimedBlock {
  block: number;
  time: number;
}

/** The sentence about a block whose time is before that of an earlier block, given the places of both. */
export const decreasingTimeText = (earlier: TimedBlock, later: TimedBlock, earlierPlace: string, laterPlace: string) =>
  `Block ${later.block} (${laterPlace}) has the time ${isoTime(later.time)}, but the earlier block ${earlier.block} (${earlierPlace}) has ${isoTime(earlier.time)}; correct one of them.`;

/** Writes the columns of the first `count` events, in their order. Addresses are numbered in order of appearance. */
export function writeHistory(transfers: Transfers, { rows }: Events, count: number): History {
  if (!rows && count === transfers.rows) return wholeHistory(transfers);
  return pickHistory(transfers, rows?.subarray(0, count) ?? Uint32Array.from({ length: count }, (_, row) => row));
}

/** Some rows of columns as a history. Addresses are numbered in order of appearance. */
export function pickHistory(from: Omit<History, "rows">, rows: Uint32Array): History {
  const columns = pickColumns(from, rows);
  return { rows: rows.length, ...columns, addresses: numberAddresses(from.addresses, columns) };
}

/** All rows as they are, without a copy. */
function wholeHistory({ rows, values, valueWords, addresses, ...columns }: Transfers): History {
  const { block, logIndex, timestamp, from, to } = columns;
  return {
    rows,
    block: block.subarray(0, rows),
    logIndex: logIndex.subarray(0, rows),
    timestamp: timestamp.subarray(0, rows),
    from: from.subarray(0, rows),
    to: to.subarray(0, rows),
    values: values.subarray(0, rows * valueWords),
    valueWords,
    addresses,
  };
}

type Columns = Omit<History, "rows" | "addresses">;

function pickColumns(transfers: Omit<History, "rows">, rows: Uint32Array): Columns {
  return {
    block: pick(transfers.block, rows, sharedDoubles(rows.length)),
    logIndex: pick(transfers.logIndex, rows, sharedWords(rows.length)),
    timestamp: pick(transfers.timestamp, rows, sharedDoubles(rows.length)),
    from: pick(transfers.from, rows, sharedWords(rows.length)),
    to: pick(transfers.to, rows, sharedWords(rows.length)),
    ...pickValues(transfers, rows),
  };
}

function pickValues(
  { values, valueWords }: Pick<History, "values" | "valueWords">,
  rows: Uint32Array,
): Pick<History, "values" | "valueWords"> {
  let needed = 1;
  for (const row of rows) {
    for (let word = valueWords - 1; word >= needed; word--) {
      if (values[row * valueWords + word] !== 0) needed = word + 1;
    }
  }
  const out = sharedWords(rows.length * needed);
  for (let index = 0; index < rows.length; index++) {
    for (let word = 0; word < needed; word++) out[index * needed + word] = values[rows[index]! * valueWords + word]!;
  }
  return { values: out, valueWords: needed };
}

/**
 * Renumbers addresses in place, in order of appearance in `from` and `to`.
 *
 * @returns the addresses that appear
 */
function numberAddresses(addresses: Uint8Array, { from, to }: Columns): Uint8Array<SharedArrayBuffer> {
  const numbers = new Uint32Array(addresses.length / ADDRESS_BYTES).fill(NO_NUMBER);
  numbers[0] = 0;
  let size = 1;
  for (let index = 0; index < from.length; index++) {
    const [a, b] = [from[index]!, to[index]!];
    if (numbers[a] === NO_NUMBER) numbers[a] = size++;
    if (numbers[b] === NO_NUMBER) numbers[b] = size++;
    from[index] = numbers[a]!;
    to[index] = numbers[b]!;
  }

  const known = wordsOf(addresses);
  const words = new Uint32Array(sharedBytes(size * ADDRESS_BYTES).buffer);
  for (let found = 0; found < numbers.length; found++) {
    if (numbers[found] === NO_NUMBER) continue;
    const at = found * ADDRESS_WORDS;
    words.set(known.subarray(at, at + ADDRESS_WORDS), numbers[found]! * ADDRESS_WORDS);
  }
  return new Uint8Array(words.buffer);
}
