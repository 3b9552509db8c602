/**
 * Exact sums of the squares of balances, in raw units, of users and of all others. An accumulator is 4 · limbs digits of 32
 * bits in an i64 each, as in sums.ts. Source: docs/methodology.md §9.
 */

import { limbs } from "./balance";
import { GROUPS } from "./largest";
import { allocate } from "./memory";
import { carry } from "./sums";

let accumulators: usize = 0;
let accumulatorBytes: usize = 0;
/** The sums at the last close, with carries resolved: u32 digits, read by the driver. */
export let closingSquares: usize = 0;
/** A square, an i64 a digit. */
let square: usize = 0;

export function setupSquares(): void {
  accumulatorBytes = 32 * limbs;
  accumulators = allocate(accumulatorBytes * GROUPS);
  closingSquares = allocate(16 * limbs * GROUPS);
  square = allocate(accumulatorBytes);
}

/** Adds the square of a balance to a group's sum, or removes it. */
export function updateSquares(group: i32, balance: usize, removes: bool): void {
  const words = 2 * limbs;
  for (let k = 0; k < 2 * words; k++) store<u64>(square + 8 * k, 0);
  for (let i = 0; i < words; i++) {
    const word = <u64>load<u32>(balance + 4 * i);
    if (word === 0) continue;
    let rest: u64 = 0;
    for (let j = 0; j < words; j++) {
      const at = square + 8 * (i + j);
      const digit = word * <u64>load<u32>(balance + 4 * j) + load<u64>(at) + rest;
      store<u64>(at, digit & 0xffffffff);
      rest = digit >> 32;
    }
    store<u64>(square + 8 * (i + words), rest);
  }
  const sum = accumulators + accumulatorBytes * group;
  for (let k = 0; k < 2 * words; k += 2) {
    const before = v128.load(sum + 8 * k);
    const digits = v128.load(square + 8 * k);
    v128.store(sum + 8 * k, removes ? i64x2.sub(before, digits) : i64x2.add(before, digits));
  }
}

export function writeClosingSquares(): void {
  for (let group = 0; group < GROUPS; group++) {
    carry(closingSquares + 16 * limbs * group, accumulators + accumulatorBytes * group, 4 * limbs);
  }
}
