import { expect, it, onTestFinished, vi } from "vitest";
import { ageOf, spanText } from "../../../explorer/src/format/ages.ts";
import { catalog } from "../catalog.ts";

it.each([
  [0, "0 minutes"],
  [23 * 60 + 59, "23 minutes"],
  [7_199, "119 minutes"],
  [7_200, "2 hours"],
  [47 * 3_600, "47 hours"],
  [48 * 3_600 - 1, "47 hours"],
  [48 * 3_600, "2 days"],
  [86_400 * 329.5, "329 days"],
])("%d seconds are %s", (seconds, text) => {
  expect(spanText(seconds)).toBe(text);
});

it.each([
  ["2026-11-25T00:00:00.000Z", "day", "2026-11-25T17:30:00Z", "data up to 24 Nov 2026, 17 hours ago", false],
  ["2026-11-25T00:00:00.000Z", "day", "2026-11-26T06:00:01Z", "data up to 24 Nov 2026, 30 hours ago", true],
  ["2026-11-25T14:00:00.000Z", "hour", "2026-11-25T14:23:10Z", "data up to 14:00 UTC, 23 minutes ago", false],
  ["2026-11-25T14:00:00.000Z", "hour", "2026-11-25T16:00:01Z", "data up to 14:00 UTC, 2 hours ago", true],
  // A clock that is behind.
  ["2026-11-25T14:00:00.000Z", "hour", "2026-11-25T13:00:00Z", "data up to 14:00 UTC, 0 minutes ago", false],
] as const)("data of %s, by the %s, at %s", (asOf, freshness, now, text, isStale) => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(now) });
  onTestFinished(() => void vi.useRealTimers());
  expect(ageOf({ ...catalog.assets[0]!, asOf, freshness })).toEqual({ text, isStale });
});
