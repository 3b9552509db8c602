/** Addresses in columns of 20 bytes each: how they are copied, compared and sorted. */

import { orderBy } from "../lib/columns/order.ts";
import { ADDRESS_BYTES } from "../lib/widths.ts";
import { ADDRESS_WORDS } from "./addresses.ts";

export const wordsOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new Uint32Array(buffer, byteOffset, byteLength / 4);

export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) => new DataView(buffer, byteOffset, byteLength);

export function copyAddress(from: Uint32Array, at: number, into: Uint32Array, to: number): void {
  for (let word = 0; word < ADDRESS_WORDS; word++) into[to * ADDRESS_WORDS + word] = from[at * ADDRESS_WORDS + word]!;
}

/** Below 0 if the first address comes before the second, above 0 if after it. */
export function compareAddresses(a: DataView, at: number, b: DataView, there: number): number {
  for (let byte = 0; byte < ADDRESS_BYTES; byte += 4) {
    const difference = a.getUint32(ADDRESS_BYTES * at + byte) - b.getUint32(ADDRESS_BYTES * there + byte);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Sorts addresses by their bytes.
 *
 * @param addresses 20 bytes each
 * @returns their numbers in ascending order; equal ones keep theirs
 */
export function addressOrder(addresses: Uint8Array): Uint32Array {
  const view = viewOf(addresses);
  const count = addresses.length / ADDRESS_BYTES;
  const leading = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const at = ADDRESS_BYTES * i;
    leading[i] = view.getUint32(at) * 2 ** 16 + view.getUint16(at + 4);
  }
  const order = orderBy(count, [leading]);
  const ordered = order.slice();
  // Few addresses share their first 48 bits with another, unless somebody has chosen them.
  for (let first = 0, end: number; first < count; first = end) {
    end = first + 1;
    while (end < count && leading[order[end]!] === leading[order[first]!]) end++;
    if (end - first > 1) ordered.subarray(first, end).sort((a, b) => compareAddresses(view, a, view, b));
  }
  return ordered;
}
