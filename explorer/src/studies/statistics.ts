/** Statistics of a handful of numbers. Those of no numbers are NaN. */

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The mean of the two in the middle where there is an even number of them. */
export const medianOf = (values: readonly number[]): number => quantileOf(ascending(values), 0.5);

export const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/**
 * The value below which a share of the values lies, linear between two.
 *
 * @param sorted ascending
 */
export function quantileOf(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN];
  return low + (high - low) * (place - Math.floor(place));
}

/** Pearson's correlation, −1 to 1; NaN for fewer than two pairs, and where one side never changes. */
export function pearson(x: readonly number[], y: readonly number[]): number {
  const [meanX, meanY] = [meanOf(x), meanOf(y)];
  let [xy, xx, yy] = [0, 0, 0];
  for (const [i, value] of x.entries()) {
    const [dx, dy] = [value - meanX, y[i]! - meanY];
    xy += dx * dy;
    xx += dx * dx;
    yy += dy * dy;
  }
  return xx > 0 && yy > 0 ? Math.max(-1, Math.min(1, xy / Math.sqrt(xx) / Math.sqrt(yy))) : Number.NaN;
}

/** Spearman's correlation: Pearson's of the ranks, in which equal values share their mean rank. */
export const spearman = (x: readonly number[], y: readonly number[]): number => pearson(ranks(x), ranks(y));

/** The rank of each value, from 1. */
function ranks(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => values[a]! - values[b]!);
  const ranked = new Array<number>(values.length);
  for (let from = 0, to = 0; from < order.length; from = to) {
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++;
    // The mean of the ranks from + 1 to `to`.
    for (const place of order.slice(from, to)) ranked[place] = (from + 1 + to) / 2;
  }
  return ranked;
}
