import fc from "fast-check";
import { expect, test } from "vitest";
import { ADDRESS_WORDS, AddressTable, addressWords } from "../../builder/input/addresses.ts";

const hex = (number: number) => `0x${number.toString(16).padStart(40, "0")}`;

test("the zero address is 0, others are numbered in the order of insertion", () => {
  const table = new AddressTable();
  const words = new Uint32Array([hex(7), hex(0), hex(9), hex(7)].flatMap((address) => [...addressWords(address)]));
  const numbers = new Uint32Array(4);
  table.insertAll(words, 4, numbers);
  expect([...numbers]).toEqual([1, 0, 2, 1]);
  expect(table.find(addressWords(hex(9)))).toBe(2);
  expect(table.find(addressWords(hex(8)))).toBeUndefined();
});

test("it agrees with a Map, for addresses that differ in any one word, over many batches", () => {
  const address = fc
    .tuple(fc.nat(ADDRESS_WORDS - 1), fc.nat(5000))
    .map(([word, value]) => Uint32Array.from({ length: ADDRESS_WORDS }, (_, index) => (index === word ? value : 0)));
  fc.assert(
    fc.property(fc.array(fc.array(address, { minLength: 1, maxLength: 500 }), { maxLength: 8 }), (batches) => {
      const table = new AddressTable();
      const expected = new Map([["0,0,0,0,0", 0]]);
      for (const batch of batches) {
        const words = new Uint32Array(batch.flatMap((key) => [...key]));
        const numbers = new Uint32Array(batch.length);
        table.insertAll(words, batch.length, numbers);
        for (const [index, key] of batch.entries()) {
          const text = key.join();
          if (!expected.has(text)) expected.set(text, expected.size);
          expect(numbers[index]).toBe(expected.get(text));
        }
      }
      expect(table.size).toBe(expected.size);
    }),
  );
});

test("it grows to a million addresses", () => {
  const table = new AddressTable();
  const count = 1_000_000;
  const words = new Uint32Array(count * ADDRESS_WORDS);
  for (let number = 0; number < count; number++) words[number * ADDRESS_WORDS + (number % 5)] = number + 1;
  const first = new Uint32Array(count);
  const again = new Uint32Array(count);
  table.insertAll(words, count, first);
  table.insertAll(words, count, again);
  expect(table.size).toBe(count + 1);
  expect(first[count - 1]).toBe(count);
  expect(Buffer.compare(Buffer.from(first.buffer), Buffer.from(again.buffer))).toBe(0);
});
