/** How much of a token labelled addresses hold and move: from the series of days, so that anyone can check it. */

import type { MetricName } from "../../data-schema/metrics.ts";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import type { SeriesRun } from "./series.ts";

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

/** What goes to the addresses of a group from elsewhere, and from them to elsewhere; transfers only, as in `volume`. */
const FLOWS = {
  cex: ["cex_inflow_cohort", "cex_outflow_cohort"],
  sc: ["sc_inflow", "sc_outflow"],
} as const satisfies Record<string, readonly MetricName[]>;

export type LabelledGroup = keyof typeof FLOWS;

/** The metrics that `coverage` is made of. */
export const COVERAGE_METRICS = ["num_addresses", "supply", "volume", ...FLOWS.cex, ...FLOWS.sc] as const;
type CoverageMetric = (typeof COVERAGE_METRICS)[number];

/**
 * The coverage of exchanges or contracts.
 *
 * @param runOf the series of days of a metric and selector; undefined if it has no point
 * @param last start of the last complete day, Unix seconds
 */
export function coverage(
  group: LabelledGroup,
  runOf: (metric: CoverageMetric, selector: LabelledGroup | "total") => SeriesRun | undefined,
  last: number,
): Coverage {
  const atClose = (metric: CoverageMetric, selector: LabelledGroup | "total") => {
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
  const [toThem, fromThem] = FLOWS[group];
  const supplyShare = share(atClose("supply", group), atClose("supply", "total"));
  const volumeShare = share(moved(toThem) + moved(fromThem), moved("volume"));
  return {
    holders: atClose("num_addresses", group),
    ...(supplyShare !== undefined && { supplyShare }),
    ...(volumeShare !== undefined && { volumeShare }),
  };
}

/** To six decimals. */
function share(part: number, whole: number): number | undefined {
  return whole > 0 ? Math.round((part / whole) * 1e6) / 1e6 : undefined;
}
