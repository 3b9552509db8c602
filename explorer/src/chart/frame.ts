/** What the panes of a chart have in common: the time that is visible, and the room for axes. */

import type { Bounds } from "../formula/needed-bounds.ts";
import type { Interval } from "../state/chart-state.ts";
import type { Drawing } from "./drawing/drawing.ts";

/** So that the time axes of all panes lie below each other. */
export interface Frame {
  visible: Interval;
  /** Axes on the right of the pane that has most. */
  rightAxes: number;
}

const HALF_DAY = 43_200;
/** Seconds: no zoom shows less. */
export const LEAST_VISIBLE = 60;

/** The time from the first point to the last; null without points. */
export function fullSpan(drawings: readonly Pick<Drawing, "t">[]): Interval | null {
  const times = drawings[0]?.t ?? [];
  const from = times[0];
  const to = times[times.length - 1];
  if (from === undefined || to === undefined) return null;
  // A single point needs room on both sides.
  return from === to ? { from: from - HALF_DAY, to: to + HALF_DAY } : { from, to };
}

/** The interval between bounds of which an open one is that of the data; null without points. */
export function visibleInterval(drawings: readonly Pick<Drawing, "t">[], { since, until }: Bounds): Interval | null {
  const full = fullSpan(drawings);
  return full && { from: since ?? full.from, to: Math.max(until ?? full.to, (since ?? full.from) + LEAST_VISIBLE) };
}

export const frameOf = (drawings: readonly Drawing[], visible: Interval): Frame => ({
  visible,
  rightAxes: Math.max(...drawings.map(({ axes }) => axes.length - 1), 0),
});
