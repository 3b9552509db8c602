import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PLAIN_STYLE } from "../../../explorer/src/lines/line-style.ts";
import { formatAddress, parseAddress } from "../../../explorer/src/state/address.ts";
import { normalise, PLAIN_LOOK } from "../../../explorer/src/state/chart-state.ts";
import { ANY_CHARACTER } from "../../data-schema/text/characters.ts";
import { catalog, charts } from "../catalog.ts";

const line = (metric: string, selector: string | null, asset: string | null = null) => ({
  kind: "series" as const,
  asset,
  metric,
  selector,
});
const fallback = [line("market_cap", "total")];
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
        panes: [{ ...PLAIN_LOOK, lines: fallback }],
        resolution: "day",
        range: { preset: "all" },
        zoom: null,
        pins: [],
        remarks: [],
        alert: null,
        isDayOpen: false,
      },
      notes: [],
    });
  });

  it("reads the only series of a metric by the name that the API gives it", () => {
    const { chart, notes } = parse("?y=price:total");
    expect({ lines: chart.panes[0]!.lines, notes }).toEqual({ lines: [line("price", null)], notes: [] });
    expect(parse("?y=price:users").notes).toHaveLength(1);
  });

  it("accepts an unencoded plus sign, and a symbol in any case", () => {
    const { chart } = parse("?a=duet&y=volume:$10M+");
    expect(chart).toMatchObject({ asset: "DUET", panes: [{ lines: [line("volume", "$10M+")] }] });
  });

  it("reads panes, other assets, and how each pane is drawn", () => {
    const { chart, notes } = parse(
      "?y=sopr&y=duet.sopr:users&price=log&mark=steps&y3=ARIA.volume&mark3=bars&index3=100&smooth3=7&scale3=log&known3=revision",
    );
    expect(notes).toEqual([]);
    expect(chart.panes).toEqual([
      { ...PLAIN_LOOK, lines: [line("sopr", "total"), line("sopr", "users", "DUET")], mark: "steps", price: "log" },
      {
        ...PLAIN_LOOK,
        known: "revision",
        lines: [line("volume", "total")],
        scale: "log",
        mark: "bars",
        price: null,
        isIndexed: true,
        smoothing: 7,
      },
    ]);
    expect(formatAddress(chart)).toBe(
      "?a=ARIA&y=sopr:total&y=DUET.sopr:users&y2=volume:total&mark=steps&price=log&scale2=log&mark2=bars&index2=100&smooth2=7&known2=revision",
    );
  });

  it("reads how single lines are drawn", () => {
    const { chart, notes } = parse("?y=sopr&y=volume&y2=market_cap&style=,bars.right&style2=off&style3=c9");
    expect(notes).toEqual(["style3=c9 isn't valid, so it is ignored."]);
    const styles = chart.panes.map(({ lines }) => lines.map(({ style }) => style));
    expect(styles).toEqual([
      [undefined, { ...PLAIN_STYLE, mark: "bars", isRight: true }],
      [{ ...PLAIN_STYLE, isOff: true }],
    ]);
    expect(formatAddress(chart)).toBe(
      "?a=ARIA&y=sopr:total&y=volume:total&y2=market_cap:total&style=,bars.right&style2=off",
    );
  });

  it("reads notes on times and stretches, in order", () => {
    const { chart, notes } = parse(
      "?y=sopr&note=2025-03-01T12:00,,Listing,+finally&note=2025-01-01,2025-02-01,Unlock&note=soon,,x&note=2025-03-01,,&note=2025-03-02,2025-03-01,x",
    );
    const at = (time: string) => Date.parse(`${time}Z`) / 1000;
    expect(chart.remarks).toEqual([
      { from: at("2025-01-01T00:00"), to: at("2025-02-01T00:00"), text: "Unlock" },
      { from: at("2025-03-01T12:00"), to: null, text: "Listing, finally" },
    ]);
    expect(notes).toEqual(
      ["soon,,x", "2025-03-01,,", "2025-03-02,2025-03-01,x"].map(
        (text) => `note=${text} isn't valid, so it is ignored.`,
      ),
    );
    expect(formatAddress(chart)).toBe(
      "?a=ARIA&y=sopr:total&note=2025-01-01,2025-02-01,Unlock&note=2025-03-01T12:00,,Listing,%20finally",
    );
  });

  it("reads pins, in order", () => {
    const { chart, notes } = parse("?y=sopr&pin=2025-03-11T12:00,2025-03-01");
    expect(notes).toEqual([]);
    expect(formatAddress(chart)).toBe("?a=ARIA&y=sopr:total&pin=2025-03-01,2025-03-11T12:00");
    expect(parse("?y=sopr&pin=2025-03-01,2025-03-01").chart.pins).toEqual([Date.parse("2025-03-01") / 1000]);
  });

  it("leaves each line its style where one before it is unknown", () => {
    const { chart } = parse("?y=nothing&y=sopr&y=volume&style=c3,off");
    expect(formatAddress(chart)).toBe("?a=ARIA&y=sopr:total&y=volume:total&style=off");
  });

  it("finds assets by symbols that they had before", () => {
    const [aria, ...others] = catalog.assets;
    const renamed = { ...catalog, assets: [aria!, ...others.map((asset) => ({ ...asset, was: ["DUO"] }))] };
    const { chart, notes } = parseAddress("a=duo&y=volume&y=DUO.price", renamed, []);
    expect(chart).toMatchObject({ asset: "DUET", panes: [{ lines: [line("volume", "total"), line("price", null)] }] });
    expect(notes).toEqual(["duo has the symbol DUET now."]);
  });

  it("reports an asset and series that do not exist", () => {
    const { chart, notes } = parse("?a=NONE&y=nothing&y=sopr:nobody&y=sc_volume_locked:users&y=volume");
    expect(notes).toEqual([
      "There is no asset NONE here. Showing ARIA instead.",
      "There is no series nothing, so it isn't shown.",
      "There is no series sopr:nobody, so it isn't shown.",
      "There is no series sc_volume_locked:users, so it isn't shown.",
    ]);
    expect(chart).toMatchObject({ asset: "ARIA", panes: [{ lines: [line("volume", "total")] }] });
  });

  it.each([
    ["r=year", "r=year isn't valid, so it is ignored."],
    ["range=5y", "range=5y isn't valid, so it is ignored."],
    ["pin=today", "pin=today isn't valid, so it is ignored."],
    ["pin=2025-01-01,2025-01-02,2025-01-03", "pin=2025-01-01,2025-01-02,2025-01-03 isn't valid, so it is ignored."],
    ["s=yesterday", "s=yesterday isn't valid, so it is ignored."],
    ["u=2025-13-01", "u=2025-13-01 isn't valid, so it is ignored."],
    ["s=2025-02-01&u=2025-01-01", "The start date is after the end date, so both are ignored."],
    ["scale=square", "scale=square isn't valid, so it is ignored."],
    ["smooth=1", "smooth=1 isn't valid, so it is ignored."],
    ["smooth=366", "smooth=366 isn't valid, so it is ignored."],
    ["smooth=07", "smooth=07 isn't valid, so it is ignored."],
    ["y=sopr&y2=volume&index2=10", "index2=10 isn't valid, so it is ignored."],
    ["y=NONE.sopr&y=sopr", "There is no series NONE.sopr, so it isn't shown."],
    ["z=2025-02-01,2025-01-01", "z=2025-02-01,2025-01-01 isn't valid, so it is ignored."],
    ["y=sopr&y=volume&y=market_cap", "A chart shows at most 6 series in 2 units. The others are left out."],
    ["y=sopr&y=sopr:total", undefined],
    [`a=${"A".repeat(3000)}`, `There is no asset ${"A".repeat(39)}… here. Showing ARIA instead.`],
  ])("reports what it ignores in %s", (search, note) => {
    expect(parse(`?${search}`).notes).toEqual(note === undefined ? [] : [note]);
  });

  it("accepts any text", () => {
    const texts = fc.string({ unit: ANY_CHARACTER });
    const names = ["a", "y", "y2", "r", "range", "s", "u", "z", "scale", "scale2", "price", "index", "smooth", "x"];
    const pairs = fc.array(fc.tuple(fc.constantFrom(...names), texts));
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
