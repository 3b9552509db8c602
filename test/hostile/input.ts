/**
 * Input files with something wrong in them. A build refuses them with one sentence and activates nothing, or publishes
 * what passes every check; and what no cell may hold is never read as something else.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { Failure } from "../../builder/lib/failure.ts";
import { currentKey } from "../../data-schema/stored/objects.ts";
import { runBuild } from "../build/checkpoint/nights.ts";
import { newFolder } from "../folders.ts";
import { copyOf, manifestIn, runsIn, verifyIn } from "../published/verify/published.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { unpacked } from "../store/unpacked.ts";
import type { Attack, Target } from "./attack.ts";
import { type Change, change, changedTable, edited } from "./input-changes.ts";
import { type Export, supplyOf, tablesOf } from "./input-exports.ts";
import { ASSET, TABLE_NAMES, TABLES, type Table } from "./input-files.ts";

/** Longer ones are not sentences. */
const SENTENCE_CHARACTERS = 1_000;
/** What a sentence for users does not say. */
const INTERNALS = /\n|\bat \w+ \(|node_modules|\b\w*Exception\b|\b\w+ Error:|\bundefined\b|\[object /;

export const input: Attack = {
  name: "input",
  unit: "malformed inputs",
  open: () => MalformedInput.open(),
};

class MalformedInput implements Target<Change> {
  readonly cases = change;
  readonly #folder = newFolder();
  readonly #duckdb: DuckDBConnection;
  /** What is published before. */
  readonly #before = new MemoryStore();

  private constructor(duckdb: DuckDBConnection) {
    this.#duckdb = duckdb;
  }

  static async open(): Promise<MalformedInput> {
    const target = new MalformedInput(await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect());
    await runBuild(target.#before, await target.#write({ kind: "key", key: "name", value: ASSET.name }));
    return target;
  }

  async attempt(change: Change): Promise<number> {
    const asset = await this.#write(change);
    const store = copyOf(this.#before);
    const before = store.objects.get(currentKey(ASSET.symbol))!.bytes;
    const refusal = await runBuild(store, asset, { full: true }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal === undefined) {
      if ("isRefused" in change && change.isRefused) throw new Error(`${JSON.stringify(change.text)} is not refused`);
      if (change.kind === "export") checkSupply(change, await unpacked(store));
      for (const key of (await store.list("current/")).keys()) {
        const { problems } = await verifyIn(store, key.slice("current/".length, -".json".length));
        if (problems.length > 0) throw new Error(`what was published is wrong: ${problems[0]}`);
      }
      return 1;
    }
    if (change.kind === "export" && supplyOf(change) !== undefined) throw new Error(`refused: ${refusal}`);
    if (!(refusal instanceof Failure)) throw new Error(`not a sentence for users: ${(refusal as Error).stack}`);
    const { message } = refusal;
    if (INTERNALS.test(message) || message.length > SENTENCE_CHARACTERS || message === "") {
      throw new Error(`not a sentence for users: ${message.slice(0, SENTENCE_CHARACTERS)}`);
    }
    const after = [...(await store.list("current/")).keys()];
    const isSame = Buffer.compare(store.objects.get(currentKey(ASSET.symbol))!.bytes, before) === 0;
    if (after.length !== 1 || !isSame) throw new Error("a build that was refused was activated");
    return 1;
  }

  /** Writes the files with the change, and returns the path of ASSET.json. */
  async #write(change: Change): Promise<string> {
    // In a folder of their own: `../*` must not find what is none of theirs.
    const folder = join(this.#folder, "files");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    if (change.kind === "export") return this.#writeExport(folder, change);
    const changed = "file" in change ? change.file : "asset";
    const form = changed === "asset" ? "csv" : "form" in change ? change.form : "parquet";
    const asset: Record<string, unknown> = { ...ASSET };
    for (const name of TABLE_NAMES) {
      const extension = name === changed ? form : "csv";
      asset[name] = `${name}.${extension}`;
      const table = name === changed ? changedTable(TABLES[name], change) : TABLES[name];
      // Blocks are read only for transfers without a time.
      const written = name === "transfers" && changed === "blocks" ? withoutColumn(table, 2) : table;
      const path = join(folder, `${name}.${extension}`);
      const typed = change.kind === "type" ? Math.floor(change.column * written.columns.length) : -1;
      const as = (name: string, i: number) =>
        i === typed && change.kind === "type" ? `TRY_CAST(${name} AS ${change.type})` : name;
      if (extension === "csv") writeFileSync(path, csvOf(written));
      else await this.#writeParquet(path, written, as);
    }
    const path = join(folder, "asset.json");
    writeFileSync(path, JSON.stringify(change.kind === "key" ? { ...asset, [change.key]: change.value } : asset));
    if (change.kind === "bytes") {
      const file = changed === "asset" ? path : join(folder, `${changed}.${form}`);
      writeFileSync(file, edited(readFileSync(file), change.edits));
    }
    return path;
  }

  async #writeExport(folder: string, change: Export): Promise<string> {
    const { form, separator, top, isBytes } = change;
    const { tables, columns } = tablesOf(change);
    for (const [i, table] of tables.entries()) {
      const path = join(folder, `transfers-${i}.${form}`);
      const asBytes = (name: string, column: number) =>
        isBytes && column === CONTRACTS ? `unhex(substr(${name}, 3))` : name;
      if (form === "parquet") await this.#writeParquet(path, table, asBytes);
      else writeFileSync(path, top.replace(/sep=("?)$/, `sep=${separator}$1\n`) + csvOf(table, separator));
    }
    const path = join(folder, "asset.json");
    writeFileSync(path, JSON.stringify({ ...ASSET, transfers: `transfers-*.${form}`, ...(columns && { columns }) }));
    return path;
  }

  /** All columns are texts, but for those of which `as` makes something else. */
  async #writeParquet(
    path: string,
    { columns, rows }: Table,
    as: (sql: string, column: number) => string,
  ): Promise<void> {
    const select = columns.map((name, i) => `${as(`c${i}`, i)} AS ${quoted(name, '"')}`);
    const values = rows.map((row) => `(${row.map((text) => quoted(text, "'")).join(", ")})`);
    const names = columns.map((_, i) => `c${i}`).join(", ");
    const from =
      rows.length > 0
        ? `(VALUES ${values.join(", ")}) rows(${names})`
        : `(SELECT ${columns.map((_, i) => `'' AS c${i}`)}) LIMIT 0`;
    try {
      await this.#duckdb.run(
        `COPY (SELECT ${select.join(", ")} FROM ${from}) TO ${quoted(path, "'")} (FORMAT parquet)`,
      );
    } catch {
      // What can't be written as Parquet is a file that isn't.
      writeFileSync(path, csvOf({ columns, rows }));
    }
  }

  async close(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const withoutColumn = ({ columns, rows }: Table, at: number): Table => ({
  columns: columns.toSpliced(at, 1),
  rows: rows.map((row) => row.toSpliced(at, 1)),
});

const quoted = (text: string, mark: string) => mark + text.replaceAll(mark, mark + mark) + mark;

/** The column of contracts in an export. */
const CONTRACTS = 6;

function checkSupply(change: Export, store: MemoryStore): void {
  const expected = supplyOf(change);
  const [run] = runsIn(store, manifestIn(store, ASSET.symbol), { resolution: "day", metric: "supply" });
  const supply = run?.v.at(-1);
  if (supply !== expected) throw new Error(`the supply is ${supply}, not ${expected ?? "refused"}`);
}

/** Quotes only cells that need it, as exports do. */
function csvOf({ columns, rows }: Table, separator = ","): string {
  const cell = (text: string) => (/[",;\t\r\n]/.test(text) ? quoted(text, '"') : text);
  return [columns, ...rows].map((row) => `${row.map(cell).join(separator)}\n`).join("");
}
