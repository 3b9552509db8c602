/** From files of transfers to a history: read, put in order, checked row against row, cut at as-of. */

import type { DuckDBConnection } from "@duckdb/node-api";
import type { History } from "../engine/history.ts";
import { Failure } from "../failure.ts";
import type { AssetFile } from "./asset.ts";
import { fillTimes } from "./blocks.ts";
import { placeText } from "./cells.ts";
import { type Clash, findEvents, writeHistory } from "./events.ts";
import type { InputFile } from "./files.ts";
import type { Table } from "./table.ts";
import { timeText } from "./time.ts";
import { countRows, ownRow, planTransfers, type RowCounts, type TransferPlan } from "./transfer-plan.ts";
import { type PartyThread, readTransfers } from "./transfers.ts";

/** A history, and what became of the rows. */
export interface ReadHistory {
  history: History;
  /** Unix seconds. */
  asOf: number;
  notices: string[];
  counts: { rowsRead: number; duplicates: number; skippedOtherContracts: number; skippedAfterAsOf: number };
}

/** Files of transfers and of blocks: how they are read, and how many rows to expect. */
export interface CountedTransfers {
  tables: readonly Table[];
  plans: readonly TransferPlan[];
  /** As of `countRows`, for each table. */
  counts: readonly (RowCounts | undefined)[];
  blocks: readonly Table[];
  /** Whether some transfers take their time from the files of blocks. */
  timeless: boolean;
}

/**
 * Plans how the transfers of an asset are read, and counts them.
 *
 * @throws Failure for a file that lacks a column or has one that can't be read, or as of `countRows`
 */
export async function countTransfers(
  connection: DuckDBConnection,
  asset: AssetFile,
  tables: readonly Table[],
  blocks: readonly Table[],
): Promise<CountedTransfers> {
  const plans = tables.map((table) => planTransfers(table, asset.contract));
  const timeless = plans.find(({ columns }) => !columns.time);
  if (timeless && blocks.length === 0) {
    throw new Failure(
      `${timeless.table.file.name} has no column block_timestamp; add it, or name files of blocks under the key "blocks".`,
    );
  }

  const counts: (RowCounts | undefined)[] = [];
  for (const plan of plans) counts.push(await countRows(connection, plan));
  return { tables, plans, counts, blocks, timeless: timeless !== undefined };
}

/**
 * Reads the transfers of an asset, with the times of blocks where they have none.
 *
 * @param thread as of `readTransfers`
 * @param onFile told of each file that has been read
 * @throws Failure for the first thing that is wrong in a row, between rows, or in all of them
 */
export async function readHistory(
  connection: DuckDBConnection,
  asset: AssetFile,
  { tables, plans, counts, blocks, timeless }: CountedTransfers,
  thread: PartyThread | undefined,
  onFile: (file: InputFile) => void,
): Promise<ReadHistory> {
  const transfers = await readTransfers(connection, { contract: asset.contract, tables, counts }, thread, onFile);
  const rowsRead = tables.reduce((sum, { rows }) => sum + rows, 0);
  if (transfers.rows === 0) throw new Failure(nothingSentence(asset, tables, rowsRead));

  if (timeless) await fillTimes(connection, blocks, transfers, onFile);
  const events = findEvents(transfers);
  if ("message" in events) throw await clashFailure(connection, plans, transfers.starts, events);

  const { timestamp } = transfers;
  const first = timestamp[events.rows[0]];
  const asOf = asset.asOf ?? timestamp[events.rows[events.rows.length - 1]] + 1;
  if (asOf <= first) {
    throw new Failure(
      `${asset.path}: "asOf" is ${timeText(asOf)}, not after the first transfer, ${timeText(first)}; set a later time or leave it out.`,
    );
  }
  const end = events.rows.findLastIndex((row) => timestamp[row] < asOf) + 1;
  return {
    history: writeHistory(transfers, events.rows.subarray(0, end)),
    asOf,
    notices: blocks.length > 0 && !timeless ? ["The files of blocks were not read: every transfer has its time."] : [],
    counts: {
      rowsRead,
      duplicates: events.duplicates,
      skippedOtherContracts: rowsRead - transfers.rows,
      skippedAfterAsOf: events.rows.length - end,
    },
  };
}

function nothingSentence(asset: AssetFile, tables: readonly Table[], rowsRead: number): string {
  const names = tables.map(({ file }) => file.name).join(", ");
  return rowsRead === 0
    ? `${names} has no rows; transfers of ${asset.contract} are expected.`
    : `${names} has ${rowsRead} rows, but none of contract ${asset.contract}; check "contract" in ${asset.path} against the column of token addresses.`;
}

async function clashFailure(
  connection: DuckDBConnection,
  plans: readonly TransferPlan[],
  starts: readonly number[],
  clash: Clash,
): Promise<Failure> {
  const place = async (row: number) => {
    // Of files without rows, which start where the next one does, the last start is the file's that has the row.
    const file = starts.findLastIndex((start) => start <= row);
    const inFile = await ownRow(connection, plans[file], row - starts[file]);
    return placeText({ file: plans[file].table.file.name, row: inFile + 1 });
  };
  return new Failure(clash.message(await place(clash.first), await place(clash.second)));
}
