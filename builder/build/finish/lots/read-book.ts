/** The books of lots that partitions have left, close by close. */

import type { LotMethod } from "../../../../data-schema/registry.ts";
import type { Outline } from "../../../engine/history.ts";
import type { BookChanges } from "../../../engine/lots.ts";
import { lowerBound } from "../../../lib/columns/lower-bound.ts";
import { book } from "../../left/layouts.ts";
import { openLeftTable } from "../../left/open-table.ts";
import { BOOK, changeWords, HOUR } from "../../lots/lot-files.ts";
import type { TableWork } from "../table-series.ts";

/**
 * What has changed at each close, from number 0, which is what the checkpoint has: of every partition. All of one run is in
 * memory.
 *
 * @throws {Error} a file is missing or damaged
 */
export async function* readBook(
  { plan, folder, runs }: TableWork,
  outline: Outline,
  method: LotMethod,
  closes: number,
): AsyncGenerator<BookChanges[]> {
  const partitions = Array.from(
    { length: plan.partitions },
    (_, partition) =>
      new PartitionBook(async (run) => {
        if (run > runs.length) return undefined;
        const width = changeWords(outline);
        const file = await openLeftTable(folder, BOOK(method, partition, run), book(width));
        if (file.groups === 0) return { closes: new Uint32Array(0), changes: NONE };
        const { close, hour, price, amounts } = file.group(0);
        const times = new Float64Array(hour.length);
        for (let row = 0; row < times.length; row++) times[row] = HOUR * hour[row]!;
        return { closes: close, changes: { times, prices: price, amounts, words: width / 2 } };
      }),
  );
  for (let close = 0; close <= closes; close++) {
    const changes: BookChanges[] = [];
    for (const partition of partitions) changes.push(...(await partition.take(close)));
    yield changes;
  }
}

const NONE: BookChanges = {
  times: new Float64Array(0),
  prices: new Float64Array(0),
  amounts: new Uint32Array(0),
  words: 0,
};

interface RunBook {
  /** The number of each row's close, ascending. */
  closes: Uint32Array;
  changes: BookChanges;
}

class PartitionBook {
  readonly #read: (run: number) => Promise<RunBook | undefined>;
  #run = 0;
  #rows: RunBook | undefined;
  #row = 0;

  constructor(read: (run: number) => Promise<RunBook | undefined>) {
    this.#read = read;
  }

  /** The changes of a close, which may be of several runs. */
  async take(close: number): Promise<BookChanges[]> {
    const taken: BookChanges[] = [];
    for (;;) {
      this.#rows ??= await this.#read(this.#run);
      if (!this.#rows) return taken;
      const { closes, changes } = this.#rows;
      const from = this.#row;
      const to = lowerBound(closes, closes.length, close + 1);
      if (to > from) taken.push(sliceOf(changes, from, to));
      this.#row = to;
      if (to < closes.length) return taken;
      this.#run++;
      [this.#rows, this.#row] = [undefined, 0];
    }
  }
}

const sliceOf = ({ times, prices, amounts, words }: BookChanges, from: number, to: number): BookChanges => ({
  times: times.subarray(from, to),
  prices: prices.subarray(from, to),
  amounts: amounts.subarray(2 * words * from, 2 * words * to),
  words,
});
