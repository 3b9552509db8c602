/**
 * A look at an asset's input before its transfers are read. Files are found, digested and matched with those of the last
 * build; prices and labels are read in full. The plan of a build depends on nothing else.
 */

import { dirname } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { isOwnCohort, type OwnCohort } from "../../data-schema/own-cohorts.ts";
import type { Prices } from "../engine/history.ts";
import { Failure } from "../lib/failure.ts";
import { collectIfLarge } from "../lib/garbage.ts";
import type { AssetFile } from "./asset.ts";
import { DigestCache, type FileIdentity, identify, isSame } from "./digest-cache.ts";
import { withDatabase } from "./duckdb/database.ts";
import { openTable, type Table } from "./duckdb/input-table.ts";
import { changedSinceFetch } from "./fetched-asset.ts";
import { changedWhileRead, type FileDigest, findFiles, type InputFile } from "./files.ts";
import { type FileMatch, type KnownFile, matchFiles } from "./known-files.ts";
import { type Labels, readLabels } from "./labels.ts";
import { type OwnList, ownCohort, type ReadList, readOwnList } from "./own-cohorts.ts";
import { readPrices } from "./prices.ts";
import { SurveyProgress } from "./progress.ts";
import { countNewBlocks, countNewTransfers, type NewRows } from "./transfers/new-rows.ts";

const ROLES = ["transfers", "blocks", "prices", "exchanges", "labels", "contracts"] as const;
export type Role = (typeof ROLES)[number];

interface SurveyedFile extends FileDigest {
  /** Of the list of an own cohort: that cohort. */
  role: Role | OwnCohort;
  file: InputFile;
  /** Files of prices, labels and lists only. */
  rows?: number;
}

/** A file of transfers or blocks, matched with the files of the last build. */
export interface HistoryFile extends SurveyedFile, FileMatch {
  role: "transfers" | "blocks";
  /** What it was when it was digested. */
  identity: FileIdentity;
  /** Rows of a new or changed file; undefined if they can't be counted. */
  added?: NewRows;
}

export interface Survey {
  /** In the order of `ROLES`, then those of own cohorts; within a role in the order of ASSET.json. */
  files: SurveyedFile[];
  /** The files of transfers and blocks. */
  history: HistoryFile[];
  /** Files of the last build that none of today's files contains. */
  unmatched: KnownFile[];
  prices: Prices;
  labels: Labels;
  /** The lists of own cohorts, in the order of their names. */
  lists: OwnList[];
}

/** The input of the last build. */
interface KnownInput {
  files: readonly KnownFile[];
  /** The checkpoint's last block. */
  block: number;
}

export interface SurveyOptions {
  /** How many threads count the rows of new and changed files. */
  threads?: number;
  known?: KnownInput | undefined;
  progress?: SurveyProgress;
  /** Digests of files that the last build has read. */
  digests?: DigestCache;
}

/** @throws {Failure} a file is missing or can't be read, or prices or labels are invalid */
export async function surveyInput(
  asset: AssetFile,
  { threads = 1, known, progress = new SurveyProgress(), digests }: SurveyOptions = {},
): Promise<Survey> {
  const cache = digests ?? (await DigestCache.open(undefined));
  const found: { role: SurveyedFile["role"]; file: InputFile }[] = [];
  for (const role of ROLES) {
    for (const file of await findFiles(dirname(asset.path), asset[role] ?? [], role)) found.push({ role, file });
  }
  const cohorts = (asset.cohorts ?? []).toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, path] of cohorts) {
    const files = await findFiles(dirname(asset.path), [path], `cohorts.${name}`);
    if (files.length > 1) throw new Failure(`${path} (cohorts.${name}) stands for several files; name one.`);
    found.push({ role: ownCohort(name), file: files[0]! });
  }
  // Prices and labels are read first, and digested then: they must be the same at both times.
  const before = new Map<InputFile, FileIdentity>();
  for (const { file } of found) before.set(file, await identify(file.path));
  progress.begin(found.reduce((sum, { role, file }) => sum + (isHistoryRole(role) ? 1 : 2) * file.bytes, 0));
  const opened: Table[] = [];
  const onFile = (file: InputFile) => progress.advance(file.bytes);
  // One thread: DuckDB's others would fill buffers far ahead of what is parsed here.
  const lists: Omit<ReadList, "address">[] = [];
  for (const { role, file } of found) {
    if (!isOwnCohort(role)) continue;
    // Their addresses are read again when they are needed: together they may be millions.
    const { address: _, ...list } = await readOwnList(role, file);
    lists.push(list);
    onFile(file);
  }
  const { prices, labelRows, files } = await withDatabase(1, async (connection) => {
    const open = async (role: Role) => {
      const tables = await openTables(connection, found, role);
      opened.push(...tables);
      return tables;
    };
    const prices = await readPrices(connection, await open("prices"), onFile, { mayBeEmpty: hasFetchedPrices(asset) });
    const labelRows = await readLabels(
      connection,
      { exchanges: await open("exchanges"), shipped: await open("labels"), contracts: await open("contracts") },
      onFile,
    );
    const files: (SurveyedFile & { identity: FileIdentity })[] = [];
    for (const { role, file } of found) {
      const digest = await cache.digest(file, (bytes) => progress.advance(bytes), knownBytes(known, role, file));
      if (!isSame(digest.identity, before.get(file)!)) throw changedWhileRead(file);
      const fetched = asset.digests?.get(file.name);
      if (fetched !== undefined && fetched !== digest.sha256) throw changedSinceFetch(file, asset);
      const table = opened.find((table) => table.file === file);
      const rows = table?.rows ?? lists.find(({ list }) => list.cohort === role)?.rows;
      files.push({ role, file, ...digest, ...(rows !== undefined && { rows }) });
    }
    return { prices, labelRows, files };
  });
  await cache.save();
  // Sorting millions needs what reading them has left as garbage.
  collectIfLarge();
  const labels = labelRows.end();
  labels.notices.push(...lists.flatMap(({ notices }) => notices));
  const surveyed = files.filter(isHistory);
  const digested = surveyed.map(({ file: { name }, ...digest }) => ({ ...digest, name }));
  const { matches, unmatched } = matchFiles(known?.files ?? [], digested);
  const history: HistoryFile[] = surveyed.map((file, index) => ({ ...file, ...matches[index]! }));
  const grown = known ? history.filter(({ isSame }) => !isSame) : [];
  if (grown.length > 0) {
    await withDatabase(threads, async (connection) => {
      for (const file of grown) {
        const added = await countAdded(connection, asset, file, file, known!.block);
        if (added) file.added = added;
      }
    });
  }
  return {
    files: files.map(({ identity: _, ...file }) => file),
    history,
    unmatched,
    prices,
    labels,
    lists: lists.map(({ list }) => list),
  };
}

/** Prices that are fetched begin with the first trade, which may not have come yet. */
const hasFetchedPrices = ({ source }: AssetFile) => typeof source?.prices === "object";

/** Whether a survey leaves the rows of such files to be read later. */
const isHistoryRole = (role: SurveyedFile["role"]): role is HistoryFile["role"] =>
  role === "transfers" || role === "blocks";

const isHistory = <T extends SurveyedFile>(file: T): file is T & Pick<HistoryFile, "role"> => isHistoryRole(file.role);

/** Size of a file when the last build read it. Undefined for gzip: appended rows change the compressed bytes. */
function knownBytes(
  known: KnownInput | undefined,
  role: SurveyedFile["role"],
  { name }: InputFile,
): number | undefined {
  if (name.endsWith(".gz")) return undefined;
  return known?.files.find((file) => file.role === role && file.file === name)?.bytes;
}

/** Undefined if the file can't be counted. A full build then reads it and reports what is wrong. */
async function countAdded(
  connection: DuckDBConnection,
  asset: AssetFile,
  { role, file }: SurveyedFile,
  { known }: FileMatch,
  block: number,
): Promise<NewRows | undefined> {
  try {
    const table = await openTable(connection, file);
    return role === "blocks"
      ? await countNewBlocks(connection, table, block, known)
      : await countNewTransfers(connection, table, asset.contract, block, known);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

async function openTables(
  connection: DuckDBConnection,
  files: readonly { role: SurveyedFile["role"]; file: InputFile }[],
  role: Role,
): Promise<Table[]> {
  const tables: Table[] = [];
  for (const found of files) if (found.role === role) tables.push(await openTable(connection, found.file));
  return tables;
}
