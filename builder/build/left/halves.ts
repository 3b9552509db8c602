/** The events of a run as a partition replays them: with the numbers that kernels have of its addresses, chunk by chunk. */

import type { PriceCursor } from "../../engine/history.ts";
import { type EventChunk, Partition, REPLAY_ROWS } from "../../engine/replay.ts";
import type { RowGroupMemory, Rows } from "../../lib/fixed-width-table.ts";
import type { RunFacts } from "./facts.ts";
import { halves } from "./layouts.ts";
import { openLeftTable } from "./open-table.ts";
import type { StageTask } from "./task.ts";

export type Half = { count: number } & Rows<ReturnType<typeof halves>>;

/** The partition's addresses have even numbers: twice those of its table. */
export const OWN_PARTITION = new Partition(0, 2);

/** What the first numbers in `halves` stand for, to the kernel. */
const NOT_OWN = [0, OWN_PARTITION.otherAddress(false), OWN_PARTITION.otherAddress(true)];

/** The first number of an address in the halves of its partition. */
export const FIRST_OWN = NOT_OWN.length;

/**
 * The partition's events of a run.
 *
 * @param translations for each run, the numbers of the addresses of its dictionary
 */
export async function readHalf(
  { folder, index }: StageTask,
  run: number,
  { words }: RunFacts,
  translations: readonly Uint32Array[],
  room: RowGroupMemory<Omit<ReturnType<typeof halves>, "row">>,
): Promise<Half> {
  const file = await openLeftTable(folder, `halves/${run}.parquet`, halves(words), () => [index]);
  // The numbers of events are handed on, the rest is not.
  const half = file.group(index, room.of(file.rowsOf(index)));
  const numbers = translations[run]!;
  for (const side of [half.from, half.to]) {
    for (let i = 0; i < side.length; i++) {
      const number = side[i]!;
      side[i] = number < FIRST_OWN ? NOT_OWN[number]! : 2 * numbers[number - FIRST_OWN]!;
    }
  }
  return half;
}

/**
 * The events in chunks, each of which the next one overwrites.
 *
 * @param words of each value in the run, and `valueWords` in the chunks
 */
export function* chunksOf(
  half: Half,
  words: number,
  valueWords: number,
  prices: PriceCursor,
): Generator<{ begin: number; chunk: EventChunk }> {
  const values = new Uint32Array(REPLAY_ROWS * valueWords);
  const price = new Float64Array(REPLAY_ROWS);
  for (let begin = 0; begin < half.count; begin += REPLAY_ROWS) {
    const rows = Math.min(REPLAY_ROWS, half.count - begin);
    for (let i = 0; i < rows; i++) {
      price[i] = prices.at(half.time[begin + i]!);
      // The words above the run's stay zero.
      for (let word = 0; word < words; word++) {
        values[i * valueWords + word] = half.value[(begin + i) * words + word]!;
      }
    }
    const chunk = {
      from: half.from.subarray(begin, begin + rows),
      to: half.to.subarray(begin, begin + rows),
      timestamp: half.time.subarray(begin, begin + rows),
      price: price.subarray(0, rows),
      values: values.subarray(0, rows * valueWords),
    };
    yield { begin, chunk };
  }
}
