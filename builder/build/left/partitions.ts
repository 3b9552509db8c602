/** Which partition an address belongs to. */

import { wordsOf } from "../../input/address-order.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";

/** More than a thousand row groups a file would cost more than they save. */
export const MAX_PARTITIONS = 1024;

/** Stands for the partition of an address that no partition replays: it is not on the list. */
export const NO_PARTITION = 0xffff;

/**
 * The partition of each address.
 *
 * @param addresses 20 bytes each
 * @param count a power of two
 */
export function partitionsOf(addresses: Uint8Array, count: number): Uint16Array {
  const words = wordsOf(addresses);
  const partitions = new Uint16Array(addresses.length / ADDRESS_BYTES);
  // All words: vanity and simulated addresses share long runs of equal digits.
  for (let i = 0, at = 0; i < partitions.length; i++, at += 5) {
    let hash = Math.imul(words[at]!, 0x9e3779b1) ^ Math.imul(words[at + 1]!, 0x85ebca77);
    hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae3d) ^ words[at + 2]!;
    hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2f) ^ words[at + 3]!;
    hash = Math.imul(hash ^ (hash >>> 16), 0x165667b1) ^ words[at + 4]!;
    hash = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1);
    partitions[i] = (hash ^ (hash >>> 16)) & (count - 1);
  }
  return partitions;
}
