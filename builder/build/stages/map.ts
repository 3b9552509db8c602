/**
 * Stage `map`: reads a share of the transfers, or divides a part of the last build's checkpoint. Of a share it leaves a
 * run: its events in order, and for each partition the events and addresses that the partition replays.
 */

import type { Codec } from "../../../data-schema/parquet.ts";
import { FIRST_EXCHANGE, UNLISTED } from "../../engine/classification.ts";
import { inflowByDay } from "../../engine/deposits.ts";
import { firstPriceTime, type History, isZero, tallyDays } from "../../engine/history.ts";
import { copyAddress, wordsOf } from "../../input/address-order.ts";
import { readShare } from "../../input/transfers/read-share.ts";
import { whileUnchanged } from "../../input/while-unchanged.ts";
import { readingInput } from "../../lib/failure.ts";
import { TableEncoder } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import { digestDays } from "../checkpoint/event-digests.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { RunFacts } from "../left/facts.ts";
import { FIRST_OWN } from "../left/halves.ts";
import { readLabelsOf } from "../left/label-file.ts";
import { DICTIONARY, EVENT_LAYOUT, halves } from "../left/layouts.ts";
import { NO_PARTITION, partitionsOf } from "../left/partitions.ts";
import { withSorted } from "../left/sorted.ts";
import type { StageTask } from "../left/task.ts";
import { writeLargeTransfers } from "./large-transfers.ts";

/** Rows of a row group of events. */
const GROUP_ROWS = 131_072;

export async function mapShare({ plan, folder, index, threads }: StageTask): Promise<RunFacts> {
  const { asset, survey, reading, partitions } = plan;
  const { history, ...facts } = await readingInput(async () => {
    const { files } = reading.shares[index]!;
    return whileUnchanged(
      files.map((file) => survey.history[file]!),
      async () => readShare(asset, survey, await withSorted(folder, reading, files), index, { threads }),
    );
  });
  const digests = digestDays(history);
  const days = tallyDays(history, firstPriceTime(survey.prices)).map((tally) => ({
    ...tally,
    digest: digests.get(tally.day)!,
  }));
  const labels = await readLabelsOf(folder, history.addresses);
  const inflow = survey.labels.deposits && { inflow: inflowByDay(history, labels) };
  const partitionOf = partitionsOf(history.addresses, partitions);
  await writeRun(folder, index, { history, labels, partitionOf, partitions, firstDay: days[0]?.rows ?? 0 });
  await writeLargeTransfers(folder, index, history, labels, survey.prices, asset.decimals);
  return { ...facts, days, words: history.valueWords, ...inflow };
}

/** The events of a run, and which partition replays each address. */
export interface RunEvents {
  history: History;
  labels: Uint8Array;
  /** `NO_PARTITION` for an address that is not on the list. */
  partitionOf: Uint16Array;
  partitions: number;
  /** Events of the first day, which have row groups of their own. */
  firstDay: number;
}

export async function writeRun(folder: StageFolder, index: number, run: RunEvents): Promise<void> {
  const { history, labels, partitionOf, partitions } = run;
  await folder.write(`events/${index}.parquet`, encodeEvents(run, folder.codec));
  const { numbers, pieces } = encodeDictionary(history, labels, partitionOf, partitions, folder.codec);
  await folder.write(`dictionary/${index}.parquet`, pieces);
  await folder.write(`halves/${index}.parquet`, encodeHalves(run, numbers, folder.codec));
}

function* encodeEvents({ history, labels, partitionOf, firstDay }: RunEvents, codec: Codec): Generator<Uint8Array> {
  const { rows, block, logIndex, timestamp } = history;
  /** The side of an event, by the number of its address. */
  const sides = labels.map((label, id) =>
    id === 0 ? 0 : (label + 1) | (partitionOf[id] === NO_PARTITION ? UNLISTED : 0),
  );
  const sideOf = (addresses: Uint32Array) => {
    const side = new Uint8Array(addresses.length);
    // A loop: `from` takes ten times as long for each of all events.
    for (let i = 0; i < side.length; i++) side[i] = sides[addresses[i]!]!;
    return side;
  };
  const encoder = new TableEncoder(EVENT_LAYOUT, codec);
  for (let begin = 0, end: number; begin < rows; begin = end) {
    end = Math.min(begin + GROUP_ROWS, begin < firstDay ? firstDay : rows);
    yield* encoder.group(end - begin, {
      block: block.subarray(begin, end),
      logIndex: logIndex.subarray(begin, end),
      time: timestamp.subarray(begin, end),
      from: sideOf(history.from.subarray(begin, end)),
      to: sideOf(history.to.subarray(begin, end)),
    });
  }
  yield* encoder.end();
}

/** The numbers that stand for addresses of other partitions in the halves of one, below `FIRST_OWN`; 0 is the zero address. */
const [OTHER, OTHER_EXCHANGE] = [1, 2];
/** @returns also the number of each address in its partition */
function encodeDictionary(
  history: History,
  labels: Uint8Array,
  partitionOf: Uint16Array,
  partitions: number,
  codec: Codec,
) {
  const numbers = new Uint32Array(partitionOf.length);
  const sizes = new Uint32Array(partitions);
  const isOwn = (id: number) => partitionOf[id] !== NO_PARTITION;
  for (let id = 1; id < numbers.length; id++) if (isOwn(id)) numbers[id] = FIRST_OWN + sizes[partitionOf[id]!]!++;
  function* pieces(): Generator<Uint8Array> {
    const order = new Uint32Array(numbers.length - 1);
    const starts = startsOf(sizes);
    for (let id = 1; id < numbers.length; id++) {
      if (isOwn(id)) order[starts[partitionOf[id]!]! + numbers[id]! - FIRST_OWN] = id;
    }
    const encoder = new TableEncoder(DICTIONARY, codec);
    const words = wordsOf(history.addresses);
    for (let partition = 0; partition < partitions; partition++) {
      const ids = order.subarray(starts[partition], starts[partition + 1]);
      const address = new Uint8Array(ADDRESS_BYTES * ids.length);
      const label = new Uint8Array(ids.length);
      const into = wordsOf(address);
      for (let i = 0; i < ids.length; i++) {
        copyAddress(words, ids[i]!, into, i);
        label[i] = labels[ids[i]!]!;
      }
      yield* encoder.group(ids.length, { address, label });
    }
    yield* encoder.end();
  }
  return { numbers, pieces: pieces() };
}

/** Where each partition begins, and the end of the last. */
function startsOf(sizes: Uint32Array): Uint32Array {
  const starts = new Uint32Array(sizes.length + 1);
  for (let i = 0; i < sizes.length; i++) starts[i + 1] = starts[i]! + sizes[i]!;
  return starts;
}

function* encodeHalves(
  { history, labels, partitionOf, partitions }: RunEvents,
  numbers: Uint32Array,
  codec: Codec,
): Generator<Uint8Array> {
  const { rows, from, to, timestamp, values, valueWords: words } = history;
  const otherNumber = (id: number) => {
    if (id === 0) return 0;
    return labels[id]! >= FIRST_EXCHANGE ? OTHER_EXCHANGE : OTHER;
  };
  /** The partitions of sender and receiver of each event: the zero address, and events that count nowhere, have none. */
  const [sending, receiving] = [new Uint16Array(rows).fill(NO_PARTITION), new Uint16Array(rows).fill(NO_PARTITION)];
  const sizes = new Uint32Array(partitions);
  for (let row = 0; row < rows; row++) {
    const [source, target] = [from[row]!, to[row]!];
    if (source === target || isZero(values, row * words, words)) continue;
    if (source !== 0) {
      const partition = partitionOf[source]!;
      sending[row] = partition;
      if (partition !== NO_PARTITION) sizes[partition]!++;
    }
    if (target !== 0) {
      const partition = partitionOf[target]!;
      receiving[row] = partition;
      if (partition !== NO_PARTITION && partition !== sending[row]) sizes[partition]!++;
    }
  }
  const starts = startsOf(sizes);
  const total = starts[partitions]!;
  const half = { row: new Uint32Array(total), from: new Uint32Array(total), to: new Uint32Array(total) };
  const next = starts.slice(0, partitions);
  for (let row = 0; row < rows; row++) {
    const [a, b] = [sending[row]!, receiving[row]!];
    if (a !== NO_PARTITION) {
      const at = next[a]!++;
      half.row[at] = row;
      half.from[at] = numbers[from[row]!]!;
      half.to[at] = a === b ? numbers[to[row]!]! : otherNumber(to[row]!);
    }
    if (b !== NO_PARTITION && a !== b) {
      const at = next[b]!++;
      half.row[at] = row;
      half.from[at] = otherNumber(from[row]!);
      half.to[at] = numbers[to[row]!]!;
    }
  }
  const encoder = new TableEncoder(halves(words), codec);
  for (let partition = 0; partition < partitions; partition++) {
    const [begin, end] = [starts[partition]!, starts[partition + 1]!];
    const row = half.row.subarray(begin, end);
    const time = new Float64Array(row.length);
    const value = new Uint32Array(row.length * words);
    for (let i = 0; i < row.length; i++) {
      time[i] = timestamp[row[i]!]!;
      for (let word = 0; word < words; word++) value[i * words + word] = values[row[i]! * words + word]!;
    }
    const sides = { from: half.from.subarray(begin, end), to: half.to.subarray(begin, end) };
    yield* encoder.group(row.length, { row, ...sides, time, value });
  }
  yield* encoder.end();
}
