import { describe, expect, it } from "vitest";
import { findMetric as findEntry } from "../../../data-schema/metrics.ts";
import { TERMS } from "../../../data-schema/terms.ts";
import { type Catalog, findMetric } from "../../../explorer/src/api/catalog.ts";
import { search } from "../../../explorer/src/search/search.ts";
import { metricCatalog } from "../../../worker/catalog/metrics.ts";
import { catalog as small } from "../catalog.ts";

const { metrics, groups, signs } = metricCatalog("v1");
const catalog = { metrics, groups, signs, assets: small.assets, terms: TERMS } as unknown as Catalog;
const names = (words: string) => search(catalog, words).matches.map(({ metric }) => metric.name);

describe("a search", () => {
  it("ranks the exact name first, then names, titles, descriptions, groups and units", () => {
    expect(names("supply").slice(0, 3)).toEqual(["supply", "supply_profit", "supply_loss"]);
    expect(names("Realised price")[0]).toBe("realised_price");
    expect(names("sopr")).toEqual(["sopr", "sopr_profit", "sopr_loss"]);
    expect(names("locked")).toEqual(["sc_volume_locked", "sc_volume_locked_dollar"]);
    expect(names("capitalisation").slice(0, 2)).toEqual(["market_cap", "realised_cap"]);
    expect(names("valuation")).toContain("realised_price");
    expect(names("RATIO spent")).toEqual(["sopr"]);
  });

  it("matches the start of words", () => {
    expect(names("realised_profit")).not.toContain("unrealised_profit");
    expect(names("rice")).toEqual([]);
    expect(search(catalog, "nothing like it")).toEqual({ matches: [], note: "" });
  });

  it("accepts American spelling", () => {
    expect(names("realized price")).toEqual(names("realised price"));
    expect(names("market capitalization")).toEqual(["market_cap"]);
  });

  it("finds the metrics that have a cohort, exchange or sample, and selects it", () => {
    const { matches } = search(catalog, "Binance");
    expect(matches.map(({ metric }) => metric.group)).toEqual(matches.map(() => "exchanges"));
    expect(matches.map(({ selector }) => selector)).toEqual(matches.map(() => "binance"));
    expect(matches).toHaveLength(metrics.filter(({ selector }) => selector?.values.includes("binance")).length);
    const ofWhales = search(catalog, "supply $10m+").matches;
    expect(ofWhales.slice(0, 3).map(({ metric }) => metric.name)).toEqual(["supply_profit", "supply_loss", "supply"]);
    expect(ofWhales.map(({ selector }) => selector)).toEqual(ofWhales.map(() => "$10M+"));
  });

  it("knows terms that aren't metrics, and explains them", () => {
    const { matches, note } = search(catalog, "MVRV");
    expect(matches.map(({ metric }) => metric.name)).toEqual(["market_cap", "realised_cap"]);
    expect(note).toContain("divided by");
    expect(search(catalog, "whale").matches[0]).toEqual({
      metric: findMetric(catalog, "num_addresses"),
      selector: "$10M+",
    });
    expect(search(small, "nupl").matches.map(({ metric }) => metric.name)).toEqual(["market_cap"]);
  });
});

it("terms name series that exist", () => {
  for (const text of TERMS.flatMap(({ series }) => series)) {
    const [metric = "", selector] = text.split(":");
    const entry = findEntry("v1", metric);
    expect({ metric, isThere: entry !== undefined }).toEqual({ metric, isThere: true });
    if (selector !== undefined) expect(entry!.selectors.v1!.values).toContain(selector);
  }
});
