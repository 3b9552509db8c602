/** A table's rows → text, a row after the other: CSV, lines of JSON. */

import type { Lease } from "../budget.ts";
import type { Piece, Rows } from "../format/pieces.ts";
import type { RowLayout } from "../format/table-layouts.ts";
import { RowWriter } from "../format/table-rows.ts";
import type { TimeForm } from "../request/table-parameters.ts";

const encoder = new TextEncoder();

/**
 * The text of a table. The memory of chunks is freed when they have been written.
 *
 * @param names of the columns
 */
export async function* rowText(
  chunks: AsyncIterable<Rows>,
  { head, row }: RowLayout,
  names: readonly string[],
  hasBlock: boolean,
  time: TimeForm,
  lease: Lease,
): AsyncGenerator<Piece> {
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
