/** Balances over a year, read off the lists of few days. */

import { expect, it } from "vitest";
import { parseInstant } from "../../../data-schema/text.ts";
import type { LargeHolder } from "../../../explorer/src/holders/answers.ts";
import { balancesOf, listDays, pointDays } from "../../../explorer/src/holders/balances.ts";

const time = (day: string) => parseInstant(`${day}T00:00:00`);

it("takes twelve days, 30 days apart, and half as many lists", () => {
  const days = pointDays(time("2020-01-01"), time("2025-12-31"));
  expect([days.length, days[0], days[1], days.at(-1)]).toEqual([12, "2025-12-31", "2025-12-01", "2025-02-04"]);
  expect(listDays(days)).toEqual(["2025-12-31", "2025-11-01", "2025-09-02", "2025-07-04", "2025-05-05", "2025-03-06"]);
});

it("takes none from before the first day", () => {
  expect(pointDays(time("2025-11-30"), time("2025-12-31"))).toEqual(["2025-12-31", "2025-12-01"]);
  expect(pointDays(time("2025-12-31"), time("2025-12-31"))).toEqual(["2025-12-31"]);
});

it("reads two points off each list, the earliest first, with none where the address was not among the largest", () => {
  const row = (balance: number, change_30d: number | null) => ({ balance, change_30d }) as LargeHolder;
  const lists = [new Map([["0x1", row(10, 4)]]), new Map<string, LargeHolder>(), new Map([["0x1", row(7, null)]])];
  expect(balancesOf("0x1", lists, 6)).toEqual([null, 7, null, null, 6, 10]);
  // A day fewer: the history is too short for the last list's day before.
  expect(balancesOf("0x1", lists, 5)).toEqual([7, null, null, 6, 10]);
  expect(balancesOf("0x2", lists, 6)).toEqual(Array(6).fill(null));
});
