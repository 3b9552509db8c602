/** Where the axes of values end, for what is visible. */

import type { Scale } from "../state/chart-state.ts";

type Range = [from: number, to: number];

/** The part of the values' extent that is left free on both sides of a log axis, where whole powers of ten would waste most of it. */
const LOG_PAD = 0.05;
/** What is left free at least, as a factor: of values that are all the same, there would be no axis. */
const LEAST_FACTOR = 1.02;

export const axisRange = (scale: Scale, min: number | null, max: number | null): Range =>
  min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)
    ? EMPTY[scale]
    : RANGES[scale](min, max);

const EMPTY: Record<Scale, Range> = { linear: [0, 1], log: [1, 10] };

const RANGES: Record<Scale, (min: number, max: number) => Range> = { linear: linearRange, log: logRange };

/** The range of a log axis for data from `min` to `max`: it ends near them. */
function logRange(min: number, max: number): Range {
  if (!(min > 0)) return EMPTY.log;
  const pad = Math.max((max / min) ** LOG_PAD, LEAST_FACTOR);
  return [min / pad, max * pad];
}

/** The range of a linear axis for data from `min` to `max`. It includes zero unless that would flatten the data. */
function linearRange(min: number, max: number): Range {
  if (min === max) return min === 0 ? [0, 1] : linearRange(min - Math.abs(min) / 20, max + Math.abs(max) / 20);
  const pad = (max - min) * 0.06;
  const isNearZero = (near: number, far: number) => near * far >= 0 && Math.abs(near) < Math.abs(far) * 0.5;
  return [min >= 0 && isNearZero(min, max) ? 0 : min - pad, max <= 0 && isNearZero(max, min) ? 0 : max + pad];
}
