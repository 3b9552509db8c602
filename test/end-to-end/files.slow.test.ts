/**
 * DuckDB over /v3/files. Its extension httpfs, which reads http://, is downloaded when it is installed. Where that is
 * impossible, this test sends the requests that httpfs would send (HEAD, then ranges from the end), and DuckDB opens the
 * bytes that came back.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../../builder/build/run/build.ts";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { exportBuild } from "../../builder/published/export/export.ts";
import { type Server, serve } from "../../builder/serve/serve.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import { createKey } from "../../builder/store/stored-keys.ts";
import { newFolder } from "../folders.ts";

interface ListedFile {
  path: string;
  url: string;
  resolution: string;
  metric: string;
  bytes: number;
  rows: number;
  sha256: string;
  first: string;
  last: string;
}

const folder = newFolder();
let server: Server;
let key = "";
let connection: DuckDBConnection;
let hasHttpfs = false;
/** The folder of an export with a script of views. */
let exported = "";

const get = (url: string, init: RequestInit = {}) =>
  fetch(new URL(url, server.url), { ...init, headers: { ...init.headers, "X-Api-Key": key } });

beforeAll(async () => {
  const token = await simulate({ out: join(folder, "token"), seed: 4, transfers: 4_000, days: 500, symbol: "SIM" });
  const persist = join(folder, "state");
  const state = await openLocalState(persist);
  await build(token.assetPath, state.objects, { threads: 2, progress: silentProgress() });
  ({ key } = await createKey(state.keys, { name: "files", plan: "unlimited" }));
  exported = join(folder, "exported");
  await exportBuild(state.objects, "SIM", { out: exported, duckdb: true }, silentProgress());
  await state.close();
  server = await serve({ port: 0, persist });
  connection = await (await DuckDBInstance.create(":memory:")).connect();
  hasHttpfs = await connection.run("INSTALL httpfs; LOAD httpfs").then(
    () => true,
    () => false,
  );
  if (!hasHttpfs) console.warn("DuckDB reads local copies: its extension httpfs cannot be installed here.");
});

afterAll(async () => {
  connection?.closeSync();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The bytes from one place to another, by a request of their own. */
async function range(url: string, from: number, to: number): Promise<Buffer> {
  const response = await get(url, { headers: { Range: `bytes=${from}-${to - 1}` } });
  expect([response.status, response.headers.get("Content-Length")]).toEqual([206, String(to - from)]);
  return Buffer.from(await response.arrayBuffer());
}

/** Reads a file as httpfs does: its length, the end with the footer's length, the footer, then the rest in parts. */
async function copied({ url, path, sha256 }: ListedFile): Promise<string> {
  const head = await get(url, { method: "HEAD" });
  expect([head.status, head.headers.get("Accept-Ranges")]).toEqual([200, "bytes"]);
  const size = Number(head.headers.get("Content-Length"));
  const end = await range(url, size - 8, size);
  expect(end.toString("latin1", 4)).toBe("PAR1");
  const footerStart = size - 8 - end.readUInt32LE(0);
  const parts = [await range(url, footerStart, size - 8), end];
  for (let to = footerStart; to > 0; ) {
    const from = Math.max(0, to - 50_000);
    parts.unshift(await range(url, from, to));
    to = from;
  }
  const bytes = Buffer.concat(parts);
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
  const copy = join(folder, path.replaceAll("/", "_"));
  writeFileSync(copy, bytes);
  return copy;
}

it("DuckDB reads what the list says, and the points that the API gives", async () => {
  const list = (await (await get("/v3/files/SIM")).json()) as { files: ListedFile[] };
  const files = list.files.filter(({ metric, resolution }) => metric === "volume" && resolution === "hour");
  expect(files.length).toBeGreaterThan(1);
  if (hasHttpfs) {
    await connection.run(
      `CREATE SECRET soprano (TYPE http, SCOPE '${server.url}', EXTRA_HTTP_HEADERS MAP {'X-Api-Key': '${key}'})`,
    );
  }
  const places = hasHttpfs ? files.map(({ url }) => url) : await Promise.all(files.map(copied));
  const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
  const time = (column: string) => `strftime(${column}::TIMESTAMP, '%Y-%m-%dT%H:%M:%S')`;
  await connection.run("SET TimeZone = 'UTC'");
  for (const [index, { rows, first, last }] of files.entries()) {
    const facts = `count(*)::INTEGER, ${time("min(t)")}, ${time("max(t)")}`;
    expect(await rowsOf(`SELECT ${facts} FROM read_parquet('${places[index]}')`)).toEqual([[rows, first, last]]);
  }
  const all = `read_parquet([${places.map((place) => `'${place}'`).join()}])`;
  const users = await rowsOf(`SELECT ${time("t")}, v FROM ${all} WHERE cohort = 'users' ORDER BY t`);
  const answer = await get("/v1/metrics/volume?a=SIM&r=hour&c=users");
  const points = (await answer.json()) as { t: string; v: number }[];
  // Files hold no zeros.
  expect(users).toEqual(points.filter(({ v }) => v !== 0).map(({ t, v }) => [t, v]));
  expect(users.length).toBeGreaterThan(100);
});

/** The script that the server answers; where there is no httpfs, over copies of the files that a condition leaves. */
async function servedScript(isRead: (url: string) => boolean): Promise<string> {
  const response = await get("/v3/duckdb.sql?a=sim");
  expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "application/sql; charset=utf-8"]);
  const script = await response.text();
  expect(script).not.toContain(key);
  if (hasHttpfs) return script;
  const copies = join(folder, "copies");
  const urls = Array.from(script.matchAll(/'(http[^']+\.parquet)'/g), ([, url]) => url!);
  expect(urls.length).toBeGreaterThan(100);
  for (const [index, url] of urls.entries()) {
    // A view is made with the columns of its first file.
    const isFirst = index === 0 || dirname(dirname(url)) !== dirname(dirname(urls[index - 1]!));
    if (!isFirst && !isRead(url)) continue;
    const path = url.replace(server.url, copies);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.from(await (await get(url)).arrayBuffer()));
  }
  const elsewhere = script.replaceAll(`${server.url}/v3/files/SIM/`, `${copies}/v3/files/SIM/`);
  return elsewhere.replace("INSTALL httpfs;\nLOAD httpfs;\n", "");
}

describe("the views", () => {
  const open = async () => (await DuckDBInstance.create(":memory:")).connect();

  it.each(["served", "exported"])("of a script that is %s have the points of the API", async (where) => {
    const views = await open();
    if (where === "exported") await views.run(`SET file_search_path = '${exported}'`);
    else await views.run(`SET VARIABLE soprano_key = '${key}'`);
    const isRead = (url: string) => /\/(sopr|supply|volume)\//.test(url);
    const script =
      where === "exported" ? readFileSync(join(exported, "duckdb.sql"), "utf8") : await servedScript(isRead);
    if (!hasHttpfs && where === "served") {
      // DuckDB looks for each path of a list on this disk, as it does not for addresses.
      const all = Array.from(script.matchAll(/^ {2}'([^']+)',?$/gm), ([, path]) => path!);
      for (const path of all.filter((one) => !isRead(one))) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, "", { flag: "a" });
      }
    }
    await views.run(script);
    for (const [resolution, query] of [
      ["day", "m=sopr,supply&c=total,users"],
      ["hour", "m=volume&c=users"],
      ["block", "m=volume&c=users"],
      ["week", "m=sopr"],
    ] as const) {
      const answer = await get(`/v3/series?a=SIM&r=${resolution}&${query}`);
      const { t, series } = (await answer.json()) as {
        t: string[];
        series: { metric: string; selector: string; v: (number | null)[] }[];
      };
      for (const { metric, selector, v } of series) {
        const sql = `SELECT strftime(t, '%Y-%m-%dT%H:%M:%S'), v FROM series_${resolution}
          WHERE asset = 'SIM' AND metric = '${metric}' AND selector = '${selector}' ORDER BY ALL`;
        const rows = (await views.runAndReadAll(sql)).getRowsJson();
        const points = t.map((time, index) => [time, v[index]]).filter(([, value]) => value !== null && value !== 0);
        expect(rows.length, `${resolution} ${metric}`).toBeGreaterThan(10);
        expect(rows).toEqual(points);
      }
    }
    views.closeSync();
  });

  it("need the key as a variable: the script says so", async () => {
    const response = await get("/v3/duckdb.sql?a=SIM&r=day");
    const secret = (await response.text()).match(/^CREATE OR REPLACE SECRET .*$/m)![0];
    const views = await open();
    await expect(views.run(secret)).rejects.toThrow(/First: SET VARIABLE soprano_key = '<your API key>'/);
    await views.run(`SET VARIABLE soprano_key = '${key}'; ${secret}`);
    const secrets = await views.runAndReadAll("SELECT name, type, scope FROM duckdb_secrets()");
    expect(secrets.getRowsJson()).toEqual([["soprano", "http", [`${server.url}/v3/files/`]]]);
    views.closeSync();
  });
});
