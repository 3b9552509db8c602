/** The data of a chart: its traces joined in one table, and what went wrong. */

import type { Computation, SeriesRef } from "../../data-schema/formula/resolve.ts";
import { type Catalog, findAsset, type LoadableSeries } from "./api/catalog.ts";
import type { LoadedSeries, Loader } from "./api/load.ts";
import { NO_POINTS } from "./api/points.ts";
import { asProblem, Problem } from "./api/problem.ts";
import type { TableRequest } from "./api/request.ts";
import { type Curve, computedPoints, difference } from "./data/computed-points.ts";
import { type Heat, heatOf, type ServedDistribution } from "./data/heat.ts";
import { align, EMPTY_TABLE, type Table } from "./data/table.ts";
import { bucketLength } from "./format/time.ts";
import { curvesOf, problemOf } from "./lines/lines.ts";
import { type ChartState, contextOf, type Pane } from "./state/chart-state.ts";
import {
  heatRequest,
  inputName,
  inputSeries,
  loadBounds,
  loadedAs,
  tableRequests,
  vintagesOf,
} from "./state/requests.ts";
import { drawnComputations, drawnLines, lineResolution } from "./state/traces.ts";
import { yieldToBrowser } from "./yield-to-browser.ts";

export interface ChartData {
  status: "loading" | "no key" | "loaded";
  /** A column for each trace. Empty unless the status is "loaded". */
  table: Table;
  /** For each trace, the times of its own rows at which it has no value. */
  gaps: readonly (Float64Array | undefined)[];
  /** Why a trace couldn't be loaded; null for one that was loaded. */
  problems: readonly (Problem | null)[];
  /** For each pane, its distribution, or why it couldn't be loaded; null without one. */
  heats: readonly (Heat | Problem | null)[];
  /** Whether a series has more points than a page loads. */
  isTruncated: boolean;
}

const NOTHING = { table: EMPTY_TABLE, gaps: [], problems: [], heats: [], isTruncated: false };
export const LOADING: ChartData = { status: "loading", ...NOTHING };
const NO_KEY: ChartData = { status: "no key", ...NOTHING };

/** Milliseconds of computing before the browser gets a turn. */
const PIECE_MS = 30;

/**
 * Milliseconds before each attempt to read an asset's series from one build: for up to a minute after an activation, some answers
 * come from the build before.
 */
const PAUSES_MS = [0, 0, 1_000, 4_000];

/** What was loaded, or why not, by name. */
type Inputs = ReadonlyMap<string, LoadedSeries | Problem>;

/** Loads what a chart draws. A request that fails leaves alone the lines that need none of its series. */
export async function loadChart(
  chart: ChartState,
  catalog: Catalog,
  loader: Loader,
  key: string | null,
  signal: AbortSignal,
): Promise<ChartData> {
  if (key === null) return NO_KEY;
  const [inputs, heats] = await Promise.all([
    loadInputs(chart, catalog, loader, key, signal),
    Promise.all(chart.panes.map((pane) => loadHeat(pane, chart, catalog, loader, key, signal))),
  ]);
  const context = contextOf(chart, catalog);
  const results: (Curve | Problem)[] = [];
  let paused = performance.now();
  for (const pane of chart.panes) {
    for (const line of drawnLines(pane, context)) {
      const resolution = lineResolution(line, chart, context);
      const problem = problemOf(line, context);
      if (problem) {
        results.push(...curvesOf(line, context).map(() => problem));
        continue;
      }
      const vintages = vintagesOf(pane);
      const find = (series: SeriesRef, isFirst: boolean) => inputs.get(inputName({ ...series, resolution, isFirst }));
      for (const computation of drawnComputations(pane, line, resolution, context)) {
        results.push(
          computed(
            computation,
            vintages.map((isFirst) => computation.inputs.map((one) => find(one, isFirst))),
          ),
        );
        // Averages of all hours take a while.
        if (performance.now() - paused < PIECE_MS) continue;
        await yieldToBrowser();
        if (signal.aborted) return LOADING;
        paused = performance.now();
      }
    }
  }
  return {
    status: "loaded",
    table: align(results.map((result) => (result instanceof Problem ? NO_POINTS : result))),
    gaps: results.map((result) => (result instanceof Problem ? undefined : result.gaps)),
    problems: results.map((result) => (result instanceof Problem ? result : null)),
    heats,
    isTruncated: [...inputs.values()].some((input) => !(input instanceof Problem) && input.isTruncated),
  };
}

/** A curve or, of two vintages, their difference; or why an input is missing. */
function computed(computation: Computation, vintages: (LoadedSeries | Problem | undefined)[][]): Curve | Problem {
  const failed = vintages.flat().find((input) => input instanceof Problem);
  if (failed) return failed;
  const [shown, first] = vintages.map((own) =>
    computedPoints(
      computation,
      own.map((input) => (input as LoadedSeries | undefined)?.points ?? NO_POINTS),
    ),
  );
  return first ? difference(shown!, first) : shown!;
}

async function loadHeat(
  pane: Pane,
  chart: ChartState,
  catalog: Catalog,
  loader: Loader,
  key: string,
  signal: AbortSignal,
): Promise<Heat | Problem | null> {
  const { heat } = pane;
  const request = heatRequest(pane, chart, findAsset(catalog, chart.asset));
  if (request === null || heat === null) return null;
  const make = (served: ServedDistribution) => {
    const last = served.t.at(-1) ?? 0;
    return heatOf(heat, served, last + bucketLength(last, request.resolution));
  };
  return loader.json(request.path, make, key, signal).catch(asProblem);
}

async function loadInputs(
  chart: ChartState,
  catalog: Catalog,
  loader: Loader,
  key: string,
  signal: AbortSignal,
): Promise<Inputs> {
  const bounds = loadBounds(chart, catalog);
  const cacheName = (series: string) => `${series} ${bounds.since} ${bounds.until}`;
  const all = inputSeries(chart, catalog);
  const inputs = new Map<string, LoadedSeries | Problem>();
  for (const name of all.map(inputName)) {
    const cached = loader.cached(cacheName(name));
    if (cached) inputs.set(name, cached);
  }
  const load = async (request: TableRequest) => {
    const names = request.columns.map((column) => loadedAs(column, request));
    const loaded = await loader.load(request, names.map(cacheName), key, signal).catch(asProblem);
    for (const [i, name] of names.entries()) {
      inputs.set(name, loaded instanceof Problem ? loaded : loaded[i]!);
    }
  };
  let missing = unread(all, inputs);
  // Of what is there already, the chart is drawn at once.
  const isDrawnAtOnce = missing.length === 0;
  for (const pause of PAUSES_MS) {
    if (missing.length === 0 || signal.aborted) break;
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    await Promise.all(tableRequests(missing, catalog, bounds).map(load));
    missing = unread(all, inputs);
  }
  for (const series of missing) inputs.set(inputName(series), mixed(series.asset));
  if (!isDrawnAtOnce) await yieldToBrowser();
  return inputs;
}

/** The series to read: those that are not there, and all of an asset of which there are two builds. */
function unread(all: readonly LoadableSeries[], inputs: Inputs): LoadableSeries[] {
  const inputOf = (series: LoadableSeries) => inputs.get(inputName(series));
  return [...Map.groupBy(all, ({ asset }) => asset).values()].flatMap((own) => {
    const builds = own.map(inputOf).flatMap((input) => (input && "build" in input ? [input.build] : []));
    const isMixed = new Set(builds).size > 1;
    return own.filter((series) => isMixed || inputOf(series) === undefined);
  });
}

const mixed = (asset: string): Problem =>
  new Problem(
    "mixed-builds",
    "The data is being updated",
    `The series of ${asset} came from two builds. Try again in a minute.`,
  );
