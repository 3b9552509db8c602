/** Pages of tables are decompressed as Node does it, also those that workerd's own zstd fails on. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { encodePage } from "../../../data-schema/parquet/chunk.ts";
import { inflate } from "../../../worker/read/objects/decode-rows.ts";

/** One zstd frame of blocks that are not compressed. Source: RFC 8878 §3.1.1. */
function rawFrame(bytes: Uint8Array): Uint8Array {
  const MOST_BLOCK_BYTES = 1 << 17;
  const { length } = bytes;
  const frame = [0x28, 0xb5, 0x2f, 0xfd, 0xa0, length & 255, (length >> 8) & 255, (length >> 16) & 255, length >>> 24];
  for (let from = 0; from < length; from += MOST_BLOCK_BYTES) {
    const size = Math.min(MOST_BLOCK_BYTES, length - from);
    const header = (size << 3) | (from + size === length ? 1 : 0);
    frame.push(header & 255, (header >> 8) & 255, header >> 16);
    for (const byte of bytes.subarray(from, from + size)) frame.push(byte);
  }
  return Uint8Array.from(frame);
}

const bytesOf = (length: number, seed: number) =>
  Uint8Array.from({ length }, (_, i) => Math.imul(i + seed, 2_654_435_761) >>> 24);

it.each([4, 40_000, 131_072, 163_840, 400_000])("%i bytes that do not compress", (length) => {
  const bytes = bytesOf(length, 1);
  expect(inflate(rawFrame(bytes), length)).toEqual(bytes);
});

it("any page", () => {
  fc.assert(
    fc.property(fc.nat(50_000), fc.nat(), fc.boolean(), (values, seed, isEven) => {
      const data = isEven ? new Uint8Array(4 * values).fill(seed) : bytesOf(4 * values, seed);
      const { stored } = encodePage({ rows: values, encoding: "PLAIN", data }, "ZSTD");
      expect(inflate(stored, data.length)).toEqual(data);
    }),
    { numRuns: 15 },
  );
});

it("refuses what is no frame, or has another length", () => {
  const { stored } = encodePage({ rows: 10, encoding: "PLAIN", data: bytesOf(40, 1) }, "ZSTD");
  expect(() =>
    inflate(
      stored.map((byte) => byte ^ 1),
      40,
    ),
  ).toThrow();
  expect(() => inflate(stored, 48)).toThrow();
  expect(() => inflate(stored, 39)).toThrow();
});
