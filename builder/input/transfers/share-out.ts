/** Shares out the transfers of files: which blocks are read together, and which files are sorted before. */

import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { AssetFile } from "../asset/asset.ts";
import { chunks, withDatabase } from "../duckdb/database.ts";
import {
  type Column,
  countWhere,
  exactColumn,
  needColumns,
  type Table,
  tableChunks,
  textSql,
} from "../duckdb/input-table.ts";
import { BLOCK_COLUMNS } from "./blocks.ts";
import { copiesOf } from "./columns/marks.ts";
import { countRows, needBlocks, planTransfers, type TransferPlan } from "./columns/transfer-columns.ts";
import { weighEvidence } from "./evidence.ts";
import { cutBlocks, type RowsBefore, readsPerRow, rowsBefore } from "./shares/cut.ts";
import { openFile } from "./shares/open-share.ts";
import { type BlockRowGroup, findRowGroups } from "./shares/row-groups.ts";
import type { Files, HistoryFile, Reading, Share } from "./shares/share.ts";
import { BLOCK_KEY, writeSorted } from "./shares/sort.ts";

export interface ShareOutOptions {
  /** When a build resumes: only these files of the survey are read, and only rows after that block. */
  since?: { lastBlock: number; files: readonly HistoryFile[] };
  /** Roughly how many rows a share should have, given the number of all rows. */
  rows(all: number): number;
  /** Whether it matters how many addresses so many rows have. Default: no. */
  countsAddresses?(rows: number): boolean;
  /** The folder for copies of files that have to be sorted. */
  folder: string;
  /** Bytes that sorting may use, about. */
  memory: number;
  /** DuckDB's threads. */
  threads?: number;
}

/**
 * Shares out the transfers. If there are few rows, all are one share; if the sizes of the files tell that, none is opened.
 *
 * @throws {Failure} a file can't be read or sorted, lacks a column, or has a contract that is not an address; or as
 * `weighEvidence`
 */
export async function planShares(
  asset: Pick<AssetFile, "contract" | "source">,
  files: Files,
  { since, rows, countsAddresses = () => false, folder, memory, threads = 1 }: ShareOutOptions,
): Promise<Reading> {
  const whole = wholeReading(files, since);
  if (whole.rows <= rows(whole.rows)) return whole;
  const room = { memory: Math.max(memory, LEAST_MEMORY), folder };
  const work = { asset, files, whole, rows, countsAddresses, folder };
  return withDatabase(threads, (connection) => shareOut({ ...work, connection }), room);
}

/** DuckDB's sort fails below. */
const LEAST_MEMORY = 256 * 2 ** 20;

/** A reading with a single share. */
export function wholeReading({ history }: Files, since?: ShareOutOptions["since"]): Reading {
  const read = since?.files ?? history;
  const files = [...history.keys()].filter((index) => read.includes(history[index]!));
  return {
    shares: [{ files }],
    counts: history.map(() => null),
    rows: sum(files, (index) => rowsExpected(history[index]!, since !== undefined)),
    sorted: {},
    ...(since && { after: since.lastBlock }),
  };
}

/** Bytes that a transfer takes at least, or nearly so, by the name of its file. */
const ROW_BYTES: readonly (readonly [RegExp, number])[] = [
  [/\.csv$/i, 125],
  [/\.tsv$/i, 125],
  [/\.(json|jsonl|ndjson)$/i, 200],
  [/\.(gz|zst)$/i, 40],
  [/./, 10],
];

/** @param isGrown only the rows that the last build did not read are wanted */
function rowsExpected({ role, file: { name, bytes }, isSame, known, added }: HistoryFile, isGrown: boolean): number {
  if (role !== "transfers") return 0;
  if (isGrown && added) return added.rows - (known?.rows ?? 0);
  if (isGrown && isSame && known?.rowsAfter !== undefined) return known.rowsAfter;
  return Math.ceil(bytes / ROW_BYTES.find(([pattern]) => pattern.test(name))![1]);
}

interface Work extends Pick<Required<ShareOutOptions>, "rows" | "countsAddresses" | "folder"> {
  connection: DuckDBConnection;
  asset: Pick<AssetFile, "contract" | "source">;
  files: Files;
  /** All as one share. */
  whole: Reading;
}

/** A file whose rows are shared out. */
interface OpenFile {
  /** Position in the survey's `history`. */
  index: number;
  table: Table;
  block: Column;
  /** The columns that are read, and those of them that have addresses of holders. */
  columns: Column[];
  sides: Column[];
  /** SQL condition: the row is wanted. */
  condition: string;
  /** Rows that are wanted: of the asset, or of blocks. An estimate if they have not been counted. */
  rows: number;
  /** Where these are; undefined if that is unknown, until the file is sorted. */
  groups: BlockRowGroup[] | undefined;
}

async function shareOut(work: Work): Promise<Reading> {
  const { connection, files, whole } = work;
  const read = whole.shares[0]!.files;
  const indexes = (role: HistoryFile["role"]) => read.filter((index) => files.history[index]!.role === role);

  const plans: [index: number, TransferPlan][] = [];
  for (const index of indexes("transfers")) {
    plans.push([index, planTransfers(await openFile(connection, files, whole, index), work.asset.contract)]);
  }
  const needsBlocks = needBlocks(
    plans.map(([, plan]) => plan),
    indexes("blocks").length,
  );
  const counts: Reading["counts"] = files.history.map(() => null);
  const transfers: OpenFile[] = [];
  for (const [index, plan] of plans) {
    const count = await countRows(connection, plan);
    if (count) counts[index] = count;
    transfers.push(await openTransfers(work, plan, index, count?.ofAsset));
  }
  const weighed = plans.map(([index, plan]) => ({ index, plan, count: counts[index] }));
  const evidence = await weighEvidence(connection, work.asset, files, weighed, whole.after !== undefined);
  const total = sum(transfers, ({ rows }) => rows);
  const rows = work.rows(total);
  if (total <= rows) return { ...whole, rows: total, counts, evidence };

  const sorted: Reading["sorted"] = {};
  const estimate = rowsBefore(transfers.flatMap(({ groups }) => groups ?? []));
  for (const file of transfers) {
    await sortIfNeeded(work, file, estimate, [rows, rows * (file.rows / total)], sorted);
    counts[file.index] ??= { all: file.rows, ofAsset: file.rows };
  }
  const groups = transfers.flatMap(({ groups }) => groups!);
  const before = rowsBefore(groups);
  const blocks: OpenFile[] = [];
  for (const index of indexes("blocks")) {
    const table = await openFile(connection, files, whole, index);
    const [all] = await countWhere(connection, table, "true");
    counts[index] = { all, ofAsset: 0 };
    if (!needsBlocks) continue;
    const file = await openBlocks(work, table, index, all);
    await sortIfNeeded(work, file, before, [rows, rows * (all / total)], sorted);
    blocks.push(file);
  }

  const cuts = cutBlocks(groups, before, rows);
  const extent = needsBlocks ? await extentOf(work, transfers, sorted) : undefined;
  const addresses = work.countsAddresses(total) ? await countAddresses(work, transfers, sorted) : undefined;
  return {
    shares: [undefined, ...cuts].map((from, at) => shareOf(transfers, blocks, from, cuts[at])),
    counts,
    rows: sum(transfers, ({ rows }) => rows),
    sorted,
    evidence,
    ...(whole.after !== undefined && { after: whole.after }),
    ...(extent && { extent }),
    ...(addresses !== undefined && { addresses }),
  };
}

const sum = <T>(items: readonly T[], of: (item: T) => number) => items.reduce((total, item) => total + of(item), 0);

async function openTransfers(
  work: Work,
  { table, columns, marks, isOfAsset }: TransferPlan,
  index: number,
  rows = rowsExpected(work.files.history[index]!, work.whole.after !== undefined),
): Promise<OpenFile> {
  return {
    index,
    table,
    rows,
    condition: isOfAsset,
    block: columns.block.column,
    columns: [...Object.values(columns).map(({ column }) => column), ...copiesOf(marks)],
    sides: [columns.from.column, columns.to.column],
    groups: await wantedGroups(work, table, columns.block.column, rows),
  };
}

async function openBlocks(work: Work, table: Table, index: number, rows: number): Promise<OpenFile> {
  const { block, time } = needColumns(table, BLOCK_COLUMNS);
  return {
    index,
    table,
    rows,
    block,
    columns: [block, time],
    sides: [],
    condition: "true",
    groups: await wantedGroups(work, table, block, rows),
  };
}

/** The row groups that have rows after the last checkpoint, with the wanted rows among theirs: the same part of each. */
async function wantedGroups(
  { connection, whole: { after = -1 } }: Work,
  table: Table,
  block: Column,
  rows: number,
): Promise<BlockRowGroup[] | undefined> {
  const groups = (await findRowGroups(connection, table, block))?.filter(({ max }) => max > after);
  const part = rows / sum(groups ?? [], ({ rows }) => rows);
  return groups?.map((group) => ({ ...group, rows: group.rows * part }));
}

/** A file is sorted if its rows would be read more often on average: sorting costs about as much as reading three times. */
const MOST_READS = 2;

/** Row groups in a share's part of a file, at least: shares read them as a whole. */
const GROUPS_PER_SHARE = 4;

/** @param shareRows rows of a share, and those of the file among them, about */
async function sortIfNeeded(
  { connection, files, whole, folder }: Work,
  file: OpenFile,
  before: RowsBefore,
  [shareRows, ofFile]: readonly [number, number],
  sorted: Reading["sorted"],
): Promise<void> {
  if (file.groups && readsPerRow(file.groups, before, shareRows) <= MOST_READS) return;
  const path = join(folder, `sorted-${file.index}.parquet`);
  file.rows = await writeSorted(connection, { ...file, groupRows: ofFile / GROUPS_PER_SHARE, path });
  sorted[file.index] = path;
  const copy = await openFile(connection, files, { ...whole, sorted }, file.index);
  file.groups = await findRowGroups(connection, copy, exactColumn(copy, BLOCK_KEY));
}

/** The first and the last block of the transfers. */
async function extentOf(
  { connection, files, whole }: Work,
  transfers: readonly OpenFile[],
  sorted: Reading["sorted"],
): Promise<Reading["extent"]> {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { index, block, condition } of transfers) {
    const table = await openFile(connection, files, { ...whole, sorted }, index);
    const [column, wanted] = index in sorted ? [BLOCK_KEY, "true"] : [block.sql, condition];
    const sql = `SELECT min(${column})::DOUBLE, max(${column})::DOUBLE FROM ${table.relation} WHERE ${wanted}`;
    for await (const chunk of tableChunks(connection, table.file, sql)) {
      const [min, max] = chunk.getRows()[0]!;
      if (min === null) continue;
      [first, last] = [Math.min(first, Number(min)), Math.max(last, Number(max))];
    }
  }
  return [first, last];
}

/** One of this many addresses is counted. */
const SAMPLED = 64;

/** How many addresses the transfers have, within some percent. */
async function countAddresses(
  { connection, files, whole }: Work,
  transfers: readonly OpenFile[],
  sorted: Reading["sorted"],
): Promise<number> {
  const columns: string[] = [];
  for (const { index, sides, condition } of transfers) {
    const table = await openFile(connection, files, { ...whole, sorted }, index);
    const wanted = index in sorted ? "true" : condition;
    for (const { name } of sides) {
      const address = textSql(exactColumn(table, name));
      columns.push(`SELECT ${address} AS address FROM ${table.relation} WHERE ${wanted}`);
    }
  }
  const sql = `SELECT count(DISTINCT address)::DOUBLE FROM (${columns.join(" UNION ALL ")}) WHERE hash(address) % ${SAMPLED} = 0`;
  let sampled = 0;
  for await (const chunk of chunks(connection, sql)) sampled = Number(chunk.getRows()[0]![0]);
  return sampled * SAMPLED;
}

function shareOf(
  transfers: readonly OpenFile[],
  blocks: readonly OpenFile[],
  from: number | undefined,
  to: number | undefined,
): Share {
  const overlaps = ({ min, max }: BlockRowGroup) =>
    (to === undefined || min < to) && (from === undefined || max >= from);
  const files = [...transfers, ...blocks].filter(({ groups }) => groups!.some(overlaps));
  const groups = transfers.flatMap(({ groups }) => groups!.filter(overlaps));
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    files: files.map(({ index }) => index),
    rows: Math.ceil(sum(groups, ({ rows }) => rows)),
  };
}
