/** The data of a chart: its traces joined in one table, and what went wrong. */

import type { Computation, SeriesRef } from "../../data-schema/formula.ts";
import { type Catalog, findAsset } from "./api/catalog.ts";
import type { LoadedSeries, Loader } from "./api/load.ts";
import { NO_POINTS } from "./api/points.ts";
import { asProblem, Problem } from "./api/problem.ts";
import type { TableRequest } from "./api/request.ts";
import { type ComputedCurve, computedPoints, difference } from "./data/computed-points.ts";
import { type Heat, heatOf, type ServedDistribution } from "./data/heat.ts";
import { align, EMPTY_TABLE, type Table } from "./data/table.ts";
import { bucketLength } from "./format/time.ts";
import { levelLines } from "./lines/levels.ts";
import { computationsOf, curvesOf, problemOf } from "./lines/lines.ts";
import { noExchanges } from "./lines/no-exchanges.ts";
import { type ChartState, contextOf, type Pane } from "./state/chart-state.ts";
import {
  heatRequest,
  inputName,
  loadBounds,
  loadedAs,
  loadedSeries,
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
  /** For each pane, the values of its levels that are no numbers, a row for each of the table, or why there are none. */
  levels?: readonly ReadonlyMap<string, Float64Array | Problem>[];
  /** Whether a series has more points than a page loads. */
  isTruncated: boolean;
}

const NOTHING = { table: EMPTY_TABLE, gaps: [], problems: [], heats: [], isTruncated: false };
export const LOADING: ChartData = { status: "loading", ...NOTHING };
const NO_KEY: ChartData = { status: "no key", ...NOTHING };

/** Milliseconds of computing before the browser gets a turn. */
const PIECE_MS = 30;

/**
 * Milliseconds before a chart whose parts are of two builds is read again: for up to a minute after an activation, some answers
 * come from the build before.
 */
const PAUSES_MS = [0, 1_000, 4_000];

/** What was loaded, or why not, by name. */
type Inputs = ReadonlyMap<string, LoadedSeries | Problem>;

/** The distribution of each pane, or why it couldn't be loaded; null without one. */
type Heats = readonly ((Heat & { build: string }) | Problem | null)[];

/** Loads what a chart draws. A request that fails leaves alone the lines that need none of its series. */
export async function loadChart(
  chart: ChartState,
  catalog: Catalog,
  loader: Loader,
  key: string | null,
  signal: AbortSignal,
): Promise<ChartData> {
  if (key === null) return NO_KEY;
  const { inputs, heats } = await loadParts(chart, catalog, loader, key, signal);
  const context = contextOf(chart, catalog);
  const results: (ComputedCurve | Problem)[] = [];
  let paused = performance.now();
  for (const pane of chart.panes) {
    for (const line of drawnLines(pane, context)) {
      const resolution = lineResolution(line, chart, context);
      const problem = problemOf(line, context) ?? noExchanges(line, context);
      if (problem) {
        const curves = curvesOf(line, context);
        results.push(...(pane.known === "both" ? [...curves, ...curves] : curves).map(() => problem));
        continue;
      }
      const vintages = vintagesOf(pane);
      const find = (series: SeriesRef, isFirst: boolean) => inputs.get(inputName({ ...series, resolution, isFirst }));
      const computations = drawnComputations(pane, line, resolution, context);
      // Curves of two vintages are two; a revision is their difference.
      const curves =
        pane.known === "both"
          ? vintages.flatMap((isFirst) => computations.map((computation) => ({ computation, of: [isFirst] })))
          : computations.map((computation) => ({ computation, of: vintages }));
      for (const { computation, of } of curves) {
        results.push(
          computed(
            computation,
            of.map((isFirst) => computation.inputs.map((one) => find(one, isFirst))),
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
  const levels = chart.panes.map((pane) =>
    levelLines(pane, context).map((line): [string, ComputedCurve | Problem] => {
      const resolution = lineResolution(line, chart, context);
      const [computation] = computationsOf(line, context);
      const own = computation!.inputs.map((one) => inputs.get(inputName({ ...one, resolution, isFirst: false })));
      return [line.text, computed(computation!, [own])];
    }),
  );
  const ofLevels = levels.flat().map(([, result]) => result);
  const { columns, ...rows } = align(
    [...results, ...ofLevels].map((one) => (one instanceof Problem ? NO_POINTS : one)),
  );
  let next = results.length;
  const column = (result: ComputedCurve | Problem) => {
    const own = columns[next++]!;
    return result instanceof Problem ? result : own;
  };
  return {
    status: "loaded",
    table: { ...rows, columns: columns.slice(0, results.length) },
    levels: levels.map((own) => new Map(own.map(([text, result]) => [text, column(result)]))),
    gaps: results.map((result) => (result instanceof Problem ? undefined : result.gaps)),
    problems: results.map((result) => (result instanceof Problem ? result : null)),
    heats,
    isTruncated: [...inputs.values()].some((input) => !(input instanceof Problem) && input.isTruncated),
  };
}

/** A curve or, of two vintages, their difference; or why an input is missing. */
function computed(
  computation: Computation,
  vintages: (LoadedSeries | Problem | undefined)[][],
): ComputedCurve | Problem {
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

/** Loads the parts of a chart, again while those of an asset are of two builds. */
async function loadParts(
  chart: ChartState,
  catalog: Catalog,
  loader: Loader,
  key: string,
  signal: AbortSignal,
): Promise<{ inputs: Inputs; heats: Heats }> {
  for (let attempt = 0; ; attempt++) {
    const [inputs, heats] = await Promise.all([
      loadInputs(chart, catalog, loader, key, signal),
      Promise.all(chart.panes.map((pane) => loadHeat(pane, chart, catalog, loader, key, signal))),
    ]);
    const mixed = mixedAssets(inputs, heats, chart.asset);
    if (mixed.size === 0 || signal.aborted) return { inputs, heats };
    for (const asset of mixed) loader.forget(asset);
    if (attempt === PAUSES_MS.length) return withoutMixed(mixed, inputs, heats, chart.asset);
    await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[attempt]));
  }
}

/** The asset of an input's name. */
const assetOf = (name: string): string => name.slice(0, name.indexOf(":"));

/** @param asset that of the distributions */
function mixedAssets(inputs: Inputs, heats: Heats, asset: string): Set<string> {
  const builds = new Map<string, string>();
  const mixed = new Set<string>();
  const series = [...inputs].map(([name, input]) => [assetOf(name), input] as const);
  for (const [owner, part] of [...series, ...heats.map((heat) => [asset, heat] as const)]) {
    if (part === null || part instanceof Problem) continue;
    if ((builds.get(owner) ?? part.build) !== part.build) mixed.add(owner);
    builds.set(owner, part.build);
  }
  return mixed;
}

/** The parts of all other assets. */
function withoutMixed(mixed: ReadonlySet<string>, inputs: Inputs, heats: Heats, asset: string) {
  const problem = (of: string) =>
    new Problem(
      "mixed-builds",
      "The data is being updated",
      `The data of ${of} came from two builds. Try again in a minute.`,
    );
  const kept = [...inputs].map(([name, input]) => {
    const of = assetOf(name);
    return [name, mixed.has(of) ? problem(of) : input] as const;
  });
  return { inputs: new Map(kept), heats: heats.map((heat) => (heat && mixed.has(asset) ? problem(asset) : heat)) };
}

async function loadHeat(
  pane: Pane,
  chart: ChartState,
  catalog: Catalog,
  loader: Loader,
  key: string,
  signal: AbortSignal,
): Promise<Heats[number]> {
  const { heat } = pane;
  const request = heatRequest(pane, chart, findAsset(catalog, chart.asset));
  if (request === null || heat === null) return null;
  const make = (served: ServedDistribution & { build: string }) => {
    const last = served.t.at(-1) ?? 0;
    return { ...heatOf(heat, served, last + bucketLength(last, request.resolution)), build: served.build };
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
  const inputs = new Map<string, LoadedSeries | Problem>();
  const missing = loadedSeries(chart, catalog).filter((series) => {
    const cached = loader.cached(cacheName(inputName(series)));
    if (cached) inputs.set(inputName(series), cached);
    return cached === undefined;
  });
  const load = async (request: TableRequest) => {
    const names = request.columns.map((column) => loadedAs(column, request));
    const loaded = await loader.load(request, names.map(cacheName), key, signal).catch(asProblem);
    for (const [i, name] of names.entries()) {
      inputs.set(name, loaded instanceof Problem ? loaded : loaded[i]!);
    }
  };
  await Promise.all(tableRequests(missing, catalog, bounds).map(load));
  // A chart whose series are all there already is drawn at once.
  if (missing.length > 0) await yieldToBrowser();
  return inputs;
}
