/** A folder of input files for one test: an ASSET.json that can be changed key by key, CSV, gzip and Parquet. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { onTestFinished } from "vitest";
import type { History } from "../../builder/engine/history/history.ts";
import { readAsset } from "../../builder/input/asset/asset.ts";
import { Failure } from "../../builder/lib/failure.ts";
import { type Input, readInput } from "../in-memory/input.ts";

export const TOKEN = `0x${"70".repeat(20)}`;
export const OTHER_TOKEN = `0x${"71".repeat(20)}`;
export const ZERO = `0x${"00".repeat(20)}`;
export const ALICE = `0x${"a1".repeat(20)}`;
export const BOB = `0x${"b0".repeat(20)}`;
export const CAROL = `0x${"ca".repeat(20)}`;

export const HEADER = "block_number,log_index,block_timestamp,from_address,to_address,value";

/** One row of `HEADER`: a transfer of 5 from Alice to Bob, unless told otherwise. */
export function row(cells: Partial<Record<"block" | "log" | "time" | "from" | "to" | "value", unknown>> = {}): string {
  const { block, log, time, from, to, value } = {
    block: 100,
    log: 1,
    time: 1_600_000_000,
    from: ALICE,
    to: BOB,
    value: 5,
    ...cells,
  };
  return [block, log, time, from, to, value].join(",");
}

export function csv(...lines: string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

export const [T1, T2] = [1_577_836_800, 1_577_836_812];

/** Three transfers, and the events that they are read as. */
export const ROWS = [
  row({ block: 10, log: 0, time: T1, from: ZERO, to: ALICE, value: 1000 }),
  row({ block: 10, log: 2, time: T1, from: ALICE, to: BOB, value: 2n ** 64n }),
  row({ block: 11, log: 0, time: T2, from: BOB, to: CAROL, value: 0 }),
];

export const EVENTS = [
  [10, 0, T1, ZERO, ALICE, 1000n],
  [10, 2, T1, ALICE, BOB, 2n ** 64n],
  [11, 0, T2, BOB, CAROL, 0n],
];

/** The rows as a SQL table of texts. */
export const TEXTS = `(VALUES ${ROWS.map((line) => `(${line.split(",").map((cell) => `'${cell}'`)})`)}) rows(${HEADER})`;

/** Writes Parquet for all tests of a file: starting DuckDB takes longer than writing. */
let writer: Promise<DuckDBConnection> | undefined;

async function openWriter(): Promise<DuckDBConnection> {
  const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  await connection.run("SET TimeZone = 'UTC'");
  return connection;
}

export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), "soprano-input-"));

  constructor() {
    onTestFinished(() => rmSync(this.path, { recursive: true }));
  }

  write(name: string, content: string | Uint8Array): this {
    mkdirSync(dirname(join(this.path, name)), { recursive: true });
    writeFileSync(
      join(this.path, name),
      name.endsWith(".gz") && typeof content === "string" ? gzipSync(content) : content,
    );
    return this;
  }

  /** Writes the answer to a query as Parquet, in row groups of 2,048 rows. */
  parquet(name: string, sql: string): Promise<this> {
    return this.copy(name, sql, "FORMAT parquet, ROW_GROUP_SIZE 2048");
  }

  /** Writes the answer to a query, with options of DuckDB's COPY. */
  async copy(name: string, sql: string, options: string): Promise<this> {
    writer ??= openWriter();
    await (await writer).run(`COPY (${sql}) TO '${join(this.path, name)}' (${options})`);
    return this;
  }

  /** Reads the folder as an asset; `keys` change or, undefined, remove keys of its ASSET.json. */
  async read(keys: Record<string, unknown> = {}, options: { threads?: number } = {}): Promise<Input> {
    return readInput(await readAsset(this.asset(keys)), options);
  }

  /** The sentence with which reading fails, without the path of the folder. */
  async refusal(keys: Record<string, unknown> = {}, options: { threads?: number } = {}): Promise<string> {
    try {
      await this.read(keys, options);
    } catch (error) {
      if (error instanceof Failure) return error.message.replaceAll(`${this.path}/`, "");
      throw error;
    }
    throw new Error("Nothing was refused.");
  }

  /** Writes the ASSET.json and returns its path. */
  asset(keys: Record<string, unknown> = {}): string {
    const path = join(this.path, "asset.json");
    const base = {
      symbol: "TST",
      name: "Test",
      chain: "ethereum",
      contract: TOKEN,
      decimals: 18,
      maxSupply: "1000000",
    };
    writeFileSync(path, JSON.stringify({ ...base, transfers: "transfers.csv", ...keys }));
    return path;
  }
}

/** What a history holds, event by event, with values as numbers and addresses in full. */
export function events({ history }: { history: History }): [number, number, number, string, string, bigint][] {
  const { rows, block, logIndex, timestamp, from, to, values, valueWords, addresses } = history;
  const address = (number: number) =>
    `0x${Buffer.from(addresses.slice(20 * number, 20 * number + 20)).toString("hex")}`;
  return Array.from({ length: rows }, (_, index) => {
    let value = 0n;
    for (let word = valueWords - 1; word >= 0; word--)
      value = (value << 32n) | BigInt(values[index * valueWords + word]!);
    return [block[index]!, logIndex[index]!, timestamp[index]!, address(from[index]!), address(to[index]!), value];
  });
}
