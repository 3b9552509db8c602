/** State series: what was held at each day's close. Source: methodology §7. */

import { SET_C } from "../../data-schema/cohorts.ts";
import { EXCHANGE_SELECTORS } from "../../data-schema/exchanges.ts";
import { METRICS, type MetricName, seriesOf } from "../../data-schema/metrics.ts";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { type HoldingsFamilyName, STATE_FORMULAS } from "./formulas.ts";
import { COHORT_WIDTH, DAY_WIDTH, RESERVES } from "./holdings.ts";
import { isPoint } from "./points.ts";
import { closePrice } from "./prices.ts";
import type { SeriesRun } from "./series.ts";
import { replayedDays, type Timeline } from "./timeline.ts";

/** Where each selector's holdings begin in a day of holdings.ts. */
const HOLDINGS_AT: Record<HoldingsFamilyName, (selector: string) => number> = {
  cohorts: (selector) => (SET_C as readonly string[]).indexOf(selector) * COHORT_WIDTH,
  reserves: (selector) => RESERVES + (EXCHANGE_SELECTORS as readonly string[]).indexOf(selector),
  contracts: () => SET_C.indexOf("sc") * COHORT_WIDTH,
};

/** @param holdings of all parts, `DAY_WIDTH` numbers a day */
export function* dayStates(timeline: Timeline, holdings: Float64Array): Generator<[MetricName, SeriesRun[]]> {
  const days = replayedDays(timeline);
  const starts = days
    ? Float64Array.from({ length: holdings.length / DAY_WIDTH }, (_, d) => days.first + d * BUCKET_SECONDS.day)
    : new Float64Array();
  const prices = starts.map((start) => closePrice(timeline.prices, start + BUCKET_SECONDS.day));
  for (const metric of METRICS) {
    if (!(metric.name in STATE_FORMULAS)) continue;
    const [family, formula] = STATE_FORMULAS[metric.name as keyof typeof STATE_FORMULAS];
    const metricRuns: SeriesRun[] = [];
    for (const selector of seriesOf(metric)) {
      const offset = HOLDINGS_AT[family](selector);
      const t: number[] = [];
      const v: number[] = [];
      for (let d = 0; d < starts.length; d++) {
        const value = formula(holdings, d * DAY_WIDTH + offset, prices[d]);
        if (!isPoint(value, metric.shape, metric.name as MetricName)) continue;
        t.push(starts[d]);
        v.push(value);
      }
      if (v.length > 0) metricRuns.push({ selector, t: Float64Array.from(t), v: Float64Array.from(v) });
    }
    yield [metric.name, metricRuns];
  }
}
