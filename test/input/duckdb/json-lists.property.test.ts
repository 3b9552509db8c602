/** Lists of JSON texts are found as `JSON.parse` finds them, wherever the pieces of a text end. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonDamage, joinLists, outlines, type ValueOutline } from "../../../builder/input/duckdb/json-lists.ts";
import { tries } from "../../effort.ts";

const MOST = 1 << 16;

async function* piecesOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const all = (text: string, size = 7): Promise<ValueOutline[]> => collected(outlines(piecesOf(text, size), MOST));

async function joined(text: string, ranges: ValueOutline["lists"], size = 7): Promise<string> {
  return Buffer.concat(await collected(joinLists(piecesOf(text, size), ranges))).toString();
}

test("an answer's list is its place, and its items are a list", async () => {
  const text = '{"ok": "[", "data": {"transfers": [{"id": "\\"]", "topics": ["a"]}, {}], "none": [ ]}}\n{"result":[1]}';
  const [first, second, ...others] = await all(text);
  expect(others).toEqual([]);
  expect(first!.value).toEqual({ ok: "[", data: { transfers: [0], none: [1] } });
  expect(first!.lists.map(({ isEmpty }) => isEmpty)).toEqual([false, true]);
  expect(second!.value).toEqual({ result: [0] });
  const ranges = [first!.lists[0]!, first!.lists[1]!, second!.lists[0]!];
  expect(await joined(text, ranges)).toBe('[{"id": "\\"]", "topics": ["a"]}, {},\n1]');
});

test.each([
  ['{"result": [{"a": 1}, {"a"', "cut", 1],
  ['{"result": [1]}\n{"result": [1], "x', "cut", 2],
  ['{"result": [{"a": 1]}', "malformed", 1],
  ['{"result": [1]} x {"result": [1]}', "malformed", 2],
  ['{"result": [1]},', "malformed", 2],
  ['{"result": [1] 5}', "malformed", 1],
  ['{"result": [1]}]', "malformed", 2],
])("%s is damaged", async (text, what, value) => {
  for (const size of [1, 7, 1 << 20]) {
    const damage = await all(text, size).catch((error: unknown) => error);
    expect(damage).toBeInstanceOf(JsonDamage);
    expect(damage).toMatchObject({ what, value });
  }
});

/** A value as its outline says it, and the items of all its outermost lists. */
function reference(value: unknown): { outline: unknown; items: unknown[] } {
  const items: unknown[] = [];
  let lists = 0;
  const walk = (inner: unknown): unknown => {
    if (Array.isArray(inner)) {
      items.push(...inner);
      return [lists++];
    }
    if (typeof inner !== "object" || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, member]) => [name, walk(member)]));
  };
  return { outline: walk(value), items };
}

const texts = fc.string({ unit: fc.constantFrom(...'[]{},:"\\\né a') });
/** Without backslashes: after a key of one, V8 14.6 takes an escape (`"\n"`) in its place for that key. */
const keys = fc.string({ unit: fc.constantFrom(...'[]{},:"\né a') });
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    texts,
    fc.constantFrom(1.5, null, true),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
  ),
}));
const values = fc.array(fc.dictionary(keys, anyValue, { maxKeys: 4 }), { minLength: 1, maxLength: 4 });

test("a value may be long within its lists, but not beside them", async () => {
  const long = "x".repeat(MOST);
  expect((await all(`{"result": ["${long}"]}`)).map(({ value }) => value)).toEqual([{ result: [0] }]);
  await expect(all(`{"result": []}{"a": "${long}"}`)).rejects.toMatchObject({ what: "long", value: 2 });
});

test("outlines and lists are those of JSON.parse", async () => {
  await fc.assert(
    fc.asyncProperty(values, fc.nat({ max: 2 }), fc.integer({ min: 1, max: 40 }), async (values, indent, size) => {
      const text = values.map((value) => JSON.stringify(value, null, indent)).join("\n");
      const found = await all(text, size);
      const expected = values.map(reference);
      expect(found.map(({ value }) => value)).toEqual(expected.map(({ outline }) => outline));
      const ranges = found.flatMap(({ lists }) => lists);
      expect(JSON.parse(await joined(text, ranges, size))).toEqual(expected.flatMap(({ items }) => items));
    }),
    { numRuns: tries(300) },
  );
});
