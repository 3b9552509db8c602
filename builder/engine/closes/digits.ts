/** Exact numbers of several 32-bit digits, in two's complement, least significant first. */

const SIGN_BIT = 0x8000_0000;

/** Adds a number to another that has as many digits or more. */
export function addDigits(
  into: Uint32Array,
  to: number,
  room: number,
  from: Uint32Array,
  at: number,
  count: number,
): void {
  // In two's complement, a number is extended by its sign.
  const sign = room > count && count > 0 && from[at + count - 1]! >= SIGN_BIT ? 0xffff_ffff : 0;
  let carry = 0;
  for (let k = 0; k < room; k++) {
    const sum = into[to + k]! + (k < count ? from[at + k]! : sign) + carry;
    into[to + k] = sum;
    carry = sum > 0xffff_ffff ? 1 : 0;
  }
}

/** @param count of digits; a negative number has the sign bit in its last one */
export function signedOf(digits: Uint32Array, at: number, count: number): bigint {
  let value = 0n;
  for (let k = count - 1; k >= 0; k--) value = (value << 32n) | BigInt(digits[at + k]!);
  return count > 0 && digits[at + count - 1]! >= SIGN_BIT ? value - (1n << BigInt(32 * count)) : value;
}

/** The quotient of two whole numbers as a double, off by one unit in the last place at most. @param divisor not 0 */
export function quotient(dividend: bigint, divisor: bigint): number {
  const [above, below] = [magnitude(dividend), magnitude(divisor)];
  if (above === 0n) return 0;
  // A quotient of 60 bits or more loses nothing that a double could hold.
  const shift = 64 + bits(below) - bits(above);
  const whole = shift > 0 ? (above << BigInt(shift)) / below : above / (below << BigInt(-shift));
  // In two steps, because the power itself may be out of the range of a double.
  const value = Number(whole) * 2 ** -Math.floor(shift / 2) * 2 ** -Math.ceil(shift / 2);
  return dividend < 0n === divisor < 0n ? value : -value;
}

const magnitude = (value: bigint) => (value < 0n ? -value : value);
/** Roughly the bits of a positive number: up to three more. */
const bits = (value: bigint) => 4 * value.toString(16).length;
