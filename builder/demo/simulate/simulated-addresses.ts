/** Simulated addresses: a hash of the seed and the account's index. */

import { Random, STREAMS } from "./random.ts";

/** Characters of an address: `0x` and 40 hex digits. */
export const ADDRESS_LENGTH = 42;

const WORDS = 5;
const HEX_DIGITS = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));

/** The index of the token's own contract: larger than that of any account. */
export const TOKEN_CONTRACT = 0xffff_ffff;

/** MurmurHash3's finalizer: a bijection of 32-bit words that mixes every bit. Source: Austin Appleby, MurmurHash3.cpp. */
function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}

/** The addresses of one simulation. Index 0 is the zero address. */
export class AddressBook {
  readonly #keys: number[];

  constructor(seed: number) {
    const random = new Random(seed, STREAMS.addresses);
    this.#keys = Array.from({ length: WORDS }, () => random.uint32());
  }

  /**
   * Writes the text of an address at `offset`, in lower case. Each word is a bijection of the index, so different
   * indices have different addresses.
   */
  write(index: number, target: Uint8Array, offset: number): void {
    target[offset] = 0x30; // 0
    target[offset + 1] = 0x78; // x
    let position = offset + 2;
    for (let word = 0; word < WORDS; word++) {
      const bits = index === 0 ? 0 : mix(mix(index ^ this.#keys[word]!) + word);
      for (let shift = 28; shift >= 0; shift -= 4) target[position++] = HEX_DIGITS[(bits >>> shift) & 15]!;
    }
  }

  text(index: number): string {
    const bytes = new Uint8Array(ADDRESS_LENGTH);
    this.write(index, bytes, 0);
    return String.fromCharCode(...bytes);
  }
}
