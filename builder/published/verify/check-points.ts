/** Checks the points of one object. Sources: docs/methodology.md §5, docs/formats.md#series-objects. */

import { type Metric, RESOLUTION_FACTS, type Resolution, seriesOf } from "../../../data-schema/registry.ts";
import type { Manifest, ManifestPeriod } from "../../../data-schema/stored.ts";
import type { Series } from "../../engine/series.ts";
import { counted } from "../../lib/terminal/amount-text.ts";
import { placesIn } from "./rules/series-columns.ts";
import { pointPlace } from "./rules/solve.ts";

/** Times or block numbers, from the first to the last, inclusive. */
interface Span {
  from: number;
  to: number;
}

/** Where points may lie: in their period, from the manifest's first to its last point. */
export interface Bounds {
  t: Span;
  block?: Span;
}

export function boundsOf(
  { resolutions }: Manifest,
  resolution: Resolution,
  { from, to }: Pick<ManifestPeriod, "from" | "to">,
): Bounds {
  // A manifest with objects has a first and a last point.
  const within = (first = 0, last = 0): Span => ({ from: Math.max(from, first), to: Math.min(to - 1, last) });
  if (resolution === "block") {
    const { first, last } = resolutions.block!;
    return { t: within(first?.t, last?.t), block: { from: first?.block ?? 0, to: last?.block ?? 0 } };
  }
  const { first, last } = resolutions[resolution]!;
  return { t: within(first ?? 0, last ?? 0) };
}

/** A sentence for each problem, without the object's name. */
export function pointProblems(
  metric: Metric,
  resolution: Resolution,
  series: readonly Series[],
  bounds: Bounds,
  selectors = seriesOf(metric),
): string[] {
  const kind = { metric, bucketStart: resolution === "block" ? undefined : RESOLUTION_FACTS[resolution].start, bounds };
  const order = new Map(selectors.map((selector, index) => [selector, index]));
  const problems: string[] = [];
  let before = -1;
  for (const run of series) {
    const index = order.get(run.selector);
    if (index === undefined) problems.push(`${run.selector} is not a series of ${metric.name}`);
    else if (index <= before) problems.push(`${run.selector} is not in the order of the registry`);
    before = Math.max(before, index ?? before);
    for (const { what, next } of POINT_RULES) {
      const first = next(run, 0, kind);
      if (first < 0) continue;
      let wrong = 0;
      for (let i = first; i >= 0; i = next(run, i + 1, kind)) wrong++;
      const place = pointPlace(resolution, placesIn(run)[first]!);
      problems.push(`${run.selector} ${what} at ${counted(wrong, "place")}, first ${place}`);
    }
  }
  return problems;
}

/** What the rules need to know of an object. */
interface Kind {
  metric: Metric;
  /** Start of the bucket that contains a time; undefined at block resolution. */
  bucketStart: ((seconds: number) => number) | undefined;
  bounds: Bounds;
}

/** The rules for points. Each has its own loop, since there are many millions of points. */
const POINT_RULES: readonly {
  what: string;
  /** Index of the first wrong point at or after `from`; -1 when there is none. */
  next: (run: Series, from: number, kind: Kind) => number;
}[] = [
  {
    what: "has values that are not finite numbers",
    next({ v }, from) {
      for (let i = from; i < v.length; i++) if (!Number.isFinite(v[i])) return i;
      return -1;
    },
  },
  {
    what: "has zeros, which sums must not hold",
    next: ({ v }, from, { metric }) => (metric.shape === "sum" ? v.indexOf(0, from) : -1),
  },
  {
    what: "has counts that are not whole numbers",
    next({ v }, from, { metric }) {
      if (metric.unit !== "count") return -1;
      for (let i = from; i < v.length; i++) if (!(v[i]! >= 0 && v[i]! % 1 === 0)) return i;
      return -1;
    },
  },
  {
    what: "does not ascend",
    next(run, from) {
      const { t } = run;
      const places = placesIn(run);
      for (let i = Math.max(from, 1); i < t.length; i++) {
        if (!(t[i]! >= t[i - 1]! && places[i]! > places[i - 1]!)) return i;
      }
      return -1;
    },
  },
  {
    what: "has times that are not the start of a bucket",
    next({ t }, from, { bucketStart }) {
      if (!bucketStart) return -1;
      for (let i = from; i < t.length; i++) if (bucketStart(t[i]!) !== t[i]) return i;
      return -1;
    },
  },
  {
    what: "has points outside its period, or outside the manifest's first and last point",
    next({ t, block }, from, { bounds }) {
      const [times, blocks] = [bounds.t, bounds.block];
      for (let i = from; i < t.length; i++) {
        if (!(t[i]! >= times.from && t[i]! <= times.to)) return i;
        if (block && blocks && !(block[i]! >= blocks.from && block[i]! <= blocks.to)) return i;
      }
      return -1;
    },
  },
];
