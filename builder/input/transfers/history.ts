/** From files of transfers to a history: read, put in order, checked row against row, cut at as-of. */

import type { DuckDBConnection } from "@duckdb/node-api";
import type { Checkpoint } from "../../engine/checkpoint.ts";
import type { History } from "../../engine/history.ts";
import { Failure } from "../../failure.ts";
import { ADDRESS_BYTES } from "../addresses.ts";
import type { AssetFile } from "../asset.ts";
import { placeText } from "../cells/rules.ts";
import { timeText } from "../cells/time.ts";
import type { Table } from "../duckdb/table.ts";
import type { InputFile } from "../files.ts";
import { fillTimes } from "./blocks.ts";
import { type Clash, findEvents, writeHistory } from "./events.ts";
import { countRows, ownRow, planTransfers, type RowCounts, type TransferPlan } from "./plan.ts";
import { readTransfers } from "./read.ts";

/** A history, and what became of the rows. */
export interface ReadHistory {
  history: History;
  /** Unix seconds; the time of the first row and of the last, whatever its place in the file. Undefined without rows. */
  first: number | undefined;
  last: number | undefined;
  asOf: number;
  /** Distinct addresses of the rows; the zero address is none. */
  addresses: number;
  notices: string[];
  counts: { rowsRead: number; duplicates: number; skippedOtherContracts: number; skippedAfterAsOf: number };
  /** Of each table, how many of the asset's rows that were read are up to a block, and how many after it. */
  splitAt(block: number): { settled: number; later: number }[];
}

/** Where a history's rows are. */
export interface HistoryTables {
  transfers: readonly Table[];
  blocks: readonly Table[];
}

/**
 * Reads the transfers of an asset, with the times of blocks where they have none.
 *
 * @param after a checkpoint that the rows follow, all of them of later blocks; then there may be none
 * @param onFile called with each file that has been read
 * @throws {Failure} names the first thing that is wrong with a file, in a row, or between rows
 */
export async function readHistory(
  connection: DuckDBConnection,
  asset: AssetFile,
  { transfers: tables, blocks }: HistoryTables,
  after: Checkpoint | undefined,
  onFile: (file: InputFile) => void,
): Promise<ReadHistory> {
  const plans = tables.map((table) => planTransfers(table, asset.contract));
  const timeless = plans.find(({ columns }) => !columns.time);
  if (timeless && blocks.length === 0) {
    throw new Failure(
      `${timeless.table.file.name} has no column block_timestamp; add it, or name files of blocks under the key "blocks".`,
    );
  }
  const counts: (RowCounts | undefined)[] = [];
  for (const plan of plans) counts.push(await countRows(connection, plan));
  const transfers = await readTransfers(connection, plans, counts, onFile);
  const rowsRead = tables.reduce((sum, { rows }) => sum + rows, 0);
  if (transfers.rows === 0 && !after) throw new Failure(nothingSentence(asset, tables, rowsRead));

  if (timeless && transfers.rows > 0) await fillTimes(connection, blocks, transfers, onFile);
  const events = findEvents(transfers);
  if ("message" in events) throw await clashFailure(connection, plans, transfers.starts, events);

  const { timestamp, block: blocksOfRows, starts } = transfers;
  const first = timestamp[events.rows[0]!];
  const last = timestamp[events.rows.at(-1)!];
  const asOf = asset.asOf ?? (last ?? after!.lastEvent.t) + 1;
  if (first !== undefined && asOf <= first && !after) {
    throw new Failure(
      `${asset.path}: "asOf" is ${timeText(asOf)}, not after the first transfer, ${timeText(first)}; set a later time or leave it out.`,
    );
  }
  // Without transfers to read, it is unknown whether they need the files of blocks.
  const areIdle = blocks.length > 0 && tables.length > 0 && !timeless;
  const end = events.rows.findLastIndex((row) => timestamp[row]! < asOf) + 1;
  const history = writeHistory(transfers, events.rows.subarray(0, end));
  return {
    ...{ history, first, last, asOf },
    addresses: history.addresses.length / ADDRESS_BYTES - 1,
    notices: areIdle ? ["The files of blocks were not read: every transfer has its time."] : [],
    counts: {
      rowsRead,
      duplicates: events.duplicates,
      skippedOtherContracts: rowsRead - transfers.rows,
      skippedAfterAsOf: events.rows.length - end,
    },
    splitAt: (block) =>
      tables.map((_, file) => {
        const rows = blocksOfRows.subarray(starts[file], starts[file + 1]);
        let settled = 0;
        for (const of of rows) if (of <= block) settled++;
        return { settled, later: rows.length - settled };
      }),
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
    const inFile = await ownRow(connection, plans[file]!, row - starts[file]!);
    return placeText({ file: plans[file]!.table.file.name, row: inFile + 1 });
  };
  return new Failure(clash.message(await place(clash.first), await place(clash.second)));
}
