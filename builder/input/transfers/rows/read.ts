/** Reads the transfers of files of any accepted form into columns. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../../lib/failure.ts";
import type { AddressTable } from "../../addresses.ts";
import { changedMeanwhile, describeRefusal } from "../../cells/cell-columns.ts";
import { tableChunks } from "../../duckdb/input-table.ts";
import { VECTOR_ROWS } from "../../duckdb/vectors.ts";
import { assetRow, type RowCounts, type TransferPlan, transferSql } from "../columns/transfer-columns.ts";
import { chunkBatch, chunkColumns, EventColumns } from "./event-columns.ts";
import { readParquetRows } from "./parquet-rows.ts";

/** Rows of the asset in the order of the files, not yet compared with each other. Columns may be longer than `rows`. */
export interface Transfers
  extends Pick<
    EventColumns,
    "rows" | "block" | "logIndex" | "timestamp" | "valueWords" | "values" | "from" | "to" | "marks"
  > {
  /** 20 bytes each; `from` and `to` hold their numbers. Numbered in order of appearance, row by row. */
  addresses: Uint8Array<SharedArrayBuffer>;
  /** Rows sorted by block and log index; equal rows keep their order. Undefined if all are in order already. */
  order: Uint32Array | undefined;
  /** The first row of each file, and the end of the last file. */
  starts: number[];
}

/** Expected rows if a file does not say how many it has. */
const INITIAL_CAPACITY = 1 << 16;

export interface ReadTransfersOptions {
  /** Rows that are expected. Undefined: those that were counted. */
  rows: number | undefined;
  /** If only the rows with one of these addresses are wanted; all have been read before. */
  list?: AddressTable | undefined;
  /** Whether some rows of a file are marked as removed. */
  hasRemoved: readonly boolean[];
  /** Explains why row `row` of the asset's, in the table of a plan, has been refused. */
  explain(plan: TransferPlan, row: number): Promise<Failure>;
}

/**
 * Reads the asset's rows.
 *
 * @param counts result of `countRows` for each plan
 * @throws {Failure} names row, column and text of the first invalid cell
 */
export async function readTransfers(
  connection: DuckDBConnection,
  plans: readonly TransferPlan[],
  counts: readonly (RowCounts | undefined)[],
  { rows, list, hasRemoved, explain }: ReadTransfersOptions,
): Promise<Transfers> {
  const counted = counts.reduce((sum, count) => (count ? sum + count.ofAsset : Number.NaN), 0);
  const read = async (isDirect: boolean) => {
    const events = new EventColumns(list ? INITIAL_CAPACITY : (rows ?? (counted || INITIAL_CAPACITY)), list);
    const starts = [0];
    for (const [file, { marks, ...unmarked }] of plans.entries()) {
      // Rows have been compared with each other before they are read for a list.
      const { removed, ...hashes } = marks;
      const plan = { ...unmarked, marks: { ...(!list && hashes), ...(hasRemoved[file] && removed && { removed }) } };
      const { table } = plan;
      const count = counts[file];
      const hasOthers = count?.ofAsset !== count?.all;
      if (!isDirect || table.isText || table.shape !== undefined || hasOthers || !readDirectly(plan, events)) {
        const refused = await readFile(connection, plan, hasOthers, (...batch) => events.append(...batch));
        // The stream of chunks has to be closed before the connection takes another query.
        if (refused !== undefined) throw await explain(plan, refused);
      }
      table.rows = count?.all ?? events.rows - starts[file]!;
      starts.push(events.rows);
    }
    return { ...columnsOf(events), addresses: events.addresses.bytes(), order: events.order(), starts };
  };
  return read(true).catch((error) => {
    if (error instanceof Failure) throw error;
    return read(false);
  });
}

function columnsOf({ rows, block, logIndex, timestamp, valueWords, values, from, to, marks }: EventColumns) {
  return { rows, block, logIndex, timestamp, valueWords, values, from, to, marks };
}

const noneRefused = new Uint8Array(VECTOR_ROWS);

/**
 * Reads a Parquet file without DuckDB.
 *
 * @returns false if that is not possible
 * @throws {Error} that has turned out after some rows: all columns have to be read anew
 */
function readDirectly(plan: TransferPlan, events: EventColumns): boolean {
  const { rows } = events;
  try {
    readParquetRows(plan, (batch) => events.append(batch, noneRefused));
    return true;
  } catch (error) {
    if (error instanceof Failure || events.rows > rows) throw error;
    return false;
  }
}

/**
 * Streams the asset's rows of a file to `append`, which sets `refused` to 1 for each row with an invalid cell.
 *
 * @param hasOthers some rows of the file belong to other contracts
 * @returns the number of the first row that is refused, among the asset's from 0; reading stops there
 */
async function readFile(
  connection: DuckDBConnection,
  plan: TransferPlan,
  hasOthers: boolean,
  append: EventColumns["append"],
): Promise<number | undefined> {
  const { table } = plan;
  const refused = new Uint8Array(VECTOR_ROWS);
  let rows = 0;
  for await (const chunk of tableChunks(connection, table.file, transferSql(plan, chunkColumns(plan), hasOthers))) {
    refused.fill(0);
    append(chunkBatch(chunk, plan), refused);
    const row = refused.subarray(0, chunk.rowCount).indexOf(1);
    if (row >= 0) return rows + row;
    rows += chunk.rowCount;
  }
  return undefined;
}

/** Explains why row `row` of the asset's, in the table of a plan, has been refused. */
export async function explainRow(connection: DuckDBConnection, plan: TransferPlan, row: number): Promise<Failure> {
  return describeRefusal(connection, plan.table, Object.values(plan.columns), await assetRow(connection, plan, row));
}

/** Rows that are kept at most while the first invalid cell is looked for. */
const MOST_KEPT = 1 << 20;

/** Explains the first invalid cell of the asset's rows in whole files, in the order of the files. */
export async function explainFirst(connection: DuckDBConnection, plans: readonly TransferPlan[]): Promise<Failure> {
  let events = new EventColumns(VECTOR_ROWS);
  for (const plan of plans) {
    const row = await readFile(connection, plan, true, (...chunk) => {
      if (events.rows > MOST_KEPT) events = new EventColumns(VECTOR_ROWS);
      events.append(...chunk);
    });
    if (row !== undefined) return explainRow(connection, plan, row);
  }
  return changedMeanwhile(plans.map(({ table }) => table));
}
