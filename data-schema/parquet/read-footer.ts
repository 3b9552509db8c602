/** The footers of files that Soprano writes, as file-metadata.ts writes them. Source: the Parquet format's parquet.thrift. */

import { CODECS, PARQUET_TRAILER_BYTES, PHYSICAL_TYPES, REPETITIONS } from "./file-metadata.ts";
import { readThrift, type ThriftStruct, type ThriftValue } from "./read-thrift.ts";

/** A column of a row group, as the footer has it. Sizes and offsets are in bytes. */
interface FooterChunk {
  name: string;
  /** Undefined for one that Soprano does not write. */
  codec: string | undefined;
  values: number;
  /** Where it begins in the file, and its data page: after the dictionary page, if there is one. */
  offset: number;
  dataOffset: number;
  compressedBytes: number;
  uncompressedBytes: number;
  /** Least and greatest value, in PLAIN encoding. */
  min?: Uint8Array;
  max?: Uint8Array;
}

export interface FooterGroup {
  rows: number;
  columns: FooterChunk[];
}

export interface StoredFooter {
  /** Without the trailer, in bytes. */
  length: number;
  rows: number;
  columns: { name: string; type: string | undefined; repetition: string | undefined }[];
  groups: FooterGroup[];
  entries: Map<string, string>;
}

/** Names by their numbers. */
const namesOf = (numbers: Readonly<Record<string, number>>) =>
  new Map(Object.entries(numbers).map(([name, number]) => [number, name]));

const TYPE_NAMES = namesOf(PHYSICAL_TYPES);
const CODEC_NAMES = namesOf(CODECS);
const REPETITION_NAMES = namesOf({ ...REPETITIONS, REPEATED: 2 });

const TRAILER = "PAR1";

/** @param tail the end of the file, with all of its footer @throws {Error} it is no such footer */
export function readFooter(tail: Uint8Array): StoredFooter {
  const footerEnd = tail.length - PARQUET_TRAILER_BYTES;
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  const length = view.getUint32(footerEnd, true);
  if (text(tail.subarray(footerEnd + 4)) !== TRAILER || length > footerEnd) throw new Error("it has no footer");
  const { fields } = readThrift(tail.subarray(0, footerEnd), footerEnd - length).struct;
  const [, ...columns] = structs(fields[2]);
  return {
    length,
    rows: number(fields[3]),
    columns: columns.map(({ fields: column }) => ({
      name: text(bytes(column[4])),
      type: TYPE_NAMES.get(number(column[1])),
      repetition: REPETITION_NAMES.get(number(column[3])),
    })),
    groups: structs(fields[4]).map(({ fields: group }) => ({
      rows: number(group[3]),
      columns: structs(group[1]).map(({ fields: chunk }) => chunkOf(struct(chunk[3]))),
    })),
    entries: new Map(
      structs(fields[5] ?? []).map(({ fields: [, key, value] }) => [text(bytes(key)), text(bytes(value))]),
    ),
  };
}

function chunkOf({ fields }: ThriftStruct): FooterChunk {
  const dataOffset = number(fields[9]);
  const [statistics, dictionaryOffset] = [fields[12], fields[11]];
  const { fields: known = [] } = statistics === undefined ? {} : struct(statistics);
  const [max, min] = [known[5], known[6]];
  const path = fields[3];
  if (!Array.isArray(path)) throw new Error("a column has no name");
  return {
    name: path.map((part) => text(bytes(part))).join(),
    codec: CODEC_NAMES.get(number(fields[4])),
    values: number(fields[5]),
    offset: dictionaryOffset === undefined ? dataOffset : number(dictionaryOffset),
    dataOffset,
    compressedBytes: number(fields[7]),
    uncompressedBytes: number(fields[6]),
    ...(min !== undefined && max !== undefined && { min: bytes(min), max: bytes(max) }),
  };
}

const decoder = new TextDecoder();
const text = (value: Uint8Array) => decoder.decode(value);

function number(value: ThriftValue | undefined): number {
  if (typeof value !== "number") throw new Error("a number is missing");
  return value;
}

function bytes(value: ThriftValue | undefined): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new Error("a text is missing");
  return value;
}

function struct(value: ThriftValue | undefined): ThriftStruct {
  if (typeof value !== "object" || !("fields" in value)) throw new Error("a struct is missing");
  return value;
}

function structs(value: ThriftValue | undefined): ThriftStruct[] {
  if (!Array.isArray(value)) throw new Error("a list is missing");
  return value.map(struct);
}
