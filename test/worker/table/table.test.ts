/** GET /v3/series: ranges, weeks and months, tags, and what it refuses. */

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { METRICS, seriesOf } from "../../../data-schema/registry/metrics.ts";
import { RESOLUTION_FACTS } from "../../../data-schema/registry/resolutions.ts";
import { countingBucket } from "../bindings.ts";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { at, DAY, publish, type Token } from "../token.ts";

const FIRST = at("2024-12-25");
const LAST = at("2025-03-31");
const ALL = { name: "all", from: at("2024-12-01"), to: at("2025-04-07") };

/** A point a bucket whose value is the bucket's place. */
function places(resolution: "day" | "week" | "month", first: number, last: number) {
  const points: { t: number; v: number }[] = [];
  for (let t = first; t <= last; t = RESOLUTION_FACTS[resolution].start(t, 1)) points.push({ t, v: points.length + 1 });
  return points;
}

const token: Token = {
  symbol: "ARIA",
  metrics: ["sopr", "volume", "price", "supply"],
  periods: {
    day: [ALL],
    week: [ALL],
    month: [ALL],
    block: [
      { name: "2025-01", from: at("2025-01-01"), to: at("2025-02-01") },
      { name: "2025-02", from: at("2025-02-01"), to: at("2025-03-01") },
    ],
  },
  range: {
    day: [FIRST, LAST],
    week: [at("2024-12-23"), at("2025-03-24")],
    month: [at("2024-12-01"), at("2025-03-01")],
  },
  series: (metric, resolution, selector) => {
    if (resolution === "hour" || (selector !== "total" && selector !== "users")) return [];
    // Two blocks share each time, and the series have every second or third block.
    if (resolution === "block") {
      const all = Array.from({ length: 60 }, (_, n) => ({
        t: at("2025-01-30") + Math.floor(n / 2) * 7_200,
        block: n,
        v: n + 1,
      }));
      return all.filter(({ block }) => block % (selector === "total" ? 2 : 3) === 0);
    }
    const points = places(resolution, token.range![resolution]![0], token.range![resolution]![1]);
    return metric === "sopr" ? points.filter(({ v }) => v % 5 === 0) : points.filter(({ v }) => v % 2 === 0);
  },
};

let client: Client;

beforeAll(async () => {
  await Promise.all([
    putKey(),
    publish(env.BUCKET, token),
    publish(env.BUCKET, {
      ...token,
      symbol: "EARLY",
      build: "fedcba9876543210",
      asOf: "2025-03-01T00:00:00Z",
      periods: { day: [ALL] },
      range: { day: [FIRST, at("2025-02-28")] },
    }),
    publish(env.BUCKET, { symbol: "NONE", periods: { day: [] }, series: () => [] }),
  ]);
  client = freshIsolate({ edge: caches.default });
});

const path = (query: string) => `/v3/series?${query}`;
const lines = async (query: string, by = client): Promise<string[]> => {
  const response = await by.fetch(path(`${query}&f=csv`));
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text.trimEnd().split("\n");
};
const problem = async (query: string, by = client) => (await by.fetch(path(query))).json<Record<string, unknown>>();

describe("the range", () => {
  it.each([
    ["a=ARIA&m=volume&s=-2d", ["2025-03-29", "2025-03-30", "2025-03-31"]],
    ["a=ARIA&m=volume&s=-2d&u=-1d", ["2025-03-29", "2025-03-30"]],
    ["a=ARIA&m=volume&last=2", ["2025-03-30", "2025-03-31"]],
    ["a=ARIA&m=volume&last=2&u=2025-01-02", ["2025-01-01", "2025-01-02"]],
    ["a=ARIA&m=volume&last=1&u=2024-12-01", []],
    ["a=ARIA&m=volume&s=2025-03-30T00:00:01", ["2025-03-31"]],
    // Only every fifth day has a point.
    ["a=ARIA&m=sopr&last=3", ["2025-03-19", "2025-03-24", "2025-03-29"]],
    ["a=ARIA&m=sopr,volume&last=2", ["2025-03-30", "2025-03-31"]],
    // From the latest of several assets.
    ["a=EARLY,ARIA&m=volume&s=-1d", ["2025-03-30", "2025-03-31"]],
    ["a=EARLY&m=volume&s=-1d", ["2025-02-27", "2025-02-28"]],
    ["a=NONE&m=volume&s=-1d", []],
    ["a=NONE&m=volume&last=5", []],
  ])("of %s", async (query, days) => {
    expect((await lines(query)).slice(1).map((line) => line.slice(0, 10))).toEqual(days);
  });

  it("has more than there is for a large last", async () => {
    // So many months before the last one, there is no date.
    for (const of of ["sopr", "price&r=week", "price&r=month"]) {
      expect(await lines(`a=ARIA&m=${of}&last=9999999`)).toEqual(await lines(`a=ARIA&m=${of}`));
    }
  });

  it("of blocks is by their numbers", async () => {
    const blocks = async (query: string) =>
      (await lines(`a=ARIA&m=volume&c=total,users&r=block&${query}`))
        .slice(1)
        .map((line) => Number(line.split(",")[1]));
    const all = Array.from({ length: 60 }, (_, n) => n).filter((n) => n % 2 === 0 || n % 3 === 0);
    expect(await blocks("time=iso")).toEqual(all);
    expect(await blocks("sb=10")).toEqual(all.filter((n) => n >= 10));
    expect(await blocks("sb=9&ub=33")).toEqual(all.filter((n) => n >= 9 && n <= 33));
    expect(await blocks("ub=0")).toEqual([0]);
    expect(await blocks("sb=61")).toEqual([]);
    for (const last of [1, 2, 3, 17, 40, 100]) expect(await blocks(`last=${last}`)).toEqual(all.slice(-last));
    expect(await blocks("last=3&ub=33")).toEqual(all.filter((n) => n <= 33).slice(-3));
  });
});

it("has weeks and months", async () => {
  expect(await lines("a=ARIA&m=volume,price,sopr&r=week&s=2025-01-20&u=2025-02-10")).toEqual([
    "t,ARIA:volume:total,ARIA:price:total,ARIA:sopr:total",
    "2025-01-20T00:00:00,0,,5",
    "2025-01-27T00:00:00,6,6,",
    "2025-02-03T00:00:00,0,,",
    "2025-02-10T00:00:00,8,8,",
  ]);
  expect(await lines("a=ARIA&m=volume,price,sopr&r=month")).toEqual([
    "t,ARIA:volume:total,ARIA:price:total,ARIA:sopr:total",
    "2024-12-01T00:00:00,0,,",
    "2025-01-01T00:00:00,2,2,",
    "2025-02-01T00:00:00,0,,",
    "2025-03-01T00:00:00,4,4,",
  ]);
  expect((await lines("a=ARIA&m=price&r=month&last=1")).at(-1)).toBe("2025-03-01T00:00:00,4");
});

describe("the tag", () => {
  const tagOf = async (query: string) => (await client.fetch(path(query))).headers.get("ETag")!;

  it("is known again, and nothing is read for it", async () => {
    const query = "a=ARIA,EARLY&m=volume,sopr&s=-30d";
    const tag = await tagOf(query);
    const { bucket, take } = countingBucket(env.BUCKET);
    const response = await freshIsolate({ bucket }).fetch(path(query), { headers: { "If-None-Match": tag } });
    expect([response.status, await response.text(), response.headers.get("ETag"), take()]).toEqual([304, "", tag, []]);
    expect(response.headers.get("X-Soprano-As-Of")).toBe("2025-03-01T00:00:00Z");
  });

  it("is that of another request for the same, and of no other", async () => {
    const tags = [
      ...["a=ARIA&m=volume", "a=ARIA&m=volume&c=users", "a=ARIA&m=volume&c=total,users", "a=ARIA&m=sopr"],
      ...["a=EARLY&m=volume", "a=ARIA,EARLY&m=volume", "a=EARLY,ARIA&m=volume", "a=ARIA&m=volume&r=week"],
      ...["a=ARIA&m=volume&s=-1d", "a=ARIA&m=volume&u=-1d", "a=ARIA&m=volume&last=2", "a=ARIA&m=volume&time=unix"],
      ...[
        "a=ARIA&m=volume&f=csv",
        "a=ARIA&m=volume&f=ndjson",
        "a=ARIA&m=volume&r=block",
        "a=ARIA&m=volume&r=block&sb=1",
      ],
    ];
    expect(new Set(await Promise.all(tags.map(tagOf))).size).toBe(tags.length);
    expect(await tagOf("m=volume&a=aria&c=total&r=day&s=2025-03-30")).toBe(await tagOf("a=ARIA&m=volume&s=-1d"));
  });

  it("changes with the build of any asset", async () => {
    const query = path("a=ARIA,SWAP&m=volume");
    const tags: (string | null)[] = [];
    for (const build of ["0000000000000001", "0000000000000002"]) {
      await publish(env.BUCKET, { ...token, symbol: "SWAP", build });
      const response = await freshIsolate().fetch(query);
      const { builds } = await response.json<{ builds: Record<string, string> }>();
      expect(builds).toEqual({ ARIA: "0123456789abcdef", SWAP: build });
      tags.push(response.headers.get("ETag"));
    }
    expect(tags[0]).not.toBe(tags[1]);
  });
});

describe("what it refuses", () => {
  it.each<[string, Record<string, unknown>]>([
    ["a=ARIA,NOPE&m=volume", { status: 404, type: "/problems/unsupported-asset", parameter: "a" }],
    ["a=ARIA&m=volume&r=hour", { status: 400, type: "/problems/unavailable-resolution", parameter: "r" }],
    [
      "a=ARIA,EARLY&m=volume&r=week",
      { status: 400, detail: expect.stringMatching(/^The build \w+ of EARLY has no resolution week\.$/) },
    ],
    ["a=ARIA&m=volume&s=-1d&u=-2d", { status: 400, type: "/problems/reversed-range", parameter: "s" }],
    ["a=ARIA&m=volume&s=-30", { status: 400, suggestion: "-30d" }],
  ])("%s", async (query, expected) => expect(await problem(query)).toMatchObject(expected));

  it("a request that takes more reads than one may make, before it reads anything", async () => {
    const hours = Array.from({ length: 320 }, (_, index) => ({
      name: `p${index}`,
      from: FIRST + index * DAY,
      to: FIRST + (index + 1) * DAY,
    }));
    await publish(env.BUCKET, {
      symbol: "LONG",
      metrics: ["volume"],
      periods: { day: [], hour: hours },
      range: { hour: [FIRST, FIRST + 320 * DAY - 3_600] },
      series: (_, __, selector) => (selector === "total" ? hours.map(({ from }) => ({ t: from, v: 1 })) : []),
    });
    const { bucket, take } = countingBucket(env.BUCKET);
    const counting = freshIsolate({ bucket });
    expect(await problem("a=LONG&m=volume&r=hour", counting)).toMatchObject({
      status: 400,
      type: "/problems/too-many-reads",
      detail: expect.stringContaining("960 reads and cache calls; a request may make 900"),
    });
    expect(take()).toEqual([]);
    expect(await lines("a=LONG&m=volume&r=hour&last=30", counting)).toHaveLength(31);
  });
});

it("needs a key, takes GET and HEAD, and is counted once", async () => {
  expect((await client.fetch(path("a=ARIA&m=volume&api_key="))).status).toBe(401);
  expect((await client.fetch(path("a=ARIA&m=volume"), { method: "POST" })).status).toBe(405);
  const head = await client.fetch(path("a=ARIA&m=volume&c=*&f=csv"), { method: "HEAD" });
  expect([head.status, head.body, head.headers.get("Content-Disposition")]).toEqual([
    200,
    null,
    'attachment; filename="ARIA_volume_series_day.csv"',
  ]);
});

it("compresses CSV and lines for clients that take gzip", async () => {
  for (const f of ["csv", "ndjson"]) {
    const plain = await client.fetch(path(`a=ARIA&m=volume&f=${f}`));
    const packed = await client.fetch(path(`a=ARIA&m=volume&f=${f}`), { headers: { "Accept-Encoding": "gzip" } });
    expect([plain, packed].map(({ headers }) => headers.get("Content-Encoding"))).toEqual([null, "gzip"]);
    expect(packed.headers.get("ETag")).toBe(`W/${plain.headers.get("ETag")}`);
    const unpacked = new Response(packed.body!.pipeThrough(new DecompressionStream("gzip")));
    expect(await unpacked.bytes()).toEqual(await plain.bytes());
  }
});

it("keeps what it has read of many small objects, however many rows these have in all", async () => {
  const names = METRICS.filter((metric) => seriesOf(metric).length >= 30).slice(0, 14);
  const days = Array.from({ length: 700 }, (_, i) => ({ t: at("2022-01-01") + i * DAY, v: 1 }));
  await publish(env.BUCKET, {
    symbol: "WIDE",
    metrics: names.map(({ name }) => name),
    periods: { day: [{ name: "all", from: at("2022-01-01"), to: at("2024-01-01") }] },
    range: { day: [days[0]!.t, days.at(-1)!.t] },
    series: () => days,
  });
  const { bucket, take } = countingBucket(env.BUCKET);
  const counting = freshIsolate({ bucket });
  const query = `a=WIDE&m=${names.map(({ name }) => name).join()}`;
  for (const time of ["iso", "unix"]) await lines(`${query}&time=${time}`, counting);
  expect(take().length).toBeGreaterThan(0);
  await lines(`${query}&last=700`, counting);
  expect(take()).toEqual([]);
});

it("reads row groups that cohorts share once", async () => {
  const { bucket, take } = countingBucket(env.BUCKET);
  const counting = freshIsolate({ bucket });
  await lines("a=ARIA&m=volume&c=*", counting);
  expect(take()).toHaveLength(1);
  await lines("a=ARIA&m=volume&c=*&s=2025-03-01", counting);
  expect(take()).toHaveLength(0);
});
