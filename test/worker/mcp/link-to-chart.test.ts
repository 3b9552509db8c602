/** Links to charts, read by the explorer's own code. */

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { LOOKS, RANGES } from "../../../data-schema/chart-link.ts";
import { METRICS, resolutionsOf, selectorIn } from "../../../data-schema/registry/metrics.ts";
import { NAMED_FORMULAS } from "../../../data-schema/registry/named-formulas.ts";
import { RESOLUTIONS } from "../../../data-schema/registry/resolutions.ts";
import { parseManifest } from "../../../data-schema/stored.ts";
import type { Catalog } from "../../../explorer/src/api/catalog.ts";
import { isSameLine, lineInputs, parseLine, problemOf } from "../../../explorer/src/lines/lines.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import { contextOf, isStackedLine } from "../../../explorer/src/state/chart-state.ts";
import { tableMetricCatalog } from "../../../worker/catalog/table-metrics.ts";
import { chartPath } from "../../../worker/mcp/link-to-chart.ts";
import { Problem } from "../../../worker/problems/problem.ts";

const manifest = parseManifest(
  JSON.stringify({
    schema: 1,
    symbol: "ARIA",
    name: "Aria",
    chain: "ethereum",
    contract: `0x${"ab".repeat(20)}`,
    decimals: 18,
    maxSupply: "1000000",
    balanceUnit: "5e-4",
    asOf: "2026-01-01T00:00:00Z",
    build: "0123456789abcdef",
    created: "2026-01-01T00:00:00Z",
    engine: "test",
    inputs: [],
    counts: { transfers: 0, mints: 0, burns: 0 },
    resolutions: {
      day: { first: null, last: null, periods: [] },
      hour: { first: null, last: null, periods: [] },
      block: { first: null, last: null, periods: [] },
      week: { first: null, last: null, periods: [] },
    },
  }),
);
/** The manifests of other assets, without lots. */
const others = async (symbols: readonly string[]) => symbols.map((symbol) => ({ ...manifest, symbol }));
const range = { first: "2025-03-01T00:00:00", last: "2025-04-01T00:00:00" };
const ranges = { day: range, week: range, hour: range, block: range };
const assets = ["ARIA", "DUET"].map((symbol) => ({ symbol, name: symbol, ranges }));
const catalog = { ...tableMetricCatalog(), assets, terms: [], formulas: NAMED_FORMULAS } as unknown as Catalog;

const families = catalog.metrics.flatMap(({ name, selector }) =>
  (selector?.families ?? []).flatMap(({ division }) => (division?.parts.length ? [`${name}:*${division.by}`] : [])),
);
const series = fc.constantFrom(...METRICS).chain((metric) => {
  const selectors = selectorIn(metric)?.values;
  return fc.constantFrom(metric.name, ...(selectors ?? []).map((selector) => `${metric.name}:${selector}`));
});
const family = fc.tuple(fc.constantFrom(...families), fc.constantFrom("", ":stack", ":share", ":lines"));
const line = fc.oneof(
  { weight: 4, arbitrary: series },
  { weight: 1, arbitrary: family.map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.constantFrom("=mvrv", "=sma(sopr:users, 7) - 1", "=DUET.price / price") },
  { weight: 1, arbitrary: fc.constantFrom("DUET.supply:users", "DUET.price") },
);
const lines = fc.oneof(
  { weight: 5, arbitrary: fc.uniqueArray(line, { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: fc.uniqueArray(line, { minLength: 1, maxLength: 7 }) },
);
const chart = fc.record(
  {
    series: lines,
    series2: lines,
    series3: lines,
    resolution: fc.constantFrom(...RESOLUTIONS),
    range: fc.constantFrom(...RANGES),
    since: fc.constantFrom("2025-03-02", "1740873600", "-99999999999", "2025-03-02T10:00+01:00"),
    until: fc.constantFrom("2025-03-20", "2025-03-20T09:30:15", "9999-12-31T23:59-05:30"),
    scale: fc.constantFrom(...LOOKS.scale),
    price: fc.constantFrom(...LOOKS.price),
    index: fc.constantFrom(100),
    smooth: fc.constantFrom(7, 30),
  },
  { requiredKeys: ["series"] },
);

it("open in the explorer as they were asked for, without a note", async () => {
  let drawn = 0;
  let below = 0;
  await fc.assert(
    fc.asyncProperty(chart, async (wanted) => {
      let path: string;
      try {
        path = await chartPath(manifest, wanted, others);
      } catch (error) {
        expect(error).toBeInstanceOf(Problem);
        return;
      }
      drawn++;
      const { chart, notes } = parseAddress(path.slice(1), catalog, []);
      expect(notes).toEqual([]);
      const context = contextOf(chart, catalog);
      const given = [wanted.series, wanted.series2, wanted.series3].filter((one) => one !== undefined);
      below += given.length - 1;
      expect(chart.panes).toHaveLength(given.length);
      for (const [i, pane] of chart.panes.entries()) {
        const asked = given[i]!.map((text) => parseLine(text, context)!);
        expect(pane.lines).toHaveLength(asked.length);
        expect(pane.lines.every((one, at) => isSameLine(one, asked[at]!) && !problemOf(one, context))).toBe(true);
        // Areas add up from zero.
        const isStacked = pane.lines.some(isStackedLine);
        expect(pane).toMatchObject({
          scale: isStacked ? null : (wanted.scale ?? null),
          price: wanted.price ?? null,
          isIndexed: wanted.index !== undefined && !isStacked,
          smoothing: wanted.smooth ?? null,
        });
      }
      expect([chart.asset, chart.resolution]).toEqual(["ARIA", wanted.resolution ?? "day"]);
      if (wanted.range !== undefined) expect(chart.range).toEqual({ preset: wanted.range });
      else if (wanted.since ?? wanted.until) expect(chart.range).toMatchObject({ since: expect.toSatisfy(isTime) });
      const { resolution = "day" } = wanted;
      const inputs = chart.panes.flatMap((pane) => pane.lines.flatMap((one) => lineInputs(one, context)));
      const of = (name: string) => resolutionsOf(METRICS.find((metric) => metric.name === name)!);
      expect(inputs.some(({ metric }) => of(metric).includes(resolution))).toBe(true);
    }),
    { numRuns: 1000 },
  );
  expect(drawn).toBeGreaterThan(30);
  expect(below).toBeGreaterThan(5);
});

const isTime = (value: unknown) => value === null || typeof value === "number";

it("asks for the assets that lines name", async () => {
  const asked: string[] = [];
  const find = async (symbols: readonly string[]) => {
    asked.push(...symbols);
    return others(symbols);
  };
  const series2 = ["=LP.price / price", "LP.supply"];
  await chartPath(manifest, { series: ["DUET.supply", "supply"], series2 }, find);
  expect(asked.toSorted()).toEqual(["DUET", "LP"]);
});

it.each([
  [{ series: ["sopr"], series2: ["soprr"] }, "series2", "sopr"],
  [{ series: ["supply:*age", "supply:*value"] }, "series", undefined],
  [{ series: ["=mvrv", "=nupl", "=nvt"] }, "series", undefined],
  [{ series: ["=smaa(sopr, 7)"] }, "series", "sma"],
])("%j is refused, with the argument that is wrong", async (wanted, parameter, suggestion) => {
  const refusal = await chartPath(manifest, wanted, others).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Problem);
  const { facts } = refusal as Problem;
  expect([facts.parameter, facts.suggestion]).toEqual([parameter, suggestion]);
});

it("lots that an asset lacks can't be drawn", async () => {
  const withLots = { ...manifest, lots: { fifo: { lots: 1 } } };
  const series = ["sopr:fifo", "supply:*age_fifo", "=sma(mvrv:fifo.sth, 7)", "liveliness:fifo"];
  for (const text of series) {
    expect(await chartPath(withLots, { series: [text] }, others)).toContain("fifo");
    const refusal = await chartPath(manifest, { series: ["price"], series2: [text] }, others).catch((error) => error);
    expect(refusal.message).toBe('ARIA has no lots by fifo: its operator adds "lots": ["fifo"] to its ASSET.json.');
  }
  for (const text of ["DUET.sopr:fifo", "=DUET.sopr:fifo / sopr:fifo"]) {
    const refusal = await chartPath(withLots, { series: [text] }, others).catch((error) => error);
    expect(refusal.message).toContain("DUET has no lots by fifo");
  }
});

it("own cohorts that an asset lacks can't be drawn", async () => {
  const withTeam = { ...manifest, cohorts: { "@team": { sha256: "0".repeat(64), addresses: 1, holders: 1 } } };
  for (const text of ["supply:@team", "=supply:@team / supply"]) {
    expect(await chartPath(withTeam, { series: [text] }, others)).toContain("%40team");
    const refusal = await chartPath(manifest, { series: [text] }, others).catch((error) => error);
    expect(refusal.message).toContain('ARIA has no own cohort "@team".');
  }
  const typo = await chartPath(withTeam, { series: ["supply:@taem"] }, others).catch((error) => error);
  expect(typo.facts).toMatchObject({ parameter: "series", allowed: ["@team"], suggestion: "@team" });
  const other = await chartPath(withTeam, { series: ["DUET.supply:@team"] }, others).catch((error) => error);
  expect(other.message).toContain('DUET has no own cohort "@team".');
});
