/**
 * A checkpoint as a Parquet file: a row for each address that has held the token, sorted by address; everything else is in
 * the metadata entry `soprano`. It is written and read a row group at a time, so it may have any number of rows. The same
 * checkpoint gives the same bytes. Source: docs/formats.md#checkpoints.
 */

import * as v from "valibot";
import type { Column } from "../../../data-schema/parquet/metadata.ts";
import { i32 } from "../../../data-schema/parquet/thrift.ts";
import { V1_RESOLUTIONS } from "../../../data-schema/resolutions.ts";
import type { Checkpoint } from "../../engine/checkpoint.ts";
import { ADDRESS_BYTES } from "../../input/addresses.ts";
import { type PlainGroups, PlainTableEncoder, PlainTableFile, plainTableEnd } from "../../lib/plain-table.ts";
import { type CheckpointRows, countHolders, type LabelledAddresses, regroup } from "./checkpoint-rows.ts";
import type { Provenance } from "./provenance.ts";

/** A checkpoint, and what it was made from. */
export interface CheckpointFacts {
  checkpoint: Checkpoint;
  provenance: Provenance;
}

/** Raised whenever a file of the version before can't be read. */
const FORMAT = 2;

/** 7 MB of columns, which writer and reader hold in memory. */
const ROW_GROUP_ROWS = 131_072;

/** Parquet's name for an unsigned integer of 8 bits, which is stored as one of 32. */
const UINT_8 = i32(11);

const COLUMNS = [
  { name: "address", type: "FIXED_LEN_BYTE_ARRAY" },
  { name: "label", type: "INT32", converted: UINT_8 },
  { name: "balance", type: "FIXED_LEN_BYTE_ARRAY" },
  { name: "basis", type: "DOUBLE" },
  { name: "since", type: "DOUBLE" },
] as const satisfies Column[];

/** Bytes of a value of each column. @param words 32-bit words of each balance */
const widthsOf = (words: number) => ({ address: ADDRESS_BYTES, label: 4, balance: 4 * words, basis: 8, since: 8 });

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

const months = v.record(v.string(), v.strictObject({ rows: count, digest: v.string() }));

const entrySchema = v.strictObject({
  format: v.literal(FORMAT),
  holders: count,
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
    prices: months,
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
    months,
  }),
});

/** The rows of a checkpoint, as its footer names them. For `toJson`. */
export interface WrittenRows {
  written: PlainGroups;
  /** 32-bit words of each balance. */
  words: number;
  holders: number;
}

/**
 * Encodes the rows of a checkpoint: the beginning of its file, which `checkpointEnd` completes.
 *
 * @param words 32-bit words of each balance
 * @param batches each address that has held the token, in ascending order, in batches of any size
 * @param groupRows rows of a row group
 * @returns the pieces of the file, in order
 */
export function* encodeRows(
  words: number,
  batches: Iterable<CheckpointRows>,
  groupRows = ROW_GROUP_ROWS,
): Generator<Uint8Array, WrittenRows> {
  const encoder = new PlainTableEncoder(columnsOf(words));
  let holders = 0;
  for (const rows of regroup(batches, words, groupRows)) {
    holders += countHolders(rows, words);
    yield* encoder.group(columnBytes(rows, words));
  }
  return { written: encoder.written, words, holders };
}

/** The end of a checkpoint's file, after its rows. */
export function checkpointEnd(
  { checkpoint, provenance }: CheckpointFacts,
  { written, words, holders }: WrittenRows,
): Uint8Array[] {
  const entry = JSON.stringify({ format: FORMAT, holders, checkpoint, provenance }, (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  return plainTableEnd(columnsOf(words), written, entry);
}

function columnsOf(words: number) {
  const widths = widthsOf(words);
  return COLUMNS.map((column) =>
    column.type === "FIXED_LEN_BYTE_ARRAY" ? { ...column, width: widths[column.name] } : column,
  );
}

function columnBytes({ rows, addresses, labels, balances, basis, purchaseTime }: CheckpointRows, words: number) {
  const widths = widthsOf(words);
  const bytes = ({ buffer, byteOffset }: Uint8Array | Uint32Array | Float64Array, width: number) =>
    new Uint8Array(buffer, byteOffset, width * rows);
  const address = bytes(addresses, widths.address);
  return {
    rows,
    columns: {
      address,
      label: bytes(new Uint32Array(labels.subarray(0, rows)), widths.label),
      balance: bytes(balances, widths.balance),
      basis: bytes(basis, widths.basis),
      since: bytes(purchaseTime, widths.since),
    },
    // A query for one address skips the other row groups.
    ranges: { address: { min: address.slice(0, ADDRESS_BYTES), max: address.slice(-ADDRESS_BYTES) } },
  };
}

/** A checkpoint in a file on this machine. Opening it reads everything but the rows. */
export class CheckpointFile implements CheckpointFacts {
  readonly path: string;
  readonly checkpoint: CheckpointFacts["checkpoint"];
  readonly provenance: Provenance;
  readonly #words: number;
  readonly #table: PlainTableFile;

  /** @throws {Error} the file is damaged, or of another version */
  constructor(path: string) {
    this.#table = new PlainTableFile(path);
    const { checkpoint, provenance } = v.parse(entrySchema, JSON.parse(this.#table.entry ?? "null"));
    this.path = path;
    this.checkpoint = checkpoint;
    this.provenance = provenance;
    this.#words = (this.#table.widthOf("balance") ?? 0) / 4;
  }

  get groups(): number {
    return this.#table.groups;
  }

  /** Addresses that have held the token. */
  get rowCount(): number {
    return this.#table.rows;
  }

  /** 32-bit words of each balance. */
  get words(): number {
    return this.#words;
  }

  /** The addresses and their labels, a row group at a time. @throws {Error} the file is damaged */
  *labels(): Generator<LabelledAddresses> {
    const { address, label } = widthsOf(this.#words);
    for (const { rows, columns } of this.#table.read({ address, label })) {
      yield { rows, addresses: columns.address, labels: labelsOf(columns) };
    }
  }

  /** All columns of the row groups [from, to), one at a time. @throws {Error} the file is damaged */
  *rows(from = 0, to = this.groups): Generator<CheckpointRows> {
    for (let group = from; group < to; group++) {
      const { rows, columns } = this.#table.group(group, widthsOf(this.#words));
      yield {
        ...{ rows, addresses: columns.address, labels: labelsOf(columns) },
        balances: new Uint32Array(columns.balance.buffer, 0, this.words * rows),
        basis: new Float64Array(columns.basis.buffer, 0, rows),
        purchaseTime: new Float64Array(columns.since.buffer, 0, rows),
      };
    }
  }
}

const labelsOf = ({ label }: { label: Uint8Array<ArrayBuffer> }) =>
  new Uint8Array(new Uint32Array(label.buffer, 0, label.length / 4));
