/** The input of a build: every file of an asset read, checked and put into the columns that the engine replays. */

import { dirname } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { sharedBytes } from "../columns/shared.ts";
import type { Checkpoint } from "../engine/checkpoint.ts";
import type { Groups, History, Prices } from "../engine/history.ts";
import { USER } from "../engine/kernel/parts.ts";
import { Failure } from "../failure.ts";
import type { StoredCheckpoint } from "../incremental/checkpoint-file.ts";
import { compareOrigin } from "../incremental/compare.ts";
import {
  digestLabels,
  digestPrices,
  type Origin,
  type OriginFile,
  termsOf,
  VERSIONS,
} from "../incremental/provenance.ts";
import { StartOver } from "../incremental/start-over.ts";
import { ADDRESS_BYTES, ADDRESS_WORDS, AddressTable, addressWords, NO_NUMBER } from "./addresses.ts";
import type { AssetFile } from "./asset.ts";
import { withDatabase } from "./duckdb/database.ts";
import { countWhere, isCsv, openTable, type Table } from "./duckdb/table.ts";
import { CHUNK_ROWS } from "./duckdb/vectors.ts";
import { digestFile, type FileDigest, findFiles, type InputFile } from "./files.ts";
import { type Labels, readLabels } from "./labels.ts";
import { readPrices } from "./prices.ts";
import { BLOCK_NUMBER_NAMES } from "./transfers/blocks.ts";
import { countTransfers, type ReadHistory, readHistory } from "./transfers/history.ts";
import { PartyThread } from "./transfers/read.ts";
import { goOn } from "./transfers/resume.ts";
import { countAll, countAllBlocks, tableAfter } from "./transfers/since.ts";

export const ROLES = ["transfers", "blocks", "prices", "exchanges", "contracts"] as const;
export type Role = (typeof ROLES)[number];

export interface FileReport {
  role: Role;
  /** Relative to ASSET.json, or as written if that is an absolute path. */
  file: string;
  sha256: string;
  bytes: number;
  rows: number;
}

export interface InputReport {
  /** By role, in the order in which they were read. */
  files: FileReport[];
  /** Rows of transfers, whatever became of them. */
  rowsRead: number;
  duplicates: number;
  skippedOtherContracts: number;
  skippedAfterAsOf: number;
  /** Distinct addresses of the history; the zero address is none. */
  addresses: number;
  /** Sentences about what was left out or is not as the user might expect. */
  notices: string[];
}

export interface Input {
  /** After a checkpoint, the events since, with its holders as the first addresses. */
  history: History;
  /** Empty without price files: every price is 0. */
  prices: Prices;
  groups: Groups;
  /** Unix seconds. */
  asOf: number;
  report: InputReport;
  /** What a checkpoint of this input is made from. */
  origin(checkpoint: Pick<Checkpoint, "time" | "lastEvent">): Omit<Origin, "months">;
}

/** How far reading has come, in bytes; every file counts twice, first for its fingerprint and then for its rows. */
export interface InputProgress {
  step: "digest" | "read";
  file: string;
  done: number;
  total: number;
}

export interface ReadOptions {
  /** Read only what has come since. */
  previous?: StoredCheckpoint | undefined;
  /** Threads to read with. */
  threads?: number;
  /** A thread of its own is not worth its start for fewer bytes of transfers. */
  threadBytes?: number;
  onProgress?: (event: InputProgress) => void;
}

const THREAD_BYTES = 16 * 2 ** 20;

/** What it means for the numbers that a role has no files. */
const ABSENT: Partial<Record<Role, string>> = {
  prices: "No prices: every price is 0, and so is every amount in dollars.",
  exchanges: "No exchanges: no address counts as one.",
  contracts: "No contracts: no address counts as one.",
};

/**
 * Reads everything that an asset names, or what of its transfers is new.
 *
 * @throws Failure naming file, row and column, or the key of ASSET.json, of the first thing that is wrong
 * @throws {StartOver} there is no going on from the previous checkpoint
 */
export async function readInput(asset: AssetFile, options: ReadOptions = {}): Promise<Input> {
  const { threads = 1, previous, onProgress } = options;
  const files = await findInputFiles(asset);
  const total = 2 * files.reduce((sum, { file }) => sum + file.bytes, 0);
  let done = 0;
  const advance = (step: InputProgress["step"], file: InputFile, bytes: number) => {
    done += bytes;
    onProgress?.({ step, file: file.name, done, total });
  };
  const onFile = (file: InputFile) => advance("read", file, file.bytes);
  const onDigest = (file: InputFile, bytes: number) => advance("digest", file, bytes);

  return withDatabase(threads, async (connection) => {
    const [read, facts] = previous
      ? await readSince(connection, asset, files, previous, onFile, onDigest)
      : await readWhole(connection, asset, files, options, onFile, onDigest);
    const { prices, labels, digests } = facts;
    const history = previous ? goOn(read.history, previous.checkpoint.holders) : read.history;
    const fileReports = files.map(({ role, file }) => ({
      role,
      file: file.name,
      sha256: digests.get(file)!.sha256,
      bytes: file.bytes,
      rows: read.rows.get(file) ?? facts.rows.get(file) ?? 0,
    }));
    return {
      history,
      prices,
      groups: groupsOf(history, labels),
      asOf: read.asOf,
      report: {
        files: fileReports,
        ...read.counts,
        addresses: read.history.addresses.length / ADDRESS_BYTES - 1,
        notices: [
          ...read.notices,
          ...ROLES.flatMap((role) => (asset[role] ? [] : (ABSENT[role] ?? []))),
          ...labels.notices,
        ],
      },
      origin: ({ time, lastEvent }) => ({
        ...VERSIONS,
        terms: termsOf(asset),
        labels: facts.labelsDigest,
        prices: digestPrices(prices, time),
        files: originFiles(fileReports, read.splitAt(lastEvent.block)),
      }),
    };
  });
}

/** What was read of transfers: all of them, or those since a checkpoint. */
interface ReadTransfers extends Omit<ReadHistory, "splitAt"> {
  /** Rows of files of transfers and blocks, whether they were read or not. */
  rows: Map<InputFile, number>;
  /** Of each file of transfers, the asset's rows up to a block and after it. */
  splitAt(block: number): { settled: number; later: number }[];
}

/** Everything besides the transfers. */
interface Facts {
  prices: Prices;
  labels: Labels;
  labelsDigest: string;
  digests: Map<InputFile, FileDigest>;
  rows: Map<InputFile, number>;
}

type FileOf = { role: Role; file: InputFile };
type OnFile = (file: InputFile) => void;
type OnDigest = (file: InputFile, bytes: number) => void;

async function readWhole(
  connection: DuckDBConnection,
  asset: AssetFile,
  files: readonly FileOf[],
  { threads = 1, threadBytes = THREAD_BYTES }: ReadOptions,
  onFile: OnFile,
  onDigest: OnDigest,
): Promise<[ReadTransfers, Facts]> {
  const transferBytes = files.reduce((sum, { role, file }) => (role === "transfers" ? sum + file.bytes : sum), 0);
  // From CSV, all is read at once: columns can't be read one without the other.
  const apart =
    transferBytes >= threadBytes && threads > 1 && !files.some(({ role, file }) => role === "transfers" && isCsv(file));
  const thread = apart ? new PartyThread() : undefined;
  try {
    const transfers = await openTables(connection, files, "transfers");
    const blocks = await openTables(connection, files, "blocks");
    // Before anything else wants this thread: the thread that reads addresses takes the longest, and waits for it.
    const counted = await countTransfers(connection, asset, transfers, blocks);
    const [read, facts] = await allOf([
      readHistory(connection, asset, counted, thread, undefined, onFile),
      readFacts(files, undefined, onFile, onDigest),
    ]);
    const tables = [...transfers, ...blocks];
    // They may not have been needed.
    for (const table of blocks) if (table.rows === 0) [table.rows] = await countWhere(connection, table, "true");
    return [{ ...read, rows: rowsOf(tables) }, facts];
  } finally {
    await thread?.close();
  }
}

async function readSince(
  connection: DuckDBConnection,
  asset: AssetFile,
  files: readonly FileOf[],
  { checkpoint, origin }: StoredCheckpoint,
  onFile: OnFile,
  onDigest: OnDigest,
): Promise<[ReadTransfers, Facts]> {
  const facts = await readFacts(files, origin, onFile, onDigest);
  const { prices, digests } = facts;
  const histories = files.filter(({ role }) => role === "transfers" || role === "blocks");
  const since = compareOrigin(
    { checkpoint, origin },
    {
      terms: asset,
      ...(asset.asOf === undefined ? {} : { asOf: asset.asOf }),
      labels: facts.labelsDigest,
      prices,
      files: histories.map(({ role, file }) => ({ role, file: file.name, bytes: file.bytes, ...digests.get(file)! })),
    },
  );
  const { block } = checkpoint.lastEvent;
  const rows = new Map<InputFile, number>();
  const opened: { table: Table; index: number }[] = [];
  const blocks: Table[] = [];
  try {
    for (const [index, { role, file }] of histories.entries()) {
      const { known, same } = since[index];
      if (known && same) rows.set(file, known.rows);
      if (role === "transfers" && same && known?.later === 0) continue;
      const table = await openTable(connection, file);
      if (role === "blocks") {
        if (!same) rows.set(file, await countAllBlocks(connection, table, block, since[index]));
        blocks.push(tableAfter(table, block, BLOCK_NUMBER_NAMES));
        continue;
      }
      if (!same) rows.set(file, await countAll(connection, table, asset.contract, block, since[index]));
      opened.push({ table: tableAfter(table, block), index });
    }
    const tables = opened.map(({ table }) => table);
    const counted = await countTransfers(connection, asset, tables, blocks);
    const read = await readHistory(connection, asset, counted, undefined, checkpoint, onFile);
    return [
      {
        ...read,
        rows,
        splitAt(block) {
          const added = read.splitAt(block);
          return histories.flatMap(({ role }, index) => {
            if (role !== "transfers") return [];
            const { settled, later } = added[opened.findIndex((file) => file.index === index)] ?? NO_ROWS;
            return [{ settled: (since[index].known?.settled ?? 0) + settled, later }];
          });
        },
      },
      facts,
    ];
  } catch (error) {
    // Read from its start, a file's rows have the numbers that a message should name.
    if (error instanceof Failure) throw new StartOver("the new rows can't be read");
    throw error;
  }
}

const NO_ROWS = { settled: 0, later: 0 };

/** @param origin what has been read before; a file that has grown is digested up to where it ended then, too */
async function readFacts(
  files: readonly FileOf[],
  origin: Origin | undefined,
  onFile: OnFile,
  onDigest: OnDigest,
): Promise<Facts> {
  const tables: Table[] = [];
  const open = async (connection: DuckDBConnection, role: Role) => {
    const opened = await openTables(connection, files, role);
    tables.push(...opened);
    return opened;
  };
  const [prices, labels, digests] = await allOf([
    withDatabase(1, async (connection) => readPrices(connection, await open(connection, "prices"), onFile)),
    withDatabase(1, async (connection) =>
      readLabels(connection, await open(connection, "exchanges"), await open(connection, "contracts"), onFile),
    ),
    digestFiles(files, origin, onDigest),
  ]);
  return { prices, labels, labelsDigest: digestLabels(labels.groups), digests, rows: rowsOf(tables) };
}

const rowsOf = (tables: readonly Table[]) => new Map(tables.map(({ file, rows }) => [file, rows]));

/** @param splits of the files of transfers, in their order */
function originFiles(files: readonly FileReport[], splits: { settled: number; later: number }[]): OriginFile[] {
  let next = 0;
  return files.flatMap(({ role, ...file }): OriginFile[] => {
    if (role === "transfers") return [{ role, ...file, ...splits[next++] }];
    return role === "blocks" ? [{ role, ...file }] : [];
  });
}

/** The results of work that goes on at the same time; of several failures, that of the first in the list. */
async function allOf<T extends unknown[]>(work: { [Index in keyof T]: Promise<T[Index]> }): Promise<T> {
  const outcomes = await Promise.allSettled(work);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as T;
}

async function digestFiles(
  files: readonly FileOf[],
  origin: Origin | undefined,
  onBytes: OnDigest,
): Promise<Map<InputFile, FileDigest>> {
  const digests = new Map<InputFile, FileDigest>();
  for (const { role, file } of files) {
    const known = origin?.files.find((known) => known.role === role && known.file === file.name);
    // What a .gz file goes on with is not to be seen from its bytes.
    const earlier = file.name.endsWith(".gz") ? undefined : known?.bytes;
    digests.set(file, await digestFile(file.path, (bytes) => onBytes(file, bytes), earlier));
  }
  return digests;
}

async function findInputFiles(asset: AssetFile): Promise<FileOf[]> {
  const found: FileOf[] = [];
  for (const role of ROLES) {
    for (const file of await findFiles(dirname(asset.path), asset[role] ?? [], role)) found.push({ role, file });
  }
  return found;
}

async function openTables(connection: DuckDBConnection, files: readonly FileOf[], role: Role): Promise<Table[]> {
  const tables: Table[] = [];
  for (const of of files) if (of.role === role) tables.push(await openTable(connection, of.file));
  return tables;
}

function groupsOf({ addresses }: History, { groups }: Labels): Groups {
  const labelled = new AddressTable();
  const byNumber = [USER];
  for (const [address, group] of groups) {
    labelled.words(0).set(addressWords(address));
    labelled.insert(1, 1);
    byNumber.push(group);
  }

  const column = sharedBytes(addresses.length / ADDRESS_BYTES).fill(USER);
  const words = new Uint32Array(addresses.buffer);
  for (let begin = 0; begin < column.length; begin += CHUNK_ROWS) {
    const end = Math.min(begin + CHUNK_ROWS, column.length);
    labelled.words(0).set(words.subarray(begin * ADDRESS_WORDS, end * ADDRESS_WORDS));
    labelled.find(end - begin, 1);
    const numbers = labelled.numbers(0);
    for (let index = begin; index < end; index++) {
      const number = numbers[index - begin];
      if (number !== NO_NUMBER) column[index] = byNumber[number];
    }
  }
  return column;
}
