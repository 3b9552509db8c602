/** Finding metrics by words. */

import type { Metric } from "./catalog.ts";

/** Whether every word is in the metric's name, title, unit or description; so `profit usd` finds dollars of profit. */
export function matches(metric: Metric, words: string): boolean {
  const text = `${metric.name} ${metric.title} ${metric.unit} ${metric.description}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
