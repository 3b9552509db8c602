import * as fc from "fast-check";
import * as AbiParameters from "ox/AbiParameters";
import * as Hex from "ox/Hex";
import { describe, expect, it } from "vitest";
import { decodeText } from "../../../builder/fetch/chain/text.ts";

describe("a text", () => {
  it("is read as it was encoded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), (text) => {
        const encoded = AbiParameters.encode(AbiParameters.from("string"), [text]);
        expect(decodeText(encoded.slice(2))).toBe(text);
      }),
    );
  });

  it("of bytes32 ends at the first 0", () => {
    expect(decodeText(Hex.fromString("MKR", { size: 32 }).slice(2))).toBe("MKR");
    expect(decodeText("41".repeat(32))).toBe("A".repeat(32));
  });

  it("that is cut short is undefined, whatever the bytes", () => {
    expect(decodeText("")).toBeUndefined();
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 33, maxLength: 130 }), (bytes) => {
        const text = decodeText(Buffer.from(bytes).toString("hex"));
        expect(text === undefined || text.length <= bytes.length).toBe(true);
      }),
    );
  });
});
