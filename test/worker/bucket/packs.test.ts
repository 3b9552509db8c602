/** Parts of packs: what a query reads of them, and that a damaged pack is an error, never a wrong or an empty answer. */

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Slice } from "../../../data-schema/parquet.ts";
import { packsPrefix } from "../../../data-schema/stored/packs.ts";
import { listedSeries, type Manifest } from "../../../data-schema/stored.ts";
import { hex } from "../../../data-schema/text/bytes.ts";
import { Lease } from "../../../worker/budget.ts";
import { Isolate, Memory } from "../../../worker/isolate.ts";
import { MOST_TOGETHER } from "../../../worker/read/objects/neighbours.ts";
import { JOINED_BYTES, WHOLE_BYTES } from "../../../worker/read/objects/open-object.ts";
import { alteringBucket, countingBucket, type Read } from "../bindings.ts";
import { type Dependencies, freshIsolate, putKey } from "../client.ts";
import { layInPacks } from "../packed.ts";
import { at, DAY, HOUR, type Point, publish } from "../token.ts";

const YEARS = Array.from({ length: 9 }, (_, index) => {
  const year = 2017 + index;
  return { name: String(year), from: at(`${year}-01-01`), to: at(`${year + 1}-01-01`) };
});
const [START, END] = [YEARS[0]!.from, YEARS.at(-1)!.to];
const MONTHS = [1, 2, 3].map((month) => ({
  name: `2020-0${month}`,
  from: at(`2020-0${month}-01`),
  to: at(`2020-0${month + 1}-01`),
}));

const made = new Map<string, Point[]>();

/** Points of full precision, so that a series of hours takes 70 kB a year. Each year asks for those of all years. */
function points(from: number, to: number, step: number, seed: number): Point[] {
  const key = `${from} ${to} ${step} ${seed}`;
  const point = (_: unknown, i: number): Point => ({ t: from + i * step, v: 2 + Math.sin(seed + i * i) });
  const known = made.get(key) ?? Array.from({ length: (to - from) / step }, point);
  made.set(key, known);
  return known;
}

const SOME_COHORTS = ["total", "users", "<1d", "$0-100", "1y-2y"];
/** By the metric: cohorts that have hours. Their objects are of middling size, and large. */
const COHORTS: Record<string, readonly string[]> = {
  volume_dollar: SOME_COHORTS,
  volume: [...SOME_COHORTS, "1d-1w", "2y-3y", "$10M+"],
};

/** Metrics whose objects by the hour are small, middling and large; and one that has an object by the day alone. */
const token = {
  metrics: ["sopr", "price", "volume", "volume_dollar"] as const,
  periods: { day: [{ name: "all", from: START, to: END }], hour: YEARS, block: MONTHS },
  range: { day: [START, END - DAY] as [number, number], hour: [START, END - HOUR] as [number, number] },
  series: (metric: string, resolution: string, selector: string) => {
    if (resolution === "day") return selector === "users" || metric === "price" ? points(START, END, DAY, 1) : [];
    if (resolution === "block") return selector === "users" ? points(MONTHS[0]!.from, MONTHS[2]!.to, 1800, 4) : [];
    if (metric === "price") return points(START, END, HOUR, 2);
    if (metric === "sopr") return selector === "users" ? points(START, END, HOUR, 3) : [];
    const place = COHORTS[metric]!.indexOf(selector);
    return place >= 0 ? points(START, END, HOUR, place) : [];
  },
};

let single: Manifest;
let packed: Manifest;
/** By its query: what single objects answer. */
const before = new Map<string, string>();

const QUERIES = {
  day: "/v1/metrics/sopr?a=PACK&c=users",
  hours: "/v1/metrics/sopr?a=PACK&c=users&r=hour",
  "hours from 2020 on": "/v1/metrics/sopr?a=PACK&c=users&r=hour&s=2020-06-01",
  "hours of two metrics": "/v3/series?a=PACK&m=price,sopr&c=users&r=hour&f=csv",
  "hours of middling objects": "/v1/metrics/volume_dollar?a=PACK&c=users&r=hour",
  "middling hours of one year": "/v1/metrics/volume_dollar?a=PACK&c=users&r=hour&s=2020-06-01&u=2020-08-01",
  "middling hours of two cohorts": "/v3/series?a=PACK&m=volume_dollar&c=total,1y-2y&r=hour&f=csv",
  "hours of large objects": "/v1/metrics/volume?a=PACK&c=users&r=hour",
  blocks: "/v1/metrics/sopr?a=PACK&c=users&r=block",
  "blocks of a table": "/v3/series?a=PACK&m=sopr&c=users&r=block&f=csv",
};
type Query = keyof typeof QUERIES;

const textOf = async (query: Query, dependencies: Dependencies = {}) =>
  (await freshIsolate(dependencies).fetch(QUERIES[query])).text();

/** What a query reads of a store, and whether it answers as single objects did. */
async function readsOf(query: Query, dependencies: Dependencies = {}): Promise<Read[]> {
  const { bucket, take } = countingBucket(env.BUCKET);
  const client = freshIsolate({ bucket, ...dependencies });
  expect((await (await client.fetch(QUERIES[query])).text()) === before.get(query)).toBe(true);
  await client.settled();
  return take();
}

beforeAll(async () => {
  await putKey();
  single = await publish(env.BUCKET, { ...token, symbol: "PACK" });
  for (const query of Object.keys(QUERIES) as Query[]) before.set(query, await textOf(query));
  packed = await layInPacks(env.BUCKET, "PACK");
});

const sizesOf = (metric: string) =>
  Array.from(listedSeries(single, ["hour"])).flatMap((one) => (one.metric === metric ? [one.entry.size] : []));

const sizeOfPack = (key: string) => packed.packs!.find(({ hash }) => key.includes(hash))!.size;

describe("small parts side by side", () => {
  it("are small, and of the others some are large", () => {
    for (const size of [...sizesOf("sopr"), ...sizesOf("price")]) expect(size).toBeLessThanOrEqual(WHOLE_BYTES);
    for (const size of sizesOf("volume_dollar")) expect(size).toBeGreaterThan(WHOLE_BYTES);
    for (const size of sizesOf("volume_dollar")) expect(size).toBeLessThanOrEqual(JOINED_BYTES);
    for (const size of sizesOf("volume")) expect(size).toBeGreaterThan(JOINED_BYTES);
    expect(packed.packs!.length).toBeGreaterThan(1);
    const keys = Array.from(listedSeries(packed), ({ key }) => key);
    expect(keys).toEqual(Array.from(listedSeries(single), ({ key }) => key));
  });

  it.each<[Query, gets: number]>([
    ["day", 1],
    ["hours", 1],
    ["hours from 2020 on", 1],
    ["hours of two metrics", 1],
    ["blocks", 1],
    ["blocks of a table", 1],
  ])("%s: gets %i", async (query, gets) => {
    const reads = await readsOf(query);
    expect(reads.map(({ depth }) => depth)).toEqual(Array(gets).fill(1));
    for (const { length } of reads) expect(length).toBeLessThanOrEqual(MOST_TOGETHER);
  });

  it("are read together also if the isolate knows their footers, and not at all if it has their rows", async () => {
    const isolate = new Isolate();
    expect(await readsOf("hours", { isolate })).toHaveLength(1);
    expect(await readsOf("hours", { isolate })).toEqual([]);
    expect(isolate.budget.bytes).toBe(0);
    // The rows of some years leave memory, their footers stay.
    for (const { key, metric, period, entry } of listedSeries(packed, ["hour"])) {
      if (metric !== "sopr" || period.name < "2021") continue;
      const footer = isolate.footers.get(key)!;
      isolate.slices.delete(`${key} 0+${footer.groups.length} 0+${entry.rows}`);
    }
    const [read, ...others] = await readsOf("hours", { isolate });
    expect(others).toEqual([]);
    const years = sizesOf("sopr").slice(4);
    expect(read!.length).toBe(years.reduce((sum, size) => sum + size));
  });

  it("come from the location's cache the next time", async () => {
    const edge = await caches.open(crypto.randomUUID());
    expect(await readsOf("hours of two metrics", { edge })).toHaveLength(1);
    expect(await readsOf("hours of two metrics", { edge })).toEqual([]);
    expect(await readsOf("hours", { edge })).toHaveLength(1);
  });

  it("are read one by one while other requests hold much", async () => {
    const isolate = new Isolate();
    const other = new Lease(isolate.budget, Date.now);
    other.reserve(20 << 20, true);
    const reads = await readsOf("hours", { isolate });
    expect(reads.map(({ length }) => length)).toEqual(sizesOf("sopr"));
    other.end();
  });

  it("are joined by middling ones, of which a single range is wanted", async () => {
    // It keeps footers, and no rows.
    const isolate = Object.assign(new Isolate(), { slices: new Memory<Slice>(0, () => 1) });
    const all = sizesOf("volume_dollar").reduce((sum, size) => sum + size);
    for (let round = 0; round < 2; round++) {
      const reads = await readsOf("hours of middling objects", { isolate });
      expect(reads.map(({ depth }) => depth)).toEqual([1, 1]);
      const lengths = reads.map(({ key, length }) => length ?? sizeOfPack(key));
      expect(lengths.reduce((sum, length) => sum + length)).toBe(all);
      for (const length of lengths) expect(length).toBeLessThanOrEqual(MOST_TOGETHER);
    }
    for (const { length } of await readsOf("middling hours of two cohorts", { isolate })) {
      expect(length).toBeLessThan(WHOLE_BYTES);
    }
    expect(isolate.budget.bytes).toBe(0);
  });

  it("of a middling part alone, or while other requests hold much, ranges are read", async () => {
    for (const { length } of await readsOf("middling hours of one year")) expect(length).toBeLessThan(WHOLE_BYTES);
    const isolate = new Isolate();
    const other = new Lease(isolate.budget, Date.now);
    other.reserve(20 << 20, true);
    for (const { length } of await readsOf("hours of middling objects", { isolate })) {
      expect(length).toBeLessThan(WHOLE_BYTES);
    }
    expect(isolate.budget.bytes).toBe(20 << 20);
    other.end();
  });

  it("of large parts, ranges are read", async () => {
    const reads = await readsOf("hours of large objects");
    expect(reads.filter(({ depth }) => depth === 1)).toHaveLength(9);
    for (const { length } of reads) expect(length).toBeLessThan(WHOLE_BYTES);
  });
});

describe("a pack", () => {
  const log = vi.spyOn(console, "error");
  const causes = () => log.mock.calls.map(([line]) => JSON.parse(line).cause as string);

  async function expectDamaged(query: Query, cause: RegExp, dependencies: Dependencies = {}): Promise<void> {
    log.mockReset().mockImplementation(() => {});
    const response = await freshIsolate(dependencies).fetch(QUERIES[query]);
    expect([response.status, (await response.json<{ type: string }>()).type]).toEqual([500, "/problems/damaged-data"]);
    expect(causes().join("\n")).toMatch(cause);
  }

  const ALONE = /series\/PACK\/day\/sopr\/all\.\w+\.parquet in packs\/PACK\/\w+\.pack/;
  const either = (fault: string) => new RegExp(`packs/PACK/\\w+\\.pack ${fault}`);

  it.each<[string, (bytes: Uint8Array<ArrayBuffer>, key: string) => Promise<unknown>, fault: string]>([
    ["is missing", (_, key) => env.BUCKET.delete(key), "is missing"],
    ["has grown", (bytes, key) => put(key, new Uint8Array([...bytes, 0])), "does not have the size that its manifest"],
    ["is cut off", (bytes, key) => put(key, bytes.slice(0, -1000)), "does not have the size|has fewer or more bytes"],
    ["is cut off to almost nothing", (bytes, key) => put(key, bytes.slice(0, 100)), "has fewer or more bytes|not have"],
    ["has one other bit", (bytes, key) => put(key, bytes.with(200, bytes[200]! ^ 1)), "is not what was published"],
    ["was stored without its checksum", (bytes, key) => env.BUCKET.put(key, bytes), "was stored without its SHA-256"],
  ])("that %s", async (_, damage, fault) => {
    const { objects } = await env.BUCKET.list({ prefix: packsPrefix("PACK") });
    const whole = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const { key } of objects) whole.set(key, new Uint8Array(await (await env.BUCKET.get(key))!.arrayBuffer()));
    for (const [key, bytes] of whole) await damage(bytes, key);
    await expectDamaged("day", ALONE);
    await expectDamaged("day", either(fault));
    await expectDamaged("hours", either(fault));
    await expectDamaged("hours of large objects", either(fault));
    for (const [key, bytes] of whole) await put(key, bytes);
    expect(await textOf("hours")).toBe(before.get("hours"));
  });

  it("with another bit in transit: the problem names the part that has it", async () => {
    const bucket = alteringBucket(env.BUCKET, (bytes) => {
      const place = bytes.length - 2000;
      bytes[place]! ^= 4;
    });
    const part = /the bytes of series\/PACK\/hour\/sopr\/2025\.\w+\.parquet in packs\/PACK\/\w+\.pack are not those/;
    await expectDamaged("hours", part, { bucket });
    const edge = await caches.open(crypto.randomUUID());
    await expectDamaged("hours", part, { bucket, edge });
    // What is damaged has not been kept.
    expect(await textOf("hours", { edge })).toBe(before.get("hours"));
  });
});

const digestOf = async (bytes: Uint8Array<ArrayBuffer>) => hex(await crypto.subtle.digest("SHA-256", bytes));
const put = async (key: string, bytes: Uint8Array<ArrayBuffer>) =>
  env.BUCKET.put(key, bytes, { sha256: await digestOf(bytes) });
