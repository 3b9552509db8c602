/** Finite state entropy: tables of states, each with its symbol, and where the next state is. Source: RFC 8878, 4.1. */

import { bitsAt, check, log2, readBackwards } from "./bits";

/** How many states each symbol has; -1 for one that has a single state with the least probability. */
const counts: usize = memory.data(2 * 256, 16);
/** The next state that each symbol takes. */
const next: usize = memory.data(2 * 256, 16);

/** How many bits a description had, in whole bytes, and what it described. */
export let describedEnd: usize = 0;
export let describedLog: u32 = 0;
let symbols: u32 = 0;

/** Reads how many states each symbol has. */
export function readCounts(at: usize, end: usize, mostLog: u32, mostSymbols: u32): void {
  describedLog = <u32>(load<u8>(at) & 15) + 5;
  check(at < end && describedLog <= mostLog);
  let bit: i64 = 4;
  let left = (<i32>1) << describedLog;
  symbols = 0;
  while (left > 0) {
    check(symbols < mostSymbols && at + <usize>(bit >> 3) < end);
    const width = log2(<u32>left + 1) + 1;
    const value = <u32>bitsAt(at, bit, width);
    const low: u32 = value & (((<u32>1) << (width - 1)) - 1);
    // So many of the least values take a bit less.
    const short: u32 = ((<u32>1) << width) - 2 - <u32>left;
    let count: i32;
    if (low < short) {
      bit += width - 1;
      count = <i32>low - 1;
    } else {
      bit += width;
      count = <i32>(value >> (width - 1) !== 0 ? value - short : value) - 1;
    }
    left -= count < 0 ? 1 : count;
    setCount(symbols++, count);
    if (count === 0) {
      for (let repeat: u32 = 3; repeat === 3; ) {
        repeat = <u32>bitsAt(at, bit, 2);
        bit += 2;
        check(symbols + repeat <= mostSymbols && at + <usize>(bit >> 3) <= end);
        for (let i: u32 = 0; i < repeat; i++) setCount(symbols++, 0);
      }
    }
  }
  check(left === 0);
  describedEnd = at + <usize>((bit + 7) >> 3);
  check(describedEnd <= end);
}

/** Takes counts that are known: 16 bits each. */
export function takeCounts(from: usize, count: u32, log: u32): void {
  memory.copy(counts, from, 2 * <usize>count);
  symbols = count;
  describedLog = log;
}

function setCount(symbol: u32, count: i32): void {
  store<i16>(counts + 2 * <usize>symbol, <i16>count);
}

/** Makes the table of what has been described: four bytes a state, the symbol, the bits to read, and what to add to them. */
export function buildTable(table: usize): void {
  const size = (<u32>1) << describedLog;
  let high = size;
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const count = <i32>load<i16>(counts + 2 * <usize>symbol);
    if (count < 0) {
      high--;
      store<u8>(table + 4 * <usize>high, <u8>symbol);
    }
    store<u16>(next + 2 * <usize>symbol, <u16>(count < 0 ? 1 : count));
  }
  const step = (size >> 1) + (size >> 3) + 3;
  let position: u32 = 0;
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const count = <i32>load<i16>(counts + 2 * <usize>symbol);
    for (let i = 0; i < count; i++) {
      store<u8>(table + 4 * <usize>position, <u8>symbol);
      do position = (position + step) & (size - 1);
      while (position >= high);
    }
  }
  check(position === 0);
  for (let state: u32 = 0; state < size; state++) {
    const entry = table + 4 * <usize>state;
    const taken = next + 2 * <usize>load<u8>(entry);
    const number = <u32>load<u16>(taken);
    store<u16>(taken, <u16>(number + 1));
    const bits = describedLog - log2(number);
    store<u8>(entry, <u8>bits, 1);
    store<u16>(entry, <u16>((number << bits) - size), 2);
  }
}

/** Makes a table whose only state has this symbol. */
export function buildSingle(table: usize, symbol: u8): void {
  store<u32>(table, <u32>symbol);
  describedLog = 0;
}

export function symbolOf(table: usize, state: u32): u32 {
  return <u32>load<u8>(table + 4 * <usize>state);
}

/** Reads bits, backwards, for the next state. */
export function nextState(table: usize, state: u32): u32 {
  const entry = load<u32>(table + 4 * <usize>state);
  return (entry >> 16) + <u32>readBackwards((entry >> 8) & 0xff);
}
