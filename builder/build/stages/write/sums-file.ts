/** Rows of sums (engine/flow-sums.ts) that may be more than memory holds, in a file on this machine. */

import { closeSync, openSync } from "node:fs";
import type { RowEntries } from "../../../engine/flow-sums.ts";
import { writing } from "../../../lib/failure.ts";
import { readInto, withFile } from "../../../lib/files/parquet-file.ts";
import { writeBatch } from "../../folder/local-folder.ts";

export class SumsFile {
  readonly #path: string;
  /** Where the entries of each row are, as they came: their sums, then their buckets. */
  readonly #parts: { at: number; entries: number; width: number }[][] = [];
  #size = 0;
  /** Room for a row. */
  #sums = new Float64Array();
  #buckets = new Uint32Array();

  constructor(path: string) {
    this.#path = path;
  }

  /** Adds entries of all rows. @throws {Failure} the disk is full, or the file can't be written */
  async add(rows: readonly RowEntries[]): Promise<void> {
    const pieces: Uint8Array[] = [];
    for (const [row, { buckets, sums, width }] of rows.entries()) {
      this.#parts[row] ??= [];
      if (buckets.length === 0) continue;
      this.#parts[row].push({ at: this.#size, entries: buckets.length, width });
      this.#size += sums.byteLength + buckets.byteLength;
      pieces.push(bytesOf(sums), bytesOf(buckets));
    }
    await writing(this.#path, async () => {
      const file = openSync(this.#path, "a");
      try {
        writeBatch(file, pieces);
      } finally {
        closeSync(file);
      }
    });
  }

  /** All entries of a row, in memory that the next one overwrites. */
  row(row: number): RowEntries {
    const parts = this.#parts[row] ?? [];
    const width = parts[0]?.width ?? 1;
    const length = parts.reduce((sum, { entries }) => sum + entries, 0);
    if (this.#sums.length < length * width) this.#sums = new Float64Array(length * width);
    if (this.#buckets.length < length) this.#buckets = new Uint32Array(length);
    let first = 0;
    if (length > 0) {
      withFile(this.#path, (file) => {
        for (const { at, entries } of parts) {
          const sums = bytesOf(this.#sums.subarray(first * width, (first + entries) * width));
          readInto(file, at, sums);
          readInto(file, at + sums.length, bytesOf(this.#buckets.subarray(first, first + entries)));
          first += entries;
        }
      });
    }
    return { buckets: this.#buckets.subarray(0, length), sums: this.#sums.subarray(0, length * width), width };
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array) =>
  new Uint8Array(buffer, byteOffset, byteLength);
