/** Active manifests: how they are cached and renewed, and what is served while R2 is out of reach. */

import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { currentKey } from "../../../data-schema/stored/objects.ts";
import { Isolate } from "../../../worker/isolate.ts";
import { failingBucket, hasSeries, readingBucket } from "../bindings.ts";
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
    ["for series", hasSeries],
  ])("%s: 503 with Retry-After", async (_, isDown) => {
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

  it("for one read of the manifest: answered by a second read", async () => {
    let failures = 0;
    const bucket = failingBucket(env.BUCKET, (key) => key === currentKey("OUT") && failures++ === 0);
    expect((await freshIsolate({ bucket }).fetch(PATH)).status).toBe(200);
    expect(failures).toBe(2);
  });

  it("later: what is cached is served", async () => {
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

describe("a manifest that is being rewritten", () => {
  let empty = 0;
  /** Finds nothing at the next `empty` reads of the manifest. */
  const bucket = readingBucket(
    env.BUCKET,
    async (key, options) => (empty-- > 0 ? null : env.BUCKET.get(key, options)),
    (key) => key === currentKey("OUT"),
  );

  it.each([
    ["found by a second read, if the first finds nothing", 1, 200],
    ["gone, if both reads find nothing", 2, 404],
  ])("is %s", async (_, count, status) => {
    empty = count;
    expect((await freshIsolate({ bucket }).fetch(PATH)).status).toBe(status);
  });

  it("is found by a second read, if the first for a newer one finds nothing", async () => {
    const client = freshIsolate({ bucket, now: () => now });
    await client.fetch(PATH);
    later(400);
    empty = 1;
    expect((await client.fetch(PATH)).status).toBe(200);
  });
});

describe("a new manifest", () => {
  it("is found after the first response that is sent after 30 seconds", async () => {
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

  it("that cannot be read leaves the last good one in use", async () => {
    const client = freshIsolate({ now: () => now });
    expect((await client.fetch(PATH)).status).toBe(200);
    await env.BUCKET.put(currentKey("OUT"), '{"schema":3}');
    later(31);
    await client.fetch(PATH);
    await client.settled();
    expect(await (await client.fetch(PATH)).json()).toHaveLength(3);
  });

  it("that was removed: the asset is gone", async () => {
    const client = freshIsolate({ now: () => now });
    expect((await client.fetch(PATH)).status).toBe(200);
    await env.BUCKET.delete(currentKey("OUT"));
    later(31);
    await client.fetch(PATH);
    await client.settled();
    expect((await client.fetch(PATH)).status).toBe(404);
  });
});

it("is parsed once, however many requests find nothing cached", async () => {
  const isolate = new Isolate();
  const kept = vi.spyOn(isolate.manifests, "set");
  const client = freshIsolate({ isolate });
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.fetch(PATH)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(kept).toHaveBeenCalledOnce();
});
