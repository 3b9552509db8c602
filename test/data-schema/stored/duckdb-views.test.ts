/** Views of DuckDB over made-up files: every point is a row, in its place. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { duckdbViews, pathPart, sqlText } from "../../../data-schema/stored/duckdb-views.ts";
import { LISTED, type Manifest } from "../../../data-schema/stored.ts";
import { newFolder } from "../../folders.ts";
import { at, DAY, HOUR, publish, type Token } from "../../worker/token.ts";

const FIRST = at("2025-03-01");
const folder = join(newFolder(), "it's a bucket");

const token: Token = {
  symbol: "ARIA",
  own: ["@team"],
  metrics: ["sopr", "volume", "price"],
  periods: {
    day: [{ name: "all", from: FIRST, to: FIRST + 9 * DAY }],
    hour: [{ name: "2025", from: FIRST, to: FIRST + DAY }],
    block: [
      { name: "2025-03-01", from: FIRST, to: FIRST + DAY },
      { name: "2025-03-02", from: FIRST + DAY, to: FIRST + 2 * DAY },
    ],
  },
  range: { day: [FIRST, FIRST + DAY], hour: [FIRST, FIRST + 23 * HOUR] },
  series: (metric, resolution, selector) => {
    const base = { total: 100, "<1d": 200, "@team": 300 }[selector];
    if (base === undefined) return [];
    const second = resolution === "hour" ? HOUR : DAY;
    // Blocks have times of their own.
    const later = resolution === "block" ? 35 : 0;
    const v = base + metric.length;
    return [
      { t: FIRST + later, v, block: 7 },
      { t: FIRST + second + later, v: v + 0.5, block: 9 },
    ];
  },
};

let connection: DuckDBConnection;
let manifests: Manifest[];

const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();

/** The views of files under the names that they have in a bucket. */
const scriptOf = (all: readonly Manifest[]) =>
  [
    ...duckdbViews(all, (resolution, of) => all.flatMap((one) => [...LISTED[of](one, [resolution])]), {
      place: ({ key }) => join(folder, key).replaceAll("\\", "/"),
      asset: pathPart(4),
      of: pathPart(2),
    }),
  ].join("");

beforeAll(async () => {
  const bucket = {
    async put(key: string, value: string | Uint8Array) {
      mkdirSync(dirname(join(folder, key)), { recursive: true });
      writeFileSync(join(folder, key), value);
    },
  };
  manifests = [
    await publish(bucket, token),
    await publish(bucket, { ...token, symbol: "DUET", own: [], periods: { day: token.periods.day! } }),
  ];
  connection = await (await DuckDBInstance.create(":memory:")).connect();
  // A session of another time zone: times are UTC all the same.
  await connection.run("SET TimeZone = 'Asia/Seoul'");
  await connection.run(scriptOf(manifests));
});

afterAll(() => connection?.closeSync());

describe("the views", () => {
  it("have a row a point, of metrics with one series and with many, and of own cohorts", async () => {
    expect(
      await rowsOf("SELECT metric, selector, t, v FROM series_day WHERE asset = 'ARIA' ORDER BY metric, selector, t"),
    ).toEqual([
      ["price", "total", "2025-03-01 00:00:00", 105],
      ["price", "total", "2025-03-02 00:00:00", 105.5],
      ["sopr", "<1d", "2025-03-01 00:00:00", 204],
      ["sopr", "<1d", "2025-03-02 00:00:00", 204.5],
      ["sopr", "@team", "2025-03-01 00:00:00", 304],
      ["sopr", "@team", "2025-03-02 00:00:00", 304.5],
      ["sopr", "total", "2025-03-01 00:00:00", 104],
      ["sopr", "total", "2025-03-02 00:00:00", 104.5],
      ["volume", "<1d", "2025-03-01 00:00:00", 206],
      ["volume", "<1d", "2025-03-02 00:00:00", 206.5],
      ["volume", "@team", "2025-03-01 00:00:00", 306],
      ["volume", "@team", "2025-03-02 00:00:00", 306.5],
      ["volume", "total", "2025-03-01 00:00:00", 106],
      ["volume", "total", "2025-03-02 00:00:00", 106.5],
    ]);
  });

  it("have the columns that the documentation names", async () => {
    const columns = (view: string) =>
      rowsOf(`SELECT column_name, data_type FROM information_schema.columns WHERE table_name = '${view}'`);
    const times = ["asset", "metric", "selector"].map((name) => [name, "VARCHAR"]);
    expect(await columns("series_day")).toEqual([...times, ["t", "TIMESTAMP"], ["v", "DOUBLE"]]);
    expect(await columns("series_block")).toEqual([...times, ["t", "TIMESTAMP"], ["block", "BIGINT"], ["v", "DOUBLE"]]);
  });

  it("are those of the resolutions that some asset has, over all of its periods", async () => {
    expect(await rowsOf("SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY 1")).toEqual([
      ["series_block"],
      ["series_day"],
      ["series_hour"],
      ["series_ranges"],
    ]);
    const blocks = "SELECT t, block, v FROM series_block WHERE metric = 'sopr' AND selector = '@team' ORDER BY t";
    expect(await rowsOf(blocks)).toEqual([
      ["2025-03-01 00:00:35", "7", 304],
      ["2025-03-02 00:00:35", "9", 304.5],
    ]);
    expect(await rowsOf("SELECT DISTINCT asset FROM series_day ORDER BY 1")).toEqual([["ARIA"], ["DUET"]]);
  });

  it("say from when to when each asset is published, and by which build", async () => {
    expect(await rowsOf("FROM series_ranges WHERE resolution IN ('day', 'hour') ORDER BY asset, resolution")).toEqual([
      ["ARIA", "0123456789abcdef", "day", "2025-03-01 00:00:00", "2025-03-02 00:00:00", "2026-01-01 00:00:00"],
      ["ARIA", "0123456789abcdef", "hour", "2025-03-01 00:00:00", "2025-03-01 23:00:00", "2026-01-01 00:00:00"],
      ["DUET", "0123456789abcdef", "day", "2025-03-01 00:00:00", "2025-03-02 00:00:00", "2026-01-01 00:00:00"],
    ]);
  });

  it.each([
    // The file of the own cohort may have any metric; where all are read, the plan says nothing of files.
    ["asset = 'ARIA' AND metric = 'sopr'", ["1/6"]],
    ["asset = 'ARIA' AND metric = 'sopr' AND selector = 'total'", ["0/1", "1/6"]],
    ["metric IN ('sopr', 'price') AND selector = '<1d'", ["0/1", "4/6"]],
    ["asset = 'DUET'", ["0/1", "3/6"]],
  ])("where %s, only these files are opened: %j", async (condition, opened) => {
    const [[, plan] = []] = await rowsOf(`EXPLAIN ANALYZE SELECT * FROM series_day WHERE ${condition}`);
    const found = Array.from(String(plan).matchAll(/Scanning Files: (\S+)/g), ([, files]) => files);
    expect(found.toSorted()).toEqual(opened);
  });

  it("are made anew by the same script", async () => {
    await connection.run(scriptOf(manifests.slice(1)));
    expect(await rowsOf("SELECT DISTINCT asset FROM series_day")).toEqual([["DUET"]]);
    expect(await rowsOf("SELECT DISTINCT asset FROM series_ranges")).toEqual([["DUET"]]);
  });
});

it("without files, there is only the view of ranges, which is empty", async () => {
  const other = await (await DuckDBInstance.create(":memory:")).connect();
  await other.run([...duckdbViews([], () => [], { place: () => "", asset: "''", of: "''" })].join(""));
  expect((await other.runAndReadAll("FROM series_ranges")).getRowsJson()).toEqual([]);
  other.closeSync();
});

it("texts stay texts, whatever they hold", async () => {
  for (const text of ["", "it's", "''; DROP VIEW series_day; --", "\\", "한"]) {
    const other = await (await DuckDBInstance.create(":memory:")).connect();
    expect((await other.runAndReadAll(`SELECT ${sqlText(text)}`)).getRowsJson()).toEqual([[text]]);
    other.closeSync();
  }
});
