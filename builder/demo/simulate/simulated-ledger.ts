/**
 * Exact amounts and balances that are fast to add and print.
 *
 * A raw amount is `high` · 10^14 + `low`, with low < 10^14. Both are whole numbers below 2^53, so doubles hold them
 * exactly, up to 9·10^29 raw units (900 billion tokens with 18 decimals), and their digits are the amount's digits.
 */

export const DECIMALS = 18;
/** Digits of `low`. */
export const LOW_DIGITS = 14;
export const LOW_BASE = 10 ** LOW_DIGITS;
/** `high` counts ten-thousandths of a token. */
export const HIGH_PER_TOKEN = 10 ** (DECIMALS - LOW_DIGITS);

/** The zero address: the sender of mints and the receiver of burns. It has no balance. */
export const ZERO = 0;

/** Balances of addresses, by index. */
export class SimulatedLedger {
  readonly high: Float64Array;
  readonly low: Float64Array;
  /** Minted so far, in ten-thousandths of a token, each mint rounded down. */
  mintedHigh = 0;

  constructor(addresses: number) {
    this.high = new Float64Array(addresses);
    this.low = new Float64Array(addresses);
  }

  isEmpty(address: number): boolean {
    return this.high[address] === 0 && this.low[address] === 0;
  }

  /** The balance in tokens, as a double. */
  tokens(address: number): number {
    return (this.high[address]! + this.low[address]! / LOW_BASE) / HIGH_PER_TOKEN;
  }

  covers(address: number, high: number, low: number): boolean {
    return this.high[address]! > high || (this.high[address] === high && this.low[address]! >= low);
  }

  /** Moves an amount that `from` must cover, unless it is a mint. */
  move(from: number, to: number, high: number, low: number): void {
    if (from === ZERO) {
      this.mintedHigh += high;
    } else {
      this.high[from]! -= high;
      this.low[from]! -= low;
      if (this.low[from]! < 0) {
        this.low[from]! += LOW_BASE;
        this.high[from]! -= 1;
      }
    }
    if (to !== ZERO) {
      this.high[to]! += high;
      this.low[to]! += low;
      if (this.low[to]! >= LOW_BASE) {
        this.low[to]! -= LOW_BASE;
        this.high[to]! += 1;
      }
    }
  }
}
