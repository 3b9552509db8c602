/** The numbers of worked-example.md, worked by hand, compared with the reference and the engine. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { METRICS, type MetricName, metricByName, selectorIn } from "../../data-schema/registry/metrics.ts";
import { compareSeries } from "../reference/compare.ts";
import { type Point, reference, type SeriesByKey, type Token, ZERO_ADDRESS } from "../reference/reference.ts";
import { INVARIANTS } from "./invariants.ts";
import { runEngine } from "./run-engine.ts";

/** Cells by column; each table has some of the columns. */
type Column =
  | "name"
  | "label"
  | "block"
  | "log"
  | "time"
  | "from"
  | "to"
  | "tokens"
  | "USD"
  | "hour"
  | "metric"
  | "selectors";
type Row = Record<Column, string> & Record<string, string>;

const page = readFileSync(new URL("worked-example.md", import.meta.url), "utf8");

/** A table under a heading, a record per row. @param index of the table */
function table(heading: string, index = 0): Row[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  const tables = [...(section ?? "").matchAll(/(?:^\|.*\n)+/gm)].map(([text]) => text);
  const [header = "", , ...rows] = (tables[index] ?? "").trim().split("\n");
  const cells = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
  return rows.map((row) => Object.fromEntries(cells(header).map((name, i) => [name, cells(row)[i]])) as Row);
}

/** Unix seconds of `2024-01-01 10:00` or `2024-01-01`. */
function time(text: string): number {
  return Date.parse(`${text.replace(" ", "T")}Z`.replace(/^([\d-]{10})Z$/, "$1")) / 1000;
}

/** A number, a sum such as `40 + 60`, or a fraction such as `150 / 240`. */
function number(cell: string): number {
  const [above = "", below = "1"] = cell.split(" / ");
  const sum = above.split(" + ").reduce((total, term) => total + Number(term), 0);
  return sum / Number(below);
}

function readToken(): Token {
  const people = table("Addresses");
  const addresses = new Map(people.map(({ name }, i) => [name, `0x${"0".repeat(38)}a${i}`]));
  const addressOf = (name: string) => (name === "zero" ? ZERO_ADDRESS : addresses.get(name)!);
  const labelled = (wanted: (label: string) => boolean) => people.filter(({ label }) => wanted(label));
  return {
    decimals: 18,
    maxSupply: "21000000000",
    asOf: time("2024-01-05"),
    transfers: table("Events").map((row) => ({
      block: Number(row.block),
      logIndex: Number(row.log),
      timestamp: time(row.time),
      from: addressOf(row.from),
      to: addressOf(row.to),
      value: BigInt(row.tokens) * 10n ** 18n,
    })),
    prices: table("Prices").map((row) => [time(row.time), Number(row.USD)]),
    exchanges: Object.fromEntries(
      labelled((label) => label !== "user" && label !== "contract").map(({ name, label }) => [addressOf(name), label]),
    ),
    contracts: [...labelled((label) => label === "contract").map(({ name }) => addressOf(name)), addressOf("Vault")],
  };
}

const DAYS = ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"];

/** The day series of some tables, as they stand there. */
function seriesOf(rows: readonly Row[]): SeriesByKey {
  const series = rows.flatMap((row) =>
    row.selectors
      .split(", ")
      .map((selector): [string, Point[]] => [
        `${row.metric}|day|${selector.replaceAll("`", "")}`,
        DAYS.filter((day) => row[day] !== "").map((day) => ({ t: time(day), v: number(row[day]!) })),
      ]),
  );
  return new Map(series);
}

/** Every day series of the example that v1 has, and the short-term holders of these metrics: all users, of all ages. */
function daySeries(): SeriesByKey {
  const series = seriesOf([...table("Flow metrics by day"), ...table("State metrics and price by day")]);
  for (const metric of new Set([...series.keys()].map((key) => key.split("|")[0]!))) {
    const of = (selector: string) => series.get(`${metric}|day|${selector}`);
    const ages = [of("<1d") ?? [], of("1d-1w") ?? []].flat();
    const added = DAYS.map(time).map((t) => ({
      t,
      v: ages.filter((point) => point.t === t).reduce((sum, { v }) => sum + v, 0),
    }));
    const all = of("users") ?? added.filter(({ v }) => v !== 0);
    if (all.length > 0) series.set(`${metric}|day|sth`, all);
  }
  return series;
}

/** Some of the day series of version 3's own metrics. */
function ownSeries(): SeriesByKey {
  const series = seriesOf(table("Coin age, addresses and issuance by day", 1));
  for (const [key, points] of [...series]) {
    const metric = key.split("|")[0] as MetricName;
    if (key.endsWith("|users") && selectorIn(metricByName(metric))?.values.includes("sth")) {
      series.set(key.replace(/users$/, "sth"), points);
    }
  }
  return series;
}

const METRICS_BY_HOUR_AND_BLOCK = [
  "volume",
  "volume_dollar",
  "moved_coins_cost_basis",
  "realised_profit",
  "realised_loss",
  "sopr",
];

/** The hour and block series that the example has. */
function hourAndBlockSeries(): SeriesByKey {
  const points = (rows: Row[], metric: string, place: (row: Row) => Omit<Point, "v">) =>
    rows.filter((row) => row[metric] !== "").map((row) => ({ ...place(row), v: number(row[metric]!) }));
  return new Map(
    METRICS_BY_HOUR_AND_BLOCK.flatMap((metric): [string, Point[]][] => [
      [`${metric}|hour|total`, points(table("Hours"), metric, (row) => ({ t: time(row.hour) }))],
      [
        `${metric}|block|total`,
        points(table("Blocks"), metric, (row) => ({ t: time(row.time), block: Number(row.block) })),
      ],
    ]),
  );
}

function only(series: SeriesByKey, wanted: (key: string) => boolean): SeriesByKey {
  return new Map([...series].filter(([key]) => wanted(key)));
}

const token = readToken();
const days = daySeries();
const own = ownSeries();
/** Whether a series is of a metric of v1. */
const isOfV1 = (key: string) => METRICS.find(({ name }) => name === key.split("|")[0])!.selectors.v1 !== undefined;
const hoursAndBlocks = hourAndBlockSeries();

describe("the worked example", () => {
  it("has the tables of its page", () => {
    expect(token.transfers).toHaveLength(15);
    expect(new Set([...days.keys()].map((key) => key.split("|")[0])).size).toBe(44);
    expect(days.get("sopr_profit|day|total")).toEqual([{ t: 1_704_153_600, v: 420 / 222 }]);
    expect(hoursAndBlocks.get("volume|block|total")?.[2]).toEqual({ t: 1_704_187_800, v: 50, block: 201 });
  });

  it.each([
    { who: "the reference", compute: reference },
    { who: "the engine", compute: (example: Token) => runEngine(example).series },
  ])("$who arrives at the numbers worked by hand", ({ compute }) => {
    const series = compute(token);
    const isDay = (key: string) => key.split("|")[1] === "day" && (isOfV1(key) || key.startsWith("price|"));
    expect(compareSeries(only(series, isDay), days)).toEqual([]);
    expect(
      compareSeries(
        only(series, (key) => own.has(key)),
        own,
      ),
    ).toEqual([]);
    expect(
      compareSeries(
        only(series, (key) => hoursAndBlocks.has(key)),
        hoursAndBlocks,
      ),
    ).toEqual([]);
    for (const { name, violations } of INVARIANTS) expect(violations(series, token), name).toEqual([]);
  });

  it("keeps every invariant by hand, too", () => {
    const invariants = INVARIANTS.filter(({ name }) => !name.startsWith("7."));
    // Rules of version 3's own metrics, of which the page has some cohorts only.
    const all = new Map([...days, ...own]);
    for (const { name, violations } of invariants) {
      expect(violations(/^1[3-6]\./.test(name) ? all : days, token), name).toEqual([]);
    }
  });
});
