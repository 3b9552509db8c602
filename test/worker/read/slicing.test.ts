/** Any range of any series equals a plain filter over all its points. */

import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SET_A, withTerms } from "../../../data-schema/registry/cohorts.ts";
import type { V1Resolution } from "../../../data-schema/registry/resolutions.ts";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { at, DAY, HOUR, type Point, publish } from "../token.ts";

const FIRST_HOUR = at("2019-11-20T05:00:00");
const LAST_HOUR = at("2022-01-10T17:00:00");
const FIRST_DAY = at("2005-11-20");
const LAST_DAY = at("2022-01-10");
const STEP = { day: DAY, hour: HOUR, block: 1200 };
const FIRST = { day: FIRST_DAY, hour: FIRST_HOUR, block: FIRST_HOUR + 60 };
const LAST = { day: LAST_DAY, hour: LAST_HOUR, block: LAST_HOUR };

/** Each selector has its own gaps: some have every point, some few, one none. Several blocks share a time. */
function points(resolution: V1Resolution, selector: string): Point[] {
  const index = (SET_A as readonly string[]).indexOf(selector);
  const every = [1, 3, 50, 999][index % 4]!;
  const found: Point[] = [];
  for (let t = FIRST[resolution], i = 0; t <= LAST[resolution]; t += STEP[resolution], i++) {
    if (index === 5 || (i + index) % every !== 0) continue;
    const shared = resolution === "block" && i % 7 === 0 ? 3 : 1;
    for (let block = 0; block < shared; block++) found.push({ t, v: index * 1e6 + i + block / 8 + 0.5 });
  }
  return found;
}

const ALL = Object.fromEntries(
  (["day", "hour", "block"] as const).map((resolution) => [
    resolution,
    Object.fromEntries(withTerms(SET_A).map((selector) => [selector, points(resolution, selector)])),
  ]),
);

/** The expected series, by a slow and obvious implementation. */
function expected(metric: string, resolution: V1Resolution, selector: string, since: number, until: number): Point[] {
  const stored = ALL[resolution]![selector]!;
  if (metric === "sopr" || resolution === "block") return stored.filter(({ t }) => t >= since && t <= until);
  const values = new Map(stored.map(({ t, v }) => [t, v]));
  const filled: Point[] = [];
  for (let t = FIRST[resolution]; t <= LAST[resolution]; t += STEP[resolution]) {
    if (t >= since && t <= until) filled.push({ t, v: values.get(t) ?? 0 });
  }
  return filled;
}

let client: Client;

beforeAll(async () => {
  await putKey();
  await publish(env.BUCKET, {
    symbol: "CUT",
    metrics: ["sopr", "volume"],
    periods: {
      day: [{ name: "all", from: at("2005-01-01"), to: at("2023-01-01") }],
      hour: [2019, 2020, 2021, 2022].map((year) => ({
        name: String(year),
        from: at(`${year}-01-01`),
        to: at(`${year + 1}-01-01`),
      })),
      block: [
        { name: "2019-11", from: at("2019-11-01"), to: at("2020-03-01") },
        { name: "2020-03", from: at("2020-03-01"), to: at("2021-12-01") },
        { name: "2021-12", from: at("2021-12-01"), to: at("2022-02-01") },
      ],
    },
    range: { day: [FIRST_DAY, LAST_DAY], hour: [FIRST_HOUR, LAST_HOUR] },
    series: (_, resolution, selector) => ALL[resolution]![selector]!,
  });
  client = freshIsolate();
});

const EDGES = ["2019-12-31T23:00:00", "2020-01-01", "2020-03-01", "2021-01-01", "2021-12-01", "2022-01-01"].map(at);

const time = fc.oneof(
  fc.integer({ min: FIRST_DAY - 3 * DAY, max: LAST_DAY + 3 * DAY }),
  fc.integer({ min: FIRST_HOUR - DAY, max: LAST_HOUR + DAY }),
  fc.tuple(fc.constantFrom(...EDGES), fc.integer({ min: -2, max: 2 })).map(([edge, offset]) => edge + offset),
  fc.tuple(fc.constantFrom(...EDGES), fc.integer({ min: -9, max: 9 })).map(([edge, n]) => edge + n * HOUR),
);

describe.each(["sopr", "volume"])("%s", (metric) => {
  it.each(["day", "hour", "block"] as const)("sliced anywhere, by %s", async (resolution) => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SET_A), fc.option(time), fc.option(time), async (selector, one, other) => {
        const [since, until] =
          one !== null && other !== null && one > other ? [other, one] : [one ?? -Infinity, other ?? Infinity];
        const bounds = [Number.isFinite(since) ? `&s=${since}` : "", Number.isFinite(until) ? `&u=${until}` : ""].join(
          "",
        );
        const response = await client.fetch(
          `/v1/metrics/${metric}?a=CUT&r=${resolution}&c=${encodeURIComponent(selector)}${bounds}`,
        );
        const answer = await response.json<{ t: string; v: number }[]>();
        expect(answer.map(({ t, v }) => ({ t: at(t), v }))).toEqual(
          expected(metric, resolution, selector, since, until),
        );
      }),
      { numRuns: 60 },
    );
  });
});
