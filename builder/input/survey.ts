/**
 * A look at an asset's input before its transfers are read. Files are matched with those of the last build; prices and
 * labels are read in full. The plan of a build depends on nothing else.
 */

import { readFile } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { isOwnCohort } from "../../data-schema/registry.ts";
import type { CalendarEvent } from "../../data-schema/stored.ts";
import type { Prices } from "../engine/history.ts";
import { Failure } from "../lib/failure.ts";
import { collectIfLarge } from "../lib/garbage.ts";
import { type AssetFile, contractDecimals } from "./asset/asset.ts";
import { isOwnPrices } from "./asset/source.ts";
import { eventsInOrder, parseCalendar } from "./calendar.ts";
import { type DigestedInput, type InputRole, isHistoryRole } from "./digest-input.ts";
import { withDatabase } from "./duckdb/database.ts";
import { openInputTable, type Table } from "./duckdb/input-table.ts";
import { identify, isSame } from "./files/digest-cache.ts";
import { changedWhileRead, type InputFile } from "./files/files.ts";
import { type FileMatch, type HistoryRole, type KnownFile, matchFiles } from "./files/known-files.ts";
import { SurveyProgress } from "./files/survey-progress.ts";
import { type AddressLabels, readLabels } from "./labels/address-labels.ts";
import { type OwnCohortList, type ReadOwnCohort, readOwnCohort } from "./labels/own-cohorts.ts";
import { type Correction, heldCorrections, parseCorrections } from "./prices/corrections.ts";
import { type PlainPrices, readPlainPrices } from "./prices/plain-prices.ts";
import { readPrices } from "./prices/price-files.ts";
import { lookAtColumns } from "./transfers/columns/address-columns.ts";
import { chooseContractColumns, type FileColumns } from "./transfers/columns/contract-column.ts";
import { checkColumns } from "./transfers/columns/transfer-columns.ts";
import { type ShapeUse, throughTransferShape, transferShape } from "./transfers/columns/transfer-shape.ts";
import { countNewBlocks, countNewTransfers, type NewRows, tableBetween } from "./transfers/shares/new-rows.ts";
import { openHistory } from "./transfers/shares/open-share.ts";
import type { FormerContract } from "./transfers/shares/share.ts";
import { whileUnchanged } from "./while-unchanged.ts";

interface SurveyedFile extends Omit<DigestedInput, "identity"> {
  /** Files of prices, labels and lists only. */
  rows?: number;
}

/** A file of transfers or blocks, matched with the files of the last build. */
export interface SurveyedHistory extends DigestedInput, FileMatch {
  role: HistoryRole;
  /** If its transfers are of a contract that the token had before. */
  former?: FormerContract;
  /** For transfers, the name of the column of contracts, if it has a name of its own; null if there is none. */
  contractColumn?: string | null;
  /** For transfers, the shape that it is read through; absent if it has the plain columns. */
  shape?: ShapeUse;
  /** Rows of a new or changed file; undefined if they can't be counted. */
  added?: NewRows;
}

export interface Survey {
  /** In the order of `digestInput`. */
  files: SurveyedFile[];
  /** The files of transfers and blocks. */
  history: SurveyedHistory[];
  /** Files of the last build that none of today's files contains. */
  unmatched: KnownFile[];
  /** With the corrections. */
  prices: Prices;
  /** What corrects them, those that were dropped included, in the order of time. */
  corrections: Correction[];
  labels: AddressLabels;
  /** The lists of own cohorts, in the order of their names. */
  lists: OwnCohortList[];
  /** The calendar, in the order of time. */
  events: CalendarEvent[];
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
}

/**
 * @param input what `digestInput` has found
 * @throws {Failure} prices, labels or lists are invalid, or have changed since they were digested; transfers lack columns, or
 * which of theirs has the contracts is unclear
 */
export async function surveyInput(
  asset: AssetFile,
  input: readonly DigestedInput[],
  { threads = 1, known, progress = new SurveyProgress() }: SurveyOptions = {},
): Promise<Survey> {
  const opened: Pick<Table, "file" | "rows">[] = [];
  const onFile = (file: InputFile) => progress.advance(file.bytes);
  const lists: Omit<ReadOwnCohort, "address">[] = [];
  for (const { role, file } of input) {
    if (!isOwnCohort(role)) continue;
    // Their addresses are read again when they are needed: together they may be millions.
    const { address: _, ...list } = await readOwnCohort(role, file);
    lists.push(list);
    onFile(file);
  }
  const correcting = input.find(({ role }) => role === "corrections")?.file;
  const corrections = correcting ? parseCorrections(correcting.name, await readFile(correcting.path, "utf8")) : [];
  if (correcting) opened.push({ file: correcting, rows: corrections.length });
  const events: CalendarEvent[] = [];
  for (const { role, file } of input) {
    if (role !== "calendar") continue;
    const read = parseCalendar(file.name, await readFile(file.path, "utf8"));
    events.push(...read);
    opened.push({ file, rows: read.length });
  }
  const surveyed = input.filter(isHistory);
  const digested = surveyed.map(({ file: { name }, ...digest }) => ({ ...digest, name }));
  const { matches, unmatched } = matchFiles(known?.files ?? [], digested);
  const history: SurveyedHistory[] = surveyed.map((file, index) => {
    const former = formerContract(asset, file.predecessor);
    return { ...file, ...matches[index]!, ...(former && { former }) };
  });
  // One thread: DuckDB's others would fill buffers far ahead of what is parsed here.
  const { read, labelRows } = await withDatabase(1, async (connection) => {
    const open = async (role: InputRole) => {
      const tables = await openTables(connection, input, role);
      opened.push(...tables);
      return tables;
    };
    const openPrices = async () => {
      const sources: (Table | PlainPrices)[] = [];
      for (const { role, file } of input) {
        if (role !== "prices") continue;
        const plain = asset.priceStamp ? undefined : await readPlainPrices(file);
        sources.push(plain ?? (await openInputTable(connection, file)));
      }
      opened.push(...sources);
      return sources;
    };
    const read = await readPrices(connection, await openPrices(), onFile, {
      stamp: asset.priceStamp,
      mayBeEmpty: hasFetchedPrices(asset),
      corrections: heldCorrections(corrections),
    });
    const labelRows = await readLabels(
      connection,
      {
        exchanges: await open("exchanges"),
        shipped: await open("labels"),
        deposits: await open("deposits"),
        contracts: await open("contracts"),
      },
      onFile,
    );
    await whileUnchanged(surveyed, () => findContracts(connection, asset, history));
    return { read, labelRows };
  });
  for (const { role, file, identity } of input) {
    const now = isHistoryRole(role) ? identity : await identify(file.path).catch(() => undefined);
    if (!now || !isSame(identity, now)) throw changedWhileRead(file);
  }
  // Sorting millions needs what reading them has left as garbage.
  collectIfLarge();
  const labels = labelRows.end();
  const { prices } = read;
  labels.notices.push(...read.notices, ...lists.flatMap(({ notices }) => notices));
  const files = input.map(({ identity: _, ...surveyed }): SurveyedFile => {
    const { rows } =
      opened.find(({ file }) => file === surveyed.file) ??
      lists.find(({ list }) => list.cohort === surveyed.role) ??
      {};
    return { ...surveyed, ...(rows !== undefined && { rows }) };
  });
  const grown = known ? history.filter(({ isSame }) => !isSame) : [];
  if (grown.length > 0) {
    await withDatabase(threads, async (connection) => {
      for (const file of grown) {
        const added = await countAdded(connection, asset, file, known!.block);
        if (added) file.added = added;
      }
    });
  }
  return {
    files,
    history,
    unmatched,
    prices,
    corrections,
    labels,
    lists: lists.map(({ list }) => list),
    events: eventsInOrder(asset.path, events),
  };
}

/** Prices that are fetched begin with the first trade, which may not have come yet. */
const hasFetchedPrices = ({ source }: AssetFile) => source?.prices !== undefined && !isOwnPrices(source.prices);

const isHistory = <T extends SurveyedFile>(file: T): file is T & Pick<SurveyedHistory, "role"> =>
  isHistoryRole(file.role);

/** Finds the column of contracts of each file. What `soprano fetch` has written has transfers of the asset alone. */
async function findContracts(
  connection: DuckDBConnection,
  asset: AssetFile,
  history: readonly SurveyedHistory[],
): Promise<void> {
  const unknown = history.filter(({ role, file }) => role === "transfers" && !asset.digests?.has(file.name));
  for (const at of new Set(unknown.map(({ former }) => former?.at))) {
    const files = unknown.filter(({ former }) => former?.at === at);
    await findContract(connection, at === undefined ? asset : formerAsset(asset, at), history, files);
  }
}

async function findContract(
  connection: DuckDBConnection,
  asset: Pick<AssetFile, "path" | "contract" | "decimals" | "ownDecimals" | "columns">,
  history: readonly SurveyedHistory[],
  files: readonly SurveyedHistory[],
): Promise<void> {
  const hasBlocks = history.some(({ role }) => role === "blocks");
  const looks: FileColumns[] = [];
  for (const found of files) {
    const whole = await openInputTable(connection, found.file);
    const shape = transferShape(whole);
    if (shape) found.shape = { name: shape.name, decimals: contractDecimals(asset) };
    const table = throughTransferShape(whole, found.shape);
    checkColumns(table, hasBlocks);
    looks.push(await lookAtColumns(connection, table, asset));
  }
  for (const [index, name] of chooseContractColumns(asset, looks).entries()) {
    if (name !== undefined) files[index]!.contractColumn = name;
  }
}

/** The contract of a file, if the token had it before. */
function formerContract({ predecessors = [] }: AssetFile, at: number | undefined): FormerContract | undefined {
  if (at === undefined) return undefined;
  const { contract, until } = predecessors[at]!;
  return { at, contract, ...(until !== undefined && { until }) };
}

/** What tells the columns of its files. */
function formerAsset({ path, decimals: merged, ownDecimals = merged, predecessors }: AssetFile, at: number) {
  const { contract, decimals = ownDecimals } = predecessors![at]!;
  return { path, contract, decimals };
}

/** Undefined if the file can't be counted. A full build then reads it and reports what is wrong. */
async function countAdded(
  connection: DuckDBConnection,
  asset: AssetFile,
  history: SurveyedHistory,
  block: number,
): Promise<NewRows | undefined> {
  try {
    const { role, known, former } = history;
    if (role === "balances") return undefined;
    const table = tableBetween(await openHistory(connection, history), { until: former?.until }, role);
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
  files: readonly Pick<SurveyedFile, "role" | "file">[],
  role: InputRole,
): Promise<Table[]> {
  const tables: Table[] = [];
  for (const found of files) if (found.role === role) tables.push(await openInputTable(connection, found.file));
  return tables;
}
