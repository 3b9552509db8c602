import { describe, expect, it } from "vitest";
import { findMetric as findEntry } from "../../data-schema/metrics.ts";
import { type Catalog, findMetric } from "../../explorer/src/catalog.ts";
import { search } from "../../explorer/src/search.ts";
import { TERMS } from "../../explorer/src/terms.ts";
import { viewsOf } from "../../explorer/src/views.ts";
import { metricCatalog } from "../../worker/catalog/metrics.ts";
import { catalog as small } from "./catalog.ts";

const { metrics, groups, signs } = metricCatalog("v1");
const catalog = { metrics, groups, signs, assets: small.assets } as unknown as Catalog;
const names = (words: string) => search(catalog, words).found.map(({ metric }) => metric.name);

describe("a search", () => {
  it("finds the very name first, then names, titles, descriptions, groups and units", () => {
    expect(names("supply").slice(0, 3)).toEqual(["supply", "supply_profit", "supply_loss"]);
    expect(names("Realised price")[0]).toBe("realised_price");
    expect(names("sopr")).toEqual(["sopr", "sopr_profit", "sopr_loss"]);
    expect(names("locked")).toEqual(["sc_volume_locked", "sc_volume_locked_dollar"]);
    expect(names("capitalisation").slice(0, 2)).toEqual(["market_cap", "realised_cap"]);
    expect(names("valuation")).toContain("realised_price");
    expect(names("RATIO spent")).toEqual(["sopr"]);
  });

  it("asks for the start of words", () => {
    expect(names("realised_profit")).not.toContain("unrealised_profit");
    expect(names("rice")).toEqual([]);
    expect(search(catalog, "nothing like it")).toEqual({ found: [], note: "" });
  });

  it("takes American spelling for the same word", () => {
    expect(names("realized price")).toEqual(names("realised price"));
    expect(names("market capitalization")).toEqual(["market_cap"]);
  });

  it("finds the metrics that have a cohort, an exchange or a sample, and which of their series it is", () => {
    const { found } = search(catalog, "Binance");
    expect(found.map(({ metric }) => metric.group)).toEqual(found.map(() => "exchanges"));
    expect(found.map(({ selector }) => selector)).toEqual(found.map(() => "binance"));
    expect(found).toHaveLength(metrics.filter(({ selector }) => selector?.values.includes("binance")).length);
    const ofWhales = search(catalog, "supply $10m+").found;
    expect(ofWhales.slice(0, 3).map(({ metric }) => metric.name)).toEqual(["supply_profit", "supply_loss", "supply"]);
    expect(ofWhales.map(({ selector }) => selector)).toEqual(ofWhales.map(() => "$10M+"));
  });

  it("knows words of the field, and says what they mean", () => {
    const { found, note } = search(catalog, "MVRV");
    expect(found.map(({ metric }) => metric.name)).toEqual(["market_cap", "realised_cap"]);
    expect(note).toContain("divided by");
    expect(search(catalog, "whale").found[0]).toEqual({
      metric: findMetric(catalog, "num_addresses"),
      selector: "$10M+",
    });
    expect(search(small, "nupl").found.map(({ metric }) => metric.name)).toEqual(["market_cap"]);
  });
});

it("words of the field name series that there are", () => {
  for (const { metric, selector } of TERMS.flatMap(({ series }) => series)) {
    const entry = findEntry("v1", metric);
    expect({ metric, isThere: entry !== undefined }).toEqual({ metric, isThere: true });
    if (selector !== undefined) expect(entry!.selectors.v1!.values).toContain(selector);
  }
});

it("views to start from show all of what they name", () => {
  const views = viewsOf(catalog, "ARIA");
  expect(views).toHaveLength(6);
  const selectors = (title: string) =>
    views.find((view) => view.title === title)!.state.series.map(({ selector }) => selector);
  const family = (title: string) =>
    findMetric(catalog, "supply")!.selector!.families.find((family) => family.title === title)!.values;
  expect(selectors("Supply in profit, under 1 year")).toEqual(family("By holding age").slice(0, 6));
  expect(selectors("Holders of $100+")).toEqual(family("By value in USD").slice(1));
});
