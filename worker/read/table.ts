/** Query and manifests → what has to be read for a table: its columns, its range, its windows. */

import { RESOLUTION_FACTS, type Resolution } from "../../data-schema/registry.ts";
import {
  entryOf,
  listedOf,
  type Manifest,
  type ManifestObject,
  type ManifestPeriod,
  type TableOf,
} from "../../data-schema/stored.ts";
import { before } from "../../data-schema/text.ts";
import { prefetch } from "../bucket/prefetch.ts";
import type { SeriesContext } from "../context.ts";
import { damaged } from "../problems/problem.ts";
import { mostSeries } from "../request/parameters/table-parameters.ts";
import { type Bound, reversed, type TableQuery, tooManySeries } from "../request/table-query.ts";
import type { AsKnown } from "./as-known.ts";
import { type Bounds, planBatches, type Target } from "./objects/batches.ts";
import { mostPoints } from "./objects/objects.ts";
import { isSmall, type Opened, open, openBytes } from "./objects/open.ts";
import type { Grid } from "./objects/plan.ts";
import { type Output, objectOf, outputsOf, type TableColumn } from "./outputs.ts";
import { type Replacements, withReplacements } from "./replacements.ts";

/** What a table shows. */
export interface Table extends Bounds {
  resolution: Resolution;
  /** What is read. */
  columns: readonly TableColumn[];
  /** What is shown. */
  outputs: readonly Output[];
  /** Which columns only replace values of others, in a table as it was known; null in any other. */
  replacements: Replacements | null;
}

/** An object, and the columns that take its series. */
export interface ReadObject {
  object: ManifestObject;
  targets: readonly Target[];
  /** Its footer, once the table is planned; null for small objects, which are read whole. */
  opened: Opened | null;
}

/** A stretch of time, Unix seconds, whose objects hold no points of another: from inclusive, to exclusive. */
export interface Window {
  from: number;
  to: number;
  objects: readonly ReadObject[];
}

/**
 * The table of a query.
 *
 * @param manifests of its assets, then of those that only formulas name, in their order
 * @param known the same as they were known; null for what is known now
 * @throws {Problem} 400 a resolution, or a metric, that an asset is published without; 400 the range is reversed
 */
export function tableOf(query: TableQuery, manifests: readonly Manifest[], known: readonly AsKnown[] | null): Table {
  const { resolution, sinceBlock, untilBlock } = query;
  const { columns, outputs } = outputsOf(query, manifests, known);
  const count = columns.length + outputs.filter(({ formula }) => formula !== null).length;
  if (count > mostSeries(resolution)) throw tooManySeries(count, resolution);
  const latest = Math.max(...manifests.map((manifest) => lastPublished(manifest, resolution)));
  const at = (bound: Bound) => (typeof bound === "number" ? bound : before(Math.max(latest, 0), bound));
  const [since, until] = [at(query.since), at(query.until)];
  if (since > until) throw reversed("s", "u");
  const bounds = { since, until, sinceBlock, untilBlock };
  if (known === null) return { resolution, columns, outputs, ...bounds, replacements: null };
  const tag = known.map(({ manifest, tag }) => `${manifest.symbol} ${tag}`).join(", ");
  return { resolution, outputs, ...bounds, ...withReplacements(columns, resolution, tag) };
}

/** How many points a table has, at most: a guess at block resolution, as `mostPoints`. */
export function tablePoints({ resolution, columns, since, until }: Table, last: number | null): number {
  const most = last ?? Number.POSITIVE_INFINITY;
  return columns.reduce(
    (sum, { manifest, metric, selector }) =>
      sum + Math.min(most, mostPoints(manifest, resolution, objectOf(metric.name, selector), since, until)),
    0,
  );
}

/** Start of the last bucket, or time of the last block, Unix seconds; -Infinity if there is none. */
function lastPublished({ resolutions }: Manifest, resolution: Resolution): number {
  if (resolution === "block") return resolutions.block?.last?.t ?? Number.NEGATIVE_INFINITY;
  return resolutions[resolution]?.last ?? Number.NEGATIVE_INFINITY;
}

/**
 * The windows of a table, ascending: stretches of time that no period of any of its assets crosses.
 *
 * @throws {Problem} 500 a period that does not list a metric
 */
export function windowsOf({ resolution, columns, since, until, replacements }: Table): Window[] {
  const manifests = [...new Set(columns.map(({ manifest }) => manifest))];
  const sources = replacements?.sources ?? [];
  const shown = replacements ? columns.slice(0, replacements.pasts.length) : columns;
  const stretches = [
    ...manifests.flatMap(({ resolutions }) => resolutions[resolution]?.periods ?? []),
    ...sources.map(({ object }) => object.period),
    ...shown.flatMap((column) => unlisted(column, resolution)),
  ];
  const windows: { from: number; to: number }[] = [];
  for (const { from, to } of stretches.toSorted((a, b) => a.from - b.from)) {
    if (from > until || to <= since) continue;
    const window = windows.at(-1);
    if (window !== undefined && from < window.to) window.to = Math.max(window.to, to);
    else windows.push({ from, to });
  }
  return windows.map(({ from, to }) => {
    const isWanted = (period: ManifestObject["period"]) =>
      period.from >= from && period.to <= to && period.from <= until && period.to > since;
    const objects = manifests.flatMap((manifest) =>
      (manifest.resolutions[resolution]?.periods ?? [])
        .filter(isWanted)
        .flatMap((period) => readObjectsOf(manifest, resolution, period, shown)),
    );
    const replaced = sources.filter(({ object }) => isWanted(object.period));
    return { from, to, objects: [...objects, ...replaced.map((source) => ({ ...source, opened: null }))] };
  });
}

/** Times at which a series was published, and in which there are no objects any more: its sums are 0 there, all the same. */
function unlisted({ manifest, first, last, past }: TableColumn, resolution: Resolution): Omit<Window, "objects">[] {
  if (past === null || resolution === "block" || first > last) return [];
  const periods = manifest.resolutions[resolution]?.periods ?? [];
  const [from, to] = [periods[0]?.from ?? Number.POSITIVE_INFINITY, periods.at(-1)?.to ?? Number.POSITIVE_INFINITY];
  const before = { from: first, to: Math.min(last + 1, from) };
  const after = { from: Math.max(first, to), to: last + 1 };
  return [before, after].filter((stretch) => stretch.from < stretch.to);
}

/** The objects of one period. */
function readObjectsOf(
  manifest: Manifest,
  resolution: Resolution,
  period: ManifestPeriod,
  columns: readonly TableColumn[],
): ReadObject[] {
  const targets = new Map<TableOf, Target[]>();
  for (const [column, { manifest: own, metric, selector, past }] of columns.entries()) {
    if (own !== manifest || past?.isPublished === false) continue;
    const of = objectOf(metric.name, selector);
    if (!targets.has(of)) targets.set(of, []);
    // In the object of an own cohort, series are told apart by their metric.
    targets.get(of)!.push({ selector: of === selector ? metric.name : selector, column });
  }
  return [...targets].flatMap(([of, targets]) => {
    if (!entryOf(period, of)) throw damaged(`the manifest of ${manifest.symbol} lists no ${of} in ${period.name}`);
    return listedOf(manifest.symbol, resolution, of, period).map((object) => ({ object, targets, opened: null }));
  });
}

/** How the rows of an object may lie, for `planBatches`. */
export function gridOf({ period, resolution }: ManifestObject): Grid {
  return { from: period.from, to: period.to, step: RESOLUTION_FACTS[resolution].least };
}

/** Footers read at once. */
const OPENED_AT_ONCE = 12;

/**
 * The windows with the footers of their objects; those of small objects only if the isolate has them. Without a footer,
 * all rows of an object seem to be wanted.
 *
 * @throws {Problem} 500 or 503 as `readRange`
 */
export async function openWindows(windows: readonly Window[], context: SeriesContext): Promise<Window[]> {
  const { lease } = context;
  const objects = windows.flatMap((window) => window.objects);
  const opened = prefetch(
    objects,
    async (item): Promise<ReadObject> => {
      const { object } = item;
      if (isSmall(object)) {
        const footer = context.isolate.footers.get(object.key);
        return footer === undefined ? item : { ...item, opened: { object, footer, whole: null } };
      }
      return { ...item, opened: await open(object, context).finally(() => lease.release(openBytes(object))) };
    },
    ({ object }, pending) =>
      isSmall(object) || (pending < OPENED_AT_ONCE && lease.reserve(openBytes(object), pending === 0)),
  );
  const found: ReadObject[] = [];
  for await (const item of opened) found.push(item);
  let next = 0;
  return windows.map((window) => ({ ...window, objects: window.objects.map(() => found[next++]!) }));
}

/** What reading an object takes, after its footer is known: reads, and rows to decode. */
export function costOf({ object, targets, opened }: ReadObject, bounds: Bounds, mostRows?: number): Cost {
  if (opened === null) return { reads: 1, rows: object.entry.rows };
  const batches = planBatches(opened.footer, targets, bounds, gridOf(object), mostRows);
  return { reads: batches.length, rows: batches.reduce((sum, { rows }) => sum + rows, 0) };
}

/** Reads, and rows to decode, of all columns together. */
export interface Cost {
  reads: number;
  rows: number;
}

export function sumOf(costs: readonly Cost[]): Cost {
  return costs.reduce((sum, cost) => ({ reads: sum.reads + cost.reads, rows: sum.rows + cost.rows }), {
    reads: 0,
    rows: 0,
  });
}
