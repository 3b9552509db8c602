/** Where a request may give its API key: in the query, as X-Api-Key, as a bearer token. */

import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { notingCache } from "../bindings.ts";
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

/** What stands in each place; undefined where nothing does. */
interface Places {
  query?: string | undefined;
  header?: string | undefined;
  bearer?: string | undefined;
}

function ask({ query, header, bearer }: Places, to: Client = client): Promise<Response> {
  const headers = new Headers();
  if (header !== undefined) headers.set("X-Api-Key", header);
  if (bearer !== undefined) headers.set("Authorization", bearer);
  // A client without any key would get one from the test's client.
  const given = query ?? (header === undefined && bearer === undefined ? "" : undefined);
  return to.fetch(`/v1/metrics/volume?a=KEY${given === undefined ? "" : `&api_key=${given}`}`, { headers });
}

const answer = async (places: Places): Promise<string> => {
  const response = await ask(places);
  return response.status === 200 ? "200" : (await response.json<{ type: string }>()).type.replace("/problems/", "");
};

/** The key in letters of either case. */
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

/** What the answer must be, spelled out the slow way. */
function expected({ query, header, bearer }: Places): string {
  const given = [query, header, bearer?.replace(/^bearer\s+/i, "")]
    .filter((key) => key !== undefined)
    .map((key) => key.toLowerCase());
  if (given.length === 0) return "missing-key";
  if (given.some((key) => key !== given[0])) return "conflicting-keys";
  if (given[0] === "demo") return "malformed-key";
  return given[0] === KEY || given[0] === OTHER ? "200" : "unknown-key";
}

it("any place does, the same key in several too, and different ones are refused", async () => {
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
    ["beside the password of something else", { query: KEY, bearer: "Basic YTpi" }, "200"],
    ["without its scheme", { bearer: KEY }, "missing-key"],
    ["that is empty", { header: "", bearer: "Bearer" }, "missing-key"],
    ["that is empty in the query", { query: "", header: KEY }, "empty-parameter"],
    ["that differs", { query: KEY, header: OTHER }, "conflicting-keys"],
    ["given twice as a header", { header: `${KEY}, ${KEY}` }, "malformed-key"],
  ])("%s", async (_, given, type) => {
    expect(await answer(given)).toBe(type);
  });

  it("is not shown by any answer, log line or cache, wherever it was given", async () => {
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
