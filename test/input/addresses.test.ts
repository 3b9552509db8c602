import fc from "fast-check";
import { expect, test } from "vitest";
import { ADDRESS_WORDS, AddressTable, addressWords, NO_NUMBER } from "../../builder/input/addresses.ts";
import { VECTOR_ROWS } from "../../builder/input/duckdb/vectors.ts";

type Address = Uint32Array;

const hex = (number: number) => addressWords(`0x${number.toString(16).padStart(40, "0")}`);

/** Inserts or finds a batch of one column or two; the numbers of its rows. */
function batch(table: AddressTable, verb: "insert" | "find", ...columns: Address[][]): number[][] {
  const rows = columns[0]!.length;
  for (const [column, addresses] of columns.entries()) {
    for (const [row, words] of addresses.entries()) table.words(column).set(words, row * ADDRESS_WORDS);
  }
  table[verb](rows, columns.length);
  return columns.map((_, column) => [...table.numbers(column).subarray(0, rows)]);
}

test("the zero address is 0, others are numbered in the order of insertion, row by row", () => {
  const table = new AddressTable();
  expect(batch(table, "insert", [hex(7), hex(0)], [hex(9), hex(7)])).toEqual([
    [1, 0],
    [2, 1],
  ]);
  expect(batch(table, "find", [hex(9), hex(8), hex(0)])).toEqual([[2, NO_NUMBER, 0]]);
  expect(table.size).toBe(3);
  expect(Buffer.from(table.bytes()).toString("hex")).toBe(
    [0, 7, 9].map((number) => number.toString(16).padStart(40, "0")).join(""),
  );
});

test("it agrees with a Map, for addresses that differ in any one word, over many batches", () => {
  const address = fc
    .tuple(fc.nat(ADDRESS_WORDS - 1), fc.nat(5000))
    .map(([word, value]) => Uint32Array.from({ length: ADDRESS_WORDS }, (_, index) => (index === word ? value : 0)));
  const rows = fc.array(fc.tuple(address, address), { minLength: 1, maxLength: 500 });
  fc.assert(
    fc.property(fc.array(rows, { maxLength: 8 }), address, (batches, other) => {
      const table = new AddressTable();
      const expected = new Map([["0,0,0,0,0", 0]]);
      for (const rows of batches) {
        const columns = [rows.map(([from]) => from), rows.map(([, to]) => to)];
        const numbers = batch(table, "insert", ...columns);
        for (const [row, keys] of rows.entries()) {
          for (const [column, key] of keys.entries()) {
            const text = key.join();
            if (!expected.has(text)) expected.set(text, expected.size);
            expect(numbers[column]![row]).toBe(expected.get(text));
          }
        }
        expect(batch(table, "find", ...columns)).toEqual(numbers);
      }
      expect(table.size).toBe(expected.size);
      expect(batch(table, "find", [other])).toEqual([[expected.get(other.join()) ?? NO_NUMBER]]);
    }),
  );
});

test("it grows to a million addresses", () => {
  const table = new AddressTable();
  const count = 1_000_000;
  for (const verb of ["insert", "find"] as const) {
    for (let begin = 1; begin <= count; begin += VECTOR_ROWS) {
      const numbers = Array.from({ length: Math.min(VECTOR_ROWS, count + 1 - begin) }, (_, row) => begin + row);
      const addresses = numbers.map((number) =>
        new Uint32Array(ADDRESS_WORDS).fill(number, number % 5, (number % 5) + 1),
      );
      expect(batch(table, verb, addresses)).toEqual([numbers]);
    }
  }
  expect(table.size).toBe(count + 1);
});
