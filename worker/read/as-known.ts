/** An asset as it was known at a time. */

import type { LotMethod, OwnCohort, Resolution } from "../../data-schema/registry.ts";
import { firstIndex } from "../../data-schema/search.ts";
import { type KnownLine, type Manifest, publishes, type ReplacedObject } from "../../data-schema/stored.ts";

export interface AsKnown {
  /** The active manifest, but for what was known: the build, its ranges, its own cohorts. */
  manifest: Manifest;
  /** All activations, ascending; or that of a time, and those since. */
  lines: readonly KnownLine[];
  /** What each of them replaced. */
  replaced: readonly (readonly ReplacedObject[])[];
  /** Whether every value is the one that was first published, and not that of the first line. */
  isFirst: boolean;
  /** All own cohorts that there have been: their columns may be empty. */
  cohorts: readonly OwnCohort[];
  /** All methods of lots, likewise. */
  lots: readonly LotMethod[];
  /** Tells this apart from what was known at other times. */
  tag: string;
  /** Reads of the store that it took. */
  reads: number;
}

/** First and last bucket, or the times of the first and last block, Unix seconds; an empty range has its first after its last. */
export interface TableRange {
  first: number;
  last: number;
}

const EMPTY: TableRange = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };

export const isWithin = (t: number, { first, last }: TableRange): boolean => first <= t && t <= last;

/** What befell a series at an activation: values of it were replaced, or it ended earlier than before, or altogether. */
export type Event<Replaced> = { at: number } & ({ replaced: Replaced } | { left: TableRange });

/** What has become of a series since it was known. */
export interface Past<Replaced = readonly ReplacedObject[]> {
  /** What was published by each activation and those before it; of one alone if that is what was known. */
  published: readonly TableRange[];
  /** Ascending; at the same activation, first what was replaced. */
  events: readonly Event<Replaced>[];
  /** Whether it is published now. */
  isPublished: boolean;
}

/** The past of a series. */
export function pastOf(
  { lines, replaced, isFirst }: AsKnown,
  resolution: Resolution,
  metric: string,
  selector: string,
): Past {
  const ranges = lines.map((line): TableRange => {
    const range = publishes(line, resolution, metric, selector) ? line.ranges[resolution] : null;
    return range ? { first: range[0], last: range[1] } : EMPTY;
  });
  const events = ranges.flatMap((range, at): Past["events"] => {
    const before = ranges[at - 1];
    if (before === undefined) return [];
    const hasLess = range.first > before.first || range.last < before.last;
    const objects = replaced[at]!;
    return [...(objects.length > 0 ? [{ at, replaced: objects }] : []), ...(hasLess ? [{ at, left: range }] : [])];
  });
  const published: TableRange[] = [];
  for (const { first, last } of isFirst ? ranges : ranges.slice(0, 1)) {
    const before = published.at(-1) ?? EMPTY;
    published.push({ first: Math.min(before.first, first), last: Math.max(before.last, last) });
  }
  return { published, events, isPublished: publishes(lines.at(-1)!, resolution, metric, selector) };
}

/** The activation that published a time first: its index; -1 if none did. */
export function firstPublished(t: number, { published }: Pick<Past, "published">): number {
  const first = firstIndex(published.length, (index) => isWithin(t, published[index]!));
  return first === published.length ? -1 : first;
}
