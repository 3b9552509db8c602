/** How many reads a query costs, and how many of them wait for each other. */

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { kernelBytes } from "../../../worker/read/objects/decode-rows.ts";
import { WHOLE_BYTES } from "../../../worker/read/objects/open-object.ts";
import { countingBucket } from "../bindings.ts";
import { freshIsolate, putKey } from "../client.ts";
import { at, DAY, HOUR, type Point, publish } from "../token.ts";

const START = at("2015-01-01");
const YEARS = Array.from({ length: 11 }, (_, index) => {
  const year = 2015 + index;
  return { name: String(year), from: at(`${year}-01-01`), to: at(`${year + 1}-01-01`) };
});
const MONTHS = ["2020-01", "2020-02", "2020-03"].map((name, index) => ({
  name,
  from: at(`${name}-01`),
  to: at(`2020-0${index + 2}-01`),
}));
const LAST_HOUR = at("2025-12-31") + 23 * HOUR;

/** Points of full precision, which hardly compress: the same for every selector. */
function noise(first: number, last: number, step: number): Point[] {
  const points = [];
  for (let t = first, state = 1; t <= last; t += step) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    points.push({ t, v: state / 3 + 1 });
  }
  return points;
}

const days = noise(START, START + 3000 * DAY, DAY);
const hours = noise(START, LAST_HOUR, HOUR);
// A point every 13 seconds: some 200,000 a month.
const blocks = noise(MONTHS[0]!.from, MONTHS[2]!.to - 1, 13);
const BUSY = ["total", "users", "$0-100", "<1d"];

beforeAll(async () => {
  await putKey();
  await publish(env.BUCKET, {
    symbol: "BIG",
    metrics: ["sopr", "sopr_profit", "sopr_loss", "volume"],
    periods: { day: [{ name: "all", from: START, to: at("2050-01-01") }], hour: YEARS, block: MONTHS },
    range: { day: [START, START + 3000 * DAY], hour: [START, LAST_HOUR] },
    series: (metric, resolution, selector) => {
      if (metric === "sopr") return resolution === "day" ? days : [];
      if (metric === "volume") return resolution === "day" ? days.slice(0, 50) : [];
      if (!BUSY.includes(selector)) return [];
      if (metric === "sopr_loss") return resolution === "block" ? blocks : [];
      return resolution === "hour" ? hours : [];
    },
  });
});

describe("a day series", () => {
  it("of a large object costs a footer and a range cold, a range with the footer cached, nothing warm", async () => {
    const { bucket, take } = countingBucket(env.BUCKET);
    const client = freshIsolate({ bucket });
    const ask = async (query: string) => {
      const response = await client.fetch(`/v1/metrics/sopr?a=BIG${query}`);
      return { points: (await response.json<unknown[]>()).length, reads: take() };
    };
    const cold = await ask("&c=3y-5y");
    expect(cold.points).toBe(3001);
    expect(cold.reads.map(({ depth }) => depth)).toEqual([1, 2]);
    const object = await env.BUCKET.head(cold.reads[0]!.key);
    expect(object!.size).toBeGreaterThan(WHOLE_BYTES);

    const known = await ask("&c=1y-2y");
    expect(known.points).toBe(3001);
    expect(known.reads).toHaveLength(1);
    // Two of the object's twenty row groups.
    expect(known.reads[0]!.length).toBeLessThan(object!.size / 9);

    expect(await ask("&c=3y-5y")).toEqual({ points: 3001, reads: [] });
    expect(await ask("&c=1y-2y&s=2016-01-01&u=2022-01-01")).toEqual({ points: 2193, reads: [] });
    expect(await ask("&c=3y-5y&u=2000-01-01")).toEqual({ points: 0, reads: [] });
  });

  it("of a small object costs one read cold", async () => {
    const { bucket, take } = countingBucket(env.BUCKET);
    await (await freshIsolate({ bucket }).fetch("/v1/metrics/volume?a=BIG")).text();
    expect(take()).toMatchObject([{ depth: 1, length: null }]);
  });

  it("without a row in any cohort costs none", async () => {
    const { bucket, take } = countingBucket(env.BUCKET);
    const response = await freshIsolate({ bucket }).fetch("/v1/metrics/sopr_loss?a=BIG");
    expect([await response.text(), take()]).toEqual(["[]", []]);
  });
});

describe("an hour series", () => {
  const path = "/v1/metrics/sopr_profit?a=BIG&r=hour";

  it("over eleven years reads them side by side: at most two reads deep", async () => {
    const { bucket, take } = countingBucket(env.BUCKET);
    const client = freshIsolate({ bucket });
    expect(await (await client.fetch(path)).json()).toHaveLength(hours.length);
    const cold = take();
    expect(new Set(cold.map(({ key }) => key)).size).toBe(11);
    expect(Math.max(...cold.map(({ depth }) => depth))).toBeLessThanOrEqual(2);

    await (await client.fetch(`${path}&c=users`)).text();
    expect(Math.max(...take().map(({ depth }) => depth))).toBe(1);

    await (await client.fetch(`${path}&f=csv&s=2016-03-01`)).text();
    expect(take()).toEqual([]);
  });

  it("of a month touches one year", async () => {
    const { bucket, take } = countingBucket(env.BUCKET);
    const response = await freshIsolate({ bucket }).fetch(`${path}&s=2019-05-01&u=2019-05-31T23:00`);
    expect(await response.json()).toHaveLength(31 * 24);
    const reads = take();
    expect(new Set(reads.map(({ key }) => key)).size).toBe(1);
    expect(reads.length).toBeLessThanOrEqual(2);
  });
});

describe("a block series", () => {
  const path = "/v1/metrics/sopr_loss?a=BIG&r=block";
  const between = (since: string, until: string) => blocks.filter(({ t }) => t >= at(since) && t <= at(until)).length;

  it("of a day reads the row groups of that day alone, as one range", async () => {
    const { bucket, take } = countingBucket(env.BUCKET);
    const client = freshIsolate({ bucket });
    const day = `${path}&c=users&s=2020-02-10&u=2020-02-10T23:59:59`;
    expect(await (await client.fetch(day)).json()).toHaveLength(between("2020-02-10", "2020-02-10T23:59:59"));
    const cold = take();
    expect(cold.map(({ depth }) => depth)).toEqual([1, 2]);
    expect(cold[1]!.length).toBeLessThan(400_000);

    await (await client.fetch(day)).text();
    expect(take()).toEqual([]);
  });

  it("across three periods reads them side by side", async () => {
    const { bucket, take } = countingBucket(env.BUCKET);
    const response = await freshIsolate({ bucket }).fetch(`${path}&s=2020-01-31&u=2020-03-02`);
    expect(await response.json()).toHaveLength(between("2020-01-31", "2020-03-02"));
    expect(take().filter(({ depth }) => depth === 1)).toHaveLength(3);
  });
});

it("reading leaves nothing behind in the decoder's memory", async () => {
  const decodeOnce = async () => (await freshIsolate().fetch("/v1/metrics/sopr?a=BIG&c=total")).text();
  for (let i = 0; i < 10; i++) await decodeOnce();
  const bytes = kernelBytes();
  for (let i = 0; i < 200; i++) await decodeOnce();
  expect(kernelBytes()).toBe(bytes);
});

describe("the location's cache", () => {
  it("spares another isolate every read", async () => {
    const edge = await caches.open(crypto.randomUUID());
    const { bucket, take } = countingBucket(env.BUCKET);
    const path = "/v1/metrics/sopr?a=BIG&c=%3C1d";
    const first = freshIsolate({ bucket, edge });
    const answer = await (await first.fetch(path)).text();
    await first.settled();
    expect(take()).toHaveLength(2);
    expect(await (await freshIsolate({ bucket, edge }).fetch(path)).text()).toBe(answer);
    expect(take()).toEqual([]);
  });
});
