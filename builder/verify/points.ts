/** What must hold of the points of one object. Source: methodology §5, docs/formats.md. */

import type { Manifest, ManifestPeriod } from "../../data-schema/manifest.ts";
import { type Metric, seriesOf } from "../../data-schema/metrics.ts";
import { BUCKET_SECONDS, type Resolution } from "../../data-schema/resolutions.ts";
import type { SeriesRun } from "../engine/series.ts";
import { countOf, placeText } from "./solve.ts";

/** Times, or block numbers, from the first to the last; both are in. */
interface Span {
  from: number;
  to: number;
}

/** Where points may lie: in their period, from the first to the last that the manifest names. */
export interface Bounds {
  t: Span;
  block?: Span;
}

export function boundsOf({ resolutions }: Manifest, resolution: Resolution, { from, to }: ManifestPeriod): Bounds {
  if (resolution === "block") {
    const { first, last } = resolutions.block!;
    // A period that has objects lies in a range that has ends.
    const span = { from: first?.block ?? 0, to: last?.block ?? 0 };
    return { t: { from: Math.max(from, first?.t ?? 0), to: Math.min(to - 1, last?.t ?? 0) }, block: span };
  }
  const { first, last } = resolutions[resolution]!;
  return { t: { from: Math.max(from, first ?? 0), to: Math.min(to - 1, last ?? 0) } };
}

/** One sentence for each thing that is wrong, without the object's name. */
export function pointProblems(
  metric: Metric,
  resolution: Resolution,
  runs: readonly SeriesRun[],
  bounds: Bounds,
): string[] {
  const order = new Map(seriesOf(metric).map((selector, index) => [selector, index]));
  const problems: string[] = [];
  let before = -1;
  for (const run of runs) {
    const index = order.get(run.selector);
    if (index === undefined) problems.push(`${run.selector} is no series of ${metric.name}`);
    else if (index <= before) problems.push(`${run.selector} is not where the registry has it`);
    before = Math.max(before, index ?? before);
    for (const { what, isWrong } of POINT_RULES) {
      const wrong = wrongPoints(run, isWrong(metric, resolution, bounds));
      if (wrong.count === 0) continue;
      const { t, block } = run;
      const place = placeText(resolution, (block ?? t)[wrong.first]);
      problems.push(`${run.selector} ${what} at ${countOf(wrong.count)}, first ${place}`);
    }
  }
  return problems;
}

/** Whether the point at an index is wrong; undefined when a rule does not speak of such an object. */
type IsWrong = ((run: SeriesRun, i: number) => boolean) | undefined;

const outside = ({ from, to }: Span, value: number) => !(value >= from && value <= to);

const POINT_RULES: readonly {
  what: string;
  isWrong: (metric: Metric, resolution: Resolution, bounds: Bounds) => IsWrong;
}[] = [
  {
    what: "has values that are no numbers",
    isWrong:
      () =>
      ({ v }, i) =>
        !Number.isFinite(v[i]),
  },
  {
    what: "has zeros, which sums do not hold",
    isWrong: ({ shape }) => (shape === "sum" ? ({ v }, i) => v[i] === 0 : undefined),
  },
  {
    what: "counts parts",
    isWrong: ({ unit }) => (unit === "count" ? ({ v }, i) => v[i] < 0 || v[i] % 1 !== 0 : undefined),
  },
  {
    what: "does not ascend",
    isWrong: (_, resolution) =>
      resolution === "block"
        ? ({ t, block }, i) => i > 0 && !(t[i] >= t[i - 1] && block![i] > block![i - 1])
        : ({ t }, i) => i > 0 && !(t[i] > t[i - 1]),
  },
  {
    what: "has times that begin no bucket",
    isWrong: (_, resolution) =>
      resolution === "block" ? undefined : ({ t }, i) => t[i] % BUCKET_SECONDS[resolution] !== 0,
  },
  {
    what: "has points outside its period, or before the first or after the last of the manifest",
    isWrong: (_metric, _resolution, bounds) => {
      const { t: times, block: blocks } = bounds;
      return blocks
        ? ({ t, block }, i) => outside(times, t[i]) || outside(blocks, block![i])
        : ({ t }, i) => outside(times, t[i]);
    },
  },
];

function wrongPoints(run: SeriesRun, isWrong: IsWrong): { count: number; first: number } {
  let [count, first] = [0, -1];
  if (!isWrong) return { count, first };
  for (let i = 0; i < run.t.length; i++) {
    if (!isWrong(run, i)) continue;
    if (count++ === 0) first = i;
  }
  return { count, first };
}
