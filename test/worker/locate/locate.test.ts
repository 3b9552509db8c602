/** R2 and KV out of reach, and what is served in the meantime. */

import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { apiKeyName } from "../../../data-schema/keys.ts";
import { currentKey } from "../../../data-schema/objects.ts";
import { cachedKeys, failingBucket, failingKeys } from "../bindings.ts";
import { freshIsolate, KEY, putKey } from "../client.ts";
import { at, DAY, publish } from "../token.ts";

const START = at("2021-01-01");
const PATH = "/v1/metrics/volume?a=OUT";

async function publishDays(days: number, build: string): Promise<void> {
  await publish(env.BUCKET, {
    symbol: "OUT",
    metrics: ["volume"],
    periods: { day: [{ name: "all", from: START, to: START + 5000 * DAY }] },
    range: { day: [START, START + (days - 1) * DAY] },
    series: () => Array.from({ length: days }, (_, day) => ({ t: START + day * DAY, v: 1 })),
    build,
  });
}

let now = 1_700_000_000_000;
const later = (seconds: number) => {
  now += seconds * 1000;
};

const log = vi.spyOn(console, "error");
beforeAll(() => putKey());
beforeEach(async () => {
  log.mockImplementation(() => {});
  await publishDays(3, "000000000000000a");
});
afterEach(() => {
  for (const call of log.mock.calls) expect(String(call)).not.toContain(KEY);
  log.mockReset();
});

describe("R2 out of reach", () => {
  it.each([
    ["from the start", (_: string) => true],
    ["for series", (key: string) => key.startsWith("series/")],
  ])("%s: 503, to be tried again", async (_, isDown) => {
    const response = await freshIsolate({ bucket: failingBucket(env.BUCKET, isDown) }).fetch(PATH);
    expect(await response.json()).toEqual({
      type: "/problems/store-unavailable",
      title: "Data store unavailable",
      status: 503,
      detail: "The data store cannot be read at the moment. Try again soon.",
    });
    expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
  });

  it("for one read of the manifest is not noticed", async () => {
    let failures = 0;
    const bucket = failingBucket(env.BUCKET, (key) => key === currentKey("OUT") && failures++ === 0);
    expect((await freshIsolate({ bucket }).fetch(PATH)).status).toBe(200);
    expect(failures).toBe(2);
  });

  it("later: what is remembered serves on", async () => {
    let isDown = false;
    const client = freshIsolate({ bucket: failingBucket(env.BUCKET, () => isDown), now: () => now });
    expect(await (await client.fetch(PATH)).json()).toHaveLength(3);
    isDown = true;
    for (let i = 0; i < 3; i++) {
      later(3600);
      expect(await (await client.fetch(PATH)).json()).toHaveLength(3);
      await client.settled();
    }
    isDown = false;
    await publishDays(4, "000000000000000b");
    later(31);
    await client.fetch(PATH);
    await client.settled();
    expect(await (await client.fetch(PATH)).json()).toHaveLength(4);
  });
});

describe("a new build", () => {
  it("is found behind the first response after 30 seconds", async () => {
    const client = freshIsolate({ now: () => now });
    const points = async () => (await (await client.fetch(PATH)).json<unknown[]>()).length;
    expect(await points()).toBe(3);
    await publishDays(5, "000000000000000b");
    later(29);
    expect(await points()).toBe(3);
    await client.settled();
    expect(await points()).toBe(3);
    later(2);
    expect(await points()).toBe(3);
    await client.settled();
    expect(await points()).toBe(5);
  });

  it("that cannot be read leaves the last good one", async () => {
    const client = freshIsolate({ now: () => now });
    expect((await client.fetch(PATH)).status).toBe(200);
    await env.BUCKET.put(currentKey("OUT"), '{"schema":2}');
    later(31);
    await client.fetch(PATH);
    await client.settled();
    expect(await (await client.fetch(PATH)).json()).toHaveLength(3);
  });

  it("that is no more: the asset is gone", async () => {
    const client = freshIsolate({ now: () => now });
    expect((await client.fetch(PATH)).status).toBe(200);
    await env.BUCKET.delete(currentKey("OUT"));
    later(31);
    await client.fetch(PATH);
    await client.settled();
    expect((await client.fetch(PATH)).status).toBe(404);
  });
});

describe("KV out of reach", () => {
  it("503 for a key not seen before", async () => {
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

describe("an API key", () => {
  const other = "00000000-0000-4000-8000-00000000000a";

  it("works as soon as it is made", async () => {
    const client = freshIsolate({ now: () => now });
    await env.KEYS.delete(await apiKeyName(other));
    expect((await client.fetch(`${PATH}&api_key=${other}`)).status).toBe(401);
    await putKey(other);
    expect((await client.fetch(`${PATH}&api_key=${other}`)).status).toBe(200);
  });

  it("that is revoked works for 30 seconds at most where it was just used", async () => {
    const client = freshIsolate({ now: () => now });
    expect((await client.fetch(PATH)).status).toBe(200);
    await putKey(KEY, { status: "revoked" });
    later(29);
    expect((await client.fetch(PATH)).status).toBe(200);
    later(2);
    expect((await client.fetch(PATH)).status).toBe(403);
    await putKey();
  });

  it("that is revoked works for 90 seconds at most where the location remembers it, too", async () => {
    const keys = cachedKeys(env.KEYS, () => now);
    const [first, second] = [freshIsolate({ keys, now: () => now }), freshIsolate({ keys, now: () => now })];
    const statuses = async () => [(await first.fetch(PATH)).status, (await second.fetch(PATH)).status];
    expect((await first.fetch(PATH)).status).toBe(200);
    await putKey(KEY, { status: "revoked" });
    later(29);
    expect(await statuses()).toEqual([200, 200]);
    later(29);
    expect(await statuses()).toEqual([200, 200]);
    // The second has asked the location anew after its minute, the first just before.
    later(4);
    expect(await statuses()).toEqual([200, 403]);
    later(25);
    expect(await statuses()).toEqual([200, 403]);
    later(2);
    expect(await statuses()).toEqual([403, 403]);
    await putKey();
  });

  it("expires while it is remembered", async () => {
    const client = freshIsolate({ now: () => now });
    await putKey(other, { expires: new Date(now + 10_000).toISOString() });
    expect((await client.fetch(`${PATH}&api_key=${other}`)).status).toBe(200);
    later(10);
    expect((await client.fetch(`${PATH}&api_key=${other}`)).status).toBe(403);
  });
});
