/** Where a chart rests on a price that is more than seven days old. */

import { restsOnPrices } from "../../api/catalog.ts";
import { dateText } from "../../format/time.ts";
import type { Page } from "../../session.ts";
import type { Interval } from "../../state/chart-state.ts";
import type { Trace } from "../../state/traces.ts";

/** The stretches of the chart's time without a price that matter to these traces. */
export function priceGaps({ asset, data }: Pick<Page, "asset" | "data">, traces: readonly Trace[]): Interval[] {
  const { t } = data.table;
  const [first, last] = [t[0], t[t.length - 1]];
  if (first === undefined || last === undefined || !traces.some(isPriced)) return [];
  const gaps = asset?.price?.gaps ?? [];
  return gaps.map(([from, to]) => ({ from, to })).filter(({ from, to }) => to > first && from <= last);
}

/** What rests on no price needs one only to tell profit from loss, or for an amount in dollars such as `$0-100`. */
const isPriced = ({ metrics, code }: Trace) =>
  code.includes("$") || metrics.some((metric) => restsOnPrices(metric) || /\bin (profit|loss)\b/.test(metric.formula));

/** A sentence for the footnote. */
export function gapNote(gaps: readonly Interval[], more = 0): string {
  const stretches = gaps.map(({ from, to }) => `${dateText(from)} to ${dateText(to)}`);
  const others = more > 0 ? `, and ${more} shorter stretches` : "";
  return `Shaded: there is no price from ${stretches.join(", ")}${others}. The last one before holds.`;
}
