/** Checks the series of lots: an object has those of one method, of all metrics. Source: docs/methodology.md §14. */

import {
  LOT_COHORTS,
  LOT_METRICS,
  type LotMethod,
  lotCohortsOf,
  lotSelector,
  lotSelectors,
  lotTable,
  type MetricName,
  type Resolution,
  SINGLE_SERIES,
} from "../../../data-schema/registry.ts";
import type { Series } from "../../engine/series.ts";
import { type Bounds, pointProblems } from "./check-points.ts";
import { EQUATIONS, type Equation, metricsIn, type SelectorSum, selectorsIn } from "./rules/equations.ts";
import type { SeriesByMetric } from "./rules/series-columns.ts";

/** The metric and the selector of a series in an object of lots. */
function partsOf(name: string): { metric: string; selector: string } {
  const colon = name.indexOf(":");
  return { metric: name.slice(0, colon), selector: name.slice(colon + 1) };
}

/** A sentence for each problem with the points of an object, without its name. */
export function lotProblems(
  method: LotMethod,
  resolution: Resolution,
  series: readonly Series[],
  bounds: Bounds,
): string[] {
  const order = new Map(lotTable(method).map((name, index) => [name, index]));
  const strange = series.filter(({ selector }) => !order.has(selector));
  const places = series.flatMap(({ selector }) => order.get(selector) ?? []);
  const late = places.findIndex((place, i) => i > 0 && place <= places[i - 1]!);
  const byMetric = lotsByMetric(series.filter((run) => !strange.includes(run)));
  return [
    ...strange.map(({ selector }) => `it has ${selector}, which is no series of ${method}`),
    ...(late < 0 ? [] : [`${lotTable(method)[places[late]!]} is not in the order of the registry`]),
    ...LOT_METRICS.flatMap((metric) => {
      const runs = [...(byMetric.get(metric.name)?.values() ?? [])];
      const selectors = lotSelectors(method, lotCohortsOf(metric.name));
      return pointProblems(metric, resolution, runs, bounds, selectors).map((problem) => `${metric.name}: ${problem}`);
    }),
  ];
}

/** The series of an object, by metric and selector. */
export function lotsByMetric(series: readonly Series[]): SeriesByMetric {
  const found = new Map(LOT_METRICS.map(({ name }): [MetricName, Map<string, Series>] => [name, new Map()]));
  for (const run of series) {
    const { metric, selector } = partsOf(run.selector);
    found.get(metric as MetricName)?.set(selector, { ...run, selector });
  }
  return found;
}

/** Metrics that depend on no cost and no age: those of all lots are those of all addresses. */
const SAME_AS_OF_ADDRESSES: readonly MetricName[] = ["volume", "volume_dollar", "supply", "market_cap"];

/** What the equations of days need of addresses, too. */
const OF_ADDRESSES: readonly MetricName[] = [...SAME_AS_OF_ADDRESSES, "minted", "minted_dollar", "burned"];

/** The series of lots, with those of addresses that their equations name. */
export function withAddresses(lots: SeriesByMetric, addresses: SeriesByMetric): SeriesByMetric {
  const beside = OF_ADDRESSES.flatMap((metric): [MetricName, ReadonlyMap<string, Series>][] => {
    const runs = addresses.get(metric);
    return runs ? [[metric, new Map([...runs, ...(lots.get(metric) ?? [])])]] : [];
  });
  return new Map([...lots, ...beside]);
}

/** The equations of one cohort or of several, of lots as of addresses. */
const SHARED = EQUATIONS.filter(
  (equation) =>
    metricsIn(equation).every((metric) => lotCohortsOf(metric).length > 1) &&
    selectorsIn(equation).every((selector) => (LOT_COHORTS as readonly string[]).includes(selector)),
);

/** The equations of a method. */
export function lotEquations(method: LotMethod): Equation[] {
  const of = (term: SelectorSum): SelectorSum => ({
    ...term,
    selectors: term.selectors.map((cohort) => lotSelector(method, cohort)),
  });
  const all = (metric: MetricName): SelectorSum => ({ metric, selectors: [method] });
  const single = (metric: MetricName): SelectorSum => ({ metric, selectors: [SINGLE_SERIES] });
  const yesterday = (metric: MetricName): SelectorSum => ({ ...all(metric), before: true });
  const ofDays = { rule: 20, resolutions: ["day"] as const };
  return [
    ...SHARED.map(({ left, right, slack, costOf, onlyIfSame, onlyIfDefined, ...rest }): Equation => {
      const [one, other] = onlyIfSame ?? [];
      return {
        ...rest,
        left: left.map(of),
        right: right.map(of),
        ...(slack && { slack: of(slack) }),
        ...(costOf && { costOf: costOf.map(of) }),
        ...(one && other && { onlyIfSame: [of(one), of(other)] }),
        ...(onlyIfDefined && { onlyIfDefined: of(onlyIfDefined) }),
      };
    }),
    ...SAME_AS_OF_ADDRESSES.flatMap((metric) =>
      ["total", "users"].map((cohort): Equation => {
        const ofAddresses = { metric, selectors: [cohort] };
        return { ...ofDays, left: [of(ofAddresses)], relation: "=", right: [ofAddresses] };
      }),
    ),
    // What was paid for lots grows by what is paid for receipts, and shrinks by the cost of what is sent or burned.
    {
      ...ofDays,
      left: [all("realised_cap"), all("moved_coins_cost_basis")],
      relation: "≤",
      right: [yesterday("realised_cap"), all("volume_dollar"), single("minted_dollar")],
    },
    // Each token makes a day of age in a day; what is received begins up to an hour old.
    {
      ...ofDays,
      left: [yesterday("coin_days_held"), yesterday("supply")],
      relation: "≤",
      right: [all("coin_days_held"), all("coin_days_destroyed"), single("burned")],
    },
    {
      ...ofDays,
      left: [all("coin_days_held"), all("coin_days_destroyed")],
      relation: "≤",
      right: [yesterday("coin_days_held"), yesterday("supply"), single("minted"), single("minted"), all("volume")],
    },
  ];
}
