/** Binary search. */

/** The first of `count` indexes at which a condition holds that then holds at all later ones; `count` if it holds at none. */
export function firstIndex(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
