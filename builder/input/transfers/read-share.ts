/** Reads a share of an asset's transfers into a history: sorted, checked for contradictions and cut at as-of. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { rowAt } from "../../lib/columns/order.ts";
import { Failure } from "../../lib/failure.ts";
import type { AddressTable } from "../addresses.ts";
import type { AssetFile } from "../asset/asset.ts";
import { rowPlace, shortened } from "../cells/rules.ts";
import { withDatabase } from "../duckdb/database.ts";
import { countWhere, type Table, tableChunks, textSql } from "../duckdb/input-table.ts";
import { explainBlocks, fillTimes } from "./blocks.ts";
import { type Mark, marksOf } from "./columns/marks.ts";
import { signsOf } from "./columns/signs.ts";
import {
  assetRow,
  countRows,
  needBlocks,
  planTransfers,
  type RowCounts,
  type TransferPlan,
} from "./columns/transfer-columns.ts";
import { weighEvidence } from "./evidence.ts";
import { carryOver } from "./predecessors/carry-over.ts";
import { type Contradiction, findEvents, writeHistory } from "./rows/events.ts";
import { explainFirst, explainRow, readTransfers, type Transfers } from "./rows/read.ts";
import { filesRead, openFile, openOriginals, openShare, type ShareFile } from "./shares/open-share.ts";
import type { Files, HistoryFile, Reading, ReadShare, RowPlace } from "./shares/share.ts";

/**
 * Reads share `index` of a reading. Transfers without a time get that of their block.
 *
 * A failure does not depend on how many shares there are, if the input has one error. Of several invalid cells, every share
 * that finds one names the first in the order of the files; of contradictions, the lowest share with one has the first in
 * the order of blocks. Errors of different kinds may be found in another order than a single share would find them.
 *
 * @param threads DuckDB's
 * @param list if only the transfers of these addresses are wanted, of a share that has been read before
 * @throws {Failure} names the first error of a file or a row, or the first contradiction between rows
 */
export async function readShare(
  asset: Pick<AssetFile, "contract" | "asOf" | "source" | "decimals" | "ownDecimals" | "predecessors">,
  files: Files,
  reading: Reading,
  index: number,
  { threads = 1, list }: { threads?: number; list?: AddressTable } = {},
): Promise<ReadShare> {
  return withDatabase(threads, async (connection) => {
    const opened = await openShare(connection, files, reading, index, "transfers");
    const blockFiles = await openShare(connection, files, reading, index, "blocks");
    const plans = opened.map(({ table }) => planTransfers(table, asset.contract));
    const isAll = isUnrestricted(reading);
    const needsBlocks = isAll ? needBlocks(plans, blockFiles.length) : reading.extent !== undefined;
    const counts: (RowCounts | undefined)[] = [];
    for (const [file, plan] of plans.entries()) {
      counts.push(reading.counts[opened[file]!.index] ?? (await countRows(connection, plan)));
    }
    const evidence =
      reading.evidence ??
      (await weighEvidence(
        connection,
        asset,
        files,
        plans.map((plan, file) => ({ index: opened[file]!.index, plan, count: counts[file] })),
        reading.after !== undefined,
      ));
    const originals = (role: HistoryFile["role"]) => openOriginals(connection, files, reading, role);
    const transfers = await readTransfers(connection, plans, counts, {
      rows: reading.shares[index]!.rows,
      list,
      hasRemoved: opened.map(({ index }) => evidence[index]?.removed !== undefined),
      explain: async (plan, row) => {
        if (isAll) return explainRow(connection, plan, row);
        const all = await originals("transfers");
        return explainFirst(
          connection,
          all.map((table) => planTransfers(table, asset.contract)),
        );
      },
    });
    if (needsBlocks && (transfers.rows > 0 || !isAll)) {
      await fillTimes(connection, transfers, {
        tables: blockFiles.map(({ table }) => table),
        names: filesRead(files, reading, "blocks").map((index) => files.history[index]!.file.name),
        range: rangeOf(reading, index),
        explain: async () => explainBlocks(connection, await originals("blocks")),
      });
    }
    const events = findEvents(transfers);
    if ("message" in events)
      throw await contradictionFailure(connection, files, opened, plans, transfers.starts, events);
    // Files of blocks that no transfer needs were not read.
    for (const { table } of blockFiles)
      if (table.rows === 0) [table.rows] = await countWhere(connection, table, "true");

    const { timestamp, starts } = transfers;
    const timeAt = (place: number) => timestamp[rowAt(events.rows, place)]!;
    let end = events.count;
    if (asset.asOf !== undefined) while (end > 0 && timeAt(end - 1) >= asset.asOf) end--;
    const place = (at: number) => placeOf(transfers, opened, index, rowAt(events.rows, at));
    const byFile = <T>(of: (first: number, end: number) => T) =>
      opened.map(({ index }, file): [number, T] => [index, of(starts[file]!, starts[file + 1]!)]);
    const history = writeHistory(transfers, events, end);
    const own = asset.predecessors?.length ?? 0;
    const contractOf = opened.map(({ index }) => files.history[index]!.former?.at ?? own);
    const contracts = () =>
      Uint8Array.from({ length: end }, (_, at) => contractOf[fileOf(starts, rowAt(events.rows, at))]!);
    return {
      ...(asset.predecessors
        ? carryOver(asset, history, contracts(), { ...claimsOf(reading, index), list })
        : { history }),
      ...(events.count > 0 && { first: place(0), last: place(events.count - 1) }),
      duplicates: transfers.rows - events.count - events.removed,
      skippedAfterAsOf: events.count - end,
      rowsByDay: Object.fromEntries(byFile((first, end) => countDays(timestamp.subarray(first, end)))),
      counts: Object.fromEntries([...opened, ...blockFiles].map(({ index, table }) => [index, table.rows])),
      ...(!reading.evidence && Object.keys(evidence).length > 0 && { evidence }),
      needsBlocks,
    };
  });
}

/** What of a reading's claims and settlements is of a share's blocks. */
function claimsOf({ claims, settlements = [], shares }: Reading, index: number) {
  const { from = 0, to = Number.POSITIVE_INFINITY } = shares[index]!;
  return {
    ...(claims && { claims }),
    settlements: settlements.filter(({ block }) => block >= from && block < to),
  };
}

/** Whether a share reads all rows of the files, in their order. */
const isUnrestricted = ({ shares, sorted }: Reading) => shares.length === 1 && Object.keys(sorted).length === 0;

/** The blocks of a share whose times are compared: those from the first to the last transfer of all shares. */
function rangeOf({ extent, shares }: Reading, index: number): [number, number] | undefined {
  const { from = 0, to = Number.POSITIVE_INFINITY } = shares[index]!;
  return extent && [Math.max(from, extent[0]), Math.min(to - 1, extent[1])];
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
    const end = day + BUCKET_SECONDS.day;
    // Most neighbours are of one day.
    while (timestamp[row]! >= day && timestamp[row]! < end) row++;
    days.set(day, (days.get(day) ?? 0) + row - first);
    first = row;
  }
  return [...days].sort(([a], [b]) => a - b);
}

async function contradictionFailure(
  connection: DuckDBConnection,
  files: Files,
  opened: readonly ShareFile[],
  plans: readonly TransferPlan[],
  starts: readonly number[],
  contradiction: Contradiction,
): Promise<Failure> {
  const { first, second, shows, message } = contradiction;
  const describe = async (row: number) => {
    const file = fileOf(starts, row);
    const plan = plans[file]!;
    const inFile = await assetRow(connection, plan, row - starts[file]!);
    const place = rowPlace({ file: plan.table.file.name, row: inFile + 1 });
    if (!shows) return place;
    const original = await openFile(connection, files, { sorted: {} }, opened[file]!.index);
    return `${shortened(await cellOf(connection, original, shows, inFile))} in ${place}`;
  };
  return new Failure(message(await describe(first), await describe(second)));
}

/** The cell of a row of a whole file that a mark was made from. */
async function cellOf(connection: DuckDBConnection, table: Table, mark: Mark, row: number): Promise<string> {
  const column = marksOf(table, signsOf(table))[mark]?.column;
  const sql = `SELECT ${column ? textSql(column) : "''"} FROM ${table.relation} LIMIT 1 OFFSET ${row}`;
  for await (const chunk of tableChunks(connection, table.file, sql)) return String(chunk.getRows()[0]![0]);
  return "";
}
