import fc from "fast-check";
import { expect, it } from "vitest";
import type { Catalog } from "../../../explorer/src/api/catalog.ts";
import { isLanguage, LANGUAGES, type Language, WRITERS } from "../../../explorer/src/api/snippets.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import { chartCode, chartPrograms } from "../../../explorer/src/state/chart-code.ts";
import { inputSeries, snippetRequests } from "../../../explorer/src/state/requests.ts";
import { tableMetricCatalog } from "../../../worker/catalog/table-metrics.ts";
import { catalog, charts } from "../catalog.ts";

const ORIGIN = "https://soprano.test";
const chart = (search: string) => parseAddress(search, catalog, []).chart;
const code = (language: Language, search: string) => chartCode(language, chart(search), catalog, ORIGIN, "KEY");
const programs = (search: string) => chartPrograms(chart(search), catalog, ORIGIN, "KEY");

it("only asks for series that are shown as they are, but in SQL", () => {
  const requests = snippetRequests(chart("?y=sopr&y=volume"), catalog);
  for (const language of ["url", "curl", "python", "typescript"] as const) {
    expect(code(language, "?y=sopr&y=volume")).toBe(WRITERS[language](requests, ORIGIN, "KEY"));
  }
  expect(code("sql", "?y=sopr")).toContain("FROM 'series.parquet'");
});

it("computes formulas and moving averages", () => {
  expect(code("python", "?y==market_cap / volume")).toContain('chart["market_cap / volume"] = market_cap / volume\n');
  expect(code("python", "?y=sopr&smooth=7&r=hour")).toContain('chart["sopr total"] = sma(sopr, 168)\n');
  expect(code("curl", "?y==market_cap / volume")).toContain("/v3/series?f=csv&a=ARIA&m=market_cap,volume");
});

it("asks for the history that a formula needs, and shows the range", () => {
  const [days, hours, all] = ["&range=30d", "&r=hour&s=2025-03-02", "&r=hour&s=2025-03-02"].map((range, i) =>
    programs(`?y==${["sma(sopr, 7)", "sma(sopr, 24)", "cumsum(sopr)"][i]}${range}`),
  );
  expect(days).toMatchObject([{ url: `${ORIGIN}/v3/series?a=ARIA&m=sopr`, since: "2025-12-02T00:00:00" }]);
  expect(hours).toMatchObject([
    { url: `${ORIGIN}/v3/series?a=ARIA&m=sopr&r=hour&s=2025-03-01T01:00`, since: "2025-03-02T00:00:00" },
  ]);
  expect(all).toMatchObject([{ url: `${ORIGIN}/v3/series?a=ARIA&m=sopr&r=hour`, since: "2025-03-02T00:00:00" }]);
});

it("computes what was first published from that alone, and a revision from both", () => {
  const titles = (search: string) => programs(search).map(({ url, lines }) => [url, lines.map(({ title }) => title)]);
  const url = `${ORIGIN}/v3/series?a=ARIA&m=market_cap,volume`;
  expect(titles("?y==market_cap / volume&known=first")).toEqual([
    [`${url}&known=first`, ["market_cap / volume (first published)"]],
  ]);
  expect(titles("?y==market_cap / volume&known=revision")).toEqual([
    [url, ["market_cap / volume"]],
    [`${url}&known=first`, ["market_cap / volume (first published)"]],
  ]);
  expect(code("python", "?y==market_cap / volume&known=revision")).toMatch(/^# A revision, .* as first published\./);
});

it("has a program for each resolution", () => {
  const both = programs("?y==volume / sopr&y==market_cap / volume&r=hour&range=all");
  expect(both.map(({ resolution, lines }) => [resolution, lines.map(({ title }) => title)])).toEqual([
    ["hour", ["volume / sopr"]],
    ["day", ["market_cap / volume"]],
  ]);
  expect(code("sql", "?y==volume / sopr&y==market_cap / volume&r=hour").split("-- Another program")).toHaveLength(2);
});

it("tells lines of one name apart", () => {
  const [program] = programs("?y==sopr * 2&y2==sopr * 2&smooth2=7");
  expect(program!.lines.map(({ title }) => title)).toEqual(["sopr * 2", "sopr * 2 (2)"]);
});

it("says what of many parts the chart draws", () => {
  const { metrics, groups, signs } = tableMetricCatalog();
  const whole = { ...catalog, metrics, groups, signs } as unknown as Catalog;
  const python = (search: string) =>
    chartCode("python", parseAddress(search, whole, []).chart, whole, ORIGIN, "KEY").split("\n")[0];
  expect(python("?y=cex_reserve:*exchange:stack")).toBe(
    "# All 51 parts by exchange. The chart draws the 10 largest, and adds the others to its rest.",
  );
  expect(python("?y=supply:*age:stack")).toBe("import pandas as pd");
});

it("has the key only where it is given, and a program for every chart", () => {
  fc.assert(
    fc.property(charts, fc.constantFrom(...(Object.keys(LANGUAGES) as Language[])), (chart, language) => {
      // A chart of nothing but formulas that can't be read asks for nothing.
      fc.pre(inputSeries(chart, catalog).length > 0);
      expect(chartCode(language, chart, catalog, ORIGIN, "KEY")).toContain("KEY");
    }),
  );
});

it("isLanguage accepts the languages and nothing else", () => {
  expect(Object.keys(LANGUAGES).every(isLanguage)).toBe(true);
  for (const text of [null, "", "constructor", "__proto__"]) expect(isLanguage(text)).toBe(false);
});
