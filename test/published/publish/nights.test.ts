/** How long the data of the last nights took. */

import { expect, it } from "vitest";
import { nightsUpTo } from "../../../builder/published/publish/write-changes.ts";

const at = (iso: string) => new Date(`${iso}Z`);
const latencies = (nights: ReturnType<typeof nightsUpTo>) => nights.map(([, latency]) => latency);

it("adds a night with each later as-of, and none for a rollback or another build of the same time", () => {
  const first = nightsUpTo("2026-11-20T00:00:00Z", at("2026-11-20T02:00:00"));
  expect(first).toEqual([[Date.UTC(2026, 10, 20) / 1000, 7_200]]);
  const second = nightsUpTo("2026-11-21T00:00:00Z", at("2026-11-21T01:30:00.400"), first);
  expect(latencies(second)).toEqual([7_200, 5_400]);
  const back = nightsUpTo("2026-11-20T00:00:00Z", at("2026-11-21T09:00:00"), second);
  expect(back).toEqual(second);
  expect(nightsUpTo("2026-11-21T00:00:00Z", at("2026-11-21T10:00:00"), back)).toEqual(second);
});

it("keeps the last ten nights, and none that ended before it began, by a clock that is behind", () => {
  let nights: ReturnType<typeof nightsUpTo> = [];
  for (let day = 1; day <= 12; day++) {
    const asOf = at(`2026-11-${String(day).padStart(2, "0")}T00:00:00`);
    nights = nightsUpTo(asOf.toISOString(), new Date(asOf.getTime() + (day - 2) * 60_000), nights);
  }
  expect(latencies(nights).map((latency) => latency / 60)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(latencies(nightsUpTo("2026-11-20T00:00:00Z", at("2026-11-19T23:59:00")))).toEqual([0]);
});
