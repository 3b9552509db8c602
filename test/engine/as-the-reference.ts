/** The fast engine is compared with the reference: on a random history, up to any cut of it. */

import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect } from "vitest";
import { compareSeries } from "../reference/compare.ts";
import { histories } from "../reference/histories.ts";
import { decidedReference, type Point, ranges, type SeriesByKey, type Token } from "../reference/reference.ts";
import { INVARIANTS } from "./invariants.ts";
import { runEngine } from "./run-engine.ts";

const DAY = 86_400;

/** One property for all: each history is replayed once, and whatever fails shrinks. */
export const asTheReference = fc.property(
  histories(),
  fc.constantFrom(1, 2, 4),
  fc.nat(),
  (token, partitions, choice) => {
    const referenced = decidedReference(token);
    fc.pre(referenced !== undefined);
    const { series, ...complete } = runEngine(token);
    expect(compareSeries(series, referenced), "as the reference").toEqual([]);

    const { block: _, ...expected } = ranges(token);
    expect(complete).toEqual(expected);

    const cut = dayBorder(token, choice);
    const upToCut = runEngine({ ...token, asOf: cut }, partitions).series;
    expect(fingerprint(before(upToCut, cut)), `cut at ${cut}`).toBe(fingerprint(before(series, cut)));

    for (const { name, violations } of INVARIANTS) expect(violations(series, token), name).toEqual([]);
  },
);

/** A day border after the first event and at or before `asOf`, or the one after the first event if there is none. */
function dayBorder(token: Token, choice: number): number {
  const first = Math.floor(token.transfers[0]!.timestamp / DAY) + 1;
  const last = Math.max(Math.floor(token.asOf / DAY), first);
  return Math.min((first + (choice % (last - first + 1))) * DAY, token.asOf);
}

/** The points whose bucket lies wholly before the time. */
function before(series: SeriesByKey, time: number): SeriesByKey {
  const lengths: Record<string, number> = { day: DAY, hour: 3_600, block: 1 };
  const kept = [...series].map(([key, points]): [string, Point[]] => {
    const length = lengths[key.split("|")[1]!]!;
    return [key, points.filter(({ t }) => t + length <= time)];
  });
  return new Map(kept.filter(([, points]) => points.length > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Tells series apart by any bit of any point. */
export function fingerprint(series: SeriesByKey): string {
  const hash = createHash("sha256");
  for (const [key, points] of series) {
    hash.update(key);
    hash.update(Float64Array.from(points.flatMap(({ t, v, block }) => [t, v, block ?? -1])));
  }
  return hash.digest("hex");
}
