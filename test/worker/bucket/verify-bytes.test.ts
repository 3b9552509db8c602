/** Stored data that is not what was published is an error, never a wrong or an empty answer. */

import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { currentKey, SHA256_METADATA, seriesPrefix } from "../../../data-schema/stored/objects.ts";
import { hex } from "../../../data-schema/text/bytes.ts";
import { WHOLE_BYTES } from "../../../worker/read/objects/open-object.ts";
import { alteringBucket } from "../bindings.ts";
import { type Dependencies, freshIsolate, KEY, putKey } from "../client.ts";
import { at, DAY, type Point, publish } from "../token.ts";

const START = at("2021-01-01");
const DAYS = 1500;
const BUSY = 26;

/** Full precision, so that an object with many cohorts is large and one with a few is small. */
const points = (cohort: number): Point[] =>
  Array.from({ length: DAYS }, (_, day) => ({ t: START + day * DAY, v: 1 + Math.sin(cohort * 7919 + day) }));

const token = {
  metrics: ["sopr", "sopr_profit"] as const,
  periods: { day: [{ name: "all", from: START, to: START + 5000 * DAY }] },
  range: { day: [START, START + (DAYS - 1) * DAY] as [number, number] },
};

beforeAll(() => putKey());

const log = vi.spyOn(console, "error");
beforeEach(() => {
  log.mockImplementation(() => {});
});
afterEach(() => {
  for (const call of log.mock.calls) expect(String(call)).not.toContain(KEY);
  log.mockReset();
});

async function publishLargeAndSmall(symbol: string): Promise<void> {
  await publish(env.BUCKET, {
    ...token,
    symbol,
    series: (metric, _, selector) => {
      if (metric === "sopr") return points([...selector].reduce((sum, letter) => sum + letter.charCodeAt(0), 0));
      return selector === "total" ? points(BUSY) : [];
    },
  });
}

/** The stored object of a metric. */
async function objectOf(symbol: string, metric: string): Promise<{ key: string; bytes: Uint8Array<ArrayBuffer> }> {
  const { objects } = await env.BUCKET.list({ prefix: `${seriesPrefix(symbol)}day/${metric}/` });
  const { key } = objects[0]!;
  return { key, bytes: new Uint8Array(await (await env.BUCKET.get(key))!.arrayBuffer()) };
}

const put = async (key: string, bytes: Uint8Array<ArrayBuffer>) =>
  env.BUCKET.put(key, bytes, { sha256: await crypto.subtle.digest("SHA-256", bytes) });

/** Stores an object as R2's S3 API does: the SHA-256 is metadata, not R2's own checksum. */
const putByS3 = (key: string, bytes: Uint8Array<ArrayBuffer>, sha256: string) =>
  env.BUCKET.put(key, bytes, { customMetadata: { [SHA256_METADATA]: sha256 } });

async function expectDamaged(path: string, dependencies?: Dependencies): Promise<void> {
  const response = await freshIsolate(dependencies).fetch(path);
  expect(await response.json()).toEqual({
    type: "/problems/damaged-data",
    title: "Stored data damaged",
    status: 500,
    detail: "The stored series does not match its manifest. This is our fault; it has been logged.",
  });
  expect(response.status).toBe(500);
  expect(log).toHaveBeenCalled();
}

describe.each([
  ["a small object, read whole", "sopr_profit", "SMALL"],
  ["a large object, read by ranges", "sopr", "LARGE"],
])("%s", (_, metric, symbol) => {
  const path = `/v1/metrics/${metric}?a=${symbol}`;
  let original: { key: string; bytes: Uint8Array<ArrayBuffer> };

  beforeAll(async () => {
    await publishLargeAndSmall(symbol);
    original = await objectOf(symbol, metric);
    expect(original.bytes.length > WHOLE_BYTES).toBe(metric === "sopr");
  });

  it.each<[string, () => Promise<unknown>]>([
    ["is missing", () => env.BUCKET.delete(original.key)],
    ["is cut off", () => put(original.key, original.bytes.slice(0, -1000))],
    ["is cut off to almost nothing", () => put(original.key, original.bytes.slice(0, 100))],
    ["has grown", () => put(original.key, new Uint8Array([...original.bytes, 0]))],
    ["has one other bit", () => put(original.key, original.bytes.with(200, original.bytes[200]! ^ 1))],
    ["was stored without its checksum", () => env.BUCKET.put(original.key, original.bytes)],
    ["was stored with another's checksum", () => putByS3(original.key, original.bytes, "0".repeat(64))],
  ])("that %s", async (_, damage) => {
    await damage();
    await expectDamaged(path);
    // The failure is not cached.
    const client = freshIsolate();
    expect((await client.fetch(path)).status).toBe(500);
    await put(original.key, original.bytes);
    expect(await (await client.fetch(path)).json()).toHaveLength(DAYS);
  });

  it("is served if it was stored through the S3 API", async () => {
    const sha256 = hex(await crypto.subtle.digest("SHA-256", original.bytes));
    await putByS3(original.key, original.bytes, sha256);
    expect(await (await freshIsolate().fetch(path)).json()).toHaveLength(DAYS);
    await put(original.key, original.bytes);
  });
});

describe("bytes that change in transit", () => {
  beforeAll(() => publishLargeAndSmall("WAY"));

  it("are noticed by the checksum of an object that is read whole", async () => {
    const bucket = alteringBucket(env.BUCKET, (bytes) => {
      bytes[300] = bytes[300]! ^ 4;
    });
    await expectDamaged("/v1/metrics/sopr_profit?a=WAY", { bucket });
  });

  it("are noticed by the digests of footer and row groups if only ranges are read", async () => {
    const path = "/v1/metrics/sopr?a=WAY&c=users";
    const right = await (await freshIsolate().fetch(path)).text();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.nat(254)), {
          minLength: 1,
        }),
        fc.boolean(),
        async (changes, inFooter) => {
          let altered = 0;
          const bucket = alteringBucket(env.BUCKET, (bytes) => {
            const isFooter = bytes.at(-1) === 0x31;
            if (isFooter !== inFooter) return;
            altered++;
            for (const [place, value] of changes) {
              const index = Math.floor(place * bytes.length);
              bytes[index] = (bytes[index]! + 1 + value) % 256;
            }
          });
          const response = await freshIsolate({ bucket }).fetch(path);
          const text = await response.text();
          expect(altered).toBeGreaterThan(0);
          // A change in a row group with only other cohorts' rows does no harm.
          if (response.status === 200) expect(text).toBe(right);
          else expect([response.status, JSON.parse(text).type]).toEqual([500, "/problems/damaged-data"]);
        },
      ),
      { numRuns: 150 },
    );
    expect(await (await freshIsolate().fetch(path)).text()).toBe(right);
  });

  it("are not kept in the location's cache", async () => {
    const edge = await caches.open(crypto.randomUUID());
    const bucket = alteringBucket(env.BUCKET, (bytes) => bytes.fill(0xff));
    const bad = freshIsolate({ bucket, edge });
    expect((await bad.fetch("/v1/metrics/sopr?a=WAY")).status).toBe(500);
    await bad.settled();
    expect((await freshIsolate({ edge }).fetch("/v1/metrics/sopr?a=WAY")).status).toBe(200);
  });
});

describe("contents that contradict the manifest", () => {
  const publishPoints = (symbol: string, series: Point[], metric: "sopr" | "volume" = "volume") =>
    publish(env.BUCKET, {
      ...token,
      metrics: [metric],
      symbol,
      series: (_, __, selector) => (selector === "total" ? series : []),
    });

  it.each<[string, Point[]]>([
    ["a point between two days", [{ t: START + 3600, v: 1 }]],
    ["a value that is no number", [{ t: START, v: Number.NaN }]],
    ["an infinite value", [{ t: START, v: Number.POSITIVE_INFINITY }]],
    ["times that fall", [START + DAY, START].map((t) => ({ t, v: 1 }))],
    ["two points for one day", [START, START].map((t) => ({ t, v: 1 }))],
  ])("%s", async (_, series) => {
    await publishPoints("ODD", series);
    await expectDamaged("/v1/metrics/volume?a=ODD");
  });

  it("another asset's object", async () => {
    await publishPoints("ONE", [{ t: START, v: 1 }]);
    await publishPoints("TWO", [{ t: START, v: 2 }]);
    const text = await (await env.BUCKET.get(currentKey("TWO")))!.text();
    const one = await objectOf("ONE", "volume");
    const two = await objectOf("TWO", "volume");
    const hash = (key: string) => key.split(".").at(-2)!;
    await put(two.key.replace(hash(two.key), hash(one.key)), one.bytes);
    await env.BUCKET.put(currentKey("TWO"), text.replace(hash(two.key), hash(one.key)));
    await expectDamaged("/v1/metrics/volume?a=TWO");
  });
});

describe("a manifest", () => {
  beforeAll(() => publishLargeAndSmall("MAN"));

  it.each<[string, (text: string) => string]>([
    ["of another schema version", (text) => text.replace('"schema":1', '"schema":3')],
    ["that is not JSON", (text) => text.slice(0, 500)],
    ["that is empty", () => ""],
    ["without a field", (text) => text.replace('"decimals":18,', "")],
    ["of another asset", (text) => text.replace('"symbol":"MAN"', '"symbol":"NAM"')],
    ["that does not list the metric", (text) => text.replace('"sopr":', '"volume":')],
  ])("%s", async (_, change) => {
    const text = await (await env.BUCKET.get(currentKey("MAN")))!.text();
    await env.BUCKET.put(currentKey("MAN"), change(text));
    await expectDamaged("/v1/metrics/sopr?a=MAN");
    await env.BUCKET.put(currentKey("MAN"), text);
  });

  it("with a bit that changed in transit", async () => {
    const text = await (await env.BUCKET.get(currentKey("MAN")))!.text();
    const bytes = new TextEncoder().encode(text);
    const sha256 = await crypto.subtle.digest("SHA-256", bytes);
    await env.BUCKET.put(currentKey("MAN"), bytes, { sha256 });
    expect((await freshIsolate().fetch("/v1/metrics/sopr?a=MAN")).status).toBe(200);
    // In the name, where only the checksum notices it.
    const place = text.indexOf('"name":"') + 8;
    const bucket = alteringBucket(
      env.BUCKET,
      (read) => {
        read[place] = read[place]! ^ 1;
      },
      (key) => key === currentKey("MAN"),
    );
    await expectDamaged("/v1/metrics/sopr?a=MAN", { bucket });
  });
});
