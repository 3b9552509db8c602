/** Moving averages, as pandas' `rolling(n).mean()` defines them. */

import { NO_POINTS, type Points } from "../api/points.ts";

/** The mean of each point and the n − 1 before it. The first n − 1 points have none, and are left out. */
export function rollingMean({ t, v, block }: Points, n: number): Points {
  if (v.length < n) return NO_POINTS;
  const means = new Float64Array(v.length - n + 1);
  // Neumaier's summation: without it, a huge value would leave its rounding error behind in every later mean.
  let sum = 0;
  let lost = 0;
  const add = (value: number) => {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  };
  for (let i = 0; i < v.length; i++) {
    add(v[i]!);
    if (i >= n) add(-v[i - n]!);
    if (i >= n - 1) means[i - n + 1] = (sum + lost) / n;
  }
  return { t: t.subarray(n - 1), v: means, block: block?.subarray(n - 1) };
}
