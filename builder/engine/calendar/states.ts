/** State series: the holdings at each day's close. Source: docs/methodology.md §7 and §9. */

import { BUCKET_SECONDS, METRICS, type MetricName } from "../../../data-schema/registry.ts";
import { spaced } from "../../lib/columns/spaced.ts";
import { CLOSE_KINDS, type Kept, stateFamily } from "../closes/closes.ts";
import { STATE_FORMULAS } from "../formulas.ts";
import { newBuckets, type Outline } from "../history/outline.ts";
import { closePrice } from "../history/prices.ts";
import { selectorsOf } from "../history/whose.ts";
import { isPoint, type Series } from "../series.ts";
import { destroyedSoFar } from "./coin-days.ts";
import type { CollectedDays } from "./weeks-and-months.ts";

/**
 * @param closes of all partitions, rounded
 * @param flows those of the same days
 */
export function* dayStates(
  outline: Outline,
  closes: Kept<Float64Array>,
  flows: CollectedDays,
): Generator<[MetricName, Series[]]> {
  const days = newBuckets(outline, "day");
  const length = days ? closes.holdings.length / CLOSE_KINDS.holdings.width : 0;
  const starts = spaced(days?.first ?? 0, BUCKET_SECONDS.day, length);
  const destroyed = destroyedSoFar(outline, flows, starts);
  const about = Array.from(starts, (start, day) => {
    return { price: closePrice(outline.prices, start + BUCKET_SECONDS.day), destroyed: destroyed[day]! };
  });
  for (const metric of METRICS) {
    if (!(metric.name in STATE_FORMULAS)) continue;
    const [family, formula] = STATE_FORMULAS[metric.name as keyof typeof STATE_FORMULAS];
    const { name, offset: offsetOf } = stateFamily(family);
    const { width } = CLOSE_KINDS[name];
    const metricRuns: Series[] = [];
    for (const selector of selectorsOf(metric, outline.whose)) {
      const offset = offsetOf(selector);
      const t: number[] = [];
      const v: number[] = [];
      for (let day = 0; day < length; day++) {
        const value = formula(closes[name], day * width + offset, about[day]!);
        if (!isPoint(value, metric.shape, metric.name as MetricName)) continue;
        t.push(starts[day]!);
        v.push(value);
      }
      if (v.length > 0) metricRuns.push({ selector, t: Float64Array.from(t), v: Float64Array.from(v) });
    }
    yield [metric.name, metricRuns];
  }
}
