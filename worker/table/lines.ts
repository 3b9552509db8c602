/** A table's rows → text, a row after the other: CSV, lines of JSON. */

import type { Lease } from "../budget.ts";
import type { Piece, Rows } from "../format/pieces.ts";
import { type RowTexts, RowWriter } from "../format/table-rows.ts";
import type { TimeForm } from "../request/table-parameters.ts";

/** A format whose rows follow each other. */
export interface RowLayout {
  /** The text before the first row. */
  head: (names: readonly string[], hasBlock: boolean) => string;
  /** Bytes that the first row lacks: a separator. */
  separatorBytes: number;
  row: (names: readonly string[], hasBlock: boolean, time: TimeForm) => RowTexts;
  /** The text after the last row. */
  tail: string;
}

/** Times are texts in JSON, unless they are numbers. */
export const quote = (time: TimeForm) => (time === "iso" ? '"' : "");

const encoder = new TextEncoder();

/**
 * The text of rows. The memory of chunks is freed when they have been written.
 */
export async function* rowText(
  chunks: AsyncIterable<Rows>,
  { head, separatorBytes, row, tail }: RowLayout,
  names: readonly string[],
  hasBlock: boolean,
  time: TimeForm,
  lease: Lease,
): AsyncGenerator<Piece> {
  const begin = encoder.encode(head(names, hasBlock));
  if (begin.length > 0) yield { text: begin, points: 0 };
  let separator = separatorBytes;
  const writer = new RowWriter(row(names, hasBlock, time));
  for await (const chunk of chunks) {
    const rows = chunk.t.length;
    for (let from = 0, to = 0; from < rows; from = to) {
      to = Math.min(from + Math.ceil(lease.isCrowded ? writer.capacity / 4 : writer.capacity), rows);
      const text = writer.write(chunk, from, to);
      yield { text: text.subarray(separator), points: (to - from) * names.length };
      separator = 0;
    }
    lease.free([chunk.t, ...chunk.columns]);
  }
  if (tail !== "") yield { text: encoder.encode(tail), points: 0 };
}
