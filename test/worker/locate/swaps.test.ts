/** Builds that are superseded while the Worker serves them, and lose their objects: every answer comes from one build. */

import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { currentKey, seriesPrefix } from "../../../data-schema/stored/objects.ts";
import { WHOLE_BYTES } from "../../../worker/read/objects/open-object.ts";
import { failingBucket, readingBucket } from "../bindings.ts";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { at, DAY, type Point, publish } from "../token.ts";

const START = at("2021-01-01");
const DAYS = 1500;
/** More than are read before a response begins. */
const BLOCKS = 200_000;
const MONTHS = ["2022-01", "2022-02"].map((name, index) => ({
  name,
  from: at(`${name}-01`),
  to: at(`2022-0${index + 2}-01`),
}));

/** Full precision, so that sopr, with its many cohorts, makes a large object. */
const noise = (seed: number, day: number) => 1.5 + Math.sin(seed * 7919 + day);
const letters = (text: string) => [...text].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
const days = (seed: number): Point[] =>
  Array.from({ length: DAYS }, (_, day) => ({ t: START + day * DAY, v: noise(seed, day) }));
const blocks = (seed: number): Point[] =>
  MONTHS.flatMap(({ from }) =>
    Array.from({ length: BLOCKS }, (_, index) => ({ t: from + 10 * index, v: noise(seed, index) })),
  );

const buildId = (build: number) => build.toString(16).padStart(16, "0");
const asOf = (build: number) => `2026-01-01T00:00:${String(build % 60).padStart(2, "0")}Z`;

/** Activates a build, whose values no other build has. */
async function swap(symbol: string, build: number, { withBlocks = false } = {}): Promise<void> {
  await publish(env.BUCKET, {
    symbol,
    metrics: ["sopr", "sopr_profit"],
    periods: { day: [{ name: "all", from: START, to: START + 5000 * DAY }], ...(withBlocks ? { block: MONTHS } : {}) },
    range: { day: [START, START + (DAYS - 1) * DAY] },
    series: (metric, resolution, selector) => {
      if (resolution === "block") return metric === "sopr" && selector === "total" ? blocks(build) : [];
      return days(build * 1000 + letters(metric + selector));
    },
    build: buildId(build),
    asOf: asOf(build),
  });
}

/** Removes the series objects, of one metric or of all, that the active manifest does not list. */
async function collect(symbol: string, part = ""): Promise<void> {
  const active = await (await env.BUCKET.get(currentKey(symbol)))!.text();
  const { objects } = await env.BUCKET.list({ prefix: seriesPrefix(symbol) + part });
  const superseded = objects.filter(({ key }) => !active.includes(key.split(".").at(-2)!));
  await env.BUCKET.delete(superseded.map(({ key }) => key));
}

let now = 1_700_000_000_000;
const later = (seconds: number) => {
  now += seconds * 1000;
};
const isolate = (bucket?: R2Bucket) => freshIsolate({ now: () => now, ...(bucket ? { bucket } : {}) });

const log = vi.spyOn(console, "error");
beforeAll(() => putKey());
beforeEach(() => {
  log.mockImplementation(() => {});
});
afterEach(() => log.mockReset());

/** Kinds of the failures logged since this was last called. */
function kinds(): string[] {
  const found = log.mock.calls.map(([line]) => JSON.parse(line).kind);
  log.mockClear();
  return found;
}

/** Expects an answer that comes from the build alone. */
async function expectWhole(response: Response, build: number, metric = "sopr", selector = "total"): Promise<void> {
  expect(response.status).toBe(200);
  expect(response.headers.get("ETag")).toContain(`:${buildId(build)}:`);
  expect(response.headers.get("X-Soprano-As-Of")).toBe(asOf(build));
  const values = days(build * 1000 + letters(metric + selector)).map(({ v }) => v);
  expect((await response.json<Point[]>()).map(({ v }) => v)).toEqual(values);
}

describe("a build whose objects are gone", () => {
  describe.each([
    ["a small object", "sopr_profit"],
    ["a large object", "sopr"],
  ])("%s", (_, metric) => {
    const symbol = metric === "sopr" ? "LARGE" : "SMALL";
    const path = `/v1/metrics/${metric}?a=${symbol}`;
    let client: Client;

    /** A client that has cached the first build, a footer and a series of it, when only the second build exists. */
    beforeEach(async () => {
      await swap(symbol, 1);
      client = isolate();
      await expectWhole(await client.fetch(`${path}&c=total`), 1, metric);
      const { objects } = await env.BUCKET.list({ prefix: `${seriesPrefix(symbol)}day/${metric}/` });
      expect(objects[0]!.size > WHOLE_BYTES).toBe(metric === "sopr");
      await swap(symbol, 2);
      await collect(symbol);
      kinds();
    });

    it("is answered from the active build, and so are later requests", async () => {
      await expectWhole(await client.fetch(`${path}&c=users`), 2, metric, "users");
      expect(kinds()).toEqual(["superseded-build"]);
      await expectWhole(await client.fetch(`${path}&c=total`), 2, metric);
      expect(kinds()).toEqual([]);
    });

    it("is still served from memory while its manifest is fresh", async () => {
      await expectWhole(await client.fetch(`${path}&c=total`), 1, metric);
      expect(kinds()).toEqual([]);
    });

    it("HEAD describes the active build", async () => {
      const response = await client.fetch(`${path}&c=users`, { method: "HEAD" });
      expect(response.status).toBe(200);
      expect(response.headers.get("ETag")).toContain(buildId(2));
    });

    it("304 to a client that has the answer of the active build", async () => {
      const tag = (await isolate().fetch(`${path}&c=users`)).headers.get("ETag")!;
      const response = await client.fetch(`${path}&c=users`, { headers: { "If-None-Match": tag } });
      expect([response.status, response.headers.get("ETag")]).toEqual([304, tag]);
      expect(response.headers.get("X-Soprano-As-Of")).toBe(asOf(2));
    });

    it("500 if it is the active one, until its objects are there again", async () => {
      const keys = (await env.BUCKET.list({ prefix: seriesPrefix(symbol) })).objects.map(({ key }) => key);
      await env.BUCKET.delete(keys);
      for (let i = 0; i < 2; i++) {
        expect((await client.fetch(`${path}&c=users`)).status).toBe(500);
        expect(kinds().at(-1)).toBe("damaged-data");
      }
      await swap(symbol, 2);
      await expectWhole(await client.fetch(`${path}&c=users`), 2, metric, "users");
    });
  });

  it("is noticed by a read that fails because its object is being removed", async () => {
    await swap("AWAY", 1);
    let gone = "";
    // Removed after its read has begun, as happens with a local R2, which keeps objects as files.
    const bucket = readingBucket(env.BUCKET, async (key, options) => {
      if (gone === "") {
        gone = key;
        await swap("AWAY", 2);
        await collect("AWAY");
      }
      if (key === gone) throw new Error("No such file");
      return env.BUCKET.get(key, options);
    });
    await expectWhole(await isolate(bucket).fetch("/v1/metrics/sopr?a=AWAY"), 2);
    expect(kinds()).toEqual(["superseded-build"]);
  });

  it("a read that fails once is repeated", async () => {
    await swap("ONCE", 1);
    let failures = 0;
    const bucket = failingBucket(env.BUCKET, (key) => key.startsWith("series/") && failures++ === 0);
    await expectWhole(await isolate(bucket).fetch("/v1/metrics/sopr?a=ONCE"), 1);
    expect([failures, kinds()]).toEqual([3, []]);
  });

  it.each<[string, number, (symbol: string) => Promise<unknown>]>([
    ["503: the manifest can't be read", 503, async () => {}],
    ["404: the asset is gone", 404, (symbol) => env.BUCKET.delete(currentKey(symbol))],
    ["500: the manifest is another version's", 500, (symbol) => env.BUCKET.put(currentKey(symbol), '{"schema":3}')],
  ])("and nothing in its place: %s", async (_, status, change) => {
    const symbol = `N${status}`;
    await swap(symbol, 1);
    let isDown = false;
    const client = isolate(failingBucket(env.BUCKET, (key) => isDown && key === currentKey(symbol)));
    await expectWhole(await client.fetch(`/v1/metrics/sopr?a=${symbol}&c=total`), 1);
    await swap(symbol, 2);
    await collect(symbol);
    await change(symbol);
    isDown = status === 503;
    expect((await client.fetch(`/v1/metrics/sopr?a=${symbol}&c=users`)).status).toBe(status);
  });
});

describe("a stream", () => {
  const path = "/v1/metrics/sopr?a=STREAM&r=block";
  const expected = (build: number) => blocks(build).map(({ v }) => v);

  beforeEach(async () => {
    const { objects } = await env.BUCKET.list({ prefix: seriesPrefix("STREAM") });
    await env.BUCKET.delete(objects.map(({ key }) => key));
    await swap("STREAM", 1, { withBlocks: true });
  });

  it("that has not begun is made again", async () => {
    const client = isolate();
    // Only the manifest is cached.
    expect((await client.fetch(path, { headers: { "If-None-Match": "*" } })).status).toBe(304);
    await swap("STREAM", 2, { withBlocks: true });
    await collect("STREAM");
    const response = await client.fetch(path);
    expect(response.headers.get("ETag")).toContain(buildId(2));
    expect((await response.json<Point[]>()).map(({ v }) => v)).toEqual(expected(2));
  });

  it("that has begun is reset", async () => {
    const [, second] = MONTHS;
    let isGone = false;
    const bucket = readingBucket(env.BUCKET, async (key, options) =>
      isGone && key.includes(`/${second!.name}.`) ? null : env.BUCKET.get(key, options),
    );
    const response = await isolate(bucket).fetch(path);
    expect(response.status).toBe(200);
    isGone = true;
    await expect(response.text()).rejects.toThrow("does not match its manifest");
    expect(kinds()).toEqual(["a response was cut off"]);
  });
});

describe("a manifest that was not renewed", () => {
  const path = "/v1/metrics/sopr?a=STALE";
  let client: Client;
  let isDown = false;

  beforeEach(async () => {
    isDown = false;
    await swap("STALE", 1);
    client = isolate(failingBucket(env.BUCKET, () => isDown));
    await expectWhole(await client.fetch(path), 1);
    await swap("STALE", 2);
  });

  it("is served once more within a minute", async () => {
    later(59);
    await expectWhole(await client.fetch(path), 1);
    await client.settled();
    await expectWhole(await client.fetch(path), 2);
  });

  it("is looked at before it is served after a minute", async () => {
    later(60);
    for (const response of await Promise.all([client.fetch(path), client.fetch(path)])) await expectWhole(response, 2);
  });

  it("that is found to be active still is valid for another minute", async () => {
    later(31);
    await client.fetch(path);
    await client.settled();
    await swap("STALE", 3);
    // From then on, not from its first read.
    later(59);
    await expectWhole(await client.fetch(path), 2);
    await client.settled();
    later(31);
    await client.fetch(path);
    await client.settled();
    await swap("STALE", 4);
    later(59);
    await expectWhole(await client.fetch(path), 3);
  });

  it("is served while the store is down, and renewed afterwards", async () => {
    later(3600);
    isDown = true;
    await expectWhole(await client.fetch(path), 1);
    expect(kinds()).toEqual(["serving the last good manifest"]);
    // Not every request waits for a store that is down.
    await expectWhole(await client.fetch(path), 1);
    expect(kinds()).toEqual([]);
    isDown = false;
    later(31);
    await expectWhole(await client.fetch(path), 2);
  });

  it("of an asset that is gone: 404", async () => {
    later(60);
    await env.BUCKET.delete(currentKey("STALE"));
    expect((await client.fetch(path)).status).toBe(404);
  });
});

it("whatever the order of swaps, removals, time and requests, every answer comes from one build", async () => {
  type Step = { swap: true } | { collect: string } | { later: number } | { ask: number; metric: string; c: string };
  const ask = (metric: string): Step => ({ ask: 0, metric, c: "total" });
  const superseded = [ask("sopr"), { swap: true } as const, { collect: "" }, ask("sopr_profit")];
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.constant({ swap: true } as const),
    fc.record({ collect: fc.constantFrom("", "day/sopr/", "day/sopr_profit/") }),
    fc.record({ later: fc.constantFrom(10, 31, 61) }),
    {
      weight: 4,
      arbitrary: fc.record({
        ask: fc.nat(1),
        metric: fc.constantFrom("sopr", "sopr_profit"),
        c: fc.constantFrom("total", "users"),
      }),
    },
  );
  const bodies = new Map<string, string>();
  let build = 0;
  let restarts = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
      await swap("ANY", ++build);
      const first = build;
      const clients = [isolate(), isolate()];
      for (const step of steps) {
        if ("swap" in step) await swap("ANY", ++build);
        else if ("collect" in step) await collect("ANY", step.collect);
        else if ("later" in step) later(step.later);
        else {
          const client = clients[step.ask]!;
          const path = `/v1/metrics/${step.metric}?a=ANY&c=${encodeURIComponent(step.c)}`;
          const response = await client.fetch(path);
          const answered = Number.parseInt(response.headers.get("ETag")?.split(":")[2] ?? "", 16);
          expect(answered).toBeGreaterThanOrEqual(first);
          await expectWhole(response.clone(), answered, step.metric, step.c);
          const body = await response.text();
          expect(bodies.get(`${answered} ${path}`) ?? body).toBe(body);
          bodies.set(`${answered} ${path}`, body);
          await client.settled();
        }
      }
      restarts += kinds().filter((kind) => kind === "superseded-build").length;
    }),
    { numRuns: 40, examples: [[superseded]] },
  );
  expect(restarts).toBeGreaterThan(0);
});
