/**
 * A dictionary from 20-byte addresses to numbers: open addressing with linear probing, at most a quarter full.
 * builder/input/addresses.ts calls it.
 *
 * Memory holds the slots, then the keys, which grow upwards. When the slots double, the keys move.
 */

import { allocate, startLayout } from "../../engine/assembly/memory";

const KEY: usize = 20;

/** Throws a JavaScript error: no memory is left. */
declare function outOfMemory(): void;

/** Input: the words of a batch's addresses, column after column. */
export let words: usize = 0;
/** Output: the numbers of a batch's addresses. */
export let numbers: usize = 0;
/** Number of addresses in the dictionary. */
export let size: u32 = 0;
/** The words of all addresses, by number. */
export let keys: usize = 0;

const NO_NUMBER: u32 = 0xffff_ffff;

/** Maximum rows of a batch. */
let columnRows: u32 = 0;
/** The content of the first slot of each address of a batch. */
let guesses: usize = 0;
/** Each slot holds the number of its address, plus 1; 0 if it is empty. */
let slots: usize = 0;
let mask: u32 = 0;

/** Allocates memory for batches of this size. The initial number of slots is a power of two. */
export function setup(rows: u32, columns: u32, slotCount: u32): void {
  startLayout();
  columnRows = rows;
  words = allocate(KEY * rows * columns);
  numbers = allocate(4 * rows * columns);
  guesses = allocate(4 * rows * columns);
  slots = allocate(0);
  mask = slotCount - 1;
  keys = slots + 4 * slotCount;
  reserve(0);
}

/** Looks up a batch and adds new addresses, row by row; within a row, column by column. */
export function insert(rows: u32, columns: u32): void {
  while (4 * (<u64>size + rows * columns) > <u64>mask + 1) grow();
  reserve(KEY * (<u64>size + rows * columns));
  guess(rows, columns);
  for (let row: u32 = 0; row < rows; row++) {
    for (let column: u32 = 0; column < columns; column++) {
      const index = column * columnRows + row;
      if (load<u32>(numbers + 4 * index) === NO_NUMBER) store<u32>(numbers + 4 * index, add(words + KEY * index));
    }
  }
}

/** Looks up a batch. An address that was never inserted gets NO_NUMBER. */
export function find(rows: u32, columns: u32): void {
  guess(rows, columns);
  for (let column: u32 = 0; column < columns; column++) {
    const first = column * columnRows;
    for (let index = first; index < first + rows; index++) {
      if (load<u32>(numbers + 4 * index) !== NO_NUMBER) continue;
      // For an empty slot this is 0 − 1, which is NO_NUMBER.
      store<u32>(numbers + 4 * index, load<u32>(slotOf(words + KEY * index)) - 1);
    }
  }
}

/**
 * Looks up each address of a batch in its first slot only; NO_NUMBER if it is not there.
 *
 * A large dictionary does not fit into the caches, so most time is spent waiting for memory. In short loops without
 * branches the processor waits for many loads at once.
 */
function guess(rows: u32, columns: u32): void {
  for (let column: u32 = 0; column < columns; column++) {
    const first = column * columnRows;
    for (let index = first; index < first + rows; index++) {
      store<u32>(guesses + 4 * index, load<u32>(slots + 4 * (hash(words + KEY * index) & mask)));
    }
  }
  for (let column: u32 = 0; column < columns; column++) {
    const first = column * columnRows;
    for (let index = first; index < first + rows; index++) {
      const found = load<u32>(guesses + 4 * index);
      // For an empty slot this compares with the memory before the first key; the result is NO_NUMBER either way.
      const wrong = differ(keys + KEY * found - KEY, words + KEY * index);
      store<u32>(numbers + 4 * index, wrong ? NO_NUMBER : found - 1);
    }
  }
}

/** Returns the number of an address, and adds it if it is new. */
function add(at: usize): u32 {
  const slot = slotOf(at);
  if (load<u32>(slot) === 0) {
    memory.copy(keys + KEY * size, at, KEY);
    size++;
    store<u32>(slot, size);
  }
  return load<u32>(slot) - 1;
}

/** Returns the slot that holds the address, or the empty slot where it belongs. */
function slotOf(at: usize): usize {
  let slot = hash(at) & mask;
  let found = load<u32>(slots + 4 * slot);
  while (found !== 0 && differ(keys + KEY * found - KEY, at)) {
    slot = (slot + 1) & mask;
    found = load<u32>(slots + 4 * slot);
  }
  return slots + 4 * slot;
}

/** Doubles the slots. */
function grow(): void {
  const bytes: usize = 4 * (mask + 1);
  reserve(<u64>bytes + KEY * size);
  memory.copy(keys + bytes, keys, KEY * size);
  keys += bytes;
  mask = 2 * mask + 1;
  memory.fill(slots, 0, 2 * bytes);
  for (let number: u32 = 0; number < size; number++) store<u32>(slotOf(keys + KEY * number), number + 1);
}

/** Ensures this many bytes of memory from the keys on. Memory grows by at least half, because growing is slow. */
function reserve(bytes: u64): void {
  const pages = <i32>((keys + bytes + 0xffff) >> 16) - memory.size();
  if (pages <= 0) return;
  if (memory.grow(pages + (memory.size() >> 1)) < 0 && memory.grow(pages) < 0) outOfMemory();
}

function differ(a: usize, b: usize): bool {
  return (
    ((load<u64>(a) ^ load<u64>(b)) | (load<u64>(a, 8) ^ load<u64>(b, 8)) | (load<u32>(a, 16) ^ load<u32>(b, 16))) !== 0
  );
}

/** Mixes all words: vanity and simulated addresses share long runs of equal digits. */
function hash(at: usize): u32 {
  let h = (load<u64>(at) * 0x9e3779b97f4a7c15) ^ load<u64>(at, 8);
  h = ((h ^ (h >> 32)) * 0xd6e8feb86659fd93) ^ load<u32>(at, 16);
  h = (h ^ (h >> 32)) * 0xc2b2ae3d27d4eb4f;
  return <u32>(h >> 32);
}
