/** Scales of the value axes: how far they reach, and where a log axis has grid lines. */

import uPlot from "uplot";

export const LINEAR_SCALE: uPlot.Scale = {
  range: (_, min, max) => (Number.isFinite(min) && Number.isFinite(max) ? linearRange(min, max) : [0, 1]),
};

export const LOG_SCALE: uPlot.Scale = {
  distr: 3,
  log: 10,
  range: (_, min, max) =>
    min === null || max === null || !(min > 0) ? [1, 10] : uPlot.rangeLog(min, max * (min === max ? 10 : 1), 10, false),
};

/** The range of a linear axis for data from `min` to `max`. It includes zero unless that would flatten the data. */
export function linearRange(min: number, max: number): [number, number] {
  if (min === max) return min === 0 ? [0, 1] : linearRange(min - Math.abs(min) / 20, max + Math.abs(max) / 20);
  const pad = (max - min) * 0.06;
  const isNearZero = (near: number, far: number) => near * far >= 0 && Math.abs(near) < Math.abs(far) * 0.5;
  return [min >= 0 && isNearZero(min, max) ? 0 : min - pad, max <= 0 && isNearZero(max, min) ? 0 : max + pad];
}

/** Reduces the ticks of a log axis to powers of ten, if there are at least two of them. */
export function powersOfTen(ticks: readonly number[]): (number | null)[] {
  const powers = ticks.map((tick) => (Number.isInteger(Math.round(Math.log10(tick) * 1e6) / 1e6) ? tick : null));
  return powers.filter((tick) => tick !== null).length > 1 ? powers : [...ticks];
}
