/** Finding metrics by words. */

import type { Metric } from "./catalog.ts";

/** Whether every word is in the metric's name, title, unit or description; so `profit usd` finds dollars of profit. */
export function matches(metric: Metric, words: string): boolean {
  const text = plain(`${metric.name} ${metric.title} ${metric.unit} ${metric.description}`);
  return plain(words)
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Without capitals, and in one spelling: “realized” finds what is realised. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll("iz", "is");
}
