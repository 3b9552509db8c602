/** A small catalog, and arbitrary charts of its series. */

import fc from "fast-check";
import {
  FAMILY_MODES,
  MARKS,
  MOST_CYCLES,
  MOST_PINS,
  RANGE_DAYS,
  SCALES,
  SEASON_VALUES,
  SEASONS,
  SMOOTHINGS,
  VINTAGES,
} from "../../data-schema/chart-link.ts";
import { DISTRIBUTION_NAMES } from "../../data-schema/registry/distributions.ts";
import { NAMED_FORMULAS } from "../../data-schema/registry/named-formulas.ts";
import { AROUND_ONE, LEVEL_COLORS, type Level, PLAIN } from "../../data-schema/registry/natural-looks.ts";
import { SEARCH_TERMS } from "../../data-schema/registry/terms.ts";
import { type Catalog, type CatalogMetric, OFFERED_RESOLUTIONS } from "../../explorer/src/api/catalog.ts";
import { entriesOf, type FamilyLine, familyLine, findDivision } from "../../explorer/src/lines/family-line.ts";
import { COLORS, formatStyle, type LineStyle, WIDTHS } from "../../explorer/src/lines/line-style.ts";
import type { Line } from "../../explorer/src/lines/lines.ts";
import type { SeriesLine } from "../../explorer/src/lines/series-line.ts";
import { type ChartState, normalise, type Preset } from "../../explorer/src/state/chart-state.ts";
import type { Study } from "../../explorer/src/state/study.ts";
import { tableMetricCatalog } from "../../worker/catalog/table-metrics.ts";

const cohorts = ["total", "users", "$0-100", "$10M+", "<1d", "balance_cohort_0", "balance_cohort_7"];

function metric(name: string, changes: Partial<CatalogMetric>): CatalogMetric {
  const adds = changes.unit !== "ratio";
  const division = { by: "value", ordered: true, adds, parts: ["$0-100", "$10M+"], beside: [], whole: "total" };
  const ages = { by: "age", ordered: true, adds, parts: ["<1d"], beside: ["balance_cohort_0"], whole: "total" };
  return {
    name,
    title: name,
    group: "one",
    unit: "usd",
    description: "",
    formula: "",
    kind: "flow",
    dense: adds,
    look: PLAIN,
    resolutions: ["day", "hour", "block", "week", "month"],
    selector: {
      parameter: "c",
      title: "Address cohort",
      default: "total",
      values: cohorts,
      families: [
        { title: "All", values: cohorts, division: null },
        { title: "By value in USD", values: division.parts, division },
        { title: "By holding age", values: ages.parts, division: ages },
      ],
    },
    ...changes,
  };
}

const samples = ["all", "$20m+"];

export const catalog: Catalog = {
  groups: [{ name: "one", title: "One" }],
  terms: SEARCH_TERMS.map(({ names, note, series, formula, family }) => ({
    names: [...names],
    note,
    series: [...series],
    ...(formula !== undefined && { formula }),
    ...(family !== undefined && { family }),
  })),
  formulas: NAMED_FORMULAS,
  signs: [
    { sign: "Σ", meaning: "sum" },
    { sign: "x", meaning: "tokens" },
    { sign: "a", meaning: "purchase price" },
  ],
  metrics: [
    metric("sopr", {
      unit: "ratio",
      look: AROUND_ONE,
      title: "SOPR",
      description: "Spent output profit ratio",
      formula: "Σ x·P / Σ x·a",
    }),
    metric("volume", { unit: "token", title: "On-chain volume" }),
    metric("market_cap", { unit: "usd", resolutions: ["day"] }),
    metric("num_transfers", {
      unit: "count",
      selector: {
        parameter: "t",
        title: "Sample",
        default: "all",
        values: samples,
        families: [{ title: "All", values: samples, division: null }],
      },
    }),
    metric("sc_volume_locked", { unit: "token", resolutions: ["day"], selector: null }),
    metric("price", { unit: "usd_per_token", selector: null }),
  ],
  assets: [
    {
      symbol: "ARIA",
      chain: "ethereum",
      name: "Aria",
      asOf: "2026-01-01T00:00:00.000Z",
      freshness: "day",
      ranges: {
        day: { first: "2023-01-01T00:00:00", last: "2025-12-31T00:00:00" },
        hour: { first: "2023-01-01T00:00:00", last: "2025-12-31T23:00:00" },
        block: { first: "2023-01-01T00:00:11", last: "2025-12-31T23:59:11" },
        week: { first: "2023-01-02T00:00:00", last: "2025-12-22T00:00:00" },
        month: { first: "2023-01-01T00:00:00", last: "2025-12-01T00:00:00" },
      },
      balanceEdges: ["0.6", "6", "60", "600", "6000", "60000", "600000"],
    },
    {
      symbol: "DUET",
      chain: "ethereum",
      name: "Duet",
      asOf: "2026-01-01T00:00:00.000Z",
      freshness: "day",
      ranges: { day: { first: "2025-01-01T00:00:00", last: "2025-12-31T00:00:00" } },
    },
  ],
};

const choices = catalog.metrics.flatMap(({ name, selector }): SeriesLine[] => {
  const selectors = selector ? selector.values : [null];
  return [null, "ARIA", "DUET"].flatMap((asset) =>
    selectors.map((selector) => ({ kind: "series", asset, metric: name, selector })),
  );
});

const seconds = fc.integer({ min: 0, max: 4_000_000_000 });
const interval = fc.tuple(seconds, seconds).filter(([a, b]) => a !== b);

const ranges = fc.oneof(
  fc.constantFrom(...(Object.keys(RANGE_DAYS) as Preset[])).map((preset) => ({ preset })),
  interval.map(([a, b]) => ({ since: Math.min(a, b), until: Math.max(a, b) })),
  seconds.map((since) => ({ since, until: null })),
  seconds.map((until) => ({ since: null, until })),
);

const formulas = ["sopr / 2", "sma(volume:$10M+, 7) - num_transfers", "market_cap / market_cap:users", "sopr +"].map(
  (text): Line => ({ kind: "formula", text }),
);

const families: fc.Arbitrary<Line> = fc
  .record({
    asset: fc.constantFrom(null, "ARIA", "DUET"),
    metric: fc.constantFrom("sopr", "volume", "market_cap"),
    by: fc.constantFrom("value", "age"),
    mode: fc.constantFrom(...FAMILY_MODES),
    only: fc.option(fc.nat({ max: 2 })),
    off: fc.subarray([0, 1, 2]),
  })
  .map(({ asset, metric: name, by, mode, only, off }): FamilyLine => {
    const metric = catalog.metrics.find((one) => one.name === name)!;
    const division = findDivision(metric, by, undefined)!;
    const entries = entriesOf(division);
    const line = familyLine(metric, division, asset, mode);
    const choice = only === null ? null : (entries[only] ?? null);
    return { ...line, only: choice, off: choice === null ? entries.filter((_, i) => off.includes(i)) : [] };
  });

const styles: fc.Arbitrary<LineStyle> = fc
  .record({
    mark: fc.constantFrom(null, ...MARKS),
    color: fc.constantFrom(null, ...COLORS),
    width: fc.constantFrom(null, ...WIDTHS),
    isRight: fc.boolean(),
    isOff: fc.boolean(),
  })
  .filter((style) => formatStyle(style) !== "");

/** Lines that a person may have drawn in a way of their own. */
const singles = fc
  .record({
    line: fc.constantFrom(...choices, ...formulas),
    style: fc.option(styles),
    name: fc.constantFrom("", "Hot, or not", "50 % & more=less"),
  })
  .map(({ line, style, name }): Line => {
    const named = line.kind === "formula" && name !== "" ? { ...line, name } : line;
    return style ? { ...named, style } : named;
  });

const levelValues = fc.constantFrom("0", "1.5", "-2e3", "sma(sopr, 30)", "price * 2 + 1");
const levels = fc
  .record({
    from: levelValues,
    to: fc.constantFrom(null, "", "3", "max(sopr)"),
    color: fc.constantFrom(...LEVEL_COLORS),
    name: fc.constantFrom("", "Hot, or not", "50 % & more=less", "«»"),
  })
  .map((level): Level => level);

const studies: fc.Arbitrary<Study> = fc.oneof(
  fc.constantFrom<Study>({ kind: "scatter" }, { kind: "histogram" }),
  fc.record({
    kind: fc.constant("cycles" as const),
    since: fc.oneof(
      fc.constantFrom("high", "first", "year"),
      fc.uniqueArray(seconds, { minLength: 1, maxLength: MOST_CYCLES }).map((times) => times.sort((a, b) => a - b)),
    ),
  }),
  fc.record({
    kind: fc.constant("seasons" as const),
    by: fc.constantFrom(...SEASONS),
    of: fc.constantFrom(...SEASON_VALUES),
  }),
);

const panes = fc.record({
  lines: fc.array(fc.oneof({ weight: 4, arbitrary: singles }, families), {
    minLength: 1,
    maxLength: 9,
  }),
  scale: fc.constantFrom(null, ...SCALES),
  price: fc.constantFrom(null, ...SCALES),
  isIndexed: fc.boolean(),
  mark: fc.constantFrom(null, ...MARKS),
  smoothing: fc.constantFrom(null, ...SMOOTHINGS, 2, 45, 365),
  known: fc.constantFrom(null, ...VINTAGES),
  heat: fc.constantFrom(null, ...DISTRIBUTION_NAMES),
  colors: fc.constantFrom(null, ...SCALES),
  around: fc.constantFrom(null, null, 1, 10, 100),
  levels: fc.option(fc.array(levels, { maxLength: 3 })),
  study: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, studies),
  events: fc.constantFrom(null, "off" as const),
});

/** Charts that a person can reach. */
export const charts: fc.Arbitrary<ChartState> = fc
  .record({
    asset: fc.constantFrom("ARIA", "DUET"),
    panes: fc.array(panes, { minLength: 1, maxLength: 5 }),
    resolution: fc.constantFrom(...OFFERED_RESOLUTIONS),
    range: ranges,
    pins: fc.uniqueArray(seconds, { maxLength: MOST_PINS }).map((pins) => pins.sort((a, b) => a - b)),
    remarks: fc
      .array(
        fc.record({
          from: seconds,
          length: fc.option(fc.integer({ min: 1, max: 1_000_000 })),
          text: fc.string({ minLength: 1, maxLength: 100 }).map((text) => text.trim() || "x"),
        }),
        { maxLength: 3 },
      )
      .map((remarks) =>
        remarks
          .map(({ from, length, text }) => ({ from, to: length === null ? null : from + length, text }))
          .sort((a, b) => a.from - b.from),
      ),
    alert: fc.option(
      fc.record({
        line: fc.constantFrom("sopr:total", "volume:$10M+", "sma(sopr, 7)"),
        comparison: fc.constantFrom("<" as const, "<=" as const, ">" as const, ">=" as const),
        level: fc.constantFrom(0, -1.5, 1e30, 0.001),
        count: fc.constantFrom(1, 3),
      }),
    ),
    isDayOpen: fc.boolean(),
    zoom: fc.option(interval.map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))),
  })
  .map((chart) => normalise(chart, catalog));

/** The small catalog's assets, with every metric that the service has. */
export const everyMetric: Catalog = (() => {
  const { metrics, groups, signs } = tableMetricCatalog();
  const found = { metrics, groups, signs, assets: catalog.assets, terms: [], formulas: NAMED_FORMULAS };
  return found as unknown as Catalog;
})();
