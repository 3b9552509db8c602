/** An exact dictionary from 20-byte addresses to numbers. */

/** 32-bit words of an address: its bytes in order, little-endian. */
export const ADDRESS_WORDS = 5;

/** The words of a checked `0x…` address. */
export function addressWords(address: string): Uint32Array {
  return new Uint32Array(new Uint8Array(Buffer.from(address.slice(2), "hex")).buffer);
}

/** What an `AddressTable` consists of, and can be made of again on another thread. */
export interface AddressColumns {
  size: number;
  /** Five words per address, by number. */
  keys: Uint32Array<ArrayBuffer>;
  /** Number + 1 of the address in each slot; 0 where there is none. */
  slots: Uint32Array<ArrayBuffer>;
}

/**
 * Numbers 0, 1, 2 … for addresses in the order of insertion; 0 is the zero address from the start.
 * Open addressing with linear probing over typed arrays, at most a quarter full.
 */
export class AddressTable implements AddressColumns {
  size = 0;
  keys = new Uint32Array(ADDRESS_WORDS << 15);
  slots = new Uint32Array(1 << 17);
  /** For each address of a batch: what its first slot holds, and how that key differs from it. */
  #guesses = new Uint32Array(0);
  #differences = new Int32Array(0);

  constructor(columns?: AddressColumns) {
    if (columns) Object.assign(this, columns);
    else this.insertAll(new Uint32Array(ADDRESS_WORDS), 1, new Uint32Array(1));
  }

  /**
   * The numbers of the first `count` addresses of `words`, which are added if they are new.
   *
   * Many addresses are more than the caches hold, and the time goes into waiting for memory. Loops that only load, item
   * by item and without a branch, let the processor wait for many items at once.
   */
  insertAll(words: Uint32Array, count: number, numbers: Uint32Array): void {
    while (4 * (this.size + count) > this.slots.length) this.#grow();
    if (this.#guesses.length < count) {
      this.#guesses = new Uint32Array(count);
      this.#differences = new Int32Array(count);
    }
    const guesses = this.#guesses;
    const differences = this.#differences;
    const slots = this.slots;
    const keys = this.keys;
    const mask = slots.length - 1;
    for (let index = 0; index < count; index++) guesses[index] = hash(words, index * ADDRESS_WORDS) & mask;
    for (let index = 0; index < count; index++) guesses[index] = slots[guesses[index]];
    for (let index = 0; index < count; index++) {
      // Of an empty slot, any key will do: the last loop looks at the guess itself.
      const key = Math.max(guesses[index] - 1, 0) * ADDRESS_WORDS;
      differences[index] = difference(keys, key, words, index * ADDRESS_WORDS);
    }
    for (let index = 0; index < count; index++) {
      const found = guesses[index] !== 0 && differences[index] === 0;
      numbers[index] = found ? guesses[index] - 1 : this.#insert(words, index * ADDRESS_WORDS);
    }
  }

  /** The number of an address, or undefined. */
  find(words: Uint32Array): number | undefined {
    const found = this.slots[this.#slot(words, 0)];
    return found === 0 ? undefined : found - 1;
  }

  #insert(words: Uint32Array, at: number): number {
    const slot = this.#slot(words, at);
    if (this.slots[slot] === 0) {
      for (let word = 0; word < ADDRESS_WORDS; word++) this.keys[this.size * ADDRESS_WORDS + word] = words[at + word];
      this.slots[slot] = ++this.size;
    }
    return this.slots[slot] - 1;
  }

  /** The slot that holds the address, or the empty one where it belongs. */
  #slot(words: Uint32Array, at: number): number {
    const mask = this.slots.length - 1;
    let slot = hash(words, at) & mask;
    for (let found = this.slots[slot]; found !== 0; found = this.slots[slot]) {
      if (difference(this.keys, (found - 1) * ADDRESS_WORDS, words, at) === 0) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const keys = new Uint32Array(this.keys.length * 2);
    keys.set(this.keys);
    this.keys = keys;
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let number = 0; number < this.size; number++)
      this.slots[this.#slot(keys, number * ADDRESS_WORDS)] = number + 1;
  }
}

/** 0 if the address at `key` is the one at `at`. */
function difference(keys: Uint32Array, key: number, words: Uint32Array, at: number): number {
  return (
    (keys[key] ^ words[at]) |
    (keys[key + 1] ^ words[at + 1]) |
    (keys[key + 2] ^ words[at + 2]) |
    (keys[key + 3] ^ words[at + 3]) |
    (keys[key + 4] ^ words[at + 4])
  );
}

/** Mixes all words: vanity addresses and simulated ones share long runs of equal digits. */
function hash(words: Uint32Array, at: number): number {
  let h = Math.imul(words[at], 0x9e3779b1) ^ words[at + 1];
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b) ^ words[at + 2];
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35) ^ words[at + 3];
  h = Math.imul(h ^ (h >>> 16), 0x27d4eb2f) ^ words[at + 4];
  h = Math.imul(h ^ (h >>> 15), 0x165667b1);
  return h ^ (h >>> 16);
}
