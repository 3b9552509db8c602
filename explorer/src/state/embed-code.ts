/** The HTML that shows a chart in another page. */

import { escapeHtml } from "../format/html.ts";
import { formatAddress } from "./address.ts";
import type { ChartState } from "./chart-state.ts";

/**
 * A frame with the chart alone.
 *
 * @param site scheme and host of the explorer
 * @param title for screen readers
 */
export function embedCode(chart: ChartState, title: string, site: string): string {
  const source = escapeHtml(`${site}/embed${formatAddress(chart)}`);
  const height = 420 + 220 * (chart.panes.length - 1);
  return `<iframe src="${source}" title="${escapeHtml(title)}" width="100%" height="${height}" style="border:0" loading="lazy"></iframe>`;
}
