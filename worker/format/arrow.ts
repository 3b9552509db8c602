/**
 * Rows as a stream of Arrow's IPC format: a message with the schema, one for each batch of rows, and an end.
 * Source: arrow.apache.org, "Arrow columnar format", version 1.5; the numbers are those of its Schema.fbs and Message.fbs.
 */

import type { TimeForm } from "../request/table-parameters.ts";
import { type Field, flatBuffer, integer, pointer, setInteger, string, structs, table, vector } from "./flatbuffer.ts";
import type { Rows } from "./pieces.ts";

/** Kinds of messages. */
const SCHEMA = 1;
const RECORD_BATCH = 3;

const VERSION_5 = integer(2, 4);

/** A type: its number, and the table that describes it. */
const INT64: Field[] = [integer(1, 2), pointer(table(integer(4, 64), integer(1, 1)))];
const DOUBLE: Field[] = [integer(1, 3), pointer(table(integer(2, 2)))];
const MILLISECONDS: Field[] = [integer(1, 10), pointer(table(integer(2, 1), string("UTC")))];

const CONTINUATION = 0xffff_ffff;

/** The end of a stream. A function, since what has been sent is freed. */
export const arrowEnd = (): Uint8Array<ArrayBuffer> => Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);

/**
 * The first message: `t`, `block` where there is one, and a nullable column for each name.
 *
 * @param entries of the schema's metadata
 */
export function arrowSchema(
  names: readonly string[],
  hasBlock: boolean,
  time: TimeForm,
  entries: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const field = (name: string, isNullable: boolean, type: Field[]) =>
    table(string(name), integer(1, isNullable ? 1 : 0), ...type, null, vector([]));
  const fields = [
    field("t", false, time === "iso" ? MILLISECONDS : INT64),
    ...(hasBlock ? [field("block", false, INT64)] : []),
    ...names.map((name) => field(name, true, DOUBLE)),
  ];
  const metadata = Object.entries(entries).map(([key, value]) => table(string(key), string(value)));
  return message(SCHEMA, pointer(table(null, vector(fields), ...(metadata.length > 0 ? [vector(metadata)] : []))), 0);
}

/**
 * A batch of the rows `from` to `to`, exclusive.
 *
 * @param from the first row, like to
 */
export function arrowBatch(
  { t, block, columns }: Rows,
  from: number,
  to: number,
  time: TimeForm,
): Uint8Array<ArrayBuffer> {
  const rows = to - from;
  const values = columns.map((column) => column.subarray(from, to));
  const missing = values.map(countMissing);
  const bitmapBytes = padded(Math.ceil(rows / 8));
  const integers = block === null ? 1 : 2;
  const nodes: number[] = [];
  const buffers: number[] = [];
  let end = 0;
  const add = (nulls: number) => {
    nodes.push(rows, nulls);
    // A column without nulls needs no bitmap.
    const bytes = nulls > 0 ? bitmapBytes : 0;
    buffers.push(end, bytes, end + bytes, 8 * rows);
    end += bytes + 8 * rows;
  };
  for (let i = 0; i < integers; i++) add(0);
  for (const nulls of missing) add(nulls);

  const header = table(integer(8, rows), structs(2, nodes), structs(2, buffers));
  const bytes = message(RECORD_BATCH, pointer(header), end);
  const body = bytes.length - end;
  const view = new DataView(bytes.buffer, body);
  const factor = time === "iso" ? 1000 : 1;
  for (let row = 0; row < rows; row++) setInteger(view, 8 * row, factor * t[from + row]!);
  if (block) for (let row = 0; row < rows; row++) setInteger(view, 8 * (rows + row), block[from + row]!);
  for (const [index, column] of values.entries()) {
    const place = 4 * (integers + index);
    if (missing[index]! > 0) fillBitmap(bytes.subarray(body + buffers[place]!), column);
    new Float64Array(bytes.buffer, body + buffers[place + 2]!, rows).set(column);
  }
  return bytes;
}

/** A message with room for its body. */
function message(kind: number, header: Field, bodyBytes: number): Uint8Array<ArrayBuffer> {
  const metadata = flatBuffer(table(VERSION_5, integer(1, kind), header, integer(8, bodyBytes)));
  const bytes = new Uint8Array(8 + metadata.length + bodyBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, CONTINUATION, true);
  view.setUint32(4, metadata.length, true);
  bytes.set(metadata, 8);
  return bytes;
}

function countMissing(column: Float64Array): number {
  let count = 0;
  for (let row = 0; row < column.length; row++) if (Number.isNaN(column[row])) count++;
  return count;
}

/** Sets the bits of the values that are not missing, the least significant first. */
function fillBitmap(bitmap: Uint8Array, column: Float64Array): void {
  for (let row = 0; row < column.length; row++) {
    if (!Number.isNaN(column[row])) bitmap[row >> 3]! |= 1 << (row & 7);
  }
}

const padded = (bytes: number) => Math.ceil(bytes / 8) * 8;
