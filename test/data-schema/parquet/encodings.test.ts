import { describe, expect, it } from "vitest";
import {
  byteStreamSplit,
  deltaBinaryPacked,
  dictionaryRuns,
  plainDoubles,
  writePlainTexts,
} from "../../../data-schema/parquet/encodings.ts";

describe("DELTA_BINARY_PACKED", () => {
  const header = (values: number) => [0x80, 0x01, 4, values];

  it("packs the format's own example", () => {
    // Deltas -2, -2, -2, 1, 1, 1, 1; the least is -2 (zigzag 3), and above it are 0, 0, 0, 3, 3, 3, 3: a byte each.
    const packed = [0, 0, 0, 3, 3, 3, 3, ...new Array(25).fill(0)];
    expect([...deltaBinaryPacked(Float64Array.of(7, 5, 3, 1, 2, 3, 4, 5))]).toEqual([
      ...header(8),
      14,
      3,
      8,
      0,
      0,
      0,
      ...packed,
    ]);
  });

  it("needs no bytes for equal steps", () => {
    // 1000 zigzags to 2000 = 0x7d0: seven bits 0x50, and then 0x0f.
    expect([...deltaBinaryPacked(Float64Array.of(-1, 999, 1999))]).toEqual([...header(3), 1, 0xd0, 0x0f, 0, 0, 0, 0]);
  });

  it("is only the first value if there is no other", () => {
    expect([...deltaBinaryPacked(Float64Array.of(-3))]).toEqual([...header(1), 5]);
  });

  it("packs into as many bytes as the block's greatest delta needs", () => {
    for (const [excess, bytes] of [
      [0xff, 1],
      [0x100, 2],
      [0xff_ffff, 3],
      [0xffff_ffff, 4],
      [0x1_0000_0000, 5],
      [Number.MAX_SAFE_INTEGER, 7],
    ] as const) {
      const encoded = deltaBinaryPacked(Float64Array.of(0, 0, excess));
      const littleEndian = [...new Uint8Array(BigUint64Array.of(BigInt(excess)).buffer)].slice(0, bytes);
      expect([...encoded.subarray(0, 10 + 2 * bytes)]).toEqual([
        ...header(3),
        0,
        0,
        8 * bytes,
        0,
        0,
        0,
        ...new Array(bytes).fill(0),
        ...littleEndian,
      ]);
      expect(encoded).toHaveLength(10 + 32 * bytes);
    }
  });

  it("packs deltas that doubles cannot hold as 64-bit integers", () => {
    const most = 8.64e15;
    const encoded = deltaBinaryPacked(Float64Array.of(most, -most, 1 - most));
    const header = encoded.length - 8 * 32;
    expect([...encoded.subarray(header - 5, header)]).toEqual([0, 64, 0, 0, 0]);
    const deltas = new BigInt64Array(encoded.slice(header).buffer);
    expect([...deltas.subarray(0, 3)]).toEqual([-17_280_000_000_000_000n, 1n, 0n]);
  });
});

describe("BYTE_STREAM_SPLIT", () => {
  it("is the first bytes of all, then the second bytes, and so on", () => {
    for (const rows of [1, 2, 3, 4, 5, 8, 11]) {
      const values = Float64Array.from({ length: rows }, (_, i) => (i === 1 ? -0 : Math.sqrt(i + 2)));
      const bytes = new Uint8Array(values.buffer);
      const expected = Array.from({ length: 8 * rows }, (_, i) => bytes[8 * (i % rows) + Math.floor(i / rows)]);
      expect([...byteStreamSplit(values)]).toEqual(expected);
    }
  });

  it("accepts a part of an array", () => {
    const values = Float64Array.of(1, 2, 3, 4, 5, 6, 7);
    expect([...byteStreamSplit(values.subarray(1, 6))]).toEqual([...byteStreamSplit(values.slice(1, 6)).slice()]);
  });
});

it("PLAIN doubles are their bytes", () => {
  expect([...plainDoubles(Float64Array.of(0, 1, 2).subarray(1, 2))]).toEqual([0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
});

it("PLAIN texts follow their lengths", () => {
  expect([...writePlainTexts(["$1", "é"])]).toEqual([2, 0, 0, 0, 0x24, 0x31, 2, 0, 0, 0, 0xc3, 0xa9]);
});

it("RLE_DICTIONARY has a run for each entry", () => {
  expect([...dictionaryRuns([3, 100])]).toEqual([16, 6, 0, 0, 0xc8, 0x01, 1, 0]);
});
