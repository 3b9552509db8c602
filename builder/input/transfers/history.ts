/** From files of transfers to a history: read, put in order, checked row against row, cut at as-of. */

import type { DuckDBConnection } from "@duckdb/node-api";
import type { Checkpoint } from "../../engine/checkpoint.ts";
import type { History } from "../../engine/history.ts";
import { Failure } from "../../failure.ts";
import { StartOver } from "../../incremental/start-over.ts";
import type { AssetFile } from "../asset.ts";
import { placeText } from "../cells/rules.ts";
import { timeText } from "../cells/time.ts";
import type { Table } from "../duckdb/table.ts";
import type { InputFile } from "../files.ts";
import { fillTimes } from "./blocks.ts";
import { type Clash, findEvents, writeHistory } from "./events.ts";
import { countRows, ownRow, planTransfers, type RowCounts, type TransferPlan } from "./plan.ts";
import { type PartyThread, readTransfers } from "./read.ts";

/** A history, and what became of the rows. */
export interface ReadHistory {
  history: History;
  /** Unix seconds. */
  asOf: number;
  notices: string[];
  counts: { rowsRead: number; duplicates: number; skippedOtherContracts: number; skippedAfterAsOf: number };
  /** Of each file, how many of the asset's rows that were read are up to a block, and how many after it. */
  splitAt(block: number): { settled: number; later: number }[];
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
 * @param after what the rows come after, all of them of later blocks; then there may be none
 * @param onFile told of each file that has been read
 * @throws Failure for the first thing that is wrong in a row, between rows, or in all of them
 * @throws {StartOver} a row is of a time before that of `after`
 */
export async function readHistory(
  connection: DuckDBConnection,
  asset: AssetFile,
  { tables, plans, counts, blocks, timeless }: CountedTransfers,
  thread: PartyThread | undefined,
  after: Checkpoint | undefined,
  onFile: (file: InputFile) => void,
): Promise<ReadHistory> {
  const transfers = await readTransfers(connection, { contract: asset.contract, tables, counts }, thread, onFile);
  const rowsRead = tables.reduce((sum, { rows }) => sum + rows, 0);
  if (transfers.rows === 0 && !after) throw new Failure(nothingSentence(asset, tables, rowsRead));

  if (timeless && transfers.rows > 0) await fillTimes(connection, blocks, transfers, onFile);
  const events = findEvents(transfers);
  if ("message" in events) throw await clashFailure(connection, plans, transfers.starts, events);

  const { timestamp, block: blocksOfRows, starts } = transfers;
  const first = timestamp[events.rows[0]];
  if (after && first < after.time) {
    throw new StartOver(
      `there are new transfers of ${timeText(first)}, which is before the last build's last day ended`,
    );
  }
  const last = timestamp[events.rows[events.rows.length - 1]] ?? after?.lastEvent.t;
  const asOf = asset.asOf ?? last + 1;
  if (after && asOf < after.time) {
    throw new StartOver(`the last transfer, ${timeText(last)}, is before the last build's last day ended`);
  }
  if (asOf <= first && !after) {
    throw new Failure(
      `${asset.path}: "asOf" is ${timeText(asOf)}, not after the first transfer, ${timeText(first)}; set a later time or leave it out.`,
    );
  }
  // Of files that are not read tonight nobody can tell.
  const areIdle = blocks.length > 0 && tables.length > 0 && !timeless;
  const end = events.rows.findLastIndex((row) => timestamp[row] < asOf) + 1;
  return {
    history: writeHistory(transfers, events.rows.subarray(0, end)),
    asOf,
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
    const inFile = await ownRow(connection, plans[file], row - starts[file]);
    return placeText({ file: plans[file].table.file.name, row: inFile + 1 });
  };
  return new Failure(clash.message(await place(clash.first), await place(clash.second)));
}
