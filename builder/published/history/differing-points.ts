/** Points of two builds side by side: which differ, and by how much. Source: docs/formats.md#changes. */

import type { SeriesChange } from "../../../data-schema/stored.ts";
import type { Series } from "../../engine/series.ts";
import { lowerBound } from "../../lib/columns/lower-bound.ts";
import type { ReplacedPoints } from "./replaced-points.ts";

/** A range of time in Unix seconds: `from` inclusive, `to` exclusive. */
export interface ComparedTime {
  from: number;
  to: number;
}

const NONE: Series = { selector: "", t: new Float64Array(0), v: new Float64Array(0) };

/** Counts the points that differ, of any number of pairs of runs. */
export class Differences {
  /** Time of the first one, Unix seconds; infinite if there is none. */
  first = Number.POSITIVE_INFINITY;
  points = 0;
  appeared = 0;
  disappeared = 0;
  largest: number | null = null;

  /**
   * Compares the points of all selectors whose times lie in a span.
   *
   * @param replaced takes what differs, if it is wanted
   */
  compare(before: readonly Series[], now: readonly Series[], span: ComparedTime, replaced?: ReplacedPoints): void {
    const bySelector = new Map(before.map((run) => [run.selector, run]));
    for (const run of now) {
      this.#compareRuns(bySelector.get(run.selector) ?? NONE, run, span, replaced);
      bySelector.delete(run.selector);
    }
    for (const run of bySelector.values()) this.#compareRuns(run, NONE, span, replaced);
  }

  /** Undefined if no point differs. */
  get found(): Omit<SeriesChange, "resolution" | "metric"> | undefined {
    if (this.points === 0) return undefined;
    const { first, points, appeared, disappeared, largest } = this;
    return { first, points, appeared, disappeared, largest };
  }

  /** Points belong together if they have the same block number or, without blocks, the same time. */
  #compareRuns(before: Series, now: Series, { from, to }: ComparedTime, replaced?: ReplacedPoints): void {
    const selector = now === NONE ? before.selector : now.selector;
    const [placesBefore, placesNow] = [before.block ?? before.t, now.block ?? now.t];
    const indexOf = ({ t }: Series, time: number) => lowerBound(t, t.length, time);
    let [i, j] = [indexOf(before, from), indexOf(now, from)];
    const [endBefore, endNow] = [indexOf(before, to), indexOf(now, to)];
    while (i < endBefore || j < endNow) {
      const placeBefore = i < endBefore ? placesBefore[i]! : Number.POSITIVE_INFINITY;
      const placeNow = j < endNow ? placesNow[j]! : Number.POSITIVE_INFINITY;
      if (placeBefore < placeNow) {
        this.disappeared++;
        replaced?.add(selector, before.t[i]!, before.v[i]!, before.block?.[i]);
        this.#add(before.t[i++]!);
      } else if (placeBefore > placeNow) {
        this.appeared++;
        replaced?.addNone(selector, now.t[j]!, now.block?.[j]);
        this.#add(now.t[j++]!);
      } else {
        const [was, is] = [before.v[i]!, now.v[j]!];
        const [timeBefore, timeNow] = [before.t[i++]!, now.t[j++]!];
        if (Object.is(was, is) && timeBefore === timeNow) continue;
        replaced?.add(selector, timeBefore, was, before.block && placeBefore);
        if (timeBefore !== timeNow) replaced?.addNone(selector, timeNow, now.block && placeNow);
        this.#add(Math.min(timeBefore, timeNow));
        if (was !== 0) this.#measure(Math.abs(is - was) / Math.abs(was));
      }
    }
  }

  #add(time: number): void {
    this.points++;
    this.first = Math.min(this.first, time);
  }

  #measure(change: number): void {
    this.largest = Math.max(this.largest ?? 0, Math.min(change, Number.MAX_VALUE));
  }
}
