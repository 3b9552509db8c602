/** Reads a share of an asset's transfers into a history: sorted, checked for contradictions and cut at as-of. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { BUCKET_SECONDS } from "../../../data-schema/resolutions.ts";
import { Failure } from "../../failure.ts";
import type { AssetFile } from "../asset.ts";
import { placeText } from "../cells/rules.ts";
import { withDatabase } from "../duckdb/database.ts";
import { countWhere } from "../duckdb/table.ts";
import type { InputFile } from "../files.ts";
import { fillTimes } from "./blocks.ts";
import { type Contradiction, findEvents, writeHistory } from "./events.ts";
import { openShare, type ShareFile } from "./open-share.ts";
import { assetRow, countRows, planTransfers, type RowCounts, type TransferPlan } from "./plan.ts";
import { readTransfers, type Transfers } from "./read.ts";
import type { Files, Reading, ReadShare, RowPlace, ShareFacts } from "./share.ts";

export interface ReadShareOptions {
  /** DuckDB's threads. */
  threads?: number;
  /** Called after each file of a reading with one share. */
  onFile?: (file: InputFile) => void;
}

/**
 * Reads share `index` of a reading. Transfers without a time get that of their block.
 *
 * @throws {Failure} names the first error of a file or a row, or the first contradiction between rows
 */
export async function readShare(
  asset: Pick<AssetFile, "contract" | "asOf">,
  files: Files,
  reading: Reading,
  index: number,
  { threads = 1, onFile = () => {} }: ReadShareOptions = {},
): Promise<ReadShare> {
  return withDatabase(threads, async (connection) => {
    const transferFiles = await openShare(connection, files, reading, index, "transfers");
    const blockFiles = await openShare(connection, files, reading, index, "blocks");
    const plans = transferFiles.map(({ table }) => planTransfers(table, asset.contract));
    const blocks = blockFiles.map(({ table }) => table);
    const untimed = plans.find(({ columns }) => !columns.time);
    if (untimed && blocks.length === 0) {
      throw new Failure(
        `${untimed.table.file.name} has no column block_timestamp; add it, or name files of blocks under the key "blocks".`,
      );
    }
    const counts: (RowCounts | undefined)[] = [];
    for (const [file, plan] of plans.entries()) {
      counts.push(reading.counts[transferFiles[file]!.index] ?? (await countRows(connection, plan)));
    }
    const transfers = await readTransfers(connection, plans, counts, onFile);
    if (untimed && transfers.rows > 0) await fillTimes(connection, blocks, transfers, onFile);
    const events = findEvents(transfers);
    if ("message" in events) throw await contradictionFailure(connection, plans, transfers.starts, events);
    // Files of blocks that no transfer needs were not read.
    for (const table of blocks) if (table.rows === 0) [table.rows] = await countWhere(connection, table, "true");

    const { timestamp } = transfers;
    const end = events.rows.findLastIndex((row) => timestamp[row]! < (asset.asOf ?? Number.POSITIVE_INFINITY)) + 1;
    const place = (row: number) => placeOf(transfers, transferFiles, index, row);
    return {
      history: writeHistory(transfers, events.rows.subarray(0, end)),
      ...(events.rows.length > 0 && { first: place(events.rows[0]!), last: place(events.rows.at(-1)!) }),
      duplicates: events.duplicates,
      skippedAfterAsOf: events.rows.length - end,
      rowsByDay: Object.fromEntries(
        transferFiles.map(({ index }, file) => [
          index,
          countDays(timestamp.subarray(transfers.starts[file], transfers.starts[file + 1])),
        ]),
      ),
      counts: countsOf(transferFiles, blockFiles, transfers.starts),
      needsBlocks: untimed !== undefined,
    };
  });
}

function placeOf(
  { block, timestamp, starts }: Transfers,
  files: readonly ShareFile[],
  share: number,
  row: number,
): RowPlace {
  const file = fileOf(starts, row);
  return { share, file: files[file]!.index, row: row - starts[file]!, block: block[row]!, time: timestamp[row]! };
}

/** A file without rows starts where the next one does, so the last match is the file with the row. */
const fileOf = (starts: readonly number[], row: number) => starts.findLastIndex((start) => start <= row);

/** The rows of each UTC day, in the order of days. */
function countDays(timestamp: Float64Array): [day: number, rows: number][] {
  const days = new Map<number, number>();
  let first = 0;
  for (let row = 0; row < timestamp.length; ) {
    const day = timestamp[row]! - (timestamp[row]! % BUCKET_SECONDS.day);
    // Most neighbours are of one day.
    while (row < timestamp.length && timestamp[row]! >= day && timestamp[row]! < day + BUCKET_SECONDS.day) row++;
    days.set(day, (days.get(day) ?? 0) + row - first);
    first = row;
  }
  return [...days].sort(([a], [b]) => a - b);
}

function countsOf(
  transfers: readonly ShareFile[],
  blocks: readonly ShareFile[],
  starts: readonly number[],
): ShareFacts["counts"] {
  const counts = transfers.map(({ index, table }, file): [number, RowCounts] => [
    index,
    { all: table.rows, ofAsset: starts[file + 1]! - starts[file]! },
  ]);
  return Object.fromEntries([
    ...counts,
    ...blocks.map(({ index, table }): [number, RowCounts] => [index, { all: table.rows, ofAsset: 0 }]),
  ]);
}

async function contradictionFailure(
  connection: DuckDBConnection,
  plans: readonly TransferPlan[],
  starts: readonly number[],
  contradiction: Contradiction,
): Promise<Failure> {
  const place = async (row: number) => {
    const file = fileOf(starts, row);
    const inFile = await assetRow(connection, plans[file]!, row - starts[file]!);
    return placeText({ file: plans[file]!.table.file.name, row: inFile + 1 });
  };
  return new Failure(contradiction.message(await place(contradiction.first), await place(contradiction.second)));
}
