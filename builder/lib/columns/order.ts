/** Orders the rows of columns without moving them: a permutation by a stable radix sort, in linear time. */

type Keys = Float64Array | Uint32Array;

const DIGIT = 1 << 16;

/**
 * The order of rows 0 … rows − 1 by `keys[0]`, then `keys[1]` and so on; equal rows keep their order.
 * Keys are whole numbers from 0 to 2^53 − 1.
 *
 * @returns row numbers in order
 */
export function orderBy(rows: number, keys: readonly Keys[]): Uint32Array {
  let order = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) order[row] = row;
  if (isOrdered(rows, keys)) return order;

  let spare = new Uint32Array(rows);
  const counts = new Uint32Array(DIGIT);
  for (const column of keys.toReversed()) {
    const { min, max } = extent(column, rows);
    // Division by a power of two is exact, and `&` takes the low bits of any whole number below 2^53.
    for (let unit = 1; unit <= max - min; unit *= DIGIT) {
      counts.fill(0);
      for (let row = 0; row < rows; row++) counts[Math.floor((column[row]! - min) / unit) & (DIGIT - 1)]!++;
      for (let digit = 0, start = 0; digit < DIGIT; digit++) {
        const count = counts[digit]!;
        counts[digit] = start;
        start += count;
      }
      for (let index = 0; index < rows; index++) {
        const row = order[index]!;
        spare[counts[Math.floor((column[row]! - min) / unit) & (DIGIT - 1)]!++] = row;
      }
      [order, spare] = [spare, order];
    }
  }
  return order;
}

/** The row at a place of an order; undefined stands for the order in which rows are. */
export const rowAt = (order: Uint32Array | undefined, place: number) => (order ? order[place]! : place);

function isOrdered(rows: number, keys: readonly Keys[]): boolean {
  const [first, ...others] = keys;
  if (!first) return true;
  for (let row = 1; row < rows; row++) {
    if (first[row]! > first[row - 1]!) continue;
    if (first[row]! < first[row - 1]!) return false;
    const column = others.find((column) => column[row] !== column[row - 1]);
    if (column && column[row]! < column[row - 1]!) return false;
  }
  return true;
}

function extent(column: Keys, rows: number): { min: number; max: number } {
  let min = column[0]!;
  let max = min;
  for (let row = 1; row < rows; row++) {
    min = Math.min(min, column[row]!);
    max = Math.max(max, column[row]!);
  }
  return { min, max };
}
