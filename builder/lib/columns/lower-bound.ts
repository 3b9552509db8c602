/** The first of `count` ascending numbers that is at or above a value; `count` if none is. */
export function lowerBound(ascending: Float64Array | Uint32Array, count: number, value: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
