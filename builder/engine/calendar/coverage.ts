/** How much of a token labelled addresses hold and move: from the series of days, so that anyone can check it. */

import { BUCKET_SECONDS, type Cohort, type MetricName } from "../../../data-schema/registry.ts";
import type { Series } from "../series.ts";

/** The volume of so many days counts: labels go out of date, and the whole history would hide it. */
export const COVERAGE_DAYS = 365;

export interface Coverage {
  /** Labelled addresses that hold the token at the last day's close. */
  holders: number;
  /** The share of the supply that they hold then; undefined if there is none. */
  supplyShare?: number;
  /**
   * The share of the volume of the last `COVERAGE_DAYS` days, or of all days if there are fewer, that other addresses send to
   * them or receive from them; undefined if there was none.
   */
  volumeShare?: number;
}

/** The cohort of each kind of label, and its flows from and to all others; of transfers only, as in `volume`. */
const KINDS = {
  exchanges: { cohort: "cex", flows: ["cex_inflow_cohort", "cex_outflow_cohort"] },
  contracts: { cohort: "sc", flows: ["sc_inflow", "sc_outflow"] },
} as const satisfies Record<string, { cohort: Cohort; flows: readonly MetricName[] }>;

export type LabelKind = keyof typeof KINDS;

/** The metrics that `coverage` is made of. */
export const COVERAGE_METRICS = [
  ...(["num_addresses", "supply", "volume"] as const),
  ...Object.values(KINDS).flatMap(({ flows }) => flows),
];
type CoverageMetric = (typeof COVERAGE_METRICS)[number];

/**
 * What the labels of a kind cover.
 *
 * @param runOf the series of days of a metric and selector; undefined if it has no point
 * @param last start of the last complete day, Unix seconds
 */
export function coverage(
  kind: LabelKind,
  runOf: (metric: CoverageMetric, selector: Cohort) => Series | undefined,
  last: number,
): Coverage {
  const { cohort, flows } = KINDS[kind];
  const atClose = (metric: CoverageMetric, selector: Cohort) => {
    const run = runOf(metric, selector);
    return run?.t.at(-1) === last ? run.v.at(-1)! : 0;
  };
  const first = last - (COVERAGE_DAYS - 1) * BUCKET_SECONDS.day;
  const moved = (metric: CoverageMetric) => {
    const { t, v } = runOf(metric, "total") ?? { t: [], v: [] };
    let sum = 0;
    for (let i = 0; i < t.length; i++) if (t[i]! >= first) sum += v[i]!;
    return sum;
  };
  const supplyShare = share(atClose("supply", cohort), atClose("supply", "total"));
  const volumeShare = share(moved(flows[0]) + moved(flows[1]), moved("volume"));
  return {
    holders: atClose("num_addresses", cohort),
    ...(supplyShare !== undefined && { supplyShare }),
    ...(volumeShare !== undefined && { volumeShare }),
  };
}

/** A share, rounded to six decimals. */
function share(part: number, whole: number): number | undefined {
  return whole > 0 ? Math.round((part / whole) * 1e6) / 1e6 : undefined;
}
