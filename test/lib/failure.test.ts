import { expect, it } from "vitest";
import { received, toSend } from "../../builder/build/threads/errors.ts";
import { DiskFailure, Failure, InputFailure, readingInput, StoreFailure, writing } from "../../builder/lib/failure.ts";

it("wrong input is told from a full disk and from a store that fails: those are worth another attempt", async () => {
  const full = () => writing("work/a", () => Promise.reject(Object.assign(new Error(), { code: "ENOSPC" })));
  await expect(readingInput(full)).rejects.toThrow(DiskFailure);
  await expect(readingInput(() => Promise.reject(new StoreFailure("")))).rejects.toThrow(StoreFailure);
  await expect(readingInput(() => Promise.reject(new Failure("row 7")))).rejects.toThrow(new InputFailure("row 7"));
});

it.each([Failure, InputFailure, StoreFailure, DiskFailure])(
  "%o stays what it is on its way between threads",
  (Class) => {
    expect(received(structuredClone(toSend(new Class("row 7"))))).toStrictEqual(new Class("row 7"));
  },
);
