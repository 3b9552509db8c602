/** The powers of ten that Schubfach multiplies by, computed once with long arithmetic. */

/** The powers from 10^-292 to 10^324 are all that a double's exponent can need. */
const LEAST: i32 = -292;
const GREATEST: i32 = 324;

/** 16 bytes a power. */
const table: usize = memory.data(16 * (GREATEST - LEAST + 1), 16);

/** The address of the 128 bits ⌈10^k · 2^(127 − ⌊log₂ 10^k⌋)⌉: the upper 64, then the lower 64. */
export function powerOfTen(k: i32): usize {
  return table + <usize>((k - LEAST) << 4);
}

/** A long number: 32-bit words, the least significant first. 10^324 takes 34 of them; 2^1119 / 10^292 has 150 bits. */
const WORDS: i32 = 35;
const long: usize = memory.data(4 * WORDS, 8);

function word(index: i32): u64 {
  return index < 0 ? 0 : load<u32>(long + <usize>(index << 2));
}

function setWord(index: i32, value: u64): void {
  store<u32>(long + <usize>(index << 2), <u32>value);
}

/** Writes the long number's upper 128 bits into the table, rounded up. `isRounded`: a fraction was cut off. */
function enter(k: i32, isRounded: bool): void {
  let top = WORDS - 1;
  while (word(top) === 0) top--;
  const shift = clz(<u32>word(top));
  // Five words hold 128 bits, counted from the first that is set.
  const upper = shifted(word(top), word(top - 1), word(top - 2), shift);
  let lower = shifted(word(top - 2), word(top - 3), word(top - 4), shift);
  let isMore = isRounded || <u32>(word(top - 4) << shift) !== 0;
  for (let index = top - 5; index >= 0; index--) isMore = isMore || word(index) !== 0;
  lower += u64(isMore);
  store<u64>(powerOfTen(k), upper + u64(isMore && lower === 0));
  store<u64>(powerOfTen(k), lower, 8);
}

/** The 64 bits that begin `shift` bits into three words; `shift` is below 32. */
function shifted(first: u64, second: u64, third: u64, shift: u32): u64 {
  return (((first << 32) | second) << shift) | ((third << shift) >> 32);
}

function fill(): void {
  // 10^0, 10^1 and so on, exactly.
  setWord(0, 1);
  for (let k = 0; k <= GREATEST; k++) {
    enter(k, false);
    let carry: u64 = 0;
    for (let index = 0; index < WORDS; index++) {
      const product = word(index) * 10 + carry;
      setWord(index, product);
      carry = product >> 32;
    }
  }
  // 2^1119 / 10, / 100 and so on: remainders never reach the upper 128 bits.
  memory.fill(long, 0, 4 * WORDS);
  setWord(WORDS - 1, 0x8000_0000);
  for (let k = -1; k >= LEAST; k--) {
    let remainder: u64 = 0;
    for (let index = WORDS - 1; index >= 0; index--) {
      const dividend = (remainder << 32) | word(index);
      setWord(index, dividend / 10);
      remainder = dividend % 10;
    }
    enter(k, true);
  }
}

fill();
