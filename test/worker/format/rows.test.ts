/** The kernel's text of numbers and times is JavaScript's own. */

import { expect, it } from "vitest";
import { SERIES_FORMS } from "../../../worker/table/v1-body.ts";

const decoder = new TextDecoder();
const { writer } = SERIES_FORMS.csv;
const CAPACITY = 4_096;

/** The kernel's rows of points, as CSV without its header. */
function rows(t: Float64Array, v: Float64Array): string {
  return decoder.decode(writer.write({ t, block: null, columns: [v] }, 0, t.length));
}

/** Compares piece by piece, and point by point only where a piece differs. */
function compare(values: readonly number[]): void {
  for (let from = 0; from < values.length; from += CAPACITY) {
    const v = Float64Array.from(values.slice(from, from + CAPACITY));
    const text = rows(new Float64Array(v.length), v);
    const expected = Array.from(v, (value) => `1970-01-01T00:00:00,${value}\n`).join("");
    if (text !== expected) expect(text.split("\n")).toEqual(expected.split("\n"));
  }
}

const bits = new BigUint64Array(1);
const double = new Float64Array(bits.buffer);

/** The value and its neighbours, up to so many steps away, of both signs; those that are finite. */
function around(value: number, steps: number): number[] {
  double[0] = Math.abs(value);
  const middle = bits[0]!;
  const found: number[] = [];
  for (let step = -steps; step <= steps; step++) {
    bits[0] = middle + BigInt(step);
    if (Number.isFinite(double[0])) found.push(double[0]!, -double[0]!);
  }
  return found;
}

const integers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

it("powers of ten and their neighbours", () => {
  const powers = integers(-324, 309).map((exponent) => Number(`1e${exponent}`));
  compare(powers.flatMap((power) => [1, 2, 5, 9, 9.5, 1.2345].flatMap((factor) => around(factor * power, 3))));
});

it("powers of two and their neighbours", () => {
  compare(integers(-1074, 1024).flatMap((exponent) => around(2 ** exponent, 3)));
});

it("zeros, the least and the greatest", () => {
  compare([0, -0, ...around(Number.MIN_VALUE, 0), ...around(2 ** -1022, 20), ...around(Number.MAX_VALUE, 20)]);
  compare(integers(1, 10_000).map((count) => count * Number.MIN_VALUE));
});

it("whole numbers and decimals as people write them", () => {
  for (const divisor of [1, 8, 10, 100, 1e4, 1e7, 1e18, 1e-5]) {
    compare(integers(0, 20_000).map((number) => number / divisor));
  }
  compare(integers(0, 20_000).flatMap((step) => [2 ** 53 - step, 2 ** 53 + 2 * step, 1e21 - step * 131_072]));
});

it("decimals of up to 17 digits, as they are read, and their neighbours", () => {
  for (let digits = 1; digits <= 17; digits++) {
    for (const exponent of integers(-8, 23)) {
      const decimals = Array.from({ length: 100 }, () =>
        Number(`${(9 * Math.random() + 1).toFixed(digits)}e${exponent}`),
      );
      compare(decimals.flatMap((decimal) => around(decimal, 1)));
    }
  }
});

it("numbers of all lengths, and zeros, side by side", () => {
  const number = () =>
    Math.sign(Math.random() - 0.3) * Math.floor(10 ** (18 * Math.random())) * 10 ** -Math.floor(12 * Math.random());
  compare(Array.from({ length: 300_000 }, number));
});

it("millions of doubles of all bit patterns", () => {
  const words = new Uint32Array(2 * CAPACITY);
  const doubles = new Float64Array(words.buffer);
  for (let done = 0; done < 2_000_000; done += CAPACITY) {
    crypto.getRandomValues(words);
    compare(Array.from(doubles).filter(Number.isFinite));
  }
});

it("doubles of the sizes that metrics have", () => {
  for (const size of [1, 100, 1e6, 1e12]) compare(Array.from({ length: 200_000 }, () => size * Math.random()));
});

it("times from 1970 to 9999", () => {
  const last = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;
  const times = [
    0,
    last,
    ...integers(0, 60_000).map((day) => day * 86_400),
    ...integers(0, 90_000).map((second) => Date.UTC(2024, 1, 28) / 1000 + second),
    ...integers(0, 200_000).map(() => Math.floor(Math.random() * last)),
  ];
  for (let from = 0; from < times.length; from += CAPACITY) {
    const t = Float64Array.from(times.slice(from, from + CAPACITY));
    const expected = Array.from(t, (time) => `${new Date(time * 1000).toISOString().slice(0, 19)},0\n`).join("");
    const text = rows(t, new Float64Array(t.length));
    if (text !== expected) expect(text.split("\n")).toEqual(expected.split("\n"));
  }
});
