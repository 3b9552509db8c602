/** Sorts addresses by their bytes. */

import { orderBy } from "../columns/order.ts";
import { ADDRESS_BYTES, ADDRESS_WORDS } from "../input/addresses.ts";

/**
 * @param addresses 20 bytes each
 * @returns row numbers in ascending order of the addresses; equal addresses keep their order
 */
export function addressOrder({ buffer, byteOffset, length }: Uint8Array): Uint32Array {
  const count = length / ADDRESS_BYTES;
  const view = new DataView(buffer, byteOffset);
  const word = (row: number, index: number) => view.getUint32(ADDRESS_BYTES * row + 4 * index);
  const leading = Float64Array.from({ length: count }, (_, row) => word(row, 0) * 2 ** 16 + (word(row, 1) >>> 16));
  const order = orderBy(count, [leading]);
  // Different addresses rarely share their first 48 bits, unless somebody has chosen them.
  const isSorted = order.every((row, i) => i === 0 || leading[row] !== leading[order[i - 1]!]);
  if (isSorted) return order;
  const columns = Array.from({ length: ADDRESS_WORDS }, (_, index) =>
    Uint32Array.from({ length: count }, (_, row) => word(row, index)),
  );
  return orderBy(count, columns);
}
