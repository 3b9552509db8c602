/** Files that the page hands to the browser's downloads. */

import type { Page } from "../session.ts";
import { h } from "./dom.ts";

export function saveFile(contents: Blob, download: string): void {
  const link = h("a", { href: URL.createObjectURL(contents), download });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** `ARIA_sopr_day.csv` */
export function chartFileName({ chart, traces }: Pick<Page, "chart" | "traces">, extension: string): string {
  const metrics = [...new Set(traces.flatMap((trace) => trace.metrics.map(({ name }) => name)))];
  return `${chart.asset}_${metrics.join("_")}_${chart.resolution}.${extension}`;
}
