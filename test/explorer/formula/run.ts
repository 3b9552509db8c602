/** Runs programs of the explorer as their readers would: in Python, TypeScript and DuckDB. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import { transform } from "esbuild";
import { FILE } from "../../../explorer/src/formula/code/sql.ts";

/** The finite values of each line, by title, then by time: `2025-03-01T00:00:00`, and `#` and the block if there are any. */
export type Chart = Map<string, Map<string, number>>;

const finite = (values: Iterable<[row: string, value: number]>) =>
  new Map([...values].filter(([, value]) => Number.isFinite(value)));

/** All in one process, since importing pandas takes longer than a program. */
export async function runPython(python: string, programs: readonly string[]): Promise<Chart[]> {
  const runner = fileURLToPath(new URL("run-programs.py", import.meta.url));
  const child = spawn(python, [runner], { timeout: 100_000 });
  child.stdin.end(JSON.stringify(programs));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (stdout === "") throw new Error(stderr);
  const charts = JSON.parse(stdout) as Record<string, Record<string, string>>[];
  return charts.map((chart) => {
    const lines = Object.entries(chart);
    return new Map(
      lines.map(([title, rows]) => [title, finite(Object.entries(rows).map(([row, value]) => [row, Number(value)]))]),
    );
  });
}

/** Runs a program as a module of its own, without its last statement, which would print the chart. */
export async function runTypeScript(program: string): Promise<Chart> {
  const silent = program.replace("console.log(chart);", "export { chart };");
  const { code } = await transform(silent, { loader: "ts", target: "node20" });
  const { chart } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { chart: Row[] };
  return linesOf(chart);
}

/** Beside a file, which the program's first lines say how to download. */
export async function runSql(program: string, file: Uint8Array): Promise<Chart> {
  const folder = mkdtempSync(join(tmpdir(), "soprano-formula-"));
  try {
    writeFileSync(join(folder, FILE), file);
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run(`SET file_search_path = '${folder}'`);
    const rows = (await connection.runAndReadAll(program)).getRowObjectsJS() as unknown as Row[];
    connection.closeSync();
    instance.closeSync();
    return linesOf(rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Row = { t: string | Date; block?: number | bigint } & Record<string, number | null>;

function linesOf(rows: readonly Row[]): Chart {
  const titles = Object.keys(rows[0] ?? {}).filter((name) => name !== "t" && name !== "block");
  const key = ({ t, block }: Row) =>
    (t instanceof Date ? t.toISOString().slice(0, 19) : t) + (block === undefined ? "" : `#${block}`);
  return new Map(titles.map((title) => [title, finite(rows.map((row) => [key(row), row[title] ?? Number.NaN]))]));
}
