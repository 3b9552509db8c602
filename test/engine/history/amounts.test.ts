import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBigInt, scaleSignedToDouble, TokenUnit, wordCount } from "../../../builder/engine/history/amounts.ts";

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

it("the highest digits of a whole number, below zero too, give its double", () => {
  fc.assert(
    fc.property(
      fc.bigInt(1n - 2n ** 320n, 2n ** 320n - 1n),
      fc.integer({ min: -1074, max: 600 }),
      (value, exponent) => {
        const double = scaleSignedToDouble(words(value, WORDS + 1), 0, WORDS + 1, exponent);
        // Subnormal doubles are rounded twice.
        const exact = Number(value) * 2 ** Math.floor(exponent / 2) * 2 ** Math.ceil(exponent / 2);
        expect(double).toBe(exact);
      },
    ),
    { numRuns: 5_000 },
  );
  expect(scaleSignedToDouble(words(0n), 0, WORDS, -1074)).toBe(0);
  expect(scaleSignedToDouble(words(1n), 0, WORDS, -1074)).toBe(5e-324);
});

it("as many words as a number needs", () => {
  expect([0n, 1n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 256n - 1n].map(wordCount)).toEqual([1, 1, 1, 2, 8]);
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
