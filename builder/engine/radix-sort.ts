const DIGITS = 0x1_0000;

/**
 * Sorts items in place by a 16-bit digit, stably: one pass of a least-significant-digit radix sort.
 *
 * @param digitOf a whole number from 0 to 65,535 for an item
 */
export function radixSort(items: Uint32Array, digitOf: (item: number) => number): void {
  const next = new Uint32Array(DIGITS + 1);
  for (let i = 0; i < items.length; i++) next[digitOf(items[i]) + 1]++;
  for (let digit = 0; digit < DIGITS; digit++) next[digit + 1] += next[digit];
  const sorted = new Uint32Array(items.length);
  for (let i = 0; i < items.length; i++) sorted[next[digitOf(items[i])]++] = items[i];
  items.set(sorted);
}
