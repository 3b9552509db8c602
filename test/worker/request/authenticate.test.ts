/** API keys: where a request may give one, and how long a record is trusted. */

import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { Isolate } from "../../../worker/isolate.ts";
import { cachedKeys, countingKeys, failingKeys, notingCache } from "../bindings.ts";
import { type Client, freshIsolate, KEY, putKey } from "../client.ts";
import { at, DAY, publish } from "../token.ts";

const OTHER = "9a1f0c3e-7b5d-4e2a-8c6f-1d2e3f4a5b6c";
const START = at("2022-01-01");
let client: Client;

beforeAll(async () => {
  await Promise.all([putKey(), putKey(OTHER, { id: "k2" })]);
  await publish(env.BUCKET, {
    symbol: "KEY",
    metrics: ["volume"],
    periods: { day: [{ name: "all", from: START, to: START + 400 * DAY }] },
    range: { day: [START, START] },
    series: () => [{ t: START, v: 1 }],
  });
  client = freshIsolate();
});

/** What each place gives; undefined for nothing. */
interface Places {
  query?: string | undefined;
  header?: string | undefined;
  bearer?: string | undefined;
}

function ask({ query, header, bearer }: Places, to: Client = client): Promise<Response> {
  const headers = new Headers();
  if (header !== undefined) headers.set("X-Api-Key", header);
  if (bearer !== undefined) headers.set("Authorization", bearer);
  // Without this, the test's client would add a key.
  const given = query ?? (header === undefined && bearer === undefined ? "" : undefined);
  return to.fetch(`/v1/metrics/volume?a=KEY${given === undefined ? "" : `&api_key=${given}`}`, { headers });
}

const answer = async (places: Places): Promise<string> => {
  const response = await ask(places);
  return response.status === 200 ? "200" : (await response.json<{ type: string }>()).type.replace("/problems/", "");
};

/** The key with letters of either case. */
const spelling = (key: string) =>
  fc
    .array(fc.boolean(), { minLength: key.length, maxLength: key.length })
    .map((upper) => Array.from(key, (letter, i) => (upper[i] ? letter.toUpperCase() : letter)).join(""));

const anyKey = fc.oneof(spelling(KEY), spelling(OTHER), fc.constant("demo"), fc.uuid());
const places: fc.Arbitrary<Places> = fc.record({
  query: fc.option(anyKey, { nil: undefined }),
  header: fc.option(anyKey, { nil: undefined }),
  bearer: fc.option(
    fc.tuple(fc.constantFrom("Bearer ", "bearer ", "BEARER  "), anyKey).map((parts) => parts.join("")),
    {
      nil: undefined,
    },
  ),
});

/** The expected answer, by a slow and obvious implementation. */
function expected({ query, header, bearer }: Places): string {
  const given = [query, header, bearer?.replace(/^bearer\s+/i, "")]
    .filter((key) => key !== undefined)
    .map((key) => key.toLowerCase());
  if (given.length === 0) return "missing-key";
  if (given.some((key) => key !== given[0])) return "conflicting-keys";
  if (given[0] === "demo") return "malformed-key";
  return given[0] === KEY || given[0] === OTHER ? "200" : "unknown-key";
}

it("a key is accepted in any place, also in several; different keys are refused", async () => {
  await fc.assert(
    fc.asyncProperty(places, async (given) => {
      expect(await answer(given)).toBe(expected(given));
    }),
    { numRuns: 500 },
  );
});

describe("a key", () => {
  it.each<[string, Places, string]>([
    ["as X-Api-Key", { header: KEY }, "200"],
    ["as a bearer token", { bearer: `Bearer ${KEY}` }, "200"],
    ["everywhere", { query: KEY, header: KEY.toUpperCase(), bearer: `bearer ${KEY}` }, "200"],
    ["beside a password of another scheme", { query: KEY, bearer: "Basic YTpi" }, "200"],
    ["without its scheme", { bearer: KEY }, "missing-key"],
    ["that is empty", { header: "", bearer: "Bearer" }, "missing-key"],
    ["that is empty in the query", { query: "", header: KEY }, "empty-parameter"],
    ["that differs", { query: KEY, header: OTHER }, "conflicting-keys"],
    ["given twice as a header", { header: `${KEY}, ${KEY}` }, "malformed-key"],
  ])("%s", async (_, given, type) => {
    expect(await answer(given)).toBe(type);
  });

  it("does not appear in any answer, log line or cache, wherever it was given", async () => {
    const log = (["log", "error", "warn", "info"] as const).map((name) => vi.spyOn(console, name));
    for (const spy of log) spy.mockImplementation(() => {});
    const { cache, urls } = notingCache(caches.default);
    const client = freshIsolate({ edge: cache });
    const unreadable = crypto.randomUUID();
    await putKey(unreadable, { expires: "soon" });
    for (const key of [KEY, OTHER, unreadable, crypto.randomUUID()]) {
      for (const given of [{ query: key }, { header: key }, { bearer: `Bearer ${key}` }, { query: KEY, header: key }]) {
        const response = await ask(given, client);
        const shown = JSON.stringify([...response.headers]) + (await response.text());
        for (const text of [shown, JSON.stringify(log.map(({ mock }) => mock.calls)), ...urls()]) {
          expect(text.toLowerCase()).not.toContain(key.slice(-12));
          expect(text).not.toContain(KEY.slice(-12));
        }
      }
    }
    await client.settled();
    expect(urls().length).toBeGreaterThan(0);
    expect(log.flatMap(({ mock }) => mock.calls).length).toBeGreaterThan(0);
    for (const spy of log) spy.mockRestore();
  });
});

const PATH = "/v1/metrics/volume?a=KEY";
let now = 1_700_000_000_000;
const later = (seconds: number) => {
  now += seconds * 1000;
};

describe("KV out of reach", () => {
  it("503 for a key that is not cached", async () => {
    const response = await freshIsolate({ keys: failingKeys(env.KEYS) }).fetch(PATH);
    expect(await response.json()).toEqual({
      type: "/problems/keys-unavailable",
      title: "Key store unavailable",
      status: 503,
      detail: "API keys cannot be checked at the moment. Try again soon.",
    });
    expect(response.headers.get("Retry-After")).toBe("5");
  });
});

describe("a cached key", () => {
  const other = "00000000-0000-4000-8000-00000000000a";

  it("that is revoked works for at most 30 seconds in the isolate that used it", async () => {
    const client = freshIsolate({ now: () => now });
    expect((await client.fetch(PATH)).status).toBe(200);
    await putKey(KEY, { status: "revoked" });
    later(29);
    expect((await client.fetch(PATH)).status).toBe(200);
    later(2);
    expect((await client.fetch(PATH)).status).toBe(403);
    await putKey();
  });

  it("that is revoked works for at most 90 seconds if the location cached it, too", async () => {
    const keys = cachedKeys(env.KEYS, () => now);
    const [first, second] = [freshIsolate({ keys, now: () => now }), freshIsolate({ keys, now: () => now })];
    const statuses = async () => [(await first.fetch(PATH)).status, (await second.fetch(PATH)).status];
    expect((await first.fetch(PATH)).status).toBe(200);
    await putKey(KEY, { status: "revoked" });
    later(29);
    expect(await statuses()).toEqual([200, 200]);
    later(29);
    expect(await statuses()).toEqual([200, 200]);
    // The second has read the record again after the location's minute, the first just before.
    later(4);
    expect(await statuses()).toEqual([200, 403]);
    later(25);
    expect(await statuses()).toEqual([200, 403]);
    later(2);
    expect(await statuses()).toEqual([403, 403]);
    await putKey();
  });

  it("expires while it is cached", async () => {
    const client = freshIsolate({ now: () => now });
    await putKey(other, { expires: new Date(now + 10_000).toISOString() });
    expect((await client.fetch(`${PATH}&api_key=${other}`)).status).toBe(200);
    later(10);
    expect((await client.fetch(`${PATH}&api_key=${other}`)).status).toBe(403);
  });
});

describe("an unknown key", () => {
  const status = async (client: Client, key: string) => (await client.fetch(`${PATH}&api_key=${key}`)).status;

  it("is looked up once in ten seconds, however often it is tried; any other key at once", async () => {
    const { keys, reads } = countingKeys(env.KEYS);
    const client = freshIsolate({ keys, now: () => now });
    const [guess, made] = [crypto.randomUUID(), crypto.randomUUID()];
    for (let i = 0; i < 20; i++) expect(await status(client, guess)).toBe(401);
    expect(reads()).toBe(1);
    await putKey(made);
    expect([await status(client, made), reads()]).toEqual([200, 2]);
    later(9);
    expect([await status(client, guess), reads()]).toEqual([401, 2]);
    later(1);
    expect([await status(client, guess), reads()]).toEqual([401, 3]);
  });

  it("works ten seconds after it was made, although it had been tried before", async () => {
    const client = freshIsolate({ now: () => now });
    const key = crypto.randomUUID();
    expect(await status(client, key)).toBe(401);
    await putKey(key);
    expect(await status(client, key)).toBe(401);
    later(10);
    expect(await status(client, key)).toBe(200);
  });

  it("works 70 seconds after it was made if the location had cached that there is none", async () => {
    const keys = cachedKeys(env.KEYS, () => now);
    const [first, second] = [freshIsolate({ keys, now: () => now }), freshIsolate({ keys, now: () => now })];
    const key = crypto.randomUUID();
    expect(await status(first, key)).toBe(401);
    await putKey(key);
    later(59);
    // Read from the location's cache, just before it expires.
    expect(await status(second, key)).toBe(401);
    later(9);
    expect([await status(first, key), await status(second, key)]).toEqual([200, 401]);
    later(1);
    expect(await status(second, key)).toBe(200);
  });

  it("takes little memory, and none from valid keys", async () => {
    const isolate = new Isolate();
    const client = freshIsolate({ isolate });
    expect(await status(client, KEY)).toBe(200);
    const before = isolate.keys.bytes;
    for (let i = 0; i < 3000; i++) isolate.unknownKeys.set(`key:${String(i).padStart(64, "0")}`, 0);
    expect(await status(client, crypto.randomUUID())).toBe(401);
    expect(isolate.keys.bytes).toBe(before);
    expect(isolate.unknownKeys.bytes).toBeLessThanOrEqual(1 << 18);
  });
});

describe("a key's record", () => {
  const KEY_OF_RECORD = "7d0c3b52-3f6e-4c0e-8a2e-2f5d9a1b6c43";

  it.each([
    ["a past date", "2020-01-01", 403],
    ["an offset in hours", "2020-01-01T00:00:00+02", 500],
    ["a future date", "2999-12-31", 200],
    ["an invalid time", "soon", 500],
  ])("that expires at %s", async (_, expires, status) => {
    await putKey(KEY_OF_RECORD, { expires });
    const response = await freshIsolate().fetch(`/v1/metrics/volume?a=KEY&api_key=${KEY_OF_RECORD}`);
    expect(response.status).toBe(status);
  });
});
