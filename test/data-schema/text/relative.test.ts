/** Times before the last published bucket. */

import { expect, it } from "vitest";
import { before, parseRelative } from "../../../data-schema/text/relative.ts";

/** Midnight, or a time of a day, UTC. */
const at = (iso: string) => Date.parse(iso.length === 10 ? iso : `${iso}Z`) / 1000;

it.each([
  ["2025-03-31", "-30d", "2025-03-01"],
  ["2025-03-31T06:00:00", "-12h", "2025-03-30T18:00:00"],
  ["2025-03-31", "-4w", "2025-03-03"],
  // The last day of a month that is too short.
  ["2025-03-31", "-1m", "2025-02-28"],
  ["2024-03-31T05:06:07", "-1m", "2024-02-29T05:06:07"],
  ["2024-02-29", "-1y", "2023-02-28"],
  ["2024-02-29", "-4y", "2020-02-29"],
  ["2025-01-15", "-13m", "2023-12-15"],
  ["2025-01-15", "-0d", "2025-01-15"],
])("%s %s is %s", (last, span, expected) => expect(before(at(last), parseRelative(span)!)).toBe(at(expected)));

it("ends where Date does: before all data, and unlike no time at all", () => {
  for (const span of ["-999999y", "-300000y"]) expect(before(at("2025-12-31"), parseRelative(span)!)).toBe(-8.64e12);
});

it.each(["30d", "-30", "-d", "-1.5d", "-30D", "-30s", "--1d", "-1234567d"])("%s is no span", (text) =>
  expect(parseRelative(text)).toBeUndefined(),
);
