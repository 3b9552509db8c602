import { expect, it } from "vitest";
import { NAMED_FORMULAS } from "../../../data-schema/registry/named-formulas.ts";
import { SEARCH_TERMS } from "../../../data-schema/registry/terms.ts";
import type { Catalog } from "../../../explorer/src/api/catalog.ts";
import { formatLine } from "../../../explorer/src/lines/lines.ts";
import { searchFamilies } from "../../../explorer/src/search/families.ts";
import { tableMetricCatalog } from "../../../worker/catalog/table-metrics.ts";

const { metrics, groups, signs } = tableMetricCatalog();
const catalog = {
  metrics,
  groups,
  signs,
  assets: [],
  terms: SEARCH_TERMS,
  formulas: NAMED_FORMULAS,
} as unknown as Catalog;
const found = (words: string) =>
  searchFamilies({ catalog, asset: undefined }, words).map(({ line }) => formatLine(line));

it.each([
  ["hodl waves", "supply:*age:share"],
  ["HODL", "supply:*age:share"],
  ["supply by wealth", "supply:*value:share"],
  ["supply by age", "supply:*age:share"],
  ["supply by balance", "supply:*balance:stack"],
  ["realized cap by age", "realised_cap:*age:stack"],
  ["reserve by exchange", "cex_reserve:*exchange:stack"],
  ["sopr age", "sopr:*age:lines"],
  ["transfers by size", "num_transfers:*size:stack"],
])("“%s” is the family %s", (words, family) => {
  expect(found(words)[0]).toBe(family);
});

it("finds no families for a metric's name alone, and each family once", () => {
  expect(found("volume")).toEqual([]);
  expect(found("")).toEqual([]);
  expect(new Set(found("by age")).size).toBe(found("by age").length);
});

it("offers the families of terms that words begin", () => {
  expect(found("supply")).toEqual(["supply:*value:share", "supply:*age:share"]);
});

it("every family that a term names exists", () => {
  for (const { names, family } of SEARCH_TERMS) {
    // Percentiles are no parts of a whole.
    const mode = family?.endsWith(":percentile") ? "lines" : "share";
    if (family) expect(found(names[0]!)[0], names[0]).toBe(`${family.replace(":", ":*")}:${mode}`);
  }
});
