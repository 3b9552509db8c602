import { expect, it } from "vitest";
import { chooseTable, isDue } from "../../../builder/build/deposits/choose.ts";

const [FILE, OTHER] = ["a", "b"].map((digit) => digit.repeat(64)) as [string, string];
const at = (text: string) => Date.parse(text) / 1000;
const active = { asOf: "2024-01-20T00:00:00.000Z", table: { hash: FILE.slice(0, 32), size: 9 }, exchanges: {} };
const JANUARY = at("2024-01-31T23:59:59Z");
const FEBRUARY = at("2024-02-01T00:00:00Z");

const choose = (known: Partial<Parameters<typeof chooseTable>[0]>) =>
  chooseTable({ file: undefined, isStored: false, active: undefined, asOf: JANUARY, ...known });

it("computes the table where there is none", () => {
  expect(choose({})).toBe("compute");
  // An active build that detected none, or whose operator named a file.
  expect(choose({ active: { exchanges: {} } })).toBe("compute");
});

it("is frozen until a build of a later calendar month", () => {
  const known = { file: FILE, isStored: true, active };
  expect(choose(known)).toBe("frozen");
  expect(choose({ ...known, asOf: FEBRUARY })).toBe("compute");
  expect(choose({ ...known, asOf: at("2025-01-01T00:00:00Z") })).toBe("compute");
  expect(choose({ ...known, asOf: at("2023-12-31T00:00:00Z") })).toBe("frozen");
  // The last transfer will tell.
  expect(choose({ ...known, asOf: undefined })).toBe("frozen");
});

it("is brought from the store where the file is missing, or is that of an earlier build", () => {
  expect(choose({ active })).toBe("stored");
  expect(choose({ file: OTHER, isStored: true, active })).toBe("stored");
  expect(choose({ active, asOf: FEBRUARY })).toBe("compute");
  expect(choose({ file: OTHER, isStored: true, active, asOf: FEBRUARY })).toBe("compute");
});

it("is the file that no build has used", () => {
  expect(choose({ file: OTHER })).toBe("given");
  expect(choose({ file: OTHER, active })).toBe("given");
  expect(choose({ file: OTHER, active, asOf: FEBRUARY })).toBe("given");
});

it("is due by calendar months, in UTC", () => {
  expect(isDue(active, JANUARY)).toBe(false);
  expect(isDue(active, FEBRUARY)).toBe(true);
  expect(isDue({}, FEBRUARY)).toBe(false);
  expect(isDue(undefined, FEBRUARY)).toBe(false);
  expect(isDue(active, undefined)).toBe(false);
});
