/** Reads the transfers of files of any accepted form into columns. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { describeRefusal } from "../cells/columns.ts";
import { tableChunks } from "../duckdb/table.ts";
import { CHUNK_ROWS } from "../duckdb/vectors.ts";
import type { InputFile } from "../files.ts";
import { EventColumns } from "./event-columns.ts";
import { assetRow, type RowCounts, type TransferPlan, transferSql } from "./plan.ts";

/** Rows of the asset in the order of the files, not yet compared with each other. Columns may be longer than `rows`. */
export interface Transfers
  extends Pick<EventColumns, "rows" | "block" | "logIndex" | "timestamp" | "valueWords" | "values" | "from" | "to"> {
  /** 20 bytes each; `from` and `to` hold their numbers. Numbered in order of appearance, row by row. */
  addresses: Uint8Array<SharedArrayBuffer>;
  /** Rows sorted by block and log index; equal rows keep their order. */
  order: Uint32Array;
  /** The first row of each file, and the end of the last file. */
  starts: number[];
}

/** Expected rows if a file does not say how many it has. */
const INITIAL_CAPACITY = 1 << 16;

/**
 * Reads the asset's rows.
 *
 * @param counts result of `countRows` for each plan
 * @param onFile called after each file
 * @throws {Failure} names row, column and text of the first invalid cell
 */
export async function readTransfers(
  connection: DuckDBConnection,
  plans: readonly TransferPlan[],
  counts: readonly (RowCounts | undefined)[],
  onFile: (file: InputFile) => void,
): Promise<Transfers> {
  const capacity = counts.reduce((sum, count) => (count ? sum + count.ofAsset : Number.NaN), 0) || INITIAL_CAPACITY;
  const events = new EventColumns(capacity);
  const starts = [0];
  for (const [file, plan] of plans.entries()) {
    const { table } = plan;
    const count = counts[file];
    const hasOthers = count?.ofAsset !== count?.all;
    await readFile(connection, plan, hasOthers, events);
    table.rows = count?.all ?? events.rows - starts[file]!;
    starts.push(events.rows);
    onFile(table.file);
  }
  const { rows, block, logIndex, timestamp, valueWords, values, from, to } = events;
  const columns = { rows, block, logIndex, timestamp, valueWords, values, from, to };
  return { ...columns, addresses: events.addresses.bytes(), order: events.order(), starts };
}

/** @param hasOthers some rows of the file belong to other contracts */
async function readFile(
  connection: DuckDBConnection,
  plan: TransferPlan,
  hasOthers: boolean,
  events: EventColumns,
): Promise<void> {
  const { table } = plan;
  const sql = transferSql(plan, events.columns(plan), hasOthers);
  const refused = new Uint8Array(CHUNK_ROWS);
  const start = events.rows;
  const firstRefused = async () => {
    for await (const chunk of tableChunks(connection, table.file, sql)) {
      const before = events.rows - start;
      refused.fill(0);
      events.append(chunk, plan, refused);
      const row = refused.subarray(0, chunk.rowCount).indexOf(1);
      if (row >= 0) return before + row;
    }
    return undefined;
  };
  const row = await firstRefused();
  // The stream of chunks has to be closed before the connection takes another query.
  if (row !== undefined) {
    throw await describeRefusal(connection, table, Object.values(plan.columns), await assetRow(connection, plan, row));
  }
}
