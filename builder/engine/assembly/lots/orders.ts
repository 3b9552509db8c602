/**
 * The lots of an address, in the order in which it sends them: a list for `fifo`, a stack for `lifo`, a pairing heap for
 * `hifo`. One that has a single lot, as most do, keeps it in its own record. Source: docs/methodology.md §14.
 */

import { allocate } from "../memory";
import { add, copy } from "./amounts";
import { hourOf, priceOf } from "./book";
import { allocatePages, reach, recordAt } from "./pages";

export const FIFO: i32 = 0;
export const LIFO: i32 = 1;
export const HIFO: i32 = 2;
let order: i32 = FIFO;

// An address's record: u32 its first lot, u32 of `fifo` the last lot of an hour before that of its last receipt, the amount
// of its only lot.
const SETTLED: usize = 4;
const OWN_AMOUNT: usize = 8;
/** Marks a first lot that lies in the record: the other bits are its key. */
const ONLY: u32 = 0x80000000;
const NONE: u32 = 0;

// A lot: u32 key, u32 the next one, u32 of `hifo` the first of those below it, the amount.
const NEXT: usize = 4;
const BELOW: usize = 8;
const AMOUNT: usize = 16;

let limbs: i32 = 0;
let records: usize = 0;
let recordBytes: usize = 0;
let pages: usize = 0;
let lotBytes: usize = 0;
let lotEnd: u32 = 1;
/** The first of the lots that are free. */
let free: u32 = NONE;

export function setupOrders(holders: u32, limbCount: i32, method: i32): void {
  order = method;
  limbs = limbCount;
  recordBytes = OWN_AMOUNT + 8 * limbs;
  records = allocate(<u64>recordBytes * <u64>holders);
  lotBytes = AMOUNT + 8 * limbs;
  pages = allocatePages(lotBytes);
  lotEnd = 1;
  free = NONE;
  pending = 0;
}

function holderAt(holder: u32): usize {
  return records + recordBytes * <usize>holder;
}

function lotAt(lot: u32): usize {
  return recordAt(pages, lot, lotBytes);
}

function keyIn(lot: u32): u32 {
  return load<u32>(lotAt(lot));
}

function nextOf(lot: u32): u32 {
  return load<u32>(lotAt(lot), NEXT);
}

function newLot(key: u32, amount: usize): u32 {
  let lot = free;
  if (lot !== NONE) {
    free = nextOf(lot);
  } else {
    lot = lotEnd++;
    reach(pages, lot, lotBytes);
  }
  const at = lotAt(lot);
  store<u32>(at, key);
  store<u32>(at, NONE, NEXT);
  store<u32>(at, NONE, BELOW);
  copy(at + AMOUNT, amount, limbs);
  return lot;
}

function release(lot: u32): void {
  store<u32>(lotAt(lot), free, NEXT);
  free = lot;
}

/** The key of the first lot of an address; 0 if it has none. */
export function firstKey(holder: u32): u32 {
  const first = load<u32>(holderAt(holder));
  return first === NONE || (first & ONLY) !== 0 ? first & ~ONLY : keyIn(first);
}

/** Where the amount of the first lot of an address lies. */
export function firstAmount(holder: u32): usize {
  const at = holderAt(holder);
  const first = load<u32>(at);
  return (first & ONLY) !== 0 ? at + OWN_AMOUNT : lotAt(first) + AMOUNT;
}

/** Takes the first lot of an address away. */
export function dropFirst(holder: u32): void {
  const at = holderAt(holder);
  const first = load<u32>(at);
  if ((first & ONLY) !== 0) {
    store<u32>(at, NONE);
    return;
  }
  if (order === FIFO && first === load<u32>(at, SETTLED)) store<u32>(at, NONE, SETTLED);
  const next = order === HIFO ? joinAll(load<u32>(lotAt(first), BELOW)) : nextOf(first);
  release(first);
  const rest = lotAt(next);
  if (load<u32>(rest, NEXT) !== NONE || load<u32>(rest, BELOW) !== NONE) {
    store<u32>(at, next);
    return;
  }
  store<u32>(at, load<u32>(rest) | ONLY);
  store<u32>(at, NONE, SETTLED);
  copy(at + OWN_AMOUNT, rest + AMOUNT, limbs);
  release(next);
}

/** Adds to the lot of a key, or makes it: of the hour of the last receipt of the address, or a later one. */
export function put(holder: u32, key: u32, amount: usize): void {
  const at = holderAt(holder);
  const first = load<u32>(at);
  if (first === NONE) {
    store<u32>(at, key | ONLY);
    copy(at + OWN_AMOUNT, amount, limbs);
  } else if (first === (key | ONLY)) {
    add(at + OWN_AMOUNT, limbs, amount, limbs);
  } else {
    if ((first & ONLY) !== 0) store<u32>(at, newLot(first & ~ONLY, at + OWN_AMOUNT));
    if (order === FIFO) putLast(at, key, amount);
    else if (order === LIFO) putOnTop(at, key, amount);
    else putInHeap(at, key, amount);
  }
}

/** Puts a lot behind those of earlier hours, and of lower prices. */
function putLast(at: usize, key: u32, amount: usize): void {
  const hour = hourOf(key);
  let before = load<u32>(at, SETTLED);
  let next = before === NONE ? load<u32>(at) : nextOf(before);
  if (hourOf(keyIn(next)) < hour) {
    while (next !== NONE) {
      before = next;
      next = nextOf(next);
    }
    store<u32>(at, before, SETTLED);
  }
  insert(at, before, next, key, amount);
}

/** Puts a lot before those of earlier hours, and of lower prices. */
function putOnTop(at: usize, key: u32, amount: usize): void {
  insert(at, NONE, load<u32>(at), key, amount);
}

/** Puts a lot among those of its hour, the first of which is `next`, behind `before`. */
function insert(at: usize, before: u32, next: u32, key: u32, amount: usize): void {
  const hour = hourOf(key);
  const price = priceOf(key);
  while (next !== NONE) {
    const other = keyIn(next);
    if (other === key) {
      add(lotAt(next) + AMOUNT, limbs, amount, limbs);
      return;
    }
    if (hourOf(other) !== hour) break;
    if (order === FIFO ? priceOf(other) > price : priceOf(other) < price) break;
    before = next;
    next = nextOf(next);
  }
  const lot = newLot(key, amount);
  store<u32>(lotAt(lot), next, NEXT);
  store<u32>(before === NONE ? at : lotAt(before) + NEXT, lot);
}

/** The lot on top may be of the same key. Others of it stay lots of their own: they come up one after the other. */
function putInHeap(at: usize, key: u32, amount: usize): void {
  const top = load<u32>(at);
  if (keyIn(top) === key) add(lotAt(top) + AMOUNT, limbs, amount, limbs);
  else store<u32>(at, join(top, newLot(key, amount)));
}

/** Joins two heaps, which have no next ones. */
function join(one: u32, other: u32): u32 {
  const isFirst = comesFirst(one, other);
  const top = isFirst ? one : other;
  const below = isFirst ? other : one;
  store<u32>(lotAt(below), load<u32>(lotAt(top), BELOW), NEXT);
  store<u32>(lotAt(top), below, BELOW);
  return top;
}

function comesFirst(one: u32, other: u32): bool {
  const key = keyIn(one);
  const otherKey = keyIn(other);
  const price = priceOf(key);
  const otherPrice = priceOf(otherKey);
  return price !== otherPrice ? price > otherPrice : hourOf(key) <= hourOf(otherKey);
}

/** Joins a heap and all that are next to it: in pairs, then the pairs from the last one on. */
function joinAll(heap: u32): u32 {
  let pairs: u32 = NONE;
  while (heap !== NONE) {
    const one = heap;
    const other = nextOf(one);
    heap = NONE;
    let pair = one;
    if (other !== NONE) {
      heap = nextOf(other);
      store<u32>(lotAt(one), NONE, NEXT);
      store<u32>(lotAt(other), NONE, NEXT);
      pair = join(one, other);
    }
    store<u32>(lotAt(pair), pairs, NEXT);
    pairs = pair;
  }
  let all = pairs;
  pairs = nextOf(all);
  store<u32>(lotAt(all), NONE, NEXT);
  while (pairs !== NONE) {
    const pair = pairs;
    pairs = nextOf(pair);
    store<u32>(lotAt(pair), NONE, NEXT);
    all = join(all, pair);
  }
  return all;
}

/** Lots that are still to be told, of `tellLots`. */
let pending: usize = 0;

/** Is told a lot of an address: its key, and where its amount lies. */
type Tell = (holder: u32, key: u32, amount: usize) => void;

/** Tells every lot of an address, in any order. Those of one key may be several. */
export function tellLots(holder: u32, tell: Tell): void {
  const at = holderAt(holder);
  const first = load<u32>(at);
  if (first === NONE) return;
  if ((first & ONLY) !== 0) {
    tell(holder, first & ~ONLY, at + OWN_AMOUNT);
    return;
  }
  if (pending === 0) pending = allocatePages(4);
  let count: u32 = 0;
  let lot = first;
  while (lot !== NONE) {
    const place = lotAt(lot);
    tell(holder, load<u32>(place), place + AMOUNT);
    const below = load<u32>(place, BELOW);
    lot = load<u32>(place, NEXT);
    if (below === NONE) {
      if (lot === NONE && count > 0) lot = load<u32>(recordAt(pending, count--, 4));
      continue;
    }
    if (lot !== NONE) {
      reach(pending, ++count, 4);
      store<u32>(recordAt(pending, count, 4), lot);
    }
    lot = below;
  }
}
