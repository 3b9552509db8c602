/** Sums of raw amounts of many addresses: little-endian 32-bit words inside larger `Uint32Array`s. */

const WORD = 0x1_0000_0000;

/** Adds an amount to a sum of at least as many words, which never overflows. */
export function addTo(sums: Uint32Array, at: number, words: number, amounts: Uint32Array, from: number, own: number) {
  let carry = 0;
  for (let k = 0; k < words && (k < own || carry > 0); k++) {
    const sum = sums[at + k]! + (k < own ? amounts[from + k]! : 0) + carry;
    // The array keeps the low 32 bits.
    sums[at + k] = sum;
    carry = sum >= WORD ? 1 : 0;
  }
}

/** Subtracts an amount. @returns whether there was as much */
export function takeFrom(
  sums: Uint32Array,
  at: number,
  words: number,
  amounts: Uint32Array,
  from: number,
  own: number,
): boolean {
  let borrow = 0;
  for (let k = 0; k < words && (k < own || borrow > 0); k++) {
    const difference = sums[at + k]! - (k < own ? amounts[from + k]! : 0) - borrow;
    sums[at + k] = difference;
    borrow = difference < 0 ? 1 : 0;
  }
  return borrow === 0;
}

/** Whether a sum times a small factor is at most an amount of at most as many words. Exact. */
export function isAtMostPart(
  factor: number,
  sums: Uint32Array,
  at: number,
  words: number,
  amounts: Uint32Array,
  from: number,
  own: number,
): boolean {
  let carry = 0;
  /** The comparison of the words so far, from the lowest: each higher word that differs decides anew. */
  let isAtMost = true;
  for (let k = 0; k < words; k++) {
    const product = sums[at + k]! * factor + carry;
    carry = Math.floor(product / WORD);
    const [low, amount] = [product % WORD, k < own ? amounts[from + k]! : 0];
    if (low !== amount) isAtMost = low < amount;
  }
  return carry === 0 && isAtMost;
}
