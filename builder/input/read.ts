/** The input of a build: every file of an asset read, checked and put into the columns that the engine replays. */

import { dirname } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Groups, History, Prices } from "../engine/history.ts";
import { USER } from "../engine/kernel/parts.ts";
import { ADDRESS_BYTES, ADDRESS_WORDS, AddressTable, addressWords, NO_NUMBER } from "./addresses.ts";
import type { AssetFile } from "./asset.ts";
import { withDatabase } from "./database.ts";
import { digestFile, findFiles, type InputFile } from "./files.ts";
import { sharedBytes } from "./growing.ts";
import { countTransfers, readHistory } from "./history.ts";
import { type Labels, readLabels } from "./labels.ts";
import { readPrices } from "./prices.ts";
import { isCsv, openTable, type Table } from "./table.ts";
import { PartyThread } from "./transfers.ts";
import { CHUNK_ROWS } from "./vectors.ts";

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
  history: History;
  /** Empty without price files: every price is 0. */
  prices: Prices;
  groups: Groups;
  /** Unix seconds. */
  asOf: number;
  report: InputReport;
}

/** How far reading has come, in bytes; every file counts twice, first for its fingerprint and then for its rows. */
export interface InputProgress {
  step: "digest" | "read";
  file: string;
  done: number;
  total: number;
}

export interface ReadOptions {
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
 * Reads everything that an asset names.
 *
 * @throws Failure naming file, row and column, or the key of ASSET.json, of the first thing that is wrong
 */
export async function readInput(asset: AssetFile, options: ReadOptions = {}): Promise<Input> {
  const { threads = 1, threadBytes = THREAD_BYTES, onProgress } = options;
  const files = await findInputFiles(asset);
  const total = 2 * files.reduce((sum, { file }) => sum + file.bytes, 0);
  let done = 0;
  const advance = (step: InputProgress["step"], file: InputFile, bytes: number) => {
    done += bytes;
    onProgress?.({ step, file: file.name, done, total });
  };
  const onFile = (file: InputFile) => advance("read", file, file.bytes);
  const transferBytes = files.reduce((sum, { role, file }) => (role === "transfers" ? sum + file.bytes : sum), 0);
  // From CSV, all is read at once: columns can't be read one without the other.
  const apart =
    transferBytes >= threadBytes && threads > 1 && !files.some(({ role, file }) => role === "transfers" && isCsv(file));
  const thread = apart ? new PartyThread() : undefined;

  return withDatabase(threads, async (connection) => {
    const tables = await openTables(connection, files);
    const of = (role: Role) => tables.filter((table) => table.role === role).map(({ table }) => table);

    // Before anything else wants this thread: the thread that reads addresses takes the longest, and waits for it.
    const counted = await countTransfers(connection, asset, of("transfers"), of("blocks"));
    const [read, prices, labels, digests] = await allOf([
      readHistory(connection, asset, counted, thread, onFile),
      withDatabase(1, (connection) => readPrices(connection, of("prices"), onFile)),
      withDatabase(1, (connection) => readLabels(connection, of("exchanges"), of("contracts"), onFile)),
      digestFiles(files, (file, bytes) => advance("digest", file, bytes)),
    ]);
    const { history, asOf, counts } = read;
    return {
      history,
      prices,
      groups: groupsOf(history, labels),
      asOf,
      report: {
        files: tables.map(({ role, table }) => ({
          role,
          file: table.file.name,
          sha256: digests.get(table.file) ?? "",
          bytes: table.file.bytes,
          rows: table.rows,
        })),
        ...counts,
        addresses: history.addresses.length / 20 - 1,
        notices: [
          ...read.notices,
          ...ROLES.flatMap((role) => (asset[role] ? [] : (ABSENT[role] ?? []))),
          ...labels.notices,
        ],
      },
    };
  }).finally(() => thread?.close());
}

/** The results of work that goes on at the same time; of several failures, that of the first in the list. */
async function allOf<T extends unknown[]>(work: { [Index in keyof T]: Promise<T[Index]> }): Promise<T> {
  const outcomes = await Promise.allSettled(work);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<unknown>).value) as T;
}

async function digestFiles(
  files: readonly { file: InputFile }[],
  onBytes: (file: InputFile, bytes: number) => void,
): Promise<Map<InputFile, string>> {
  const digests = new Map<InputFile, string>();
  for (const { file } of files) {
    digests.set(file, await digestFile(file.path, (bytes) => onBytes(file, bytes)));
  }
  return digests;
}

async function findInputFiles(asset: AssetFile): Promise<{ role: Role; file: InputFile }[]> {
  const found: { role: Role; file: InputFile }[] = [];
  for (const role of ROLES) {
    for (const file of await findFiles(dirname(asset.path), asset[role] ?? [], role)) found.push({ role, file });
  }
  return found;
}

async function openTables(connection: DuckDBConnection, files: readonly { role: Role; file: InputFile }[]) {
  const tables: { role: Role; table: Table }[] = [];
  for (const { role, file } of files) tables.push({ role, table: await openTable(connection, file) });
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
