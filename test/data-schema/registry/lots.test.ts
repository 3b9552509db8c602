/** Selectors of lots, and what takes them. */

import { expect, it } from "vitest";
import { FORMULA_NAMES, findMeasure } from "../../../data-schema/formula/measures.ts";
import { readFormula } from "../../../data-schema/formula/resolve.ts";
import { selectorText, tokenise } from "../../../data-schema/formula/tokens.ts";
import {
  allLotSelectors,
  everyLotOf,
  isLotSelector,
  isOfLots,
  LOT_COHORTS,
  LOT_METHODS,
  lotCohortsOf,
  lotSelectors,
  takesLots,
} from "../../../data-schema/registry/lots.ts";
import { LOT_METRICS, lotTable, seriesOf } from "../../../data-schema/registry/metrics.ts";

it("a method has a selector for each cohort of lots, which no metric has otherwise", () => {
  expect(lotSelectors("fifo", LOT_COHORTS).slice(0, 3)).toEqual(["fifo", "fifo.users", "fifo.<1d"]);
  const all = allLotSelectors(LOT_COHORTS);
  expect(new Set(all).size).toBe(LOT_METHODS.length * LOT_COHORTS.length);
  for (const metric of LOT_METRICS) expect(seriesOf(metric).filter(isOfLots)).toEqual([]);
  expect(["fifo", "hifo.7y-10y", "fifo.total", "fifo.", "fif", "fifo.*"].map(isLotSelector)).toEqual([
    ...[true, true, false, false, false, false],
  ]);
  expect(["fifo.*", "fifo", "@fifo"].map(everyLotOf)).toEqual(["fifo", undefined, undefined]);
});

it("26 metrics are computed of lots, liveliness of all alone", () => {
  expect(LOT_METRICS).toHaveLength(26);
  expect(lotCohortsOf("liveliness")).toEqual(["total"]);
  expect(takesLots("liveliness", "fifo.users")).toBe(false);
  expect(takesLots("num_addresses", "fifo")).toBe(false);
  expect(lotTable("lifo")).toHaveLength(25 * LOT_COHORTS.length + 1);
  expect(findMeasure("mvrv")!.lotCohorts).toEqual(LOT_COHORTS);
  expect(findMeasure("addresses_in_profit")!.lotCohorts).toEqual([]);
});

it("formulas name them without quotes", () => {
  for (const selector of allLotSelectors(LOT_COHORTS)) {
    expect(selectorText(selector)).toBe(selector);
    const [token] = tokenise(`supply:${selector}-supply:<1d`);
    expect(token).toMatchObject({ kind: "name", selector });
  }
  const { inputs } = readFormula("mvrv:fifo.1y-2y / supply:hifo.<1d", FORMULA_NAMES);
  expect(inputs.map(({ metric, selector }) => `${metric}:${selector}`)).toEqual([
    "market_cap:fifo.1y-2y",
    "realised_cap:fifo.1y-2y",
    "supply:hifo.<1d",
  ]);
  expect(() => readFormula("num_transfers:fifo", FORMULA_NAMES)).toThrow("has no selector fifo");
});
