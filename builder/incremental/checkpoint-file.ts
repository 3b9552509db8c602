/**
 * A checkpoint as a file: Parquet with a row for each holder, and all the rest in its entry `soprano`. The same
 * checkpoint gives the same bytes.
 *
 * Columns, in the order of the addresses: `address` (20 bytes), `balance` (raw, little-endian, as many bytes as the largest
 * takes), `basis` and `since` (DOUBLE: average purchase price in USD, average purchase time in Unix seconds).
 */

import {
  type Data,
  Field,
  FixedSizeBinary,
  Float64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableFromIPC,
  tableToIPC,
  type Vector,
} from "apache-arrow";
import { parquetMetadata } from "hyparquet";
import * as parquet from "parquet-wasm";
import * as v from "valibot";
import { RESOLUTIONS } from "../../data-schema/resolutions.ts";
import { SERIES_INFO_KEY } from "../../data-schema/series.ts";
import { orderBy } from "../columns/order.ts";
import type { Checkpoint, Holders } from "../engine/checkpoint.ts";
import type { Origin } from "./provenance.ts";

/** A checkpoint, and what it was made from. */
export interface StoredCheckpoint {
  checkpoint: Checkpoint;
  origin: Origin;
}

const ADDRESS_BYTES = 20;
const ROW_GROUP_ROWS = 131_072;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const seconds = v.pipe(v.number(), v.integer());
const raw = v.pipe(
  v.string(),
  v.regex(/^\d+$/),
  v.transform((digits) => BigInt(digits)),
);
const blockTime = v.strictObject({ block: count, t: seconds });

const entrySchema = v.strictObject({
  checkpoint: v.strictObject({
    time: seconds,
    lastEvent: blockTime,
    totals: v.strictObject({
      transfers: count,
      mints: count,
      burns: count,
      beforeFirstPrice: count,
      minted: raw,
      burned: raw,
      first: blockTime,
      last: blockTime,
    }),
    openBlocks: v.strictObject({ from: seconds, rows: v.array(count) }),
  }),
  origin: v.strictObject({
    schema: count,
    engine: v.string(),
    terms: v.strictObject({
      contract: v.string(),
      chain: v.string(),
      decimals: count,
      maxSupply: v.string(),
      resolutions: v.array(v.picklist(RESOLUTIONS)),
    }),
    labels: v.string(),
    prices: v.string(),
    files: v.array(
      v.strictObject({
        role: v.picklist(["transfers", "blocks"]),
        file: v.string(),
        sha256: v.string(),
        bytes: count,
        rows: count,
        settled: v.exactOptional(count),
        later: v.exactOptional(count),
      }),
    ),
    months: v.record(v.string(), v.strictObject({ rows: count, digest: v.string() })),
  }),
});

export function encodeCheckpoint({ checkpoint, origin }: StoredCheckpoint): Uint8Array {
  const { holders, ...facts } = checkpoint;
  const entry = JSON.stringify({ checkpoint: facts, origin }, (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  const { addresses, words, balances, basis, since } = inOrder(holders);
  const length = basis.length;
  const bytes = (width: number, values: ArrayBuffer) =>
    makeData({ type: new FixedSizeBinary(width), length, nullCount: 0, data: new Uint8Array(values) });
  const doubles = (data: Float64Array) => makeData({ type: new Float64(), length, nullCount: 0, data });
  const columns: Record<string, Data> = {
    address: bytes(ADDRESS_BYTES, addresses),
    balance: bytes(4 * words, balances),
    basis: doubles(basis),
    since: doubles(since),
  };
  const schema = new Schema(Object.entries(columns).map(([name, { type }]) => new Field(name, type, false)));
  const children = Object.values(columns);
  const struct = makeData({ type: new Struct(schema.fields), length, nullCount: 0, children });
  const table = new Table(schema, [new RecordBatch(schema, struct)]);
  const properties = new parquet.WriterPropertiesBuilder()
    .setDictionaryEnabled(false)
    .setCompression(parquet.Compression.ZSTD)
    .setMaxRowGroupSize(ROW_GROUP_ROWS)
    .setStatisticsEnabled(parquet.EnabledStatistics.None)
    .setColumnEncoding("basis", parquet.Encoding.BYTE_STREAM_SPLIT)
    .setColumnEncoding("since", parquet.Encoding.BYTE_STREAM_SPLIT)
    .setKeyValueMetadata(new Map([[SERIES_INFO_KEY, entry]]))
    .build();
  return parquet.writeParquet(parquet.Table.fromIPCStream(tableToIPC(table, "stream")), properties);
}

/** The holders in the order of their addresses, whatever order they came in. */
function inOrder({ addresses, words, balances, basis, since }: Holders) {
  const count = basis.length;
  const order = addressOrder(addresses, count);
  const sorted = {
    addresses: new ArrayBuffer(ADDRESS_BYTES * count),
    words,
    balances: new ArrayBuffer(4 * words * count),
    basis: new Float64Array(count),
    since: new Float64Array(count),
  };
  const fromAddresses = new Uint32Array(addresses.buffer, addresses.byteOffset, ADDRESS_WORDS * count);
  const intoAddresses = new Uint32Array(sorted.addresses);
  const intoBalances = new Uint32Array(sorted.balances);
  for (let i = 0; i < count; i++) {
    const holder = order[i];
    copyWords(fromAddresses, ADDRESS_WORDS * holder, intoAddresses, ADDRESS_WORDS * i, ADDRESS_WORDS);
    copyWords(balances, words * holder, intoBalances, words * i, words);
    sorted.basis[i] = basis[holder];
    sorted.since[i] = since[holder];
  }
  return sorted;
}

const ADDRESS_WORDS = ADDRESS_BYTES / 4;

/** A view and `set` for every few words would take longer than the words. */
function copyWords(from: Uint32Array, at: number, into: Uint32Array, to: number, count: number): void {
  for (let word = 0; word < count; word++) into[to + word] = from[at + word];
}

function addressOrder({ buffer, byteOffset }: Uint8Array, count: number): Uint32Array {
  const view = new DataView(buffer, byteOffset);
  const word = (holder: number, index: number) => view.getUint32(ADDRESS_BYTES * holder + 4 * index);
  const leading = Float64Array.from({ length: count }, (_, i) => word(i, 0) * 2 ** 16 + (word(i, 1) >>> 16));
  const order = orderBy(count, [leading]);
  // Of addresses that are no one's choice, hardly two have the same first 48 bits.
  const isSettled = order.every((holder, i) => i === 0 || leading[holder] !== leading[order[i - 1]]);
  if (isSettled) return order;
  const columns = Array.from({ length: ADDRESS_WORDS }, (_, index) =>
    Uint32Array.from({ length: count }, (_, holder) => word(holder, index)),
  );
  return orderBy(count, columns);
}

/** @throws {Error} it is damaged, or another version's */
export function decodeCheckpoint(bytes: Uint8Array): StoredCheckpoint {
  const { key_value_metadata } = parquetMetadata(bytes.slice().buffer);
  const entry = key_value_metadata?.find(({ key }) => key === SERIES_INFO_KEY)?.value;
  const { checkpoint, origin } = v.parse(entrySchema, JSON.parse(entry ?? "null"));
  const table = tableFromIPC(parquet.readParquet(bytes).intoIPCStream());
  const column = (name: string) => table.getChild(name)!;
  const length = table.numRows;
  const shared = (width: number) => new SharedArrayBuffer(width * length);
  const width = (column("balance").type as FixedSizeBinary).byteWidth;
  const holders: Holders = {
    addresses: copy(column("address"), new Uint8Array(shared(ADDRESS_BYTES))),
    words: width / 4,
    balances: new Uint32Array(copy(column("balance"), new Uint8Array(shared(width))).buffer),
    basis: copy(column("basis"), new Float64Array(shared(8))),
    since: copy(column("since"), new Float64Array(shared(8))),
  };
  return { checkpoint: { ...checkpoint, holders }, origin };
}

/** Copies a column's values, batch after batch. */
function copy<A extends Uint8Array<SharedArrayBuffer> | Float64Array<SharedArrayBuffer>>(column: Vector, into: A): A {
  let at = 0;
  for (const { values, length, stride, offset } of column.data) {
    const part = values.subarray(offset * stride, (offset + length) * stride);
    into.set(part, at);
    at += part.length;
  }
  return into;
}
