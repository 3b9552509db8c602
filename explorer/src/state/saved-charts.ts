/** Charts that a person keeps under names: a list as a plain value, and its text in the browser's storage and in files. */

import type { Catalog } from "../api/catalog.ts";
import { formatAddress, parseAddress } from "./address.ts";
import { BadFile, formatOwn, type OwnForm, parseOwn } from "./own-file.ts";

export interface SavedChart {
  /** Unique in a list. */
  name: string;
  /** The chart's query string: it can be opened again, and holds no key. */
  search: string;
}

/** Characters. */
export const LONGEST_NAME = 80;
export const MOST_SAVED = 500;
/** Characters of a file. */
export const LONGEST_FILE = 1_000_000;

export const CHARTS_FILE: OwnForm = {
  form: "soprano-charts",
  longest: LONGEST_FILE,
  tooLarge: "This file is too large for saved charts: they take less than 1 MB.",
  what: "saved charts",
};

/** A list with a chart under a name; the chart of that name is replaced. */
export function saved(charts: readonly SavedChart[], chart: SavedChart): SavedChart[] {
  const at = charts.findIndex(({ name }) => name === chart.name);
  return at < 0 ? [...charts, chart] : charts.with(at, chart);
}

export const removed = (charts: readonly SavedChart[], name: string): SavedChart[] =>
  charts.filter((chart) => chart.name !== name);

/** A list with a chart at a place again, unless its name has been given to another one since. */
export const restored = (charts: readonly SavedChart[], chart: SavedChart, place: number): SavedChart[] =>
  charts.some(({ name }) => name === chart.name) ? [...charts] : charts.toSpliced(place, 0, chart);

/** A list with another name for a chart; null if there is such a name. */
export function renamed(charts: readonly SavedChart[], from: string, to: string): SavedChart[] | null {
  if (from !== to && charts.some(({ name }) => name === to)) return null;
  return charts.map((chart) => (chart.name === from ? { ...chart, name: to } : chart));
}

export const formatCharts = (charts: readonly SavedChart[]): string => formatOwn(CHARTS_FILE, { charts });

/**
 * Reads the text of a list.
 *
 * @throws {BadFile}
 */
export function parseCharts(text: string): SavedChart[] {
  const file = parseOwn(CHARTS_FILE, text);
  if (file.charts.length > MOST_SAVED) throw new BadFile(`This file has more than ${MOST_SAVED} charts.`);
  return file.charts.reduce((charts: SavedChart[], chart: unknown, index) => {
    const { name, search } = Object(chart) as Record<string, unknown>;
    const isName = typeof name === "string" && name.trim() !== "" && name.length <= LONGEST_NAME;
    if (!isName || typeof search !== "string" || !search.startsWith("?")) {
      throw new BadFile(`Chart ${index + 1} of this file has no name, or is not a chart.`);
    }
    return saved(charts, { name, search });
  }, []);
}

/**
 * Adds the charts of a file. Another chart of the same name stays: the new one gets a number. A chart that this Soprano
 * can't draw as it is, for lack of an asset or a series, is left out.
 */
export function imported(
  charts: readonly SavedChart[],
  added: readonly SavedChart[],
  catalog: Catalog,
): { charts: SavedChart[]; added: number; unknown: number } {
  let all = [...charts];
  let unknown = 0;
  for (const { name, search } of added) {
    const { chart, notes } = parseAddress(search, catalog, []);
    if (notes.length > 0 || chart.panes[0]?.lines.length === 0) {
      unknown++;
      continue;
    }
    // What is no part of a chart, such as a key, is dropped.
    const own = { name, search: formatAddress(chart) };
    for (let number = 2; all.some((one) => one.name === own.name && one.search !== own.search); number++) {
      own.name = `${name.slice(0, LONGEST_NAME - 6)} (${number})`;
    }
    all = saved(all, own);
  }
  return { charts: all, added: added.length - unknown, unknown };
}
