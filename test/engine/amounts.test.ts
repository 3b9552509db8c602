import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addAmount, fromBigInt, subtractAmount, TokenUnit, toBigInt } from "../../builder/engine/amounts.ts";

const WORDS = 10;
const amount = fc.oneof(
  fc.bigInt(0n, 2n ** 256n - 1n),
  fc.integer({ min: 0, max: 256 }).map((bits) => 2n ** BigInt(bits)),
  fc.integer({ min: 1, max: 256 }).map((bits) => 2n ** BigInt(bits) - 1n),
);

function words(value: bigint, count = WORDS): Uint32Array {
  const array = new Uint32Array(count);
  fromBigInt(value, array, 0, count);
  return array;
}

describe("exact amounts", () => {
  it("add like BigInts, whatever the number of words added", () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const target = words(a);
        addAmount(target, 0, WORDS, words(b, 9), 0, 9);
        expect(toBigInt(target, 0, WORDS)).toBe(a + b);
      }),
    );
  });

  it("subtract like BigInts, and stay as they are when there is too little", () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const target = words(a);
        expect(subtractAmount(target, 0, WORDS, words(b, 9), 0, 9)).toBe(a >= b);
        expect(toBigInt(target, 0, WORDS)).toBe(a >= b ? a - b : a);
      }),
    );
  });

  it("touch only their own words", () => {
    const target = new Uint32Array([7, 0xffff_ffff, 0xffff_ffff, 0, 7]);
    addAmount(target, 1, 3, new Uint32Array([1]), 0, 1);
    expect([...target]).toEqual([7, 0, 0, 1, 7]);
    expect(subtractAmount(target, 1, 3, new Uint32Array([1]), 0, 1)).toBe(true);
    expect([...target]).toEqual([7, 0xffff_ffff, 0xffff_ffff, 0, 7]);
  });
});

describe("whole tokens", () => {
  const tokens = (raw: bigint, decimals: number) => new TokenUnit(decimals).tokens(words(raw), 0, WORDS);

  it("are what a person reads", () => {
    expect(tokens(100_000n * 10n ** 18n, 18)).toBe(100_000);
    expect(tokens(10n ** 17n, 18)).toBe(0.1);
    expect(tokens(1n, 77)).toBe(1e-77);
    expect(tokens(0n, 18)).toBe(0);
  });

  it("are the correctly rounded quotient, for every number of decimals", () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 77 }), (raw, decimals) => {
        expect(tokens(raw, decimals)).toBe(Number(`${raw}e-${decimals}`));
      }),
      { numRuns: 5_000 },
    );
  });

  it("round right next to the middle between two doubles", () => {
    const halfway = fc.record({
      odd: fc.bigInt(2n ** 52n, 2n ** 53n - 1n).map((n) => 2n * n + 1n),
      shift: fc.integer({ min: 0, max: 150 }),
      off: fc.bigInt(-2n, 2n),
      decimals: fc.integer({ min: 0, max: 30 }),
    });
    fc.assert(
      fc.property(halfway, ({ odd, shift, off, decimals }) => {
        // Near (a double and a half unit) · 10^decimals.
        const raw = odd * 2n ** BigInt(shift) * 10n ** BigInt(decimals) + off;
        fc.pre(raw < 2n ** 288n);
        expect(tokens(raw, decimals)).toBe(Number(`${raw}e-${decimals}`));
      }),
      { numRuns: 5_000 },
    );
  });
});
