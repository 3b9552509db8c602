import { describe, expect, it } from "vitest";
import { findAsset } from "../../explorer/src/api/catalog.ts";
import { Arrangement, type Curves } from "../../explorer/src/arrangement.ts";
import { parseAddress } from "../../explorer/src/state/address.ts";
import { tracesOf } from "../../explorer/src/state/traces.ts";
import { everyMetric as catalog } from "./catalog.ts";

const DAY = 86_400;

/** A chart of a family, and its curves for the values of each part on two days; 0 on both for other parts. */
function loaded(search: string, sizes: Record<string, [number, number]>) {
  const { chart } = parseAddress(search, catalog, []);
  const traces = tracesOf(chart, catalog);
  const columns = traces.map(({ part }) => Float64Array.from(sizes[part!.value] ?? [0, 0]));
  const table = { t: Float64Array.of(0, DAY), columns };
  const data = {
    status: "loaded" as const,
    table,
    gaps: [],
    problems: traces.map(() => null),
    heats: [],
    isTruncated: false,
  };
  return { chart, curves: { traces, data } satisfies Curves, asset: findAsset(catalog, "ARIA") };
}

const drawn = ({ traces, data }: Curves) =>
  traces.map(({ part, color }, i) => [part!.value, color, data.table.columns[i]!.at(-1)]);

describe("what is drawn", () => {
  const reserves = {
    all: [100, 120],
    kraken: [50, 10],
    binance: [1, 20],
    okx: [2, 30],
    upbit: [3, 5],
    bybit: [4, 6],
    kucoin: [1, 7],
    htx: [1, 8],
    "gate.io": [1, 9],
    mexc: [1, 4],
    gemini: [1, 3],
    bitget: [30, 2],
    bitso: [1, 1],
    rest: [4, 15],
  } satisfies Record<string, [number, number]>;

  it("of the exchanges are the ten largest by the last visible value, and the rest", () => {
    const { chart, curves, asset } = loaded("?y=cex_reserve:*exchange", reserves);
    const all = drawn(new Arrangement().of(curves, chart, asset));
    expect(all.map(([value]) => value)).toEqual([
      ...["all", "okx", "binance", "kraken", "gate.io", "htx", "kucoin", "bybit", "upbit", "mexc", "gemini", "rest"],
    ]);
    expect(all[1]).toEqual(["okx", "--hue-1", 30]);
    // 120 of which the ten hold 102: bitget, bitso and 15 others.
    expect(all.at(-1)).toEqual(["rest", "--rest", 18]);
    const before = { ...chart, zoom: { from: -DAY, to: 1 } };
    const names = drawn(new Arrangement().of(curves, before, asset)).map(([value]) => value);
    expect(names.slice(0, 4)).toEqual(["all", "kraken", "bitget", "bybit"]);
  });

  it("keeps the colour of each exchange while others become larger", () => {
    const { chart, curves, asset } = loaded("?y=cex_reserve:*exchange", reserves);
    const arrangement = new Arrangement();
    const colors = (from: number) =>
      new Map(
        drawn(arrangement.of(curves, { ...chart, zoom: { from, to: from + DAY + 1 } }, asset)).map(
          ([value, color]) => [value, color] as const,
        ),
      );
    const second = colors(0);
    expect(second.get("okx")).toBe("--hue-1");
    const first = colors(-DAY);
    // Bitget and bitso were large once, and take the colours of two that were not.
    const both = [...first.keys()].filter((value) => second.has(value));
    expect(both.length).toBeGreaterThan(9);
    for (const value of both) expect(first.get(value), String(value)).toBe(second.get(value));
    expect(new Set(first.values()).size).toBe(first.size);
  });

  it("leaves out what is off, which is no part of the rest either; one part alone may be a small one", () => {
    const off = loaded("?y=cex_reserve:*exchange:stack:off=okx", reserves);
    const without = drawn(new Arrangement().of(off.curves, off.chart, off.asset));
    expect(without.map(([value]) => value)).not.toContain("okx");
    expect(without.at(-1)).toEqual(["rest", "--rest", 18]);
    const only = loaded("?y=cex_reserve:*exchange:stack:only=bitso", reserves);
    expect(drawn(new Arrangement().of(only.curves, only.chart, only.asset))).toEqual([
      ["all", "--muted", 120],
      ["bitso", "--hue-1", 1],
    ]);
  });

  it("has a rest only where it is more than rounding", () => {
    const sizes = (rest: number) => ({ total: [1e9, 1e9 + rest], sc: [1e9, 1e9] }) as Record<string, [number, number]>;
    const rest = (by: number) => {
      const { chart, curves, asset } = loaded("?y=supply:*value", sizes(by));
      return drawn(new Arrangement().of(curves, chart, asset)).find(([value]) => value === "rest");
    };
    expect(rest(0)).toBeUndefined();
    expect(rest(0.5)).toBeUndefined();
    expect(rest(2)).toEqual(["rest", "--rest", 2]);
  });

  it("has no rest on rows where it is rounding alone", () => {
    const { chart, curves, asset } = loaded("?y=supply:*value", { total: [1e9 + 0.5, 1e9 + 2], sc: [1e9, 1e9] });
    const { table } = new Arrangement().of(curves, chart, asset).data;
    expect([...table.columns.at(-1)!]).toEqual([0, 2]);
  });

  it("is by block the whole less what moved, where parts without an event have no point", () => {
    const { chart, curves, asset } = loaded("?y=volume:*value&r=block", { total: [9, 4] });
    const { table } = curves.data;
    const missing = curves.traces.map(({ part }, i) =>
      part!.role === "part" ? Float64Array.of(i === 1 ? 5 : Number.NaN, Number.NaN) : table.columns[i]!,
    );
    const data = { ...curves.data, table: { ...table, columns: missing } };
    const { data: arranged } = new Arrangement().of({ ...curves, data }, chart, asset);
    expect([...arranged.table.columns.at(-1)!]).toEqual([4, 4]);
  });

  it("stays the same object until something else is drawn", () => {
    const { chart, curves, asset } = loaded("?y=cex_reserve:*exchange", reserves);
    const arrangement = new Arrangement();
    const first = arrangement.of(curves, chart, asset);
    expect(arrangement.of(curves, { ...chart, zoom: { from: 1, to: DAY } }, asset)).toBe(first);
    expect(arrangement.of(curves, { ...chart, zoom: { from: -DAY, to: 1 } }, asset)).not.toBe(first);
  });

  it("says once why a family failed", () => {
    const { chart, curves, asset } = loaded("?y=supply:*age", {});
    const problems = curves.traces.map(() => ({ title: "No" }) as never);
    const data = { ...curves.data, problems };
    expect(new Arrangement().of({ ...curves, data }, chart, asset).traces).toHaveLength(1);
  });
});
