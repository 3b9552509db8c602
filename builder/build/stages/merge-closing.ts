/** Merges what the partitions leave of their addresses into the rows of a checkpoint. */

import { compareAddresses, copyAddress, viewOf, wordsOf } from "../../input/address-order.ts";
import type { Rows, TableFile } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import { type CheckpointRows, copyKept, emptyRows } from "../checkpoint/checkpoint-rows.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { PartitionFacts } from "../left/facts.ts";
import { held } from "../left/layouts.ts";
import { openLeftTable } from "../left/open-table.ts";

/** Rows of a batch. */
const BATCH_ROWS = 8_192;

type ClosingTable = TableFile<ReturnType<typeof held>>;

/** What a partition has left, and 32-bit words of each of its balances. */
interface ClosingFile {
  file: ClosingTable;
  words: number;
}

/** @throws {Error} a file is missing or damaged */
export async function openClosing(folder: StageFolder, partitions: readonly PartitionFacts[]): Promise<ClosingFile[]> {
  const closing: ClosingFile[] = [];
  for (const [partition, { words }] of partitions.entries()) {
    closing.push({ words, file: await openLeftTable(folder, `closing/${partition}.parquet`, held(words)) });
  }
  return closing;
}

/**
 * The addresses of all partitions, in ascending order.
 *
 * @param words 32-bit words of each balance: as many as the largest needs
 */
export function* mergeClosing(closing: readonly ClosingFile[], words: number): Generator<CheckpointRows> {
  const cursors = closing.map(({ file, words }) => new Cursor(file, words)).filter((cursor) => cursor.next());
  // A heap: the cursor with the lowest address is first.
  for (let place = cursors.length >> 1; place-- > 0; ) sink(cursors, place);
  let batch = emptyRows(BATCH_ROWS, words);
  let rows = 0;
  while (cursors.length > 0) {
    const lowest = cursors[0]!;
    lowest.copyTo(batch, rows++, words);
    if (rows === BATCH_ROWS) {
      yield batch;
      batch = emptyRows(BATCH_ROWS, words);
      rows = 0;
    }
    if (!lowest.next()) {
      const last = cursors.pop()!;
      if (cursors.length === 0) break;
      if (last !== lowest) cursors[0] = last;
    }
    sink(cursors, 0);
  }
  if (rows > 0) yield { ...batch, rows };
}

/** Restores the order below a place. */
function sink(heap: Cursor[], place: number): void {
  const moved = heap[place]!;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1]!.isBefore(heap[child]!)) child++;
    if (!heap[child]!.isBefore(moved)) break;
    heap[place] = heap[child]!;
    place = child;
  }
  heap[place] = moved;
}

/** A row of a partition. */
class Cursor {
  readonly #file: ClosingTable;
  readonly #words: number;
  #group = -1;
  #rows: { count: number } & Rows<ReturnType<typeof held>>;
  #row = -1;
  #view: DataView = new DataView(new ArrayBuffer(0));
  /** The addresses, and those of the batch that is being filled. */
  #addresses: Uint32Array = new Uint32Array(0);
  #into: Uint32Array = new Uint32Array(0);
  #batch: CheckpointRows | undefined;
  /** The first 48 bits of the address: they decide almost always. */
  #leading = 0;

  constructor(file: ClosingTable, words: number) {
    this.#file = file;
    this.#words = words;
    this.#rows = { count: 0 } as never;
  }

  /** @returns whether there is a next row */
  next(): boolean {
    this.#row++;
    while (this.#row >= this.#rows.count) {
      if (++this.#group >= this.#file.groups) return false;
      this.#rows = this.#file.group(this.#group);
      this.#view = viewOf(this.#rows.address);
      this.#addresses = wordsOf(this.#rows.address);
      this.#row = 0;
    }
    const at = ADDRESS_BYTES * this.#row;
    this.#leading = this.#view.getUint32(at) * 2 ** 16 + this.#view.getUint16(at + 4);
    return true;
  }

  isBefore(other: Cursor): boolean {
    if (this.#leading !== other.#leading) return this.#leading < other.#leading;
    return compareAddresses(this.#view, this.#row, other.#view, other.#row) < 0;
  }

  copyTo(batch: CheckpointRows, row: number, words: number): void {
    const { label, balance } = this.#rows;
    const from = this.#row;
    if (batch !== this.#batch) [this.#batch, this.#into] = [batch, wordsOf(batch.addresses)];
    copyAddress(this.#addresses, from, this.#into, row);
    for (let word = 0; word < Math.min(words, this.#words); word++) {
      batch.balances[words * row + word] = balance[this.#words * from + word]!;
    }
    batch.labels[row] = label[from]!;
    copyKept(this.#rows, from, batch, row);
  }
}
