import { describe, expect, it } from "vitest";
import { METRICS } from "../../../data-schema/registry/metrics.ts";
import { NAMED_FORMULAS } from "../../../data-schema/registry/named-formulas.ts";
import { SEARCH_TERMS } from "../../../data-schema/registry/terms.ts";
import { type Catalog, catalogMetric } from "../../../explorer/src/api/catalog.ts";
import { searchFormulas } from "../../../explorer/src/search/formulas.ts";
import { search } from "../../../explorer/src/search/search.ts";
import { tableMetricCatalog } from "../../../worker/catalog/table-metrics.ts";
import { catalog as small } from "../catalog.ts";

const { metrics, groups, signs } = tableMetricCatalog();
const catalog = {
  metrics,
  groups,
  signs,
  assets: small.assets,
  terms: SEARCH_TERMS,
  formulas: NAMED_FORMULAS,
} as unknown as Catalog;
const names = (words: string) => search(catalog, words).matches.map(({ metric }) => metric.name);

describe("a search", () => {
  it("ranks the exact name first, then names, titles, descriptions, groups and units", () => {
    expect(names("supply")[0]).toBe("supply");
    expect(names("supply").slice(0, 7)).toContain("supply_profit");
    expect(names("Realised price")[0]).toBe("realised_price");
    expect(names("sopr")).toEqual(["sopr", "sopr_profit", "sopr_loss", "asopr"]);
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
    expect(ofWhales.slice(0, 3).map(({ metric }) => metric.name)).toEqual(["supply", "supply_profit", "supply_loss"]);
    expect(ofWhales.map(({ selector }) => selector)).toEqual(ofWhales.map(() => "$10M+"));
  });

  it("knows terms that aren't metrics, and explains them", () => {
    const { matches, note } = search(catalog, "MVRV");
    expect(matches.map(({ metric }) => metric.name)).toEqual(["market_cap", "realised_cap"]);
    expect(note).toContain("divided by");
    expect(search(catalog, "whale").matches[0]).toMatchObject({
      metric: catalogMetric(catalog, "num_addresses"),
      selector: "$10M+",
    });
    for (const words of ["whale supply", "supply whales"]) {
      const { matches, note } = search(catalog, words);
      expect(matches.map(({ metric, selector }) => `${metric.name}:${selector}`)).toEqual(["supply:$10M+"]);
      expect(note).toContain("$10 million");
    }
    expect(search(catalog, "lth sopr").matches[0]).toMatchObject({
      metric: catalogMetric(catalog, "sopr"),
      selector: "lth",
    });
    expect(search(catalog, "whale nothing").matches).toEqual([]);
    expect(search(small, "nupl").matches.map(({ metric }) => metric.name)).toEqual(["market_cap"]);
  });
});

describe("lots", () => {
  const aria = { ...small.assets[0]!, lots: ["fifo" as const] };
  const found = (words: string, asset = aria) =>
    search(catalog, words, asset).matches.map(({ metric, selector }) => `${metric.name}:${selector}`);

  it("are found by their method and part, of assets that have them", () => {
    expect(found("sopr fifo")[0]).toBe("sopr:fifo");
    expect(found("FIFO lth sopr")[0]).toBe("sopr:fifo.lth");
    expect(found("supply fifo 1y-2y")[0]).toBe("supply:fifo.1y-2y");
    expect(found("liveliness fifo")).toEqual(["liveliness:fifo"]);
    expect(found("sopr lth")[0]).toBe("sopr:lth");
    expect(found("num_transfers fifo")).toEqual([]);
    expect(found("sopr hifo")).toEqual([]);
    expect(search(catalog, "sopr fifo").matches).toEqual([]);
  });

  it("are what a named formula may be of", () => {
    const titles = (words: string) =>
      searchFormulas(words, { catalog: { ...catalog, assets: [aria] }, asset: aria }).map(
        ({ formula }) => formula.title,
      );
    expect(titles("mvrv fifo")).toContain("MVRV, FIFO");
    expect(titles("mvrv fifo sth")).toContain("MVRV, FIFO, Short-term holders");
    expect(titles("mvrv hifo")).toEqual([]);
  });
});

describe("what people call things", () => {
  it.each([
    ["active users", "active_addresses"],
    ["MVRV", "market_cap"],
    ["NUPL", "unrealised_profit"],
    ["HODL waves", "supply"],
    ["whales", "num_addresses"],
    ["exchange reserves", "cex_reserve"],
    ["exchange netflow", "cex_inflow"],
    ["net realized profit", "realised_profit"],
    ["circulating supply", "supply"],
    ["TVL", "sc_volume_locked_dollar"],
    ["tx count", "num_transfers"],
    ["network value", "market_cap"],
    ["cdd", "coin_days_destroyed"],
  ])("%s finds %s first", (words, metric) => {
    expect(names(words)[0]).toBe(metric);
  });

  it("is found while it is being typed", () => {
    for (const words of ["whal", "hodl w", "active us", "circulating", "coin d"]) {
      const full = search(catalog, SEARCH_TERMS.flatMap((term) => term.names).find((name) => name.startsWith(words))!);
      const { matches, note } = search(catalog, words);
      expect({ words, metrics: matches.map(({ metric }) => metric.name) }).toEqual({
        words,
        metrics: expect.arrayContaining(full.matches.map(({ metric }) => metric.name)),
      });
      if (matches.length === full.matches.length) expect(note).toBe(full.note);
    }
  });

  it("does not displace metrics that have the words", () => {
    for (const words of ["exchange", "supply", "realised"]) {
      const plain = search({ ...catalog, terms: [], formulas: NAMED_FORMULAS }, words).matches;
      expect(search(catalog, words).matches.slice(0, plain.length)).toEqual(plain);
    }
  });

  it("has one meaning for each term", () => {
    const all = SEARCH_TERMS.flatMap((term) => term.names);
    expect(all.filter((name, i) => all.indexOf(name) !== i)).toEqual([]);
    for (const name of all) expect(name).toBe(name.toLowerCase());
  });
});

it("terms name series that exist", () => {
  for (const text of SEARCH_TERMS.flatMap(({ series }) => series)) {
    const [metric = "", selector] = text.split(":");
    const entry = METRICS.find(({ name }) => name === metric);
    expect({ metric, isThere: entry !== undefined }).toEqual({ metric, isThere: true });
    if (selector !== undefined) expect(entry!.selectors.v3!.values).toContain(selector);
  }
});
