/** Reads the input of a build: an asset's transfers, checked and in the columns that the engine replays. */

import type { DuckDBConnection } from "@duckdb/node-api";
import type { Checkpoint } from "../engine/checkpoint.ts";
import type { Groups, History, Prices } from "../engine/history.ts";
import { type CannotResume, Failure } from "../failure.ts";
import type { AssetFile } from "./asset.ts";
import { buildId } from "./build-id.ts";
import { timeText } from "./cells/time.ts";
import { withDatabase } from "./duckdb/database.ts";
import { countWhere, openTable, type Table } from "./duckdb/table.ts";
import type { InputFile } from "./files.ts";
import type { KnownFile } from "./known-files.ts";
import { groupsFrom, type Labels } from "./labels.ts";
import { ReadProgress } from "./progress.ts";
import { type HistoryFile, openTables, type Role, type Survey } from "./survey.ts";
import { BLOCK_NUMBER_NAMES } from "./transfers/blocks.ts";
import { type ReadHistory, readHistory } from "./transfers/history.ts";
import { tableAfter } from "./transfers/new-rows.ts";
import { resumeHistory } from "./transfers/resume.ts";

export interface FileReport {
  role: Role;
  /** Relative to ASSET.json; absolute if written so. */
  file: string;
  sha256: string;
  bytes: number;
  rows: number;
}

export interface InputReport {
  /** In the order of `ROLES`. */
  files: FileReport[];
  /** Rows of transfers, including those dropped or skipped. */
  rowsRead: number;
  duplicates: number;
  skippedOtherContracts: number;
  skippedAfterAsOf: number;
  /** Distinct addresses of the rows, without the zero address. */
  addresses: number;
  /** Sentences for the user about input that is missing or ignored. */
  notices: string[];
}

export interface Input {
  /** Id of the build that is made from it. */
  build: string;
  /** When a build resumes: the events after the checkpoint, with its holders as the first addresses. */
  history: History;
  /** Empty without price files, which makes every price 0. */
  prices: Prices;
  labels: Labels;
  /** The label of each address of the history. */
  groups: Groups;
  /** Unix seconds. */
  asOf: number;
  report: InputReport;
  /** The files of transfers and blocks, as a checkpoint with the last block `block` records them. */
  knownFiles(block: number): KnownFile[];
}

/** What an incremental build reads: the rows of `files` after the checkpoint. */
export interface Since {
  checkpoint: Checkpoint;
  files: readonly HistoryFile[];
}

export interface ReadOptions {
  /** DuckDB's threads. */
  threads?: number;
  progress?: ReadProgress;
}

/** Notices about inputs that are missing, by the roles that could bring them: what it means for the numbers. */
const ABSENT: readonly { roles: readonly Role[]; notice: string }[] = [
  { roles: ["prices"], notice: "No prices: every price is 0, and so is every amount in dollars." },
  { roles: ["exchanges", "labels"], notice: "No exchanges: no address counts as an exchange." },
  { roles: ["contracts"], notice: "No contracts: no address counts as a contract." },
];

/**
 * Reads all transfers of a surveyed asset.
 *
 * @throws {Failure} names the file, row and column, or the key of ASSET.json, of the first error
 */
export async function readInput(
  asset: AssetFile,
  survey: Survey,
  { threads = 1, progress = new ReadProgress() }: ReadOptions = {},
): Promise<Input> {
  return withDatabase(threads, async (connection) => {
    const transfers = await openTables(connection, survey.history, "transfers");
    const blocks = await openTables(connection, survey.history, "blocks");
    const read = await readHistory(connection, asset, { transfers, blocks }, undefined, readReporter(progress));
    // Files of blocks that no transfer needs were not read.
    for (const table of blocks) if (table.rows === 0) [table.rows] = await countWhere(connection, table, "true");
    const rows = new Map([...transfers, ...blocks].map((table) => [table.file, table.rows]));
    return inputOf(asset, survey, { ...read, rows });
  });
}

/**
 * Reads the transfers after a checkpoint.
 *
 * @returns `CannotResume` if the rows can't be read, or don't come after the checkpoint
 */
export async function readInputSince(
  asset: AssetFile,
  survey: Survey,
  since: Since,
  { threads = 1, progress = new ReadProgress() }: ReadOptions = {},
): Promise<Input | CannotResume> {
  const { time, holders } = since.checkpoint;
  try {
    const read = await withDatabase(threads, (connection) => readSince(connection, asset, survey, since, progress));
    const { first, last, asOf } = read;
    if (first !== undefined && first < time) {
      return { cannotResume: `new transfers of ${timeText(first)} lie before the end of the last build's last day` };
    }
    if (asOf < time) {
      const end = timeText(last ?? asOf - 1);
      return { cannotResume: `the last transfer, ${end}, lies before the end of the last build's last day` };
    }
    return inputOf(asset, survey, { ...read, history: resumeHistory(read.history, holders) });
  } catch (error) {
    // A full build reads each file from its start, so its message has the right row number.
    if (error instanceof Failure) return { cannotResume: "the new rows can't be read" };
    throw error;
  }
}

interface ReadTransfers extends ReadHistory {
  /** Rows of each file of transfers or blocks, read or not. */
  rows: Map<InputFile, number>;
}

const readReporter = (progress: ReadProgress) => (file: InputFile) => progress.advance(file.bytes);

async function readSince(
  connection: DuckDBConnection,
  asset: AssetFile,
  { history }: Survey,
  { checkpoint, files }: Since,
  progress: ReadProgress,
): Promise<ReadTransfers> {
  const tables = new Map<HistoryFile, Table>();
  for (const file of files) {
    const names = file.role === "blocks" ? BLOCK_NUMBER_NAMES : undefined;
    tables.set(file, tableAfter(await openTable(connection, file.file), checkpoint.lastEvent.block, names));
  }
  const tablesOf = (role: Role) => files.filter((file) => file.role === role).map((file) => tables.get(file)!);
  const transfers = tablesOf("transfers");
  const opened = { transfers, blocks: tablesOf("blocks") };
  const read = await readHistory(connection, asset, opened, checkpoint, readReporter(progress));
  return {
    ...read,
    rows: new Map(history.map(({ file, known, added }) => [file, added?.rows ?? known?.rows ?? 0])),
    splitAt(block) {
      const added = read.splitAt(block);
      return history
        .filter(({ role }) => role === "transfers")
        .map((file) => {
          const { settled, rowsAfter } = added[transfers.indexOf(tables.get(file)!)] ?? { settled: 0, rowsAfter: 0 };
          return { settled: (file.known?.settled ?? 0) + settled, rowsAfter };
        });
    },
  };
}

function inputOf(asset: AssetFile, { files, prices, labels }: Survey, read: ReadTransfers): Input {
  const { history, asOf, counts, notices } = read;
  const reports = files.map(({ role, file, sha256, rows }) => ({
    ...{ role, file: file.name, sha256, bytes: file.bytes },
    rows: read.rows.get(file) ?? rows ?? 0,
  }));
  /** Files that are fetched are there from the start, and may have no row yet. */
  const has = (role: Role) =>
    asset[role] && (!asset.source || reports.some((report) => report.role === role && report.rows > 0));
  const absent = ABSENT.filter(({ roles }) => !roles.some(has)).map(({ notice }) => notice);
  return {
    ...{ history, prices, labels, asOf },
    build: buildId(asset, asOf, reports),
    groups: groupsFrom(labels.groups)(history.addresses),
    report: {
      files: reports,
      ...counts,
      addresses: read.addresses,
      notices: [...notices, ...absent, ...labels.notices],
    },
    knownFiles: (block) => knownFiles(reports, read.splitAt(block)),
  };
}

/** @param splits for the files of transfers, in order */
function knownFiles(
  files: readonly FileReport[],
  splits: readonly { settled: number; rowsAfter: number }[],
): KnownFile[] {
  const left = splits.values();
  return files.flatMap(({ role, ...file }): KnownFile[] => {
    if (role === "transfers") return [{ role, ...file, ...left.next().value }];
    return role === "blocks" ? [{ role, ...file }] : [];
  });
}
