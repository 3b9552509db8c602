/** Addresses as numbers: hexadecimal to words, and an exact dictionary of 20-byte keys. */

import { TEXT_UNITS } from "./vectors.ts";

/** 32-bit words of an address. */
export const ADDRESS_WORDS = 5;

/**
 * Byte of two hexadecimal digits, by the little-endian 16-bit number that their two characters make;
 * −1 for all other pairs, so that a bad digit shows as a negative sum of ORs.
 */
const HEX_PAIRS = hexPairs();

function hexPairs(): Int16Array {
  const pairs = new Int16Array(1 << 16).fill(-1);
  const spellings = (digit: number) => [...new Set([digit.toString(16), digit.toString(16).toUpperCase()])];
  for (let byte = 0; byte < 256; byte++) {
    for (const high of spellings(byte >> 4)) {
      for (const low of spellings(byte & 15)) pairs[high.charCodeAt(0) | (low.charCodeAt(0) << 8)] = byte;
    }
  }
  return pairs;
}

/** `0x` as such a number, and what makes the x a small letter. */
const PREFIX = 0x7830;
const SMALL_X = 0x2000;

/**
 * Reads the address whose text is in four pieces of 12, 12, 12 and 6 bytes.
 *
 * @param pieces columns of texts
 * @param row the item in each of them
 * @param out receives five words: the bytes of the address in order, little-endian
 * @returns false if the text is not 0x and 40 hexadecimal digits
 */
export function readAddress(pieces: readonly Uint16Array[], row: number, out: Uint32Array): boolean {
  const [a, b, c, d] = pieces;
  const length = row * TEXT_UNITS;
  if (a[length] !== 12 || b[length] !== 12 || c[length] !== 12 || d[length] !== 6) return false;
  const at = length + 2;
  if ((a[at] | SMALL_X) !== PREFIX) return false;
  const pair = HEX_PAIRS;
  const w0 = pair[a[at + 1]] | (pair[a[at + 2]] << 8) | (pair[a[at + 3]] << 16);
  const w1 = pair[a[at + 5]] | (pair[b[at]] << 8) | (pair[b[at + 1]] << 16);
  const w2 = pair[b[at + 3]] | (pair[b[at + 4]] << 8) | (pair[b[at + 5]] << 16);
  const w3 = pair[c[at + 1]] | (pair[c[at + 2]] << 8) | (pair[c[at + 3]] << 16);
  const w4 = pair[c[at + 5]] | (pair[d[at]] << 8) | (pair[d[at + 1]] << 16);
  const [h0, h1, h2, h3, h4] = [pair[a[at + 4]], pair[b[at + 2]], pair[c[at]], pair[c[at + 4]], pair[d[at + 2]]];
  out[0] = w0 | (h0 << 24);
  out[1] = w1 | (h1 << 24);
  out[2] = w2 | (h2 << 24);
  out[3] = w3 | (h3 << 24);
  out[4] = w4 | (h4 << 24);
  // Bytes, and three of them shifted together, are positive: a sign can only come from a pair that is no byte.
  return (w0 | w1 | w2 | w3 | w4 | h0 | h1 | h2 | h3 | h4) >= 0;
}

/** The words of a checked `0x…` address, as `readAddress` gives them. */
export function addressWords(address: string): Uint32Array {
  const bytes = Uint8Array.from({ length: 20 }, (_, index) =>
    Number.parseInt(address.slice(2 + 2 * index, 4 + 2 * index), 16),
  );
  return new Uint32Array(bytes.buffer);
}

/**
 * Exact dictionary from addresses to numbers 0, 1, 2 … in the order of insertion; 0 is the zero address from the start.
 * Open addressing with linear probing over typed arrays, at most half full.
 */
export class AddressTable {
  size = 0;
  /** Five words per address, by number. */
  keys = new Uint32Array(ADDRESS_WORDS << 15);
  /** Number + 1 of the address in each slot; 0 where there is none. */
  #slots = new Uint32Array(1 << 16);

  constructor() {
    this.insert(new Uint32Array(ADDRESS_WORDS));
  }

  /** The number of an address, which is added if it is new. */
  insert(key: Uint32Array): number {
    const slot = this.#slot(key);
    const found = this.#slots[slot];
    if (found !== 0) return found - 1;
    this.keys.set(key, this.size * ADDRESS_WORDS);
    this.#slots[slot] = ++this.size;
    if (2 * this.size >= this.#slots.length) this.#grow();
    return this.size - 1;
  }

  /** The number of an address, or undefined. */
  find(key: Uint32Array): number | undefined {
    const found = this.#slots[this.#slot(key)];
    return found === 0 ? undefined : found - 1;
  }

  /** The slot that holds the address, or the empty one where it belongs. */
  #slot(key: Uint32Array): number {
    const slots = this.#slots;
    const keys = this.keys;
    const mask = slots.length - 1;
    const [a, b, c, d, e] = [key[0], key[1], key[2], key[3], key[4]];
    for (let slot = hash(a, b, c, d, e) & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot];
      if (number === 0) return slot;
      const at = (number - 1) * ADDRESS_WORDS;
      if (keys[at] === a && keys[at + 1] === b && keys[at + 2] === c && keys[at + 3] === d && keys[at + 4] === e) {
        return slot;
      }
    }
  }

  #grow(): void {
    const keys = new Uint32Array(this.keys.length * 2);
    keys.set(this.keys);
    this.keys = keys;
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let number = 0; number < this.size; number++) {
      const at = number * ADDRESS_WORDS;
      this.#slots[this.#slot(keys.subarray(at, at + ADDRESS_WORDS))] = number + 1;
    }
  }
}

/** Mixes all words: vanity addresses and simulated ones share long runs of equal digits. */
function hash(a: number, b: number, c: number, d: number, e: number): number {
  let h = Math.imul(a, 0x9e3779b1) ^ b;
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b) ^ c;
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35) ^ d;
  h = Math.imul(h ^ (h >>> 16), 0x27d4eb2f) ^ e;
  h = Math.imul(h ^ (h >>> 15), 0x165667b1);
  return (h ^ (h >>> 16)) >>> 0;
}
