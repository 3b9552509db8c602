/**
 * Rows as a stream of Arrow's IPC format: a message with the schema, one for each batch of rows, and an end.
 * Source: arrow.apache.org, "Arrow columnar format", version 1.5; the numbers are those of its Schema.fbs and Message.fbs.
 */

import type { TimeForm } from "../request/parameters/table-parameters.ts";
import {
  type Field,
  flatBuffer,
  flatTable,
  integer,
  pointer,
  setInteger,
  string,
  structs,
  vector,
} from "./flatbuffer.ts";

/** Kinds of messages. */
const SCHEMA = 1;
const RECORD_BATCH = 3;

const VERSION_5 = integer(2, 4);

/** Types: the number of each, and the table that describes it. */
const TYPES = {
  integer: [integer(1, 2), pointer(flatTable(integer(4, 64), integer(1, 1)))],
  double: [integer(1, 3), pointer(flatTable(integer(2, 2)))],
  text: [integer(1, 5), pointer(flatTable())],
  /** In milliseconds. */
  time: [integer(1, 10), pointer(flatTable(integer(2, 1), string("UTC")))],
} satisfies Record<string, Field[]>;

/**
 * A column. Its values are numbers: a `time` in Unix seconds, a `text` as its place in a list. Doubles may be missing, and
 * others if they are nullable.
 */
export type ArrowColumn = { name: string; nullable?: true } & (
  | { type: Exclude<keyof typeof TYPES, "text"> }
  | { type: "text"; texts: readonly string[] }
);

/** A column of times in the form of the answer. */
export const arrowTime = (name: string, time: TimeForm): ArrowColumn => ({
  name,
  type: time === "iso" ? "time" : "integer",
});

const CONTINUATION = 0xffff_ffff;

/** The end of a stream. A function, since what has been sent is freed. */
export const arrowEnd = (): Uint8Array<ArrayBuffer> => Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);

/**
 * The first message.
 *
 * @param entries of the schema's metadata
 */
export function arrowSchema(
  columns: readonly ArrowColumn[],
  entries: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const fields = columns.map((column) =>
    flatTable(string(column.name), integer(1, mayMiss(column) ? 1 : 0), ...TYPES[column.type], null, vector([])),
  );
  const metadata = Object.entries(entries).map(([key, value]) => flatTable(string(key), string(value)));
  return message(
    SCHEMA,
    pointer(flatTable(null, vector(fields), ...(metadata.length > 0 ? [vector(metadata)] : []))),
    0,
  );
}

const mayMiss = ({ type, nullable }: ArrowColumn) => type === "double" || nullable === true;

/** A column of a batch: its buffers, which lie one after the other, and how many values are missing. */
interface Encoded {
  missing: number;
  /** Bytes of each buffer, without padding. */
  sizes: readonly number[];
  /** @param at where each buffer begins in the message */
  write(bytes: Uint8Array<ArrayBuffer>, at: readonly number[]): void;
}

/**
 * A batch of the rows `from` to `to`, exclusive.
 *
 * @param values of each column, NaN where one is missing
 * @param from the first row, like to
 */
export function arrowBatch(
  columns: readonly ArrowColumn[],
  values: readonly Float64Array[],
  from: number,
  to: number,
): Uint8Array<ArrayBuffer> {
  const rows = to - from;
  const encoded = columns.map((column, index) => encode(column, values[index]!.subarray(from, to)));
  const nodes = encoded.flatMap(({ missing }) => [rows, missing]);
  const buffers: number[] = [];
  let end = 0;
  for (const size of encoded.flatMap(({ sizes }) => sizes)) {
    buffers.push(end, size);
    end += padded(size);
  }
  const header = flatTable(integer(8, rows), structs(2, nodes), structs(2, buffers));
  const bytes = message(RECORD_BATCH, pointer(header), end);
  const body = bytes.length - end;
  let buffer = 0;
  for (const { sizes, write } of encoded) {
    write(
      bytes,
      sizes.map((_, i) => body + buffers[2 * (buffer + i)]!),
    );
    buffer += sizes.length;
  }
  return bytes;
}

function encode(column: ArrowColumn, values: Float64Array): Encoded {
  const rows = values.length;
  const missing = mayMiss(column) ? countMissing(values) : 0;
  // A column without nulls needs no bitmap.
  const bitmapBytes = missing > 0 ? padded(Math.ceil(rows / 8)) : 0;
  const writeBitmap = (bytes: Uint8Array<ArrayBuffer>, at: number) => {
    if (missing > 0) fillBitmap(bytes.subarray(at), values);
  };
  if (column.type === "text") {
    const texts = Array.from(values, (place) => column.texts[place] ?? "");
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    return {
      missing,
      sizes: [bitmapBytes, 4 * (rows + 1), length],
      write(bytes, [bitmap, offsets, characters]) {
        writeBitmap(bytes, bitmap!);
        const view = new DataView(bytes.buffer);
        let end = 0;
        for (const [row, text] of texts.entries()) {
          view.setInt32(offsets! + 4 * row, end, true);
          for (let i = 0; i < text.length; i++) bytes[characters! + end + i] = text.charCodeAt(i);
          end += text.length;
        }
        view.setInt32(offsets! + 4 * rows, end, true);
      },
    };
  }
  if (column.type === "double") {
    return {
      missing,
      sizes: [bitmapBytes, 8 * rows],
      write(bytes, [bitmap, numbers]) {
        writeBitmap(bytes, bitmap!);
        new Float64Array(bytes.buffer, numbers!, rows).set(values);
      },
    };
  }
  const factor = column.type === "time" ? 1000 : 1;
  return {
    missing,
    sizes: [bitmapBytes, 8 * rows],
    write(bytes, [bitmap, integers]) {
      writeBitmap(bytes, bitmap!);
      const view = new DataView(bytes.buffer, integers);
      for (let row = 0; row < rows; row++) setInteger(view, 8 * row, factor * (values[row]! || 0));
    },
  };
}

/** A message with room for its body. */
function message(kind: number, header: Field, bodyBytes: number): Uint8Array<ArrayBuffer> {
  const metadata = flatBuffer(flatTable(VERSION_5, integer(1, kind), header, integer(8, bodyBytes)));
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
