/** Where published points of a chart's series have been replaced by others. */

import type { SeriesRef } from "../../../../data-schema/formula.ts";
import { isLotMethod, isLotSelector, isOwnCohort, methodOf } from "../../../../data-schema/registry.ts";
import { catalogMetric } from "../../api/catalog.ts";
import type { Restatement } from "../../data/restatements.ts";
import { joinTitles, selectorName } from "../../format/names.ts";
import { full, short } from "../../format/numbers.ts";
import { dateText } from "../../format/time.ts";
import { lineInputs } from "../../lines/lines.ts";
import type { Page } from "../../session.ts";
import { contextOf, type Interval } from "../../state/chart-state.ts";
import { drawnLines, lineResolution } from "../../state/traces.ts";

/** What a series is counted with in the log: the own cohort or the method of lots that it is of, else its metric. */
function countedWith({ metric, selector }: SeriesRef): string {
  if (isOwnCohort(selector)) return selector;
  return isLotSelector(selector) ? methodOf(selector) : metric;
}

/** The restatements of the series that a pane draws, within the chart's time; the newest first. */
export function restatedIn(
  { chart, catalog, data, restatements }: Pick<Page, "chart" | "catalog" | "data" | "restatements">,
  pane: number,
): Restatement[] {
  const { t } = data.table;
  const [first, last] = [t[0], t[t.length - 1]];
  const own = chart.panes[pane];
  if (first === undefined || last === undefined || own === undefined || restatements.length === 0) return [];
  const context = contextOf(chart, catalog);
  const names = new Set(
    drawnLines(own, context).flatMap((line) => {
      const resolution = lineResolution(line, chart, context);
      return lineInputs(line, context).map((series) => `${series.asset} ${countedWith(series)} ${resolution}`);
    }),
  );
  return restatements.filter(
    ({ asset, of, resolution, from, until }) =>
      names.has(`${asset} ${of} ${resolution}`) && from <= last && (until ?? from) >= first,
  );
}

/** The stretches that restatements lie in, each once; without an end in the log, that of the chart. */
export function restatedStretches(restated: readonly Restatement[], last: number): Interval[] {
  const stretches = restated.map(({ from, until }) => ({ from, to: Math.max(from, until ?? last) }));
  return [...new Map(stretches.map((one) => [`${one.from} ${one.to}`, one])).values()];
}

/** Why points change, by the kind of the log's cause. */
const CAUSES: Record<string, string> = {
  prices: "other prices",
  corrections: "corrected prices",
  transfers: "other transfers",
  files: "other files of transfers",
  labels: "other labels",
  engine: "a new version of Soprano",
  parameter: "another setting of the asset",
  rollback: "an earlier build is back",
};

/** Sentences for the footnote: the newest restatement in full, and how many came before; null without any. */
export function restatedNote(restated: readonly Restatement[], { catalog }: Pick<Page, "catalog">): string | null {
  const activations = [...new Set(restated.map(({ activated }) => activated))].sort((a, b) => b - a);
  const [newest, ...earlier] = activations;
  if (newest === undefined) return null;
  const own = restated.filter(({ activated }) => activated === newest);
  const counted = [...new Set(own.map(({ of }) => of))];
  const metrics = counted.flatMap((of) => catalogMetric(catalog, of) ?? []);
  const others = counted.filter((of) => isOwnCohort(of) || isLotMethod(of));
  const names = others.map((of) => (isLotMethod(of) ? `lots by ${selectorName(of, undefined)}` : of));
  const together = [
    metrics.some(({ selector }) => selector) ? "cohorts" : [],
    others.length > 0 ? "metrics" : [],
  ].flat();
  const points = own.reduce((sum, one) => sum + one.points, 0);
  const largest = Math.max(...own.map((one) => one.largest ?? 0));
  const causes = [...new Set(own.flatMap((one) => one.causes.flatMap((kind) => CAUSES[kind] ?? [])))];
  return [
    `The bar below the lines marks restated history: on ${dateText(newest)}, ${full(points, "count")} `,
    `${points === 1 ? "value" : "values"} of ${joinTitles([...metrics.map(({ title }) => title), ...names])}`,
    together.length > 0 ? `, all ${together.join(" and ")} together, changed` : " changed",
    `, the first of ${dateText(Math.min(...own.map(({ from }) => from)))}`,
    largest > 0 ? `, by up to ${short(largest, "share")}` : "",
    causes.length > 0 ? `. The cause: ${joinTitles(causes)}.` : ".",
    earlier.length > 0 ? ` Earlier restatements are marked, too: ${earlier.length}.` : "",
  ].join("");
}
