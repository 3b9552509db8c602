/** Long answers that this location's cache keeps: the same bytes again, without a read; and never a part of one. */

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { hex } from "../../../data-schema/text/bytes.ts";
import { Lease } from "../../../worker/budget.ts";
import { Isolate } from "../../../worker/isolate.ts";
import { countingBucket, failingBucket, notingCache } from "../bindings.ts";
import { freshIsolate, KEY, putKey } from "../client.ts";
import { at, HOUR, publish, type Token } from "../token.ts";

const YEARS = ["2022", "2023", "2024"].map((name) => ({
  name,
  from: at(`${name}-01-01`),
  to: at(`${Number(name) + 1}-01-01`),
}));
/** 26,304 hours. */
const [FIRST, LAST] = [YEARS[0]!.from, YEARS[2]!.to - HOUR];

const token: Token = {
  symbol: "KEPT",
  metrics: ["volume"],
  periods: { day: [], hour: YEARS },
  range: { hour: [FIRST, LAST] },
  series: (_, __, selector) =>
    selector === "total" || selector === "users"
      ? Array.from({ length: (LAST - FIRST) / HOUR + 1 }, (_, index) => ({
          t: FIRST + HOUR * index,
          v: 1.5 + Math.sin(index * (selector === "total" ? 7919 : 104_729)),
        }))
      : [],
};

beforeAll(async () => {
  await putKey();
  await publish(env.BUCKET, token);
});

const V1 = "/v1/metrics/volume?a=KEPT&r=hour";
const V3 = "/v3/series?a=KEPT&m=volume&c=total,users&r=hour";

/** The headers, without those that differ from request to request. */
function headersOf(response: Response): Record<string, string> {
  const { "x-request-id": _, "server-timing": __, ...rest } = Object.fromEntries(response.headers);
  return rest;
}

/** Asks in a new isolate, with its log line; nothing but the cache knows of earlier answers. */
async function ask(path: string, init: RequestInit = {}, bucket = env.BUCKET) {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const counting = countingBucket(bucket);
  const { cache, urls } = notingCache(caches.default);
  const client = freshIsolate({ bucket: counting.bucket, edge: cache });
  try {
    const response = await client.fetch(path, init);
    const bytes = await response.bytes();
    await client.settled();
    await vi.waitFor(() => expect(log).toHaveBeenCalled());
    const entry = JSON.parse(log.mock.calls.at(-1)![0]);
    return {
      status: response.status,
      bytes,
      headers: headersOf(response),
      reads: counting.take(),
      urls: urls(),
      entry,
    };
  } finally {
    log.mockRestore();
  }
}

/** Comparing megabytes byte by byte would take minutes where they differ. */
const digestOf = async (bytes: Uint8Array) => [
  bytes.length,
  hex(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes))),
];

/** Whether an address of the cache is that of an object's bytes. */
const isOfSeries = (url: string) => url.includes("/series/");

const GZIP = { headers: { "Accept-Encoding": "gzip" } };

describe("a long answer is kept", () => {
  it.each<[string, RequestInit]>([
    [V1, {}],
    [`${V1}&f=csv`, {}],
    [`${V1}&f=csv`, GZIP],
    [V3, {}],
    [`${V3}&f=csv`, {}],
    [`${V3}&f=csv`, GZIP],
    [`${V3}&f=ndjson&time=unix`, {}],
    [`${V3}&f=arrow`, {}],
    [`${V3}&f=parquet`, {}],
  ])("%s %o", async (path, init) => {
    const first = await ask(path, init);
    expect([first.status, first.urls.filter(isOfSeries)]).toEqual([200, expect.arrayContaining([expect.anything()])]);
    const second = await ask(path, init);
    expect([second.reads, second.urls.filter(isOfSeries)]).toEqual([[], []]);
    expect(await digestOf(second.bytes)).toEqual(await digestOf(first.bytes));
    expect(second.headers).toEqual(first.headers);
    const { points, bytes } = first.entry;
    expect(second.entry).toMatchObject({ points, bytes, cache: "edge" });
  });

  it("under an address without the key", async () => {
    const { urls } = await ask(`${V1}&u=2024-11-01`);
    expect(urls.filter((url) => url.includes("/answers/"))).not.toHaveLength(0);
    expect(urls.filter((url) => url.includes(KEY))).toEqual([]);
  });

  it("but not a short one, for which the cache is not even asked", async () => {
    const { urls } = await ask(`${V1}&u=2023-11-01`);
    expect(urls.filter((url) => url.includes("/answers/"))).toEqual([]);
  });

  it("compressed or not, as its bytes are, whatever another isolate knows of it", async () => {
    const path = `${V1}&f=csv&u=2024-12-01`;
    const ask = async (isolate: Isolate) => {
      const { cache, urls } = notingCache(caches.default);
      const client = freshIsolate({ edge: cache, isolate });
      const response = await client.fetch(path, GZIP);
      const bytes = await response.bytes();
      await client.settled();
      const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
      expect(response.headers.get("Content-Encoding")).toBe(isGzip ? "gzip" : null);
      return { isGzip, addresses: urls().filter((url) => url.includes("/answers/")) };
    };
    const [idle, crowded] = [new Isolate(), new Isolate()];
    const { isGzip, addresses } = await ask(idle);
    expect(isGzip).toBe(true);
    // From the cache: from now on, the isolate knows the answer.
    expect((await ask(idle)).isGzip).toBe(true);
    for (const address of new Set(addresses)) await caches.default.delete(address);
    // Among other requests that hold much, few points are gathered before the answer begins, and it is not compressed.
    new Lease(crowded.budget, Date.now).reserve(8 << 20, true);
    expect((await ask(crowded)).isGzip).toBe(false);
    expect((await ask(idle)).isGzip).toBe(false);
  });

  it.each(["{}", '{"points":"many","bytes":1}', "null", "<html>"])(
    "but not read if the cache says %s of it",
    async (said) => {
      const path = `${V1}&u=2024-11-15`;
      const { urls, bytes } = await ask(path);
      const address = urls.find((url) => url.endsWith("?sent"))!;
      await caches.default.put(address, new Response(said, { headers: { "Cache-Control": "max-age=60" } }));
      const again = await ask(path);
      expect(again.urls.filter(isOfSeries)).not.toEqual([]);
      expect(await digestOf(again.bytes)).toEqual(await digestOf(bytes));
    },
  );

  it("but not for another build", async () => {
    const path = `${V1.replace("KEPT", "OTHER")}&f=csv`;
    const bodies = [];
    for (const build of ["0000000000000001", "0000000000000002"]) {
      const series: Token["series"] = (...of) => token.series(...of).map(({ t, v }) => ({ t, v: v + Number(build) }));
      await publish(env.BUCKET, { ...token, symbol: "OTHER", build, series });
      const { bytes, entry } = await ask(path);
      expect(entry.cache).toBe("store");
      bodies.push(new TextDecoder().decode(bytes));
    }
    expect(bodies[0]).not.toBe(bodies[1]);
  });
});

describe("a part of an answer is not kept", () => {
  it.each([
    [`${V1}&u=2024-10-01`, "client"],
    [`${V3}&f=csv&u=2024-10-01`, "client"],
    [`${V3}&f=arrow&s=2022-02-01`, "client"],
  ])("%s, which the %s ends", async (path) => {
    const client = freshIsolate({ edge: caches.default });
    const response = await client.fetch(path);
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    await client.settled();
    const { entry, bytes } = await ask(path);
    expect(entry.cache).not.toBeUndefined();
    expect(entry.points).toBeGreaterThan(0);
    const plain = await freshIsolate().fetch(path);
    expect(await digestOf(bytes)).toEqual(await digestOf(await plain.bytes()));
  });

  it("when a later read fails", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    // Every format reads the years in turn; the last is out of reach.
    const bucket = failingBucket(env.BUCKET, (key) => key.includes("/hour/volume/2024."));
    await publish(env.BUCKET, { ...token, symbol: "FAILS" });
    const path = `${V3.replace("KEPT", "FAILS")}&f=csv`;
    const client = freshIsolate({ bucket, edge: caches.default });
    const response = await client.fetch(path);
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer().then(({ byteLength }) => byteLength)).rejects.toThrow();
    await client.settled();
    log.mockRestore();
    const after = await ask(path);
    expect(after.reads).not.toEqual([]);
    const plain = await freshIsolate().fetch(path);
    expect(await digestOf(after.bytes)).toEqual(await digestOf(await plain.bytes()));
  });
});
