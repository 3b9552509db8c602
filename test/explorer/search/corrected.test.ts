import { expect, it } from "vitest";
import { SEARCH_TERMS } from "../../../data-schema/registry/terms.ts";
import { corrected } from "../../../explorer/src/search/corrected.ts";
import { everyMetric } from "../catalog.ts";

const catalog = {
  ...everyMetric,
  terms: SEARCH_TERMS.map((term) => ({ ...term, names: [...term.names], series: [] })),
};

it.each([
  ["spor", "sopr"],
  ["SORP", "sopr"],
  ["supplly of whlaes", "supply of whales"],
  ["exchange netfow", "exchange netflow"],
  ["realized cpa", "realised cap"],
  ["sopr", null],
  ["xyzzy", null],
  ["sopr xyzzy", null],
  ["", null],
])("%s → %s", (words, meant) => expect(corrected(words, catalog)).toBe(meant));
