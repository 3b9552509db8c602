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

/** The columns of a chart by their titles; NaN where there is no value. */
export type Chart = Record<string, number[]>;

/** All in one process, since importing pandas takes longer than a program. */
export async function runPython(python: string, programs: readonly string[]): Promise<Chart[]> {
  const runner = fileURLToPath(new URL("run-programs.py", import.meta.url));
  const child = spawn(python, [runner], { timeout: 100_000 });
  child.stdin.end(JSON.stringify(programs));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (stdout === "") throw new Error(stderr);
  return (JSON.parse(stdout) as Record<string, string[]>[]).map((chart) =>
    Object.fromEntries(Object.entries(chart).map(([title, values]) => [title, values.map(pythonNumber)])),
  );
}

const pythonNumber = (text: string) => Number(text.replace("inf", "Infinity").replace("nan", "NaN"));

/** As a module of its own; the last statement would print the chart. */
export async function runTypeScript(program: string): Promise<Chart> {
  const silent = `${program.replace("console.log(chart)", "")}\nexport { chart };`;
  const { code } = await transform(silent, { loader: "ts", target: "node20" });
  const { chart } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { chart: Row[] };
  return columnsOf(chart);
}

/** Beside a file, which the program's first lines tell to download. */
export async function runSql(program: string, file: Uint8Array): Promise<Chart> {
  const folder = mkdtempSync(join(tmpdir(), "soprano-formula-"));
  try {
    writeFileSync(join(folder, FILE), file);
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run(`SET file_search_path = '${folder}'`);
    const rows = (await connection.runAndReadAll(program)).getRowObjectsJS() as Row[];
    connection.closeSync();
    instance.closeSync();
    return columnsOf(rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Row = Record<string, number | null>;

function columnsOf(rows: readonly Row[]): Chart {
  const titles = Object.keys(rows[0] ?? {}).filter((name) => name !== "t" && name !== "block");
  return Object.fromEntries(titles.map((title) => [title, rows.map((row) => row[title] ?? Number.NaN)]));
}
