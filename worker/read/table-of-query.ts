/** Query and manifests → what has to be read for a table: its columns, its range, its windows. */

import type { Resolution } from "../../data-schema/registry.ts";
import {
  entryOf,
  listedOf,
  type Manifest,
  type ManifestObject,
  type ManifestPeriod,
  type TableOf,
} from "../../data-schema/stored.ts";
import { before } from "../../data-schema/text.ts";
import { sideBySide } from "../bucket/side-by-side.ts";
import type { SeriesContext } from "../context.ts";
import { digestTag } from "../digest-tag.ts";
import { damaged } from "../problems/problem.ts";
import { mostSeries } from "../request/parameters/table-parameters.ts";
import { type Bound, reversed, type TableQuery, tooManySeries } from "../request/table-query.ts";
import type { AsKnown } from "./as-known.ts";
import { axisOf } from "./axis/axis-of.ts";
import { hasFormulas } from "./derive.ts";
import type { Target } from "./objects/batches.ts";
import { isSmall, open, openBytes } from "./objects/open-object.ts";
import { outputsOf } from "./outputs.ts";
import { withReplacements } from "./replacements.ts";
import { nameInObject, objectOf, type ReadObject, type Table, type TableColumn, type Window } from "./table-parts.ts";

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
  const axis = axisOf(query);
  const latest = Math.max(...manifests.map((manifest) => axis.latestOf(manifest, resolution)));
  const at = (bound: Bound) => (typeof bound === "number" ? bound : before(Math.max(latest, 0), bound));
  const [since, until] = [at(query.since), at(query.until)];
  if (since > until) throw reversed("s", "u");
  const bounds = { since, until, sinceBlock, untilBlock };
  if (known === null) return { resolution, columns, outputs, ...bounds, replacements: null };
  const tag = known.map(({ manifest, tag }) => `${manifest.symbol} ${tag}`).join(", ");
  return { resolution, outputs, ...bounds, ...withReplacements(columns, resolution, tag) };
}

/** Version of the answers that are tables. 2: the schema of Arrow has metadata. */
const TABLE_REPRESENTATION = 2;
/** Changes when a formula may give other values of the same series. */
const FORMULA_REPRESENTATION = 1;

/**
 * The strong entity tag of a table, as docs/api.md#responses says: a digest of everything that the text depends on, since the names of many series would
 * be longer than a header may be.
 *
 * @param manifests of all its assets: answers name their builds, also of assets without a column
 */
export function tableTag(
  { resolution, columns, outputs, since, until, sinceBlock, untilBlock, replacements }: Table,
  { last, time, format }: TableQuery,
  manifests: readonly Manifest[],
): Promise<string> {
  const builds = manifests.map(({ symbol, build, asOf }) => [symbol, build, asOf]);
  const series = columns.map(({ manifest, metric, selector }) => [manifest.symbol, metric.name, selector]);
  const bounds = [since, until, sinceBlock, untilBlock].map((bound) => (Number.isFinite(bound) ? bound : ""));
  const parts = [TABLE_REPRESENTATION, builds, series, resolution, bounds, last, time, format];
  // Without formulas, the columns are what is shown.
  const shown = hasFormulas({ outputs })
    ? [
        FORMULA_REPRESENTATION,
        outputs.map((one) => (one.formula === null ? one.column : [one.asset, one.name, one.text])),
      ]
    : [];
  const text = JSON.stringify([...parts, ...shown, ...(replacements ? [{ known: replacements.tag }] : [])]);
  return digestTag(text);
}

/** How many points a table has, at most, as `mostPoints` of its axis. */
export function tablePoints({ resolution, columns, since, until }: Table, last: number | null): number {
  const most = last ?? Number.POSITIVE_INFINITY;
  const axis = axisOf({ resolution });
  return columns.reduce(
    (sum, { manifest, metric, selector }) =>
      sum + Math.min(most, axis.mostPoints(manifest, resolution, objectOf(metric.name, selector), since, until)),
    0,
  );
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
  if (past === null || !axisOf({ resolution }).hasZeros || first > last) return [];
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
    targets.get(of)!.push({ selector: nameInObject(metric.name, selector), column });
  }
  return [...targets].flatMap(([of, targets]) => {
    if (!entryOf(period, of)) throw damaged(`the manifest of ${manifest.symbol} lists no ${of} in ${period.name}`);
    return listedOf(manifest, resolution, of, period).map((object) => ({ object, targets, opened: null }));
  });
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
  const opened = sideBySide(
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
