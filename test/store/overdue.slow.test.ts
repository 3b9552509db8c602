/** Calls without an answer. test/commands/full-disk.slow.test.ts has a disk that is really full. */

import { expect, it } from "vitest";
import { OverdueCalls } from "../../builder/store/overdue.ts";
import { scratchFolder } from "../folders.ts";

const NEVER = new Promise<never>(() => {});
/** More than any disk has. */
const TOO_MUCH = Number.MAX_SAFE_INTEGER;

function calls(silenceMs = 20) {
  const folder = scratchFolder();
  return { folder, overdue: new OverdueCalls(folder, () => "what workerd said", { overdueMs: 5, silenceMs }) };
}

it("returns what a call answers, and throws what it throws", async () => {
  const { overdue } = calls();
  expect(await overdue.answerOf(Promise.resolve(7), TOO_MUCH)).toBe(7);
  await expect(overdue.answerOf(Promise.reject(new Error("refused")))).rejects.toThrow("refused");
});

it("gives up when the store is silent", async () => {
  const { folder, overdue } = calls();
  await expect(overdue.answerOf(NEVER)).rejects.toMatchObject({
    name: "StoreFailure",
    message: `The local store in ${folder} does not answer: check that its disk works, then try again.`,
    cause: "what workerd said",
  });
});

it("gives up at once when the disk has no room for what is under way", async () => {
  const { folder, overdue } = calls(TOO_MUCH);
  const sentence = `The disk of ${folder} is full: free some space, or choose another folder with --persist, then try again.`;
  // The second writes nothing, but waits behind the first.
  const ends = await Promise.allSettled([overdue.answerOf(NEVER, TOO_MUCH), overdue.answerOf(NEVER)]);
  expect(ends[0]).toMatchObject({ reason: { name: "StoreFailure", message: sentence } });
  expect(ends[1]).toMatchObject({ reason: { message: sentence } });
});
