/**
 * Replays the lots of a partition by one method, run after run. It leaves the pieces that its sends take, how what is held of
 * each key changes from close to close, and the lots at the last close.
 */

import type { Codec } from "../../../data-schema/parquet.ts";
import { BUCKET_SECONDS, type LotMethod } from "../../../data-schema/registry.ts";
import { newBuckets, type Outline, PriceCursor } from "../../engine/history.ts";
import { type BookChanges, type LotPieces, LotReplay, type LotRows } from "../../engine/lots.ts";
import type { EventChunk } from "../../engine/replay.ts";
import { concat } from "../../lib/columns/concat.ts";
import { RowGroupMemory, type Rows, TableEncoder } from "../../lib/fixed-width-table.ts";
import { lots } from "../../published/objects/lot-layout.ts";
import { chunksOf, OWN_PARTITION, readHalf } from "../left/halves.ts";
import { toJson } from "../left/json.ts";
import { book, halves, PIECES } from "../left/layouts.ts";
import { openLeftTable } from "../left/open-table.ts";
import type { StageTask } from "../left/task.ts";
import { amountWords, BOOK, CLOSING_LOTS, changeWords, HOUR, PIECE_TABLE, SEED_LOTS } from "./lot-files.ts";

/** The addresses of the partition, as its replay knows them. */
export interface LotHolders {
  /** The labels of all, by their numbers. */
  labels: Uint8Array;
  /** The number of the first address of each of the checkpoint's divisions. */
  firstSeeds: readonly number[];
  /** The numbers of the addresses of each run's dictionary. */
  translations: readonly Uint32Array[];
  /** The numbers of those that have held the token, in ascending order of the addresses. */
  closing: Uint32Array;
}

/** Bytes of a piece in memory, as it is read, and as an event. */
const PIECE_BYTES = 100;

/** Larger row groups save nothing. */
const MOST_PIECES = 32_768;

/** Pieces of a row group, at most: who reads pieces has one of each partition in a quarter of the memory of a task. */
const piecesOfGroup = ({ taskBytes, partitions }: StageTask["plan"]) =>
  Math.min(MOST_PIECES, Math.max(1, Math.floor(taskBytes / 4 / PIECE_BYTES / partitions)));

/** Lots of a row group, and those that its last address has beyond. */
const GROUP_LOTS = 16_384;

export async function replayLots(
  task: StageTask,
  outline: Outline,
  method: LotMethod,
  { labels, firstSeeds, translations, closing }: LotHolders,
): Promise<void> {
  const { folder, index, runs } = task;
  const days = newBuckets(outline, "day");
  const firstClose = (days?.first ?? 0) + BUCKET_SECONDS.day;
  const closes = days ? (days.last - days.first) / BUCKET_SECONDS.day + 1 : 0;
  const terms = {
    method,
    addresses: 2 * labels.length,
    decimals: outline.parameters.decimals,
    balanceWords: outline.balanceWords,
    valueWords: outline.valueWords,
    firstClose,
    closes,
  };
  let changes: { close: number; of: BookChanges }[] = [];
  let closed = 0;
  const replay = new LotReplay(OWN_PARTITION, terms, (of) => changes.push({ close: ++closed, of }));
  for (let number = 1; number < labels.length; number++) if (labels[number] !== 0) replay.setOther(2 * number);
  for (const [division, first] of firstSeeds.entries()) {
    const { words } = task.plan.resume!;
    const file = await openLeftTable(folder, SEED_LOTS(method, division), lots(words), () => [index]);
    changes.push({ close: 0, of: replay.restore(seedRows(file.group(index), first, words)) });
  }

  /** Up to when events come before the last close. */
  const end = days ? days.last + BUCKET_SECONDS.day : (outline.checkpoint?.time ?? Number.NEGATIVE_INFINITY);
  let isClosed = false;
  /** Closes the days that are complete, and writes the lots then: those of the checkpoint, if no day has ended since. */
  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    replay.end();
    await folder.write(CLOSING_LOTS(method, index), encodeLots(replay, closing, amountWords(outline), folder.codec));
  }
  /** What has changed since the run before: all of it may be too much for memory. */
  async function writeBook(run: number): Promise<void> {
    await folder.write(BOOK(method, index, run), encodeBook(changes, changeWords(outline), folder.codec));
    changes = [];
  }
  async function* pieces(): AsyncGenerator<Uint8Array> {
    const encoder = new TableEncoder(PIECES, folder.codec);
    const prices = new PriceCursor(outline.prices);
    const { row: _, ...others } = halves(outline.valueWords);
    const room = new RowGroupMemory(others);
    const most = piecesOfGroup(task.plan);
    /** Row groups of each run: those of its first day, then the others. */
    const groups: number[] = [];
    for (const [run, facts] of runs.entries()) {
      const half = await readHalf(task, run, facts, translations, room);
      groups.push(0, 0);
      let taken: Taken[] = [];
      let waiting = 0;
      function* write(): Generator<Uint8Array> {
        const rows = pieceRows(taken, half.row);
        [taken, waiting] = [[], 0];
        const { length } = rows.row;
        const cut = rows.row.findIndex((row) => row >= (facts.days[0]?.rows ?? 0));
        const firstDay = cut < 0 ? length : cut;
        for (const [half, from, to] of [
          [2 * run, 0, firstDay],
          [2 * run + 1, firstDay, length],
        ] as const) {
          for (let begin = from; begin < to; begin += most) {
            const end = Math.min(begin + most, to);
            yield* encoder.group(end - begin, slice(rows, begin, end));
            groups[half]!++;
          }
        }
      }
      for (const { begin, chunk } of chunksOf(half, facts.words, outline.valueWords, prices)) {
        for (const part of splitAt(chunk, end, outline.valueWords)) {
          if (part.isAfter) await close();
          const pieces = replay.replay(part.chunk);
          taken.push({ begin: begin + part.first, pieces });
          waiting += pieces.events.length;
          if (waiting >= most) yield* write();
        }
      }
      yield* write();
      await writeBook(run);
    }
    yield* encoder.end(toJson(groups));
  }
  await folder.write(PIECE_TABLE(method, index), pieces());
  await close();
  await writeBook(runs.length);
}

/** Lots of a division, with the numbers of the partition's addresses. */
function seedRows(
  { count, holder, hour, price, amount }: { count: number } & Rows<ReturnType<typeof lots>>,
  first: number,
  words: number,
): LotRows {
  const times = new Float64Array(count);
  for (let row = 0; row < count; row++) times[row] = HOUR * hour[row]!;
  return { owners: holder.map((place) => first + place), times, prices: price, amounts: amount, words };
}

interface ChunkPart {
  /** The number of its first event in the chunk. */
  first: number;
  chunk: EventChunk;
  /** Whether it begins at or after the time. */
  isAfter: boolean;
}

/** The events of a chunk before a time, Unix seconds, and those from it on; without parts that have none. */
function splitAt(chunk: EventChunk, time: number, valueWords: number): ChunkPart[] {
  const { timestamp } = chunk;
  const count = timestamp.length;
  const found = timestamp.findIndex((seconds) => seconds >= time);
  const cut = found < 0 ? count : found;
  const part = (first: number, last: number): EventChunk => ({
    from: chunk.from.subarray(first, last),
    to: chunk.to.subarray(first, last),
    timestamp: timestamp.subarray(first, last),
    price: chunk.price.subarray(first, last),
    values: chunk.values.subarray(first * valueWords, last * valueWords),
  });
  return [
    ...(cut > 0 ? [{ first: 0, chunk: part(0, cut), isAfter: false }] : []),
    ...(cut < count ? [{ first: cut, chunk: part(cut, count), isAfter: true }] : []),
  ];
}

/** Pieces of some events of a half, which begin at `begin`. */
interface Taken {
  begin: number;
  pieces: LotPieces;
}

/** @param rowOf the number of each event of the half in the run */
function pieceRows(taken: readonly Taken[], rowOf: Uint32Array): Rows<typeof PIECES> {
  const count = taken.reduce((sum, { pieces }) => sum + pieces.events.length, 0);
  const [row, hour] = [new Uint32Array(count), new Uint32Array(count)];
  const sender = new Uint16Array(count);
  let at = 0;
  for (const { begin, pieces } of taken) {
    sender.set(pieces.standings, at);
    for (let i = 0; i < pieces.events.length; i++, at++) {
      row[at] = rowOf[begin + pieces.events[i]!]!;
      hour[at] = pieces.times[i]! / HOUR;
    }
  }
  return {
    row,
    hour,
    sender,
    tokens: concat(taken.map(({ pieces }) => pieces.tokens)),
    price: concat(taken.map(({ pieces }) => pieces.prices)),
  };
}

const slice = ({ row, tokens, hour, price, sender }: Rows<typeof PIECES>, begin: number, end: number) => ({
  row: row.subarray(begin, end),
  tokens: tokens.subarray(begin, end),
  hour: hour.subarray(begin, end),
  price: price.subarray(begin, end),
  sender: sender.subarray(begin, end),
});

/** In one row group, or none. */
function* encodeBook(
  changes: readonly { close: number; of: BookChanges }[],
  words: number,
  codec: Codec,
): Generator<Uint8Array> {
  const encoder = new TableEncoder(book(words), codec);
  const rows = changes.reduce((sum, { of }) => sum + of.times.length, 0);
  if (rows > 0) yield* encoder.group(rows, bookRows(changes, rows, words));
  yield* encoder.end();
}

function bookRows(
  changes: readonly { close: number; of: BookChanges }[],
  rows: number,
  words: number,
): Rows<ReturnType<typeof book>> {
  const group = {
    close: new Uint32Array(rows),
    hour: new Uint32Array(rows),
    price: concat(changes.map(({ of }) => of.prices)),
    amounts: new Uint32Array(rows * words),
  };
  let at = 0;
  for (const { close, of } of changes) {
    group.amounts.set(of.amounts, words * at);
    for (let row = 0; row < of.times.length; row++, at++) {
      group.close[at] = close;
      group.hour[at] = of.times[row]! / HOUR;
    }
  }
  return group;
}

/** Lots by the places of their addresses in `closing`. */
function* encodeLots(replay: LotReplay, closing: Uint32Array, words: number, codec: Codec): Generator<Uint8Array> {
  const encoder = new TableEncoder(lots(words), codec);
  let place = 0;
  for (const { owners, times, prices, amounts } of replay.lotsOf(closing, GROUP_LOTS)) {
    const holder = owners.map((owner) => {
      while (closing[place] !== owner) place++;
      return place;
    });
    // A loop: `from` makes an object of each number, of which there may be a million.
    const hour = new Uint32Array(times.length);
    for (let lot = 0; lot < hour.length; lot++) hour[lot] = times[lot]! / HOUR;
    yield* encoder.group(owners.length, {
      holder,
      hour,
      price: prices,
      amount: amounts.subarray(0, words * owners.length),
    });
  }
  yield* encoder.end();
}
