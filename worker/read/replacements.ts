/**
 * Tables as they were known: beside each series that is read, one for each activation that has replaced values of it. The
 * earliest of these values is the one that was known.
 */

import type { Resolution } from "../../data-schema/registry.ts";
import { type ManifestObject, NO_POINT, replacedKey } from "../../data-schema/stored.ts";
import type { SeriesContext } from "../context.ts";
import type { Rows } from "../format/rows-and-pieces.ts";
import { type Event, firstPublished, isWithin } from "./as-known.ts";
import { dropEmpty } from "./drop-empty.ts";
import type { Target } from "./objects/batches.ts";
import { nameInObject, objectOf, type ReadPast, type Replacements, type TableColumn } from "./table-parts.ts";

/** A table's columns, and after them those that replace values of theirs. */
export function withReplacements(
  columns: readonly TableColumn[],
  resolution: Resolution,
  tag: string,
): { columns: TableColumn[]; replacements: Replacements } {
  const all = [...columns];
  const sources = new Map<string, { object: ManifestObject; targets: Target[] }>();
  const pasts = columns.map((column): ReadPast => {
    const { manifest, metric, selector } = column;
    const { symbol } = manifest;
    const table = objectOf(metric.name, selector);
    const past = column.past!;
    const events = past.events.flatMap((event): Event<number>[] => {
      if ("left" in event) return [event];
      const own = event.replaced.filter((object) => object.resolution === resolution && object.of === table);
      if (own.length === 0) return [];
      const place = all.push({ ...column, isDense: false }) - 1;
      const target = { selector: nameInObject(metric.name, selector), column: place };
      for (const { period, entry } of own) {
        const key = replacedKey(symbol, resolution, table, period.name, entry.hash);
        const object: ManifestObject = { key, symbol, resolution, metric: table, period, entry };
        const source = sources.get(key) ?? { object, targets: [] };
        source.targets.push(target);
        sources.set(key, source);
      }
      return [{ at: event.at, replaced: place }];
    });
    return { ...past, events };
  });
  return { columns: all, replacements: { pasts, sources: [...sources.values()], tag } };
}

/** The columns that replace values of some of the columns that are shown; all by their places. */
export const replacing = ({ pasts }: Replacements, shown: readonly number[]): number[] =>
  shown.flatMap((place) => pasts[place]!.events.flatMap((event) => ("replaced" in event ? [event.replaced] : [])));

/** The replacements of some of the columns, at other places. */
export function moved(
  replacements: Replacements,
  shown: readonly number[],
  places: ReadonlyMap<number, number>,
): Replacements {
  const at = (event: Event<number>) =>
    "replaced" in event ? { ...event, replaced: places.get(event.replaced)! } : event;
  const pasts = shown.map((place) => {
    const past = replacements.pasts[place]!;
    return { ...past, events: past.events.map(at) };
  });
  return { ...replacements, pasts };
}

/** The rows of the columns that are shown, with the values that were known. Whoever takes a chunk frees it. */
export async function* asKnownRows(
  chunks: AsyncIterable<Rows>,
  columns: readonly TableColumn[],
  { pasts }: Replacements,
  { lease }: SeriesContext,
): AsyncGenerator<Rows> {
  for await (const { t, block, columns: values } of chunks) {
    const shown = values.slice(0, pasts.length);
    for (const [place, into] of shown.entries()) restore(into, t, columns[place]!, pasts[place]!, values);
    const rows = dropEmpty(t, block, shown);
    const part = (array: Float64Array) => array.subarray(0, rows);
    if (rows > 0) yield { t: part(t), block: block && part(block), columns: shown.map(part) };
    else lease.free([t]);
  }
}

/** Puts in what was known: what was first replaced since, or what is there now. A sum that was no point was 0. */
function restore(
  into: Float64Array,
  t: Float64Array,
  { isDense }: TableColumn,
  past: ReadPast,
  values: readonly Float64Array[],
): void {
  const none = isDense ? 0 : Number.NaN;
  for (let row = 0; row < t.length; row++) {
    const time = t[row]!;
    const from = firstPublished(time, past);
    if (from === -1) into[row] = Number.NaN;
    else into[row] = known(row, time, from, into[row]!);
  }

  function known(row: number, time: number, from: number, now: number): number {
    for (const event of past.events) {
      if (event.at <= from) continue;
      if ("left" in event) {
        // It went without a value that could have been replaced.
        if (!isWithin(time, event.left)) return none;
        continue;
      }
      const value = values[event.replaced]![row]!;
      if (!Number.isNaN(value)) return value === NO_POINT ? none : value;
    }
    return now;
  }
}
