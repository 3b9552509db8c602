/** Writes Parquet's metadata: values in Thrift's compact protocol. */

import { type ByteSink, writtenBytes } from "../text/bytes.ts";

/** A value: the number of its type, and a function that writes its bytes. */
export interface Thrift {
  readonly type: number;
  write(sink: ByteSink): void;
}

/** Whole numbers up to 2^53 in magnitude. */
export const i32 = (value: number): Thrift => ({ type: 5, write: (sink) => sink.zigzag(value) });
export const i64 = (value: number): Thrift => ({ type: 6, write: (sink) => sink.zigzag(value) });

/** True, as a field of a struct: its type is its value. */
export const TRUE: Thrift = { type: 1, write: () => {} };

export function binary(bytes: Uint8Array): Thrift {
  return {
    type: 8,
    write(sink) {
      sink.varint(bytes.length);
      sink.bytes(bytes);
    },
  };
}

const encoder = new TextEncoder();
export const thriftText = (value: string): Thrift => binary(encoder.encode(value));

const LIST = 9;
const STRUCT = 12;

/** @param elements all of one type; an empty list is one of structs */
export function list(elements: readonly Thrift[]): Thrift {
  return {
    type: LIST,
    write(sink) {
      beginList(elements.length, elements[0]?.type ?? STRUCT, sink);
      for (const element of elements) element.write(sink);
    },
  };
}

/**
 * A list of structs that have been written one after the other.
 *
 * @param count of the structs
 */
export function writtenList(count: number, structs: Uint8Array): Thrift {
  return {
    type: LIST,
    write(sink) {
      beginList(count, STRUCT, sink);
      sink.bytes(structs);
    },
  };
}

function beginList(count: number, type: number, sink: ByteSink): void {
  if (count < 15) {
    sink.byte((count << 4) | type);
  } else {
    sink.byte(0xf0 | type);
    sink.varint(count);
  }
}

/** @param fields by their numbers, at most 15 apart; undefined ones are left out */
export function struct(fields: Readonly<Record<number, Thrift | undefined>>): Thrift {
  return {
    type: STRUCT,
    write(sink) {
      let previous = 0;
      // Integer keys are visited in ascending order, as field numbers must be.
      for (const key in fields) {
        const field = fields[key];
        if (field === undefined) continue;
        sink.byte(((Number(key) - previous) << 4) | field.type);
        field.write(sink);
        previous = Number(key);
      }
      sink.byte(0);
    },
  };
}

/** The bytes of a value. */
export const encodeThrift = (value: Thrift): Uint8Array<ArrayBuffer> => writtenBytes((sink) => value.write(sink));
