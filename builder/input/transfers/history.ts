/** Reads files of transfers into a history: sorted, checked for contradictions and cut at as-of. */

import type { DuckDBConnection } from "@duckdb/node-api";
import type { Checkpoint } from "../../engine/checkpoint.ts";
import type { History } from "../../engine/history.ts";
import { Failure } from "../../failure.ts";
import { counted } from "../../terminal/amounts.ts";
import { ADDRESS_BYTES } from "../addresses.ts";
import type { AssetFile } from "../asset.ts";
import { placeText } from "../cells/rules.ts";
import { timeText } from "../cells/time.ts";
import type { Table } from "../duckdb/table.ts";
import type { InputFile } from "../files.ts";
import { fillTimes } from "./blocks.ts";
import { type Contradiction, findEvents, writeHistory } from "./events.ts";
import { assetRow, countRows, planTransfers, type RowCounts, type TransferPlan } from "./plan.ts";
import { readTransfers } from "./read.ts";

/** A history, and what happened to the rows. */
export interface ReadHistory {
  history: History;
  /** Times of the first and the last event in block order, before the cut at as-of. Unix seconds; undefined without rows. */
  first: number | undefined;
  last: number | undefined;
  /** Unix seconds. */
  asOf: number;
  /** Distinct addresses of the history, without the zero address. */
  addresses: number;
  notices: string[];
  counts: { rowsRead: number; duplicates: number; skippedOtherContracts: number; skippedAfterAsOf: number };
  /** For each table of transfers: the asset's rows that were read, up to a block (`settled`) and after it (`rowsAfter`). */
  splitAt(lastBlock: number): { settled: number; rowsAfter: number }[];
}

/**
 * Reads the transfers of an asset. Transfers without a time get that of their block.
 *
 * @param after a checkpoint after whose last block all rows are; without it, there must be rows
 * @param onFile called after each file
 * @throws {Failure} names the first error of a file or a row, or the first contradiction between rows
 */
export async function readHistory(
  connection: DuckDBConnection,
  asset: AssetFile,
  { transfers: tables, blocks }: Record<"transfers" | "blocks", readonly Table[]>,
  after: Checkpoint | undefined,
  onFile: (file: InputFile) => void,
): Promise<ReadHistory> {
  const plans = tables.map((table) => planTransfers(table, asset.contract));
  const untimed = plans.find(({ columns }) => !columns.time);
  if (untimed && blocks.length === 0) {
    throw new Failure(
      `${untimed.table.file.name} has no column block_timestamp; add it, or name files of blocks under the key "blocks".`,
    );
  }
  const counts: (RowCounts | undefined)[] = [];
  for (const plan of plans) counts.push(await countRows(connection, plan));
  const transfers = await readTransfers(connection, plans, counts, onFile);
  const rowsRead = tables.reduce((sum, { rows }) => sum + rows, 0);
  if (transfers.rows === 0 && !after) throw noTransfers(asset, tables, rowsRead);

  if (untimed && transfers.rows > 0) await fillTimes(connection, blocks, transfers, onFile);
  const events = findEvents(transfers);
  if ("message" in events) throw await contradictionFailure(connection, plans, transfers.starts, events);

  const { timestamp, block: blocksOfRows, starts } = transfers;
  const first = timestamp[events.rows[0]!];
  const last = timestamp[events.rows.at(-1)!];
  const asOf = asset.asOf ?? (last ?? after!.lastEvent.t) + 1;
  if (first !== undefined && asOf <= first && !after) {
    throw new Failure(
      `${asset.path}: "asOf" is ${timeText(asOf)}, not after the first transfer, ${timeText(first)}; set a later time or leave it out.`,
    );
  }
  // Without files of transfers, it is unknown whether their transfers need the files of blocks.
  const areBlocksUnused = blocks.length > 0 && tables.length > 0 && !untimed;
  const end = events.rows.findLastIndex((row) => timestamp[row]! < asOf) + 1;
  const history = writeHistory(transfers, events.rows.subarray(0, end));
  return {
    ...{ history, first, last, asOf },
    addresses: history.addresses.length / ADDRESS_BYTES - 1,
    notices: areBlocksUnused ? ["The files of blocks were not read: every transfer has its time."] : [],
    counts: {
      rowsRead,
      duplicates: events.duplicates,
      skippedOtherContracts: rowsRead - transfers.rows,
      skippedAfterAsOf: events.rows.length - end,
    },
    splitAt: (lastBlock) =>
      tables.map((_, file) => {
        const blocks = blocksOfRows.subarray(starts[file], starts[file + 1]);
        let settled = 0;
        for (const block of blocks) if (block <= lastBlock) settled++;
        return { settled, rowsAfter: blocks.length - settled };
      }),
  };
}

function noTransfers({ contract, path }: AssetFile, tables: readonly Table[], rowsRead: number): Failure {
  const names = tables.map(({ file }) => file.name).join(", ");
  return new Failure(
    rowsRead === 0
      ? `${names} has no rows; add the transfers of ${contract}.`
      : `${names} has ${counted(rowsRead, "row")}, but none of contract ${contract}; compare "contract" in ${path} with the file's column of contracts.`,
  );
}

async function contradictionFailure(
  connection: DuckDBConnection,
  plans: readonly TransferPlan[],
  starts: readonly number[],
  contradiction: Contradiction,
): Promise<Failure> {
  const place = async (row: number) => {
    // A file without rows starts where the next one does, so the last match is the file with the row.
    const file = starts.findLastIndex((start) => start <= row);
    const inFile = await assetRow(connection, plans[file]!, row - starts[file]!);
    return placeText({ file: plans[file]!.table.file.name, row: inFile + 1 });
  };
  return new Failure(contradiction.message(await place(contradiction.first), await place(contradiction.second)));
}
