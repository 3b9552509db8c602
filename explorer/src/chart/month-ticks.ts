/** Ticks of an axis of months. */

import { monthNumber } from "../format/time.ts";

/** Months between two ticks. */
const STEPS = [1, 3, 6, 12, 24, 60];

/**
 * Starts of months between two times, in equal steps.
 *
 * @param min Unix seconds, like max
 * @param most of them, about
 */
export function monthTicks(min: number, max: number, most: number): number[] {
  const first = monthNumber(min - 1) + 1;
  const last = monthNumber(max);
  const step = STEPS.find((months) => (last - first) / months <= most) ?? STEPS.at(-1)!;
  const start = Math.ceil(first / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((last - start) / step) + 1) }, (_, i) => {
    const month = start + i * step;
    return Date.UTC(Math.floor(month / 12), ((month % 12) + 12) % 12) / 1000;
  });
}
