/** Addresses and values in bulk against the rules that say what a cell may hold. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { ADDRESS_WORDS } from "../../../builder/input/addresses.ts";
import { ADDRESS, type CellRule, VALUE } from "../../../builder/input/cells/rules.ts";
import { ADDRESSES, VALUE_WORDS, VALUES, type WordDecoder } from "../../../builder/input/cells/words.ts";
import { chunks, literal, withDatabase } from "../../../builder/input/duckdb/database.ts";
import { VECTOR_ROWS } from "../../../builder/input/duckdb/vectors.ts";

/** A text with some of its characters changed, doubled or left out. */
function damaged(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const change = fc.tuple(fc.nat(90), fc.oneof(fc.constantFrom("", "/", ":", "@", "`", "g", "G", "00"), fc.string()));
  return fc
    .tuple(text, fc.array(change, { maxLength: 2 }))
    .map(([text, changes]) =>
      changes.reduce((text, [at, piece]) => text.slice(0, at) + piece + text.slice(at + 1), text),
    );
}

const hex = fc.oneof(fc.constantFrom(..."0123456789abcdefABCDEF"), fc.constantFrom(..."09afAF"));
const address = fc
  .tuple(fc.constantFrom("0x", "0X"), fc.array(hex, { minLength: 40, maxLength: 40 }))
  .map(([prefix, digits]) => prefix + digits.join(""));
const value = fc.oneof(
  fc.bigInt(0n, 2n ** 256n + 2n ** 200n).map(String),
  fc.tuple(fc.nat(78), fc.bigInt(0n, 2n ** 60n)).map(([length, number]) => `${number}`.padStart(length, "0")),
  fc.nat(80).map((length) => "9".repeat(length)),
  fc.constantFrom(2n ** 32n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 256n - 1n, 2n ** 256n).map(String),
);

/** Cells in one query; of each the number that its words write, undefined where it is refused. */
async function decode({ sql, decode }: WordDecoder, width: number, cells: readonly string[]) {
  return withDatabase(1, async (connection) => {
    const found: (bigint | undefined)[] = [];
    const words = new Uint32Array(width * VECTOR_ROWS);
    const query = `SELECT ${sql("cell")} FROM (SELECT unnest([${cells.map(literal).join(", ")}]::VARCHAR[]) AS cell)`;
    for await (const chunk of chunks(connection, query)) {
      const refused = new Uint8Array(VECTOR_ROWS);
      decode(chunk, 0, words, refused);
      for (let row = 0; row < chunk.rowCount; row++) {
        const number = [...words.subarray(row * width, (row + 1) * width)].reduceRight(
          (sum, word) => (sum << 32n) | BigInt(word),
          0n,
        );
        found.push(refused[row] ? undefined : number);
      }
    }
    return found;
  });
}

/** The bytes of an address in order are its number from the lowest byte on. */
function addressNumber(text: string): bigint {
  return BigInt(`0x${Buffer.from(text.slice(2), "hex").reverse().toString("hex")}`);
}

function parsed<T>(rule: CellRule<T>, text: string, number: (value: T) => bigint): bigint | undefined {
  const value = rule.parse(text);
  return value === undefined ? undefined : number(value);
}

test("addresses", { timeout: 120_000 }, async () => {
  const cells = fc.array(fc.oneof(address, damaged(address)), { minLength: 1, maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(cells, async (cells) => {
      const expected = cells.map((cell) => parsed(ADDRESS, cell, addressNumber));
      expect(await decode(ADDRESSES.text!, ADDRESS_WORDS, cells)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test("values", { timeout: 120_000 }, async () => {
  const cells = fc.array(fc.oneof(value, damaged(value)), { minLength: 1, maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(cells, async (cells) => {
      const expected = cells.map((cell) => parsed(VALUE, cell, (value) => value));
      expect(await decode(VALUES.text!, VALUE_WORDS, cells)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});
