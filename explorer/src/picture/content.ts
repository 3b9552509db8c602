/** What a picture of the chart says beside its lines. */

import { type Drawing, drawingsOf, eventsIn } from "../chart/drawing/drawing.ts";
import { eventText } from "../data/events.ts";
import { bucketTime, dateText, parseTime } from "../format/time.ts";
import type { Bounds } from "../formula/needed-bounds.ts";
import { type Page, visibleRows } from "../session.ts";
import { formatAddress } from "../state/address.ts";
import { chartTitle } from "../state/chart-title.ts";
import { visibleBounds } from "../state/requests.ts";

/** Pixels of a picture at its plain size, whatever the window's. */
export const PICTURE_WIDTH = 1200;

export interface PictureContent {
  title: string;
  /** Asset, resolution, first and last visible bucket, and up to when there is data. */
  subtitle: string;
  drawings: readonly Drawing[];
  visible: Bounds;
  /** What the page says below the chart: pinned values, and the footnote. */
  notes: readonly string[];
  source: string;
  /** The chart in the explorer. */
  link: string;
}

/**
 * @param notes what the page says below the chart
 * @param site scheme and host of the explorer
 */
export function pictureContent(page: Page, notes: readonly string[], site: string): PictureContent {
  const { chart, asset, traces } = page;
  const link = `${site}/${formatAddress(chart)}`;
  return {
    title: chartTitle(chart, traces),
    subtitle: subtitleOf(page),
    drawings: drawingsOf(page),
    visible: visibleBounds(chart, asset),
    notes: [...notes, ...eventNotes(page)],
    source: `Source: Soprano, ${new URL(site).host}`,
    link,
  };
}

/** Events that a picture names, of those that it marks. */
const MOST_NAMED = 8;

/** What the marks of events stand for: the latest that are visible. */
function eventNotes(page: Page): string[] {
  const { since, until } = visibleBounds(page.chart, page.asset);
  const { t } = page.data.table;
  const [from, to] = [since ?? t[0] ?? 0, until ?? t.at(-1) ?? 0];
  const isMarked = page.chart.panes.findIndex(({ events }) => events === null);
  const marked = eventsIn(page, isMarked).filter((event) => isMarked >= 0 && event.t >= from && event.t <= to);
  if (marked.length === 0) return [];
  const named = marked.slice(-MOST_NAMED).map((event) => eventText(event, page.zone));
  const before = marked.length - named.length;
  return [`Events: ${named.join("; ")}${before > 0 ? `; and ${before} before` : ""}.`];
}

function subtitleOf(page: Page): string {
  const { chart, asset, data, zone } = page;
  const { from, to } = visibleRows(page);
  const [first, last] = [data.table.t[from], data.table.t[to - 1]];
  const name = asset && asset.name !== asset.symbol ? `${asset.symbol} · ${asset.name}` : chart.asset;
  const end = asset?.ranges.day?.last;
  const texts = [name, `per ${chart.resolution}`];
  if (to > from && first !== undefined && last !== undefined) {
    texts.push(`${bucketTime(first, chart.resolution, zone)} – ${bucketTime(last, chart.resolution, zone)}`);
  }
  if (end) texts.push(`data up to ${dateText(parseTime(end))}`);
  return texts.join(" · ");
}
