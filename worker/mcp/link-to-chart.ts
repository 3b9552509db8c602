/** A link to a chart in the explorer. Its form is that of explorer/src/state/address.ts; a test compares them. */

import { LOOKS, MOST_CHART_LINES, MOST_UNITS, PANE_ENDS } from "../../data-schema/chart-link.ts";
import {
  isLotSelector,
  type LotSelector,
  methodOf,
  type OwnCohort,
  RESOLUTIONS,
  resolutionsOf,
} from "../../data-schema/registry.ts";
import { lotMethodsOf, type Manifest } from "../../data-schema/stored.ts";
import { nearest } from "../../data-schema/text/nearest.ts";
import { isoTimeWithoutZone } from "../../data-schema/text.ts";
import { type Line, readLine } from "../chart-link/line.ts";
import { linkPath } from "../chart-link/link-path.ts";
import { UnreadableLine } from "../chart-link/metric.ts";
import { Problem } from "../problems/problem.ts";
import { noLots } from "../read/no-lots.ts";
import { readInstant } from "../request/parameters/instant-parameter.ts";
import { tableParameter } from "../request/parameters/table-parameters.ts";

type PaneName = `series${(typeof PANE_ENDS)[number]}`;

/** Lines are `metric`, `metric:selector`, families or formulas. */
export interface Chart
  extends Partial<Record<PaneName, readonly string[]>>,
    Partial<Record<keyof typeof LOOKS, unknown>> {
  series: readonly string[];
  /** Day if left out. */
  resolution?: string;
  range?: string;
  /** Dates or times, ISO 8601 or Unix seconds. */
  since?: string;
  until?: string;
}

/**
 * The path and query of a chart.
 *
 * @param find the manifests of the other assets that lines name, in their order, or a problem
 * @throws {Problem} 400 what the explorer cannot draw: a line, too many of them, lots or own cohorts that an asset lacks, a
 *   resolution, a range; what `find` throws
 */
export async function chartPath(
  manifest: Manifest,
  chart: Chart,
  find: (symbols: readonly string[]) => Promise<readonly Manifest[]>,
): Promise<string> {
  const { resolution = "day", range, since, until } = chart;
  const panes = PANE_ENDS.flatMap((end) => {
    const name: PaneName = `series${end}`;
    const texts = chart[name];
    return texts === undefined ? [] : [{ end, lines: readPane(name, texts) }];
  });
  const lines = panes.flatMap((pane) => pane.lines);
  const others = [...new Set(lines.flatMap(({ assets }) => assets))];
  const found = await find(others);
  for (const { asset, selector } of lines.flatMap(({ chosen }) => chosen)) {
    checkChosen(asset === "" ? manifest : found[others.indexOf(asset)]!, selector);
  }
  const offered = RESOLUTIONS.filter(
    (one) =>
      manifest.resolutions[one] &&
      lines.some(({ metrics }) => metrics.some((metric) => resolutionsOf(metric).includes(one))),
  );
  if (!offered.some((one) => one === resolution)) {
    throw refused("resolution", "The chart has no such resolution.", offered);
  }
  if (range !== undefined && (since ?? until) !== undefined) {
    throw refused("range", "range excludes since and until: give one or the other.");
  }
  const [from, to] = [timeOf("s", since), timeOf("u", until)];
  if (from !== null && to !== null && from > to) throw refused("since", "since is later than until.");
  const looks = Object.keys(LOOKS).map((name) => [name, chart[name as keyof typeof LOOKS]] as const);
  return linkPath([
    ["a", manifest.symbol],
    ...panes.flatMap(({ end, lines }) => lines.map(({ text }) => [`y${end}`, text] as const)),
    ["r", resolution === "day" ? null : resolution],
    ["range", range],
    ["s", from === null ? null : isoTimeWithoutZone(from)],
    ["u", to === null ? null : isoTimeWithoutZone(to)],
    ...panes.flatMap(({ end }) =>
      looks.map(([name, value]) => [name + end, value === undefined ? null : String(value)] as const),
    ),
  ]);
}

/** @throws {Problem} the asset has no such lots, or no such own cohort */
function checkChosen({ symbol, cohorts = {}, ...manifest }: Manifest, selector: LotSelector | OwnCohort): void {
  if (isLotSelector(selector)) {
    const methods = lotMethodsOf(manifest);
    if (!methods.includes(methodOf(selector))) throw noLots(symbol, selector, methods, "series");
  } else if (!cohorts[selector]) {
    const allowed = Object.keys(cohorts).sort();
    throw refused("series", `${symbol} has no own cohort "${selector}".`, allowed, nearest(selector, allowed));
  }
}

/** The lines of one chart. `name` is its argument. */
function readPane(name: string, texts: readonly string[]): Line[] {
  const lines = texts.map((text) => readNamed(name, text));
  if (lines.length > MOST_CHART_LINES) throw refused(name, `A chart has up to ${MOST_CHART_LINES} series.`);
  if (new Set(lines.map(({ text }) => text)).size < lines.length) throw refused(name, `${name} names the same twice.`);
  if (lines.filter(({ kind }) => kind === "family").length > 1) {
    throw refused(name, "A chart has one family: give the others charts of their own.");
  }
  if (new Set(lines.map(unitOf)).size > MOST_UNITS) {
    throw refused(name, `A chart has up to ${MOST_UNITS} units: give some of the series a chart of their own.`);
  }
  return lines;
}

function readNamed(name: string, text: string): Line {
  try {
    return readLine(text);
  } catch (error) {
    if (!(error instanceof UnreadableLine)) throw error;
    const { message, allowed, written } = error;
    throw refused(name, message, allowed, allowed && written !== undefined ? nearest(written, allowed) : undefined);
  }
}

/** The unit of a line; that of a formula is its own, since only the explorer works it out. */
function unitOf({ kind, text, metrics }: Line): string {
  if (kind === "formula") return text;
  return kind === "family" && /:share(:|$)/.test(text) ? "share" : metrics[0]!.unit;
}

/** The years that the link can write, Unix seconds: there is no data outside them. */
const [FIRST, LAST] = [0, Date.UTC(9999, 11, 31) / 1000];

const timeOf = (name: "s" | "u", text: string | undefined): number | null =>
  text === undefined ? null : Math.min(Math.max(readInstant(tableParameter(name), text), FIRST), LAST);

function refused(parameter: string, detail: string, allowed?: readonly string[], suggestion?: string): Problem {
  return new Problem("invalid-parameter", detail, { parameter, allowed, suggestion });
}
