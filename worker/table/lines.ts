/** A table's rows → text, a row after the other: CSV, lines of JSON. */

import type { Lease } from "../budget.ts";
import type { Piece, Rows } from "../format/pieces.ts";
import { type RowTexts, RowWriter } from "../format/table-rows.ts";
import type { Table } from "../read/table.ts";
import type { TimeForm } from "../request/table-parameters.ts";
import { columnName } from "./facts.ts";

/** A format whose rows follow each other. */
export interface RowLayout {
  /** The text before the first row. */
  head: (names: readonly string[], hasBlock: boolean) => string;
  row: (names: readonly string[], hasBlock: boolean, time: TimeForm) => RowTexts;
}

/** Times are texts in JSON, unless they are numbers. */
export const quote = (time: TimeForm) => (time === "iso" ? '"' : "");

const encoder = new TextEncoder();

/**
 * The text of a table. The memory of chunks is freed when they have been written.
 */
export async function* rowText(
  chunks: AsyncIterable<Rows>,
  { head, row }: RowLayout,
  { columns, resolution }: Table,
  time: TimeForm,
  lease: Lease,
): AsyncGenerator<Piece> {
  const names = columns.map(columnName);
  const hasBlock = resolution === "block";
  const begin = encoder.encode(head(names, hasBlock));
  if (begin.length > 0) yield { text: begin, points: 0 };
  const writer = new RowWriter(row(names, hasBlock, time));
  for await (const chunk of chunks) {
    const rows = chunk.t.length;
    for (let from = 0; from < rows; from += writer.capacity) {
      const to = Math.min(from + writer.capacity, rows);
      yield { text: writer.write(chunk, from, to), points: (to - from) * names.length };
    }
    lease.free([chunk.t]);
  }
}
