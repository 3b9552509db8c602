import { describe, expect, it } from "vitest";
import type { ScreenerColumn } from "../../../data-schema/stored/screener.ts";
import { Problem } from "../../../explorer/src/api/problem.ts";
import {
  batchesOf,
  ComputedColumns,
  type FormulaAnswer,
  fieldsOf,
  requestOf,
} from "../../../explorer/src/screener/computed.ts";
import type { AssetRow } from "../../../explorer/src/screener/screener-rows.ts";

const DAY = 86_400;
const T = Date.parse("2026-01-01T00:00:00Z") / 1_000;
const column: ScreenerColumn = {
  name: "z",
  title: "z",
  description: "",
  formula: "a + b; c",
  unit: "ratio",
  isFraction: false,
};
const row = (asset: string, t: string | null = "2026-01-01T00:00:00"): AssetRow => ({
  asset,
  name: asset,
  t,
  closes: [],
});
const rows = (count: number) => Array.from({ length: count }, (_, i) => row(`A${i}`));

it("asks for ten assets at a time, each at its own last day", () => {
  const found = batchesOf({ column, rows: [...rows(12), row("LATE", "2025-12-30T00:00:00"), row("NEW", null)] });
  expect(found.map(({ t, assets }) => [(T - t) / DAY, assets.length])).toEqual([
    [0, 10],
    [0, 2],
    [2, 1],
  ]);
  expect(requestOf({ column, t: T, assets: ["A", "B"] })).toBe(
    "/v3/series?a=A,B&x=v%3Da%20%2B%20b%3B%20c&s=2025-01-02&u=2026-01-01&time=unix",
  );
});

it("computes value, changes and percentile from the answer", () => {
  const t = Array.from({ length: 31 }, (_, i) => T - (30 - i) * DAY);
  const v = t.map((_, i) => (i === 29 ? null : i));
  const answer: FormulaAnswer = {
    t,
    series: [
      { asset: "A", v: v.toReversed() },
      { asset: "B", v },
    ],
  };
  expect(fieldsOf(answer, "B", column, T)).toEqual({ v: 30, "1d": null, "7d": 7, "30d": 30, pct: 1 });
  expect(fieldsOf(answer, "A", column, T)).toMatchObject({ v: 0, "7d": -7, pct: Number((1 / 30).toPrecision(8)) });
  expect(fieldsOf(answer, "A", column, T + DAY)).toBeNull();
});

describe("what is needed is computed", () => {
  const answerOf = (path: string): FormulaAnswer => {
    const assets = new URL(path, "http://soprano").searchParams.get("a")!.split(",");
    return { t: [T], series: assets.map((asset) => ({ asset, v: [Number(asset.slice(1))] })) };
  };
  const settled = () => new Promise((done) => setTimeout(done, 5));

  it("once, three requests at a time, and what is no longer needed is not asked for", async () => {
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    const computed = new ComputedColumns(
      (path) => {
        asked.push(path);
        return new Promise((done) => answers.push(() => done(answerOf(path))));
      },
      () => {},
    );
    computed.need([{ column, rows: rows(60) }]);
    expect(asked.length).toBe(3);
    computed.need([{ column, rows: rows(40).slice(25) }]);
    for (const answer of answers) answer();
    await settled();
    // Thirty were on their way: ten others are left.
    expect(asked.length).toBe(4);
    for (const answer of answers) answer();
    await settled();
    expect(computed.fields(column, "A39")?.v).toBe(39);
    expect(computed.fields(column, "A45")).toBeUndefined();
    computed.need([{ column, rows: rows(40) }]);
    expect(asked.length).toBe(4);
  });

  it("in halves where one asset has no answer, and the problem is told", async () => {
    const computed = new ComputedColumns(
      async (path) => {
        if (path.includes("A7")) throw new Problem("damaged-data", "Damaged", "An object is damaged.");
        return answerOf(path);
      },
      () => {},
    );
    computed.need([{ column, rows: rows(10) }]);
    await settled();
    expect(rows(10).map(({ asset }) => computed.fields(column, asset)?.v ?? null)).toEqual([
      0,
      1,
      2,
      3,
      4,
      5,
      6,
      null,
      8,
      9,
    ]);
    expect(computed.problem(column)?.title).toBe("Damaged");
    computed.retry();
    expect(computed.problem(column)).toBeUndefined();
    expect(computed.fields(column, "A1")).toBeUndefined();
  });

  it("for those alone that can have it", async () => {
    const asked: string[] = [];
    let arrivals = 0;
    const computed = new ComputedColumns(
      async (path) => {
        asked.push(path);
        return answerOf(path);
      },
      () => arrivals++,
      ({ formula }) => (formula === column.formula ? (asset) => asset !== "A1" : () => true),
    );
    computed.need([{ column, rows: rows(3) }]);
    // The page hears of those that can't have it, too.
    expect([computed.fields(column, "A0"), arrivals]).toEqual([null, 1]);
    await settled();
    expect(asked).toEqual([requestOf({ column, t: T, assets: ["A1"] })]);
    expect(computed.fields(column, "A1")?.v).toBe(1);
    computed.need([{ column, rows: rows(3) }]);
    computed.need([{ column: { ...column, formula: "d" }, rows: rows(3) }]);
    expect([asked.length, arrivals]).toEqual([1, 3]);
  });

  it("but not again where all requests fail alike", async () => {
    let asked = 0;
    const computed = new ComputedColumns(
      async () => {
        asked++;
        throw new Problem("too-many-requests", "Too many requests", "Wait.");
      },
      () => {},
    );
    computed.need([{ column, rows: rows(10) }]);
    await settled();
    computed.need([{ column, rows: rows(10) }]);
    await settled();
    expect(asked).toBe(1);
  });
});
