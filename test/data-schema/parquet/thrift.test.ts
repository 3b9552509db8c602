import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binary, encodeThrift, i32, i64, list, struct, TRUE, thriftText } from "../../../data-schema/parquet/thrift.ts";
import { ByteSink, joinBytes } from "../../../data-schema/text/bytes.ts";

const MAX = Number.MAX_SAFE_INTEGER;

/** Seven bits a byte, by BigInt. */
function leb128(value: bigint): number[] {
  const bytes = [];
  for (; value >= 128n; value >>= 7n) bytes.push(Number(value & 127n) | 128);
  return [...bytes, Number(value)];
}

describe("bytes", () => {
  it("hold any whole number", () => {
    const whole = fc.oneof(
      fc.maxSafeInteger(),
      fc.constantFrom(0, -1, 63, 64, -64, -65, MAX, -MAX, 2 ** 53, -(2 ** 53)),
    );
    fc.assert(
      fc.property(whole, (value) => {
        const sink = new ByteSink(1);
        sink.zigzag(value);
        expect([...sink.view()]).toEqual(leb128(BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n))));
        sink.clear();
        sink.varint(Math.abs(value));
        expect([...sink.view()]).toEqual(leb128(BigInt(Math.abs(value))));
      }),
    );
  });

  it("grow as needed", () => {
    const sink = new ByteSink(0);
    sink.byte(1);
    sink.bytes([2, 3]);
    sink.bytes(new Uint8Array(100).fill(4));
    expect(sink.length).toBe(103);
    expect([...sink.view()]).toEqual([1, 2, 3, ...new Array(100).fill(4)]);
    expect([...joinBytes([sink.view(1, 4), Uint8Array.of(9)])]).toEqual([2, 3, 4, 9]);
  });
});

describe("Thrift's compact protocol", () => {
  it("has the type, and the step from the last field, before each value", () => {
    const value = struct({ 1: i32(1), 2: undefined, 4: thriftText("ab"), 5: TRUE, 12: struct({}), 14: i64(-300) });
    expect([...encodeThrift(value)]).toEqual([0x15, 2, 0x38, 2, 0x61, 0x62, 0x11, 0x7c, 0, 0x26, 0xd7, 0x04, 0]);
  });

  it("has a list's type once, and lengths from 15 on separately", () => {
    expect([...encodeThrift(list([binary(Uint8Array.of(7)), binary(Uint8Array.of())]))]).toEqual([0x28, 1, 7, 0]);
    expect([...encodeThrift(list(new Array(14).fill(i32(1))))].slice(0, 2)).toEqual([0xe5, 2]);
    expect([...encodeThrift(list(new Array(200).fill(i32(1))))].slice(0, 4)).toEqual([0xf5, 0xc8, 0x01, 2]);
  });
});
