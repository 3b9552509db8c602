/** Rows of several values → text, a row after the other, by the kernel: CSV, lines of JSON. Its source is in assembly/table.ts. */

import { joinBytes, NO_BYTES } from "../../data-schema/text.ts";
import type { Lease } from "../budget.ts";
import type { TimeForm } from "../request/parameters/table-parameters.ts";
import module from "./assembly/table.wasm";
import type { Rows, TextPiece } from "./rows-and-pieces.ts";

/** What assembly/table.ts exports. Numbers are addresses in the kernel's memory, and capacities. */
interface Kernel extends Record<Address | Capacity, WebAssembly.Global> {
  memory: WebAssembly.Memory;
  writeTable(rows: number, columns: number, timeForm: number, hasBlock: number): number;
}
type Address = "times" | "blocks" | "cells" | "texts" | "ends" | "text";
type Capacity = "cellCapacity" | "rowCapacity" | "columnCapacity" | "textsBytes" | "textBytes";

const kernel = new WebAssembly.Instance(module).exports as unknown as Kernel;
const address = (name: Address): number => kernel[name].value;
const capacity = (name: Capacity): number => kernel[name].value;

// The kernel's memory never grows, so views of it stay valid.
const { buffer } = kernel.memory;
const times = new Float64Array(buffer, address("times"), capacity("rowCapacity"));
const blocks = new Float64Array(buffer, address("blocks"), capacity("rowCapacity"));
const cells = new Float64Array(buffer, address("cells"), capacity("cellCapacity"));
const texts = new Uint8Array(buffer, address("texts"), capacity("textsBytes"));

const encoder = new TextEncoder();

/** How the kernel calls the forms of times. */
const TIME_FORMS = { iso: 1, unix: 2 } as const;

/** The longest time, and the longest number. */
const TIME_BYTES = 24;
const NUMBER_BYTES = 24;

/** The texts of a row: `open` time `afterTime` [`beforeBlock` block] { before value } … `close`. */
export interface RowTexts {
  open: string;
  /** Null for rows without a time. */
  time: TimeForm | null;
  afterTime: string;
  /** Null for rows without a block. */
  beforeBlock: string | null;
  /** The text before the value of each column. */
  beforeValues: readonly string[];
  /** Instead of a value that is missing. */
  missing: string;
  close: string;
}

/** What is written with the text of rows in one array: joining them later would copy the text again. */
interface Around {
  before?: Uint8Array;
  /** Bytes of the text itself that are left out, at its beginning. */
  skip?: number;
  after?: Uint8Array;
}

/** Writes rows with the same texts. */
export class RowWriter {
  /** Rows that can be written at once. */
  readonly capacity: number;
  readonly #row: RowTexts;
  readonly #texts: Uint8Array;
  readonly #ends: Uint32Array;

  constructor(row: RowTexts) {
    const { open, afterTime, beforeBlock, missing, close, beforeValues } = row;
    const parts = [open, afterTime, beforeBlock ?? "", missing, close, ...beforeValues];
    this.#row = row;
    this.#texts = encoder.encode(parts.join(""));
    if (this.#texts.length > texts.length) throw new Error("the names of a row are too long");
    if (beforeValues.length > capacity("columnCapacity")) throw new Error("a row has too many columns");
    this.#ends = new Uint32Array(parts.length + 1);
    // All texts are ASCII.
    for (const [index, part] of parts.entries()) this.#ends[index + 1] = this.#ends[index]! + part.length;
    const columns = beforeValues.length;
    const rowBytes = this.#texts.length + TIME_BYTES + (columns + 1) * (NUMBER_BYTES + missing.length);
    this.capacity = Math.min(
      capacity("rowCapacity"),
      Math.floor(capacity("textBytes") / rowBytes),
      columns === 0 ? Number.POSITIVE_INFINITY : Math.floor(capacity("cellCapacity") / columns),
    );
  }

  /**
   * The text of rows `from` to `to`, exclusive: at most `capacity` of them.
   *
   * @param from the first row, like to
   */
  write(
    { t, block, columns }: Rows,
    from: number,
    to: number,
    { before = NO_BYTES, skip = 0, after = NO_BYTES }: Around = {},
  ): Uint8Array<ArrayBuffer> {
    const rows = to - from;
    const { time, beforeBlock } = this.#row;
    const hasBlock = beforeBlock !== null && block !== null;
    texts.set(this.#texts);
    new Uint32Array(buffer, address("ends"), this.#ends.length).set(this.#ends);
    if (time !== null) times.set(t.subarray(from, to));
    if (hasBlock) blocks.set(block.subarray(from, to));
    for (const [index, column] of columns.entries()) cells.set(column.subarray(from, to), index * rows);
    const form = time === null ? 0 : TIME_FORMS[time];
    const length = kernel.writeTable(rows, columns.length, form, hasBlock ? 1 : 0);
    const start = address("text") + skip;
    // A slice is not filled with zeros first.
    if (before.length + after.length === 0) return new Uint8Array(buffer.slice(start, address("text") + length));
    const text = new Uint8Array(buffer, start, length - skip);
    const all = new Uint8Array(before.length + text.length + after.length);
    all.set(before);
    all.set(text, before.length);
    all.set(after, before.length + text.length);
    return all;
  }
}

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
