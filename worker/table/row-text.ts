/** A table's rows → text, a row after the other: CSV, lines of JSON. */

import { joinBytes, NO_BYTES } from "../../data-schema/text.ts";
import type { Lease } from "../budget.ts";
import type { Rows, TextPiece } from "../format/rows-and-pieces.ts";
import { type RowTexts, RowWriter } from "../format/table-rows.ts";
import type { TimeForm } from "../request/parameters/table-parameters.ts";

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

/** Formulas may have commas, quotes and line breaks. Source: RFC 4180. */
export const csvField = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const CSV: RowLayout = {
  head: (names, hasBlock) => `${["t", ...(hasBlock ? ["block"] : []), ...names.map(csvField)].join(",")}\n`,
  row: (names, hasBlock, time) => ({
    open: "",
    time,
    afterTime: "",
    beforeBlock: hasBlock ? "," : null,
    beforeValues: names.map(() => ","),
    missing: "",
    close: "\n",
  }),
  separatorBytes: 0,
  tail: "",
};

export const LINES: RowLayout = {
  head: () => "",
  row: (names, hasBlock, time) => ({
    open: `{"t":${quote(time)}`,
    time,
    afterTime: quote(time),
    beforeBlock: hasBlock ? ',"block":' : null,
    beforeValues: names.map((name) => `,${JSON.stringify(name)}:`),
    missing: "null",
    close: "}\n",
  }),
  separatorBytes: 0,
  tail: "",
};

const encoder = new TextEncoder();

/** A layout for some columns. Many answers may share it. */
export class RowForm {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly separatorBytes: number;
  readonly columns: number;
  readonly writer: RowWriter;

  constructor(layout: RowLayout, names: readonly string[], hasBlock: boolean, time: TimeForm) {
    this.head = encoder.encode(layout.head(names, hasBlock));
    this.tail = encoder.encode(layout.tail);
    this.separatorBytes = layout.separatorBytes;
    this.columns = names.length;
    this.writer = new RowWriter(layout.row(names, hasBlock, time));
  }
}

/** The text of rows. The memory of chunks is freed when they have been written. */
export async function* rowText(
  chunks: AsyncIterable<Rows>,
  { head, tail, separatorBytes, columns, writer }: RowForm,
  lease: Lease,
): AsyncGenerator<TextPiece> {
  let before = head;
  let skip = separatorBytes;
  let isEnded = false;
  for await (const chunk of chunks) {
    const rows = chunk.t.length;
    for (let from = 0, to = 0; from < rows; from = to) {
      to = Math.min(from + Math.ceil(lease.isCrowded ? writer.capacity / 4 : writer.capacity), rows);
      isEnded = chunk.isLast === true && to === rows;
      const text = writer.write(chunk, from, to, { before, skip, after: isEnded ? tail : NO_BYTES });
      yield { text, points: (to - from) * columns };
      [before, skip] = [NO_BYTES, 0];
    }
    lease.free([chunk.t, ...chunk.columns]);
  }
  if (!isEnded && before.length + tail.length > 0) yield { text: joinBytes([before, tail]), points: 0 };
}
