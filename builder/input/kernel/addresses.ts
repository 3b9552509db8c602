/**
 * A dictionary from 20-byte addresses to numbers: open addressing with linear probing, at most a quarter full.
 * addresses.ts in the folder above drives it.
 *
 * In memory come the slots, then the keys, which grow upwards. When the slots double, the keys are moved.
 */

import { allocate, startLayout } from "../../engine/kernel/memory";

const KEY: usize = 20;

/** Throws: there is no more memory. */
declare function outOfMemory(): void;

/** Words of the addresses at hand, column after column, written by the driver. */
export let words: usize = 0;
/** Their numbers. */
export let numbers: usize = 0;
/** How many addresses there are: numbers go from 0 to below it. */
export let size: u32 = 0;
/** The words of each address, by number. */
export let keys: usize = 0;

const NO_NUMBER: u32 = 0xffff_ffff;

/** The most addresses of a batch in a column. */
let columnRows: u32 = 0;
/** For each address of a batch: what its first slot holds. */
let guesses: usize = 0;
/** Number + 1 of the address in each slot; 0 where there is none. */
let slots: usize = 0;
let mask: u32 = 0;

/** Room for batches of so many rows and columns; slots to begin with, a power of two. */
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

/** The numbers of a batch; addresses that are new are added, row by row and in a row from column to column. */
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

/** The numbers of a batch, NO_NUMBER for an address that was never inserted. */
export function find(rows: u32, columns: u32): void {
  guess(rows, columns);
  for (let column: u32 = 0; column < columns; column++) {
    const first = column * columnRows;
    for (let index = first; index < first + rows; index++) {
      if (load<u32>(numbers + 4 * index) !== NO_NUMBER) continue;
      // One less than what an empty slot holds is no number.
      store<u32>(numbers + 4 * index, load<u32>(slotOf(words + KEY * index)) - 1);
    }
  }
}

/**
 * The numbers of a batch, as far as the addresses are in their first slots; else NO_NUMBER.
 *
 * Many addresses are more than the caches hold, and the time goes into waiting for memory. Loops that only load, item
 * by item and without a branch, let the processor wait for many items at once.
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
      // Of an empty slot, what comes before the first key is looked at: whatever that is, one less than 0 is NO_NUMBER.
      const wrong = differ(keys + KEY * found - KEY, words + KEY * index);
      store<u32>(numbers + 4 * index, wrong ? NO_NUMBER : found - 1);
    }
  }
}

/** The number of an address, which is added if it is new. */
function add(at: usize): u32 {
  const slot = slotOf(at);
  if (load<u32>(slot) === 0) {
    memory.copy(keys + KEY * size, at, KEY);
    size++;
    store<u32>(slot, size);
  }
  return load<u32>(slot) - 1;
}

/** The slot that holds the address, or the empty one where it belongs. */
function slotOf(at: usize): usize {
  let slot = hash(at) & mask;
  let found = load<u32>(slots + 4 * slot);
  while (found !== 0 && differ(keys + KEY * found - KEY, at)) {
    slot = (slot + 1) & mask;
    found = load<u32>(slots + 4 * slot);
  }
  return slots + 4 * slot;
}

/** Twice as many slots. */
function grow(): void {
  const bytes: usize = 4 * (mask + 1);
  reserve(<u64>bytes + KEY * size);
  memory.copy(keys + bytes, keys, KEY * size);
  keys += bytes;
  mask = 2 * mask + 1;
  memory.fill(slots, 0, 2 * bytes);
  for (let number: u32 = 0; number < size; number++) store<u32>(slotOf(keys + KEY * number), number + 1);
}

/** Makes sure that there are so many bytes from the keys on; if not, half as much memory again, since growing takes a while. */
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

/** Mixes all words: vanity addresses and simulated ones share long runs of equal digits. */
function hash(at: usize): u32 {
  let h = (load<u64>(at) * 0x9e3779b97f4a7c15) ^ load<u64>(at, 8);
  h = ((h ^ (h >> 32)) * 0xd6e8feb86659fd93) ^ load<u32>(at, 16);
  h = (h ^ (h >> 32)) * 0xc2b2ae3d27d4eb4f;
  return <u32>(h >> 32);
}
