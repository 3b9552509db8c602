import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAddress, parseAddress } from "../../../explorer/src/state/address.ts";
import { normalise, type SeriesChoice } from "../../../explorer/src/state/chart-state.ts";
import { catalog, charts } from "../catalog.ts";

const fallback: SeriesChoice[] = [{ metric: "market_cap", selector: "total" }];
const parse = (search: string) => parseAddress(search, catalog, fallback);

describe("the address", () => {
  it("restores every chart", () => {
    fc.assert(
      fc.property(charts, (chart) => {
        expect(parse(formatAddress(chart))).toEqual({ chart, notes: [] });
      }),
    );
  });

  it("stays readable", () => {
    expect(formatAddress(parse("?y=volume:$10M%2B&y=sopr&r=hour&s=2025-03-01&scale=log").chart)).toBe(
      "?a=ARIA&y=volume:$10M%2B&y=sopr:total&r=hour&s=2025-03-01&scale=log",
    );
  });

  it("opens on the first asset and the default series when it is empty", () => {
    expect(parse("")).toEqual({
      chart: {
        asset: "ARIA",
        series: fallback,
        resolution: "day",
        range: { preset: "all" },
        scale: "linear",
        zoom: null,
      },
      notes: [],
    });
  });

  it("accepts an unencoded plus sign, and a symbol in any case", () => {
    const { chart } = parse("?a=duet&y=volume:$10M+");
    expect(chart).toMatchObject({ asset: "DUET", series: [{ metric: "volume", selector: "$10M+" }] });
  });

  it("reports an asset and series that do not exist", () => {
    const { chart, notes } = parse("?a=NONE&y=nothing&y=sopr:nobody&y=sc_volume_locked:total&y=volume");
    expect(notes).toEqual([
      "There is no asset NONE here. Showing ARIA instead.",
      "There is no series nothing, so it isn't shown.",
      "There is no series sopr:nobody, so it isn't shown.",
      "There is no series sc_volume_locked:total, so it isn't shown.",
    ]);
    expect(chart).toMatchObject({ asset: "ARIA", series: [{ metric: "volume", selector: "total" }] });
  });

  it.each([
    ["r=week", "r=week isn't valid, so it is ignored."],
    ["range=5y", "range=5y isn't valid, so it is ignored."],
    ["s=yesterday", "s=yesterday isn't valid, so it is ignored."],
    ["u=2025-13-01", "u=2025-13-01 isn't valid, so it is ignored."],
    ["s=2025-02-01&u=2025-01-01", "The start date is after the end date, so both are ignored."],
    ["scale=square", "scale=square isn't valid, so it is ignored."],
    ["z=2025-02-01,2025-01-01", "z=2025-02-01,2025-01-01 isn't valid, so it is ignored."],
    ["y=sopr&y=volume&y=market_cap", "A chart shows at most 6 series in 2 units. The others are left out."],
    ["y=sopr&y=sopr:total", undefined],
    [`a=${"A".repeat(3000)}`, `There is no asset ${"A".repeat(39)}… here. Showing ARIA instead.`],
  ])("reports what it ignores in %s", (search, note) => {
    expect(parse(`?${search}`).notes).toEqual(note === undefined ? [] : [note]);
  });

  it("accepts any text", () => {
    const texts = fc.string({ unit: "binary" });
    const pairs = fc.array(fc.tuple(fc.constantFrom("a", "y", "r", "range", "s", "u", "z", "scale", "x"), texts));
    fc.assert(
      fc.property(pairs, (query) => {
        const { chart } = parse(`?${new URLSearchParams(query)}`);
        expect(normalise(chart, catalog)).toEqual(chart);
        expect(parse(formatAddress(chart)).chart).toEqual(chart);
      }),
    );
  });

  it("ignores a reversed range", () => {
    expect(parse("?s=2025-02-01&u=2025-01-01&z=2025-02-01,2025-01-01").chart).toMatchObject({
      range: { preset: "all" },
      zoom: null,
    });
  });
});
