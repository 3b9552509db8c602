import { expect, it } from "vitest";
import { sideBySide } from "../../../worker/bucket/side-by-side.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve));

/** Steps that note when they begin and end when told to. */
function steps() {
  const begun: number[] = [];
  const ends = new Map<number, () => void>();
  const start = (item: number) =>
    new Promise<number>((resolve) => {
      begun.push(item);
      ends.set(item, () => resolve(item * 10));
    });
  return { begun, start, end: (item: number) => ends.get(item)!() };
}

it("yields the results in order, whichever is ready first", async () => {
  const { start, end } = steps();
  const results = sideBySide([1, 2, 3], start, () => true);
  const first = results.next();
  await turn();
  for (const item of [3, 2, 1]) end(item);
  expect([(await first).value, (await results.next()).value, (await results.next()).value]).toEqual([10, 20, 30]);
  expect((await results.next()).done).toBe(true);
});

it("begins as many steps as it may, and more as results are consumed", async () => {
  const { begun, start, end } = steps();
  const results = sideBySide([1, 2, 3, 4], start, (item, pending) => pending < (item > 2 ? 1 : 2));
  const first = results.next();
  await turn();
  expect(begun).toEqual([1, 2]);
  end(1);
  await first;
  const second = results.next();
  await turn();
  // 3 waits for 2.
  expect(begun).toEqual([1, 2]);
  end(2);
  await second;
  void results.next();
  await turn();
  expect(begun).toEqual([1, 2, 3]);
});

it("asks anew whenever a result has been consumed", async () => {
  const asked: string[] = [];
  const results = sideBySide(
    [5, 6, 7],
    async (item) => item,
    (item, pending) => {
      asked.push(`${item} ${pending}`);
      return pending === 0;
    },
  );
  expect(await Array.fromAsync(results)).toEqual([5, 6, 7]);
  expect(asked).toEqual(["5 0", "6 1", "6 0", "7 1", "7 0"]);
});

it("fails when the failed result is due, and leaves no unhandled rejection", async () => {
  const results = sideBySide(
    [1, 2, 3],
    async (item) => {
      if (item > 1) throw new Error(`step ${item}`);
      return item;
    },
    () => true,
  );
  expect((await results.next()).value).toBe(1);
  await expect(results.next()).rejects.toThrow("step 2");
});

it("ends its source when it is stopped", async () => {
  let ended = false;
  async function* source() {
    try {
      yield 1;
      yield 2;
    } finally {
      ended = true;
    }
  }
  for await (const _ of sideBySide(
    source(),
    async (item) => item,
    (_, pending) => pending === 0,
  ))
    break;
  expect(ended).toBe(true);
});
