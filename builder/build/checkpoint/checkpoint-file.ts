/**
 * A checkpoint as a Parquet file: a row for each address that has held the token, sorted by address; everything else is in
 * the metadata entry `soprano`. It is written and read a row group at a time, so it may have any number of rows. The same
 * checkpoint gives the same bytes. Source: docs/formats.md#checkpoints.
 */

import * as v from "valibot";
import type { HolderTableIndex } from "../../../data-schema/holders.ts";
import { byCalendar, LOT_METHODS, V1_RESOLUTIONS } from "../../../data-schema/registry.ts";
import { type IndexPlace, MIGRATION_RULES } from "../../../data-schema/stored.ts";
import type { Checkpoint } from "../../engine/history.ts";
import { HISTORY_ROLES } from "../../input/files/known-files.ts";
import { TableEncoder, TableFile, tableEnd, type WrittenGroups } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import { type CheckpointRows, countHolders, type LabelledAddresses, regroup } from "./checkpoint-rows.ts";
import type { Provenance } from "./provenance.ts";
import { encodeIndex, servedGroup } from "./served-groups.ts";
import { checkpointLayout, unpackRows } from "./stored-rows.ts";

/** A checkpoint, and what it was made from. */
export interface CheckpointFacts {
  checkpoint: Checkpoint;
  provenance: Provenance;
}

/** Raised whenever a file of the version before can't be read. */
const FORMAT = 7;

/** 700 kB of columns, which an isolate of the Worker reads for one address. */
const ROW_GROUP_ROWS = 8_192;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const seconds = v.pipe(v.number(), v.integer());
const raw = v.pipe(
  v.string(),
  v.regex(/^\d+$/),
  v.transform((digits) => BigInt(digits)),
);
const blockTime = v.strictObject({ block: count, t: seconds });

/** A week or month that is open. */
export const openBucket = v.strictObject({
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
    coinDaysDestroyed: v.pipe(v.number(), v.finite()),
    openBlocks: v.strictObject({ from: seconds, rows: v.array(count) }),
    openBuckets: v.strictObject(byCalendar(() => openBucket)),
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
      columns: v.exactOptional(v.strictObject({ contract: v.nullable(v.string()) })),
      lots: v.exactOptional(v.array(v.picklist(LOT_METHODS))),
      predecessors: v.exactOptional(
        v.array(
          v.strictObject({
            contract: v.string(),
            decimals: v.exactOptional(count),
            ratio: v.string(),
            by: v.picklist(MIGRATION_RULES),
            until: v.exactOptional(count),
            swap: v.exactOptional(v.array(v.string())),
            from: v.exactOptional(v.array(v.string())),
          }),
        ),
      ),
    }),
    prices: months,
    files: v.array(
      v.strictObject({
        role: v.picklist(HISTORY_ROLES),
        file: v.string(),
        sha256: v.string(),
        bytes: count,
        rows: count,
        settled: v.exactOptional(count),
        rowsAfter: v.exactOptional(count),
      }),
    ),
    months,
    inflow: v.exactOptional(v.array(v.strictObject({ day: seconds, all: raw, deposited: raw }))),
  }),
});

/** The rows of a checkpoint, as its footer and its index name them. For `toJson`. */
export interface WrittenRows {
  written: WrittenGroups;
  /** 32-bit words of each balance. */
  words: number;
  holders: number;
  index: HolderTableIndex;
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
  const encoder = new TableEncoder(checkpointLayout(words), "ZSTD", "address");
  const groups: HolderTableIndex["groups"] = [];
  let holders = 0;
  for (const rows of regroup(batches, words, groupRows)) {
    holders += countHolders(rows, words);
    const first = Buffer.from(rows.addresses.subarray(0, ADDRESS_BYTES)).toString("hex");
    groups.push({ ...(yield* servedGroup(encoder, rows)), first });
  }
  return { written: encoder.written, words, holders, index: { groups } };
}

/** The end of a checkpoint's file, after its rows, and where in the file the index is. */
export function checkpointEnd(
  { checkpoint, provenance }: CheckpointFacts,
  { written, words, holders, index }: WrittenRows,
): { end: Uint8Array[]; index: IndexPlace } {
  const entry = JSON.stringify({ format: FORMAT, holders, checkpoint, provenance }, (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  const { bytes, place } = encodeIndex(index, written.end);
  return { end: [bytes, ...tableEnd(checkpointLayout(words), written, entry)], index: place };
}

/** A checkpoint in a file on this machine. Opening it reads everything but the rows. */
export class CheckpointFile implements CheckpointFacts {
  readonly path: string;
  readonly checkpoint: CheckpointFacts["checkpoint"];
  readonly provenance: Provenance;
  readonly #table: TableFile<ReturnType<typeof checkpointLayout>>;

  /** @throws {Error} the file is damaged, or of another version */
  constructor(path: string) {
    this.#table = new TableFile(path, (widthOf) => checkpointLayout((widthOf("balance") ?? 0) / 4));
    const { checkpoint, provenance } = v.parse(entrySchema, JSON.parse(this.#table.entry ?? "null"));
    this.path = path;
    this.checkpoint = checkpoint;
    this.provenance = provenance;
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
    return this.#table.layout.balance[1];
  }

  /** The addresses and their labels, a row group at a time. @throws {Error} the file is damaged */
  *labels(): Generator<LabelledAddresses> {
    const { address, label } = checkpointLayout(1);
    for (const group of new TableFile(this.path, { address, label }).read()) {
      yield { rows: group.count, addresses: group.address, labels: group.label };
    }
  }

  /** All columns of the row groups [from, to), one at a time. @throws {Error} the file is damaged */
  *rows(from?: number, to?: number): Generator<CheckpointRows> {
    for (const group of this.#table.read(from, to)) yield unpackRows(group);
  }
}
