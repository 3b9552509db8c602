/** Links to charts, read by the explorer's own code. */

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { parseManifest } from "../../../data-schema/manifest.ts";
import { findMetric, metricNames, selectorOf, v1ResolutionsOf } from "../../../data-schema/metrics.ts";
import { V1_RESOLUTIONS } from "../../../data-schema/resolutions.ts";
import type { Catalog } from "../../../explorer/src/api/catalog.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import { MAX_SERIES, MAX_UNITS, PRESETS } from "../../../explorer/src/state/chart-state.ts";
import { metricCatalog } from "../../../worker/catalog/metrics.ts";
import { chartPath, MOST_SERIES, MOST_UNITS, RANGES } from "../../../worker/mcp/chart.ts";
import { Problem } from "../../../worker/problems/problem.ts";

const manifest = parseManifest(
  JSON.stringify({
    ...{ schema: 1, symbol: "ARIA", name: "Aria", chain: "ethereum", contract: `0x${"ab".repeat(20)}`, decimals: 18 },
    ...{ maxSupply: "1000000", balanceUnit: "5e-4", asOf: "2026-01-01T00:00:00Z", build: "0123456789abcdef" },
    ...{ created: "2026-01-01T00:00:00Z", engine: "test", inputs: [], counts: { transfers: 0, mints: 0, burns: 0 } },
    resolutions: {
      day: { first: null, last: null, periods: [] },
      hour: { first: null, last: null, periods: [] },
      block: { first: null, last: null, periods: [] },
    },
  }),
);
const range = { first: "2025-03-01T00:00:00", last: "2025-04-01T00:00:00" };
const assets = [{ symbol: "ARIA", name: "Aria", ranges: { day: range, hour: range, block: range } }];
const catalog = { ...metricCatalog("v1"), assets, terms: [] } as unknown as Catalog;

const series = fc.constantFrom(...metricNames("v1")).chain((name) => {
  const selectors = selectorOf(findMetric("v1", name)!)?.values;
  return fc.constantFrom(name, ...(selectors ?? []).map((selector) => `${name}:${selector}`));
});
const chart = fc.record(
  {
    series: fc.uniqueArray(series, { minLength: 1, maxLength: 7, size: "small" }),
    resolution: fc.constantFrom(...V1_RESOLUTIONS),
    range: fc.constantFrom(...RANGES),
    since: fc.constantFrom("2025-03-02", "1740873600", "-99999999999", "2025-03-02T10:00+01:00"),
    until: fc.constantFrom("2025-03-20", "2025-03-20T09:30:15", "9999-12-31T23:59-05:30"),
    scale: fc.constantFrom("linear", "log"),
  },
  { requiredKeys: ["series"] },
);

it("open in the explorer as they were asked for, without a note", () => {
  let drawn = 0;
  fc.assert(
    fc.property(chart, (wanted) => {
      let path: string;
      try {
        path = chartPath(manifest, wanted);
      } catch (error) {
        expect(error).toBeInstanceOf(Problem);
        return;
      }
      drawn++;
      const { chart, notes } = parseAddress(path.slice(1), catalog, []);
      expect(notes).toEqual([]);
      const [pane] = chart.panes;
      const metrics = pane!.lines.map((line) => line.kind === "series" && line.metric);
      expect(metrics).toEqual(wanted.series.map((one) => one.split(":")[0]));
      expect([chart.asset, chart.resolution]).toEqual(["ARIA", wanted.resolution ?? "day"]);
      expect(pane!.scale).toBe(wanted.scale ?? null);
      if (wanted.range !== undefined) expect(chart.range).toEqual({ preset: wanted.range });
      else if (wanted.since ?? wanted.until) expect(chart.range).toMatchObject({ since: expect.toSatisfy(isTime) });
      const { resolution = "day" } = wanted;
      const has = (one: string) => v1ResolutionsOf(findMetric("v1", one.split(":")[0]!)!).includes(resolution);
      expect(wanted.series.some(has)).toBe(true);
    }),
    { numRuns: 500 },
  );
  expect(drawn).toBeGreaterThan(20);
});

const isTime = (value: unknown) => value === null || typeof value === "number";

it("have the explorer's bounds", () => {
  expect([MOST_SERIES, MOST_UNITS, [...RANGES]]).toEqual([MAX_SERIES, MAX_UNITS, Object.keys(PRESETS)]);
});
