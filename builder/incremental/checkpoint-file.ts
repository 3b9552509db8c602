/**
 * A checkpoint as a Parquet file: a row for each address that has held the token, sorted by address; everything else is in
 * the metadata entry `soprano`. The same checkpoint gives the same bytes. Source: docs/formats.md#checkpoints.
 *
 * Columns: `address` (20 bytes), `label` (0: none), `balance` (raw, little-endian, as wide as the largest needs; 0 if the
 * address has sold everything), `basis` and `since` (DOUBLE: average purchase price in USD and average purchase time in
 * Unix seconds; 0 if the balance is 0).
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
  Uint8,
  type Vector,
} from "apache-arrow";
import { parquetMetadata } from "hyparquet";
import * as parquet from "parquet-wasm";
import * as v from "valibot";
import { V1_RESOLUTIONS } from "../../data-schema/resolutions.ts";
import { SERIES_INFO_KEY } from "../../data-schema/series.ts";
import { sharedBytes, sharedDoubles } from "../columns/shared.ts";
import { isZero } from "../engine/amounts.ts";
import { allocateHolders, type Checkpoint, type Holders } from "../engine/checkpoint.ts";
import { ADDRESS_BYTES } from "../input/addresses.ts";
import type { Provenance } from "./provenance.ts";
import { addressOrder, copyAddress, isSameAddress, type SeenAddresses, wordsOf } from "./seen-addresses.ts";

/** A checkpoint, what it was made from, and the addresses that have held the token before it. */
export interface StoredCheckpoint {
  checkpoint: Checkpoint;
  provenance: Provenance;
  /** Includes the holders. */
  seen: SeenAddresses;
}

const ROW_GROUP_ROWS = 131_072;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const seconds = v.pipe(v.number(), v.integer());
const raw = v.pipe(
  v.string(),
  v.regex(/^\d+$/),
  v.transform((digits) => BigInt(digits)),
);
const blockTime = v.strictObject({ block: count, t: seconds });

const openBucket = v.strictObject({
  from: seconds,
  sums: v.record(v.string(), v.record(v.string(), v.array(v.pipe(v.number(), v.finite())))),
});

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
    openBuckets: v.strictObject({ week: openBucket, month: openBucket }),
  }),
  provenance: v.strictObject({
    schema: count,
    engine: v.string(),
    asset: v.strictObject({
      contract: v.string(),
      chain: v.string(),
      decimals: count,
      maxSupply: v.string(),
      resolutions: v.array(v.picklist(V1_RESOLUTIONS)),
    }),
    prices: v.string(),
    files: v.array(
      v.strictObject({
        role: v.picklist(["transfers", "blocks"]),
        file: v.string(),
        sha256: v.string(),
        bytes: count,
        rows: count,
        settled: v.exactOptional(count),
        rowsAfter: v.exactOptional(count),
      }),
    ),
    months: v.record(v.string(), v.strictObject({ rows: count, digest: v.string() })),
  }),
});

export function encodeCheckpoint({ checkpoint, provenance, seen }: StoredCheckpoint): Uint8Array {
  const { holders, ...facts } = checkpoint;
  const entry = JSON.stringify({ checkpoint: facts, provenance }, (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  const { balances, basis, purchaseTime } = spreadOverSeen(holders, seen);
  const length = seen.groups.length;
  const bytes = (width: number, { buffer, byteOffset, byteLength }: Uint8Array | Uint32Array) => {
    const data = new Uint8Array(buffer, byteOffset, byteLength);
    return makeData({ type: new FixedSizeBinary(width), length, nullCount: 0, data });
  };
  const doubles = (data: Float64Array) => makeData({ type: new Float64(), length, nullCount: 0, data });
  const columns: Record<string, Data> = {
    address: bytes(ADDRESS_BYTES, seen.addresses),
    label: makeData({ type: new Uint8(), length, nullCount: 0, data: seen.groups }),
    balance: bytes(4 * holders.words, balances),
    basis: doubles(basis),
    since: doubles(purchaseTime),
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

/** Spreads the columns of the holders, which may be in any order, over the rows of all seen addresses. */
function spreadOverSeen({ addresses, words, balances, basis, purchaseTime }: Holders, seen: SeenAddresses) {
  const rows = seen.groups.length;
  const columns = {
    balances: new Uint32Array(words * rows),
    basis: new Float64Array(rows),
    purchaseTime: new Float64Array(rows),
  };
  const [held, known] = [wordsOf(addresses), wordsOf(seen.addresses)];
  let row = 0;
  for (const holder of addressOrder(addresses)) {
    while (row < rows && !isSameAddress(held, holder, known, row)) row++;
    if (row === rows) throw new Error("a holder is missing from the addresses that have been seen");
    for (let word = 0; word < words; word++) columns.balances[words * row + word] = balances[words * holder + word]!;
    columns.basis[row] = basis[holder]!;
    columns.purchaseTime[row] = purchaseTime[holder]!;
  }
  return columns;
}

/** @throws {Error} the file is damaged, or of another version */
export function decodeCheckpoint(bytes: Uint8Array): StoredCheckpoint {
  const { key_value_metadata } = parquetMetadata(bytes.slice().buffer);
  const entry = key_value_metadata?.find(({ key }) => key === SERIES_INFO_KEY)?.value;
  const { checkpoint, provenance } = v.parse(entrySchema, JSON.parse(entry ?? "null"));
  const table = tableFromIPC(parquet.readParquet(bytes).intoIPCStream());
  const column = (name: string) => table.getChild(name)!;
  const rows = table.numRows;
  const words = (column("balance").type as FixedSizeBinary).byteWidth / 4;
  const seen = {
    addresses: copy(column("address"), sharedBytes(ADDRESS_BYTES * rows)),
    groups: copy(column("label"), sharedBytes(rows)),
  };
  const balances = new Uint32Array(copy(column("balance"), sharedBytes(4 * words * rows)).buffer);
  const basis = copy(column("basis"), sharedDoubles(rows));
  const purchaseTime = copy(column("since"), sharedDoubles(rows));
  const holders = onlyHolders(seen.addresses, { words, balances, basis, purchaseTime });
  return { checkpoint: { ...checkpoint, holders }, provenance, seen };
}

function onlyHolders(
  addresses: Uint8Array,
  { words, balances, basis, purchaseTime }: Omit<Holders, "addresses">,
): Holders {
  let count = 0;
  const isHolder = (row: number) => !isZero(balances, words * row, words);
  for (let row = 0; row < basis.length; row++) if (isHolder(row)) count++;
  const holders = allocateHolders(count, words);
  const [from, into] = [wordsOf(addresses), wordsOf(holders.addresses)];
  for (let row = 0, holder = 0; row < basis.length; row++) {
    if (!isHolder(row)) continue;
    copyAddress(from, row, into, holder);
    for (let word = 0; word < words; word++) holders.balances[words * holder + word] = balances[words * row + word]!;
    holders.basis[holder] = basis[row]!;
    holders.purchaseTime[holder] = purchaseTime[row]!;
    holder++;
  }
  return holders;
}

function copy<A extends Uint8Array<SharedArrayBuffer> | Float64Array<SharedArrayBuffer>>(column: Vector, into: A): A {
  let at = 0;
  for (const { values, length, stride, offset } of column.data) {
    const part = values.subarray(offset * stride, (offset + length) * stride);
    into.set(part, at);
    at += part.length;
  }
  return into;
}
