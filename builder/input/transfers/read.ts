/**
 * Transfers of files of any accepted form, streamed into columns.
 *
 * Addresses take half of the time, and need nothing of the rest of a row. So where columns can be read one without the
 * other (Parquet), a thread of its own reads addresses while this one reads the rest; from CSV all is read at once.
 */

import { Worker } from "node:worker_threads";
import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { Failure } from "../../failure.ts";
import type { ReadableColumn } from "../cells/columns.ts";
import { explainRow } from "../cells/explain.ts";
import type { NumberDecoder } from "../cells/numbers.ts";
import type { WordDecoder } from "../cells/words.ts";
import { withDatabase } from "../duckdb/database.ts";
import { type Table, tableChunks } from "../duckdb/table.ts";
import { CHUNK_ROWS } from "../duckdb/vectors.ts";
import type { InputFile } from "../files.ts";
import { EventColumns } from "./event-columns.ts";
import { PartyColumns } from "./party-columns.ts";
import { ownRow, planTransfers, type RowCounts, type TransferPlan, transferSql } from "./plan.ts";

/** Rows of one asset in the order of the files, not yet checked against each other. Columns may have spare room. */
export interface Transfers
  extends Pick<EventColumns, "rows" | "block" | "logIndex" | "timestamp" | "valueWords" | "values" | "order">,
    Omit<Parties, "stop"> {
  /** First row of each file, and the end of the last. */
  starts: number[];
}

/** Files to read, and what `countRows` says of each. */
export interface TransferFiles {
  contract: string;
  tables: readonly Table[];
  counts: readonly (RowCounts | undefined)[];
}

/** Some columns of transfers, and how they grow. */
export interface ColumnReader {
  rows: number;
  /** What it reads of a file. */
  columns(plan: TransferPlan): ReadableColumn<NumberDecoder | WordDecoder>[];
  /** Appends the rows of a chunk that has its columns from `at` on; `refused` of a row becomes 1 if one of its cells is. */
  append(chunk: DuckDBDataChunk, at: number, plan: TransferPlan, refused: Uint8Array): void;
}

/**
 * Reads the asset's rows.
 *
 * @param thread reads the addresses; of Parquet files only
 * @throws Failure naming row, column and text of the first cell that is not acceptable
 */
export async function readTransfers(
  connection: DuckDBConnection,
  files: TransferFiles,
  thread: PartyThread | undefined,
  onFile: (file: InputFile) => void,
): Promise<Transfers> {
  const { tables, counts } = files;
  const events = new EventColumns(roomFor(files));
  const [pass, parties] = thread
    ? await Promise.all([readEvents(files, events, onFile), thread.read(files)])
    : await readTogether(connection, files, events, onFile);

  const stop = firstStop([pass.stop, parties.stop]);
  if (stop) throw await explainStop(connection, files, stop);
  const { starts } = pass;
  for (const [file, table] of tables.entries()) table.rows = counts[file]?.all ?? starts[file + 1] - starts[file];
  const { rows, block, logIndex, timestamp, valueWords, values, order } = events;
  const { from, to, addresses } = parties;
  return { rows, block, logIndex, timestamp, valueWords, values, from, to, addresses, starts, order };
}

/** What a pass over all files came to. */
export interface Pass {
  /** First row of each file, and the end of the last. */
  starts: number[];
  /** Where it stopped early: at a row of the asset that is refused, or at the failure of a whole file. */
  stop?: { file: number; row: number; failure?: string };
}

/** Senders and receivers, as one thread can tell them to another. */
export interface Parties extends Pick<PartyColumns, "from" | "to"> {
  /** 20 bytes an address, by the number that `from` and `to` call it: as they appear in these, row by row. */
  addresses: Uint8Array<SharedArrayBuffer>;
  stop?: Pass["stop"];
}

export function readParties({ from, to, addresses }: PartyColumns, stop: Pass["stop"]): Parties {
  return { from, to, addresses: addresses.bytes(), ...(stop && { stop }) };
}

const FIRST_ROOM = 1 << 16;

/** Rows to expect: all of them, if all files say how many they have. */
export function roomFor({ counts }: TransferFiles): number {
  return counts.reduce((sum, count) => (count ? sum + count.own : Number.NaN), 0) || FIRST_ROOM;
}

/** Reads some columns of all files, as far as there is nothing wrong. */
export async function readColumns(
  connection: DuckDBConnection,
  { contract, tables, counts }: TransferFiles,
  readers: readonly ColumnReader[],
  onFile: (file: InputFile) => void,
): Promise<Pass> {
  const starts = [0];
  const refused = new Uint8Array(CHUNK_ROWS);
  for (const [file, table] of tables.entries()) {
    const plan = planTransfers(table, contract);
    const columns = readers.flatMap((reader) => reader.columns(plan));
    const all = counts[file] !== undefined && counts[file].own === counts[file].all;
    let rows = 0;
    try {
      for await (const chunk of tableChunks(connection, table.file, transferSql(plan, columns, all))) {
        refused.fill(0);
        let at = 0;
        for (const reader of readers) {
          reader.append(chunk, at, plan, refused);
          at += reader.columns(plan).length;
        }
        const row = refused.subarray(0, chunk.rowCount).indexOf(1);
        if (row >= 0) return { starts, stop: { file, row: rows + row } };
        rows += chunk.rowCount;
      }
    } catch (error) {
      if (error instanceof Failure) return { starts, stop: { file, row: rows, failure: error.message } };
      throw error;
    }
    starts.push(starts[file] + rows);
    onFile(table.file);
  }
  return { starts };
}

async function readEvents(
  files: TransferFiles,
  events: EventColumns,
  onFile: (file: InputFile) => void,
): Promise<Pass> {
  const pass = await withDatabase(1, (connection) => readColumns(connection, files, [events], onFile));
  // While the other thread may still read.
  events.sort();
  return pass;
}

async function readTogether(
  connection: DuckDBConnection,
  files: TransferFiles,
  events: EventColumns,
  onFile: (file: InputFile) => void,
): Promise<[Pass, Parties]> {
  const parties = new PartyColumns(roomFor(files));
  const pass = await readColumns(connection, files, [events, parties], onFile);
  events.sort();
  return [pass, readParties(parties, pass.stop)];
}

/** A thread of its own that reads addresses. It takes a while to start, so it may be started before it is known what of. */
export class PartyThread {
  readonly #worker = new Worker(new URL("./party-thread.ts", import.meta.url));
  readonly #parties = new Promise<Parties>((resolve, reject) => {
    this.#worker.on("message", resolve);
    this.#worker.on("error", reject);
    this.#worker.on("exit", (code) => reject(new Error(`the thread that reads addresses ended with ${code}`)));
  });

  constructor() {
    // Whoever never asks does not want to know.
    this.#parties.catch(() => {});
  }

  /** Reads the files' addresses; once only. */
  read(files: TransferFiles): Promise<Parties> {
    this.#worker.postMessage(files);
    return this.#parties;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

function firstStop(stops: readonly Pass["stop"][]): Pass["stop"] {
  return stops.filter((stop) => stop !== undefined).sort((a, b) => a.file - b.file || a.row - b.row)[0];
}

async function explainStop(
  connection: DuckDBConnection,
  { contract, tables }: TransferFiles,
  { file, row, failure }: NonNullable<Pass["stop"]>,
): Promise<Failure> {
  if (failure !== undefined) return new Failure(failure);
  const plan = planTransfers(tables[file], contract);
  return explainRow(connection, plan.table, Object.values(plan.columns), await ownRow(connection, plan, row));
}
