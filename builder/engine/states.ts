/** State series: the holdings at each day's close. Source: docs/methodology.md §7. */

import { SET_C } from "../../data-schema/cohorts.ts";
import { EXCHANGE_SELECTORS } from "../../data-schema/exchanges.ts";
import { METRICS, type MetricName, seriesOf } from "../../data-schema/metrics.ts";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { spaced } from "../lib/columns/spaced.ts";
import { type HoldingsFamilyName, STATE_FORMULAS } from "./formulas.ts";
import { COHORT_WIDTH, DAY_WIDTH, RESERVES } from "./holdings.ts";
import { newBuckets, type Outline } from "./outline.ts";
import { closePrice } from "./prices.ts";
import { isPoint, type SeriesRun } from "./series.ts";

/** The offset of each selector's holdings in a day of holdings.ts. */
const OFFSETS: Record<HoldingsFamilyName, (selector: string) => number> = {
  cohorts: (selector) => (SET_C as readonly string[]).indexOf(selector) * COHORT_WIDTH,
  reserves: (selector) => RESERVES + (EXCHANGE_SELECTORS as readonly string[]).indexOf(selector),
  contracts: () => SET_C.indexOf("sc") * COHORT_WIDTH,
};

/** @param holdings of all partitions, `DAY_WIDTH` numbers a day */
export function* dayStates(outline: Outline, holdings: Float64Array): Generator<[MetricName, SeriesRun[]]> {
  const days = newBuckets(outline, "day");
  const length = days ? holdings.length / DAY_WIDTH : 0;
  const starts = spaced(days?.first ?? 0, BUCKET_SECONDS.day, length);
  const prices = starts.map((start) => closePrice(outline.prices, start + BUCKET_SECONDS.day));
  for (const metric of METRICS) {
    if (!(metric.name in STATE_FORMULAS)) continue;
    const [family, formula] = STATE_FORMULAS[metric.name as keyof typeof STATE_FORMULAS];
    const metricRuns: SeriesRun[] = [];
    for (const selector of seriesOf(metric)) {
      const offset = OFFSETS[family](selector);
      const t: number[] = [];
      const v: number[] = [];
      for (let day = 0; day < length; day++) {
        const value = formula(holdings, day * DAY_WIDTH + offset, prices[day]!);
        if (!isPoint(value, metric.shape, metric.name as MetricName)) continue;
        t.push(starts[day]!);
        v.push(value);
      }
      if (v.length > 0) metricRuns.push({ selector, t: Float64Array.from(t), v: Float64Array.from(v) });
    }
    yield [metric.name, metricRuns];
  }
}
