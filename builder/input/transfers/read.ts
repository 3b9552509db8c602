/** Transfers of files of any accepted form, streamed into columns. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { explainRow } from "../cells/explain.ts";
import { tableChunks } from "../duckdb/table.ts";
import { CHUNK_ROWS } from "../duckdb/vectors.ts";
import type { InputFile } from "../files.ts";
import { EventColumns } from "./event-columns.ts";
import { PartyColumns } from "./party-columns.ts";
import { ownRow, type RowCounts, type TransferPlan, transferSql } from "./plan.ts";

/** Rows of one asset in the order of the files, not yet checked against each other. Columns may have spare room. */
export interface Transfers
  extends Pick<EventColumns, "rows" | "block" | "logIndex" | "timestamp" | "valueWords" | "values">,
    Pick<PartyColumns, "from" | "to"> {
  /** 20 bytes an address, by the number that `from` and `to` call it: as they appear in these, row by row. */
  addresses: Uint8Array<SharedArrayBuffer>;
  /** The rows by block and log index; equal ones as they come. */
  order: Uint32Array;
  /** First row of each file, and the end of the last. */
  starts: number[];
}

/** Rows to make room for when a file doesn't say how many it has. */
const FIRST_ROOM = 1 << 16;

/**
 * Reads the asset's rows.
 *
 * @param counts as of `countRows`, for each plan
 * @param onFile called with each file that has been read
 * @throws {Failure} names row, column and text of the first cell that is not acceptable
 */
export async function readTransfers(
  connection: DuckDBConnection,
  plans: readonly TransferPlan[],
  counts: readonly (RowCounts | undefined)[],
  onFile: (file: InputFile) => void,
): Promise<Transfers> {
  const room = counts.reduce((sum, count) => (count ? sum + count.own : Number.NaN), 0) || FIRST_ROOM;
  const events = new EventColumns(room);
  const parties = new PartyColumns(room);
  const starts = [0];
  for (const [file, plan] of plans.entries()) {
    const { table } = plan;
    const count = counts[file];
    await readFile(connection, plan, count !== undefined && count.own === count.all, events, parties);
    table.rows = count?.all ?? events.rows - starts[file]!;
    starts.push(events.rows);
    onFile(table.file);
  }
  const { rows, block, logIndex, timestamp, valueWords, values } = events;
  const { from, to, addresses } = parties;
  const order = events.order();
  return {
    rows,
    block,
    logIndex,
    timestamp,
    valueWords,
    values,
    from,
    to,
    addresses: addresses.bytes(),
    order,
    starts,
  };
}

/** @param isOwn every row of the file is the asset's */
async function readFile(
  connection: DuckDBConnection,
  plan: TransferPlan,
  isOwn: boolean,
  events: EventColumns,
  parties: PartyColumns,
): Promise<void> {
  const { table } = plan;
  const eventColumns = events.columns(plan);
  const sql = transferSql(plan, [...eventColumns, ...parties.columns(plan)], isOwn);
  const refused = new Uint8Array(CHUNK_ROWS);
  const start = events.rows;
  const firstRefused = async () => {
    for await (const chunk of tableChunks(connection, table.file, sql)) {
      const before = events.rows - start;
      refused.fill(0);
      events.append(chunk, 0, plan, refused);
      parties.append(chunk, eventColumns.length, plan, refused);
      const row = refused.subarray(0, chunk.rowCount).indexOf(1);
      if (row >= 0) return before + row;
    }
    return undefined;
  };
  const row = await firstRefused();
  // A connection takes another query only when the chunks are closed.
  if (row !== undefined) {
    throw await explainRow(connection, table, Object.values(plan.columns), await ownRow(connection, plan, row));
  }
}
