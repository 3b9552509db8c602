import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findMetric } from "../../explorer/src/catalog.ts";
import * as changes from "../../explorer/src/changes.ts";
import { type Choice, formatState, MOST_SERIES, MOST_UNITS, parseState, settle } from "../../explorer/src/state.ts";
import { catalog, states } from "./catalog.ts";

const fallback: Choice[] = [{ metric: "market_cap", selector: "total" }];
const parse = (search: string) => parseState(search, catalog, fallback);

describe("the address", () => {
  it("gives back every state", () => {
    fc.assert(
      fc.property(states, (state) => {
        expect(parse(formatState(state))).toEqual({ state, notes: [] });
      }),
    );
  });

  it("is read by people", () => {
    expect(formatState(parse("?y=volume:$10M%2B&y=sopr&r=hour&s=2025-03-01&scale=log").state)).toBe(
      "?a=ARIA&y=volume:$10M%2B&y=sopr:total&r=hour&s=2025-03-01&scale=log",
    );
  });

  it("opens on the first asset and the fallback when it says nothing", () => {
    expect(parse("")).toEqual({
      state: {
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

  it("takes a raw plus sign for one, and a symbol in any case", () => {
    const { state } = parse("?a=duet&y=volume:$10M+");
    expect(state).toMatchObject({ asset: "DUET", series: [{ metric: "volume", selector: "$10M+" }] });
  });

  it("tells what it names that there is not", () => {
    const { state, notes } = parse("?a=NONE&y=nothing&y=sopr:nobody&y=sc_volume_locked:total&y=volume");
    expect(notes).toEqual([
      "There is no asset NONE here: this is ARIA.",
      "There is no series nothing: it is left out.",
      "There is no series sopr:nobody: it is left out.",
      "There is no series sc_volume_locked:total: it is left out.",
    ]);
    expect(state).toMatchObject({ asset: "ARIA", series: [{ metric: "volume", selector: "total" }] });
  });

  it.each([
    ["r=week", "r=week makes no sense here: it is left out."],
    ["range=5y", "range=5y makes no sense here: it is left out."],
    ["s=yesterday", "s=yesterday makes no sense here: it is left out."],
    ["u=2025-13-01", "u=2025-13-01 makes no sense here: it is left out."],
    ["s=2025-02-01&u=2025-01-01", "The first date is later than the last one: both are left out."],
    ["scale=square", "scale=square makes no sense here: it is left out."],
    ["z=2025-02-01,2025-01-01", "z=2025-02-01,2025-01-01 makes no sense here: it is left out."],
    ["y=sopr&y=volume&y=market_cap", "A chart holds at most 6 series of 2 units: the others are left out."],
    ["y=sopr&y=sopr:total", undefined],
    [`a=${"A".repeat(3000)}`, `There is no asset ${"A".repeat(39)}… here: this is ARIA.`],
  ])("tells what of %s it leaves out", (search, note) => {
    expect(parse(`?${search}`).notes).toEqual(note === undefined ? [] : [note]);
  });

  it("never fails, whatever it holds", () => {
    const texts = fc.string({ unit: "binary" });
    const pairs = fc.array(fc.tuple(fc.constantFrom("a", "y", "r", "range", "s", "u", "z", "scale", "x"), texts));
    fc.assert(
      fc.property(pairs, (query) => {
        const { state } = parse(`?${new URLSearchParams(query)}`);
        expect(settle(state, catalog)).toEqual(state);
        expect(parse(formatState(state)).state).toEqual(state);
      }),
    );
  });

  it("takes no range that is reversed", () => {
    expect(parse("?s=2025-02-01&u=2025-01-01&z=2025-02-01,2025-01-01").state).toMatchObject({
      range: { preset: "all" },
      zoom: null,
    });
  });
});

describe("what is shown together", () => {
  it("is at most six series of at most two units, none twice, at a resolution there is", () => {
    fc.assert(
      fc.property(states, ({ series, resolution, asset }) => {
        expect(series.length).toBeLessThanOrEqual(MOST_SERIES);
        const units = new Set(series.map(({ metric }) => findMetric(catalog, metric)!.unit));
        expect(units.size).toBeLessThanOrEqual(MOST_UNITS);
        expect(new Set(series.map((choice) => JSON.stringify(choice))).size).toBe(series.length);
        if (asset === "DUET") expect(resolution).toBe("day");
      }),
    );
  });

  it("falls back to days where no series has hours", () => {
    expect(parse("?y=market_cap&r=hour").state.resolution).toBe("day");
    expect(parse("?y=market_cap&y=sopr&r=hour").state.resolution).toBe("hour");
  });
});

describe("changes", () => {
  const { state } = parse("?y=volume:$10M%2B");
  const sopr = findMetric(catalog, "sopr")!;

  it("show another metric of the same cohort", () => {
    expect(changes.showSeries(state, changes.choiceOf(sopr, "$10M+"), catalog).series).toEqual([
      { metric: "sopr", selector: "$10M+" },
    ]);
  });

  it("show a metric that lacks the cohort by its default", () => {
    const transfers = findMetric(catalog, "num_transfers")!;
    expect(changes.showSeries(state, changes.choiceOf(transfers, "$10M+"), catalog).series).toEqual([
      { metric: "num_transfers", selector: "all" },
    ]);
  });

  it("add what whyNotAdd has no objection to, and nothing else", () => {
    const choices = catalog.metrics.map((metric) => changes.choiceOf(metric, "users"));
    fc.assert(
      fc.property(states, fc.constantFrom(...choices), (state, choice) => {
        const added = changes.addSeries(state, choice, catalog).series.length - state.series.length;
        expect(added).toBe(changes.whyNotAdd(state, choice, catalog) === null ? 1 : 0);
      }),
    );
  });

  it("never show years of blocks by a change of resolution alone", () => {
    const blocks = changes.setResolution(state, "block", catalog);
    expect(blocks).toMatchObject({ resolution: "block", range: { preset: "7d" }, zoom: null });
  });
});
