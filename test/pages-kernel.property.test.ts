/** The Worker's decoder of pages, in Node: against Node's own zstd, and against numbers before they were encoded. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { deltaBinaryPacked } from "../data-schema/parquet.ts";

interface Kernel {
  memory: { buffer: ArrayBuffer };
  stored: { value: number };
  page: { value: number };
  numbers: { value: number };
  reserve(bytes: number, length: number, rows: number): void;
  inflate(): void;
  doubles(rows: number, isSplit: boolean): void;
  integers(rows: number, divisor: number): void;
}

const path = join(import.meta.dirname, "../worker/read/assembly/pages.wasm");
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(path)), {});
const kernel = exports as unknown as Kernel;

function take(stored: Uint8Array, length: number, rows: number): void {
  kernel.reserve(stored.length, length, rows);
  new Uint8Array(kernel.memory.buffer, kernel.stored.value, stored.length).set(stored);
}

function inflate(stored: Uint8Array, length: number): Buffer {
  take(stored, length, 0);
  kernel.inflate();
  return Buffer.from(new Uint8Array(kernel.memory.buffer, kernel.page.value, length));
}

const numbers = (rows: number) => new Float64Array(kernel.memory.buffer, kernel.numbers.value, rows).slice();

/** Bytes of which zstd makes all that its format has: codes in one stream and four, tables of each kind, old offsets. */
const bytes = fc
  .record({
    length: fc.oneof(fc.nat(300), fc.nat(20_000), fc.nat(400_000)),
    seed: fc.integer(),
    symbols: fc.constantFrom(1, 2, 5, 40, 256),
    repeats: fc.constantFrom(0, 0.01, 0.3, 0.95),
    farthest: fc.constantFrom(1, 3, 15, 200, 100_000),
  })
  .map(({ length, seed, symbols, repeats, farthest }) => {
    let state = seed;
    const random = () => {
      state = (state + 0x9e3779b9) | 0;
      const mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
    };
    const made = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      if (at > 0 && random() < repeats) {
        const offset = 1 + Math.floor(random() * Math.min(at, farthest));
        const end = Math.min(length, at + 3 + Math.floor(40 * random() ** 3 + 300 * random() ** 20));
        for (; at < end; at++) made[at] = made[at - offset]!;
      } else made[at++] = Math.floor(symbols * random() ** 2);
    }
    return made;
  });

const parameters = fc.record({
  [constants.ZSTD_c_compressionLevel]: fc.integer({ min: -5, max: 19 }),
  [constants.ZSTD_c_checksumFlag]: fc.nat(1),
  [constants.ZSTD_c_contentSizeFlag]: fc.nat(1),
});

it("decompresses what zstd has compressed, in one frame or several", () => {
  fc.assert(
    fc.property(bytes, parameters, fc.boolean(), (data, params, isTwice) => {
      const frame = zstdCompressSync(data, { params });
      const stored = isTwice ? Buffer.concat([frame, frame]) : frame;
      const expected = isTwice ? Buffer.concat([data, data]) : Buffer.from(data);
      expect(inflate(stored, expected.length).equals(expected)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

it("ends in an exception or in as many bytes when any of them are others", () => {
  fc.assert(
    fc.property(
      bytes,
      parameters,
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
      (data, params, faults) => {
        const stored = Buffer.from(zstdCompressSync(data, { params }));
        for (const [at, byte] of faults) stored[at % stored.length] = byte;
        try {
          inflate(stored, data.length);
        } catch (error) {
          expect((error as Error).name).toBe("RuntimeError");
        }
        // Nothing of it stays behind.
        const whole = zstdCompressSync(data);
        expect(inflate(whole, data.length).equals(zstdDecompressSync(whole))).toBe(true);
      },
    ),
    { numRuns: 40 },
  );
});

it("refuses a frame that is cut off, has another length, or is followed by more", () => {
  const data = Buffer.from("abcabcabcabc, and what else there is: 0123456789".repeat(20));
  const stored = zstdCompressSync(data);
  expect(inflate(stored, data.length).equals(data)).toBe(true);
  for (let end = 0; end < stored.length; end++) expect(() => inflate(stored.subarray(0, end), data.length)).toThrow();
  expect(() => inflate(stored, data.length - 1)).toThrow();
  expect(() => inflate(stored, data.length + 1)).toThrow();
  expect(() => inflate(Buffer.concat([stored, Buffer.from([0])]), data.length)).toThrow();
});

it("reads doubles, as they are or split", () => {
  fc.assert(
    fc.property(fc.array(fc.double(), { minLength: 1, maxLength: 100 }), (values) => {
      const all = Float64Array.from(values);
      const plain = new Uint8Array(all.buffer);
      const split = plain.map((_, at) => plain[8 * (at % values.length) + Math.floor(at / values.length)]!);
      for (const [data, isSplit] of [
        [plain, false],
        [split, true],
      ] as const) {
        take(zstdCompressSync(data), data.length, values.length);
        kernel.doubles(values.length, isSplit);
        expect(numbers(values.length)).toEqual(all);
      }
      expect(() => kernel.doubles(values.length + 1, true)).toThrow();
    }),
    { numRuns: 100 },
  );
});

const whole = (most: number) => fc.array(fc.integer({ min: -most, max: most }), { minLength: 1, maxLength: 400 });

it("reads whole numbers of any distance from each other", () => {
  fc.assert(
    fc.property(fc.oneof(whole(3), whole(1e5), whole(2 ** 40), whole(Number.MAX_SAFE_INTEGER)), (values) => {
      const page = deltaBinaryPacked(Float64Array.from(values)).slice();
      take(zstdCompressSync(page), page.length, values.length);
      kernel.integers(values.length, 1000);
      expect(numbers(values.length)).toEqual(Float64Array.from(values, (value) => value / 1000));
      expect(() => kernel.integers(values.length + 1, 1)).toThrow();
      for (const end of [0, 1, 3, page.length - 1]) {
        take(zstdCompressSync(page.subarray(0, end)), end, values.length);
        expect(() => kernel.integers(values.length, 1)).toThrow();
      }
    }),
    { numRuns: 100 },
  );
});
