/** Long series: streamed as fast as the client reads, and cut off if a read fails. */

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { BUDGET_BYTES, Budget, Lease, PLACE_BYTES } from "../../../worker/budget.ts";
import { Isolate } from "../../../worker/isolate.ts";
import { countingBucket, failingBucket } from "../bindings.ts";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { at, type Point, publish } from "../token.ts";

const MONTHS = ["2022-01", "2022-02", "2022-03"].map((name, index) => ({
  name,
  from: at(`${name}-01`),
  to: at(`2022-0${index + 2}-01`),
}));

/** A block every ten seconds: 777,600 points of full precision, which hardly compress. */
const points: Point[] = Array.from({ length: (MONTHS[2]!.to - MONTHS[0]!.from) / 10 }, (_, index) => ({
  t: MONTHS[0]!.from + 10 * index,
  v: 1.5 + Math.sin(index * 7919),
}));

const PATH = "/v1/metrics/sopr?a=LONG&r=block";

beforeAll(async () => {
  await putKey();
  await publish(env.BUCKET, {
    symbol: "LONG",
    metrics: ["sopr"],
    periods: { day: [], block: MONTHS },
    series: (_, resolution, selector) => (resolution === "block" && selector === "total" ? points : []),
  });
});

const iso = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19);

describe("a long series", () => {
  it("arrives whole as JSON", async () => {
    const response = await freshIsolate().fetch(PATH);
    const text = await response.text();
    expect(text).toBe(JSON.stringify(points.map(({ t, v }) => ({ t: iso(t), v }))));
  });

  it("arrives whole as CSV", async () => {
    const response = await freshIsolate().fetch(`${PATH}&f=csv`);
    expect(await response.text()).toBe(`t,v\n${points.map(({ t, v }) => `${iso(t)},${v}\n`).join("")}`);
  });

  it("is read no further than the client's pace requires", async () => {
    const { bucket, take } = countingBucket(env.BUCKET);
    const response = await freshIsolate({ bucket }).fetch(PATH);
    const reader = response.body!.getReader();
    await reader.read();
    await scheduler.wait(300);
    // Three footers; of twelve runs, those read before the response, and those prefetched.
    expect(take().length).toBeLessThanOrEqual(3 + 3 + 3);
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      expect(chunk.value.length).toBeLessThan(1_000_000);
    }
    expect(take().length).toBeGreaterThan(2);
  });

  it("is not read any further when the client goes away", async () => {
    const { bucket, take } = countingBucket(env.BUCKET);
    const response = await freshIsolate({ bucket }).fetch(PATH);
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    const before = take().length;
    await scheduler.wait(300);
    expect([before < 12, take()]).toEqual([true, []]);
  });

  it("holds nothing any more if its client has gone away before it began", async () => {
    const isolate = new Isolate();
    const client = freshIsolate({ isolate });
    const response = await client.fetch(PATH);
    expect(isolate.budget.bytes).toBeGreaterThan(0);
    await expect.poll(() => isolate.budget.bytes, { timeout: 20_000 }).toBe(0);
    // Nobody takes a part of it for the whole.
    await expect(response.text()).rejects.toThrow("the body was not read in time");
    // The log has it, and no work is left.
    await client.settled();
  });

  it("is not decoded to its end for HEAD", async () => {
    const { bucket, take } = countingBucket(env.BUCKET);
    const response = await freshIsolate({ bucket }).fetch(PATH, { method: "HEAD" });
    expect([response.status, response.body]).toEqual([200, null]);
    expect(take().length).toBeLessThanOrEqual(9);
  });

  it.each(["json", "csv", "arrow", "parquet"])("holds nothing after HEAD of a table as %s", async (format) => {
    const isolate = new Isolate();
    const table = `/v3/series?a=LONG&m=sopr&r=block&f=${format}`;
    expect((await freshIsolate({ isolate }).fetch(table, { method: "HEAD" })).status).toBe(200);
    await expect.poll(() => isolate.budget.bytes).toBe(0);
  });
});

describe("an isolate with room for two", () => {
  class Impatient extends Isolate {
    override readonly budget = new Budget(BUDGET_BYTES, 100);
  }

  const open = async (client: Client) => {
    const response = await client.fetch(PATH);
    const reader = response.body!.getReader();
    return { response, reader, first: (await reader.read()).value! as Uint8Array<ArrayBuffer> };
  };

  it("refuses a third long series before its first byte, and sends the other two whole", async () => {
    const isolate = new Impatient();
    new Lease(isolate.budget, Date.now).reserve(BUDGET_BYTES - 2 * PLACE_BYTES, true);
    const client = freshIsolate({ isolate });
    const streams = [await open(client), await open(client)];
    vi.spyOn(console, "error").mockImplementationOnce(() => {});
    const refused = await client.fetch(PATH);
    expect(await refused.json()).toMatchObject({ type: "/problems/overloaded", status: 503 });
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect(isolate.budget.bytes).toBe(BUDGET_BYTES);

    const whole = JSON.stringify(points.map(({ t, v }) => ({ t: iso(t), v })));
    for (const { reader, first } of streams) {
      const decoder = new TextDecoder();
      let text = decoder.decode(first, { stream: true });
      for (let next = await reader.read(); !next.done; next = await reader.read()) text += decoder.decode(next.value);
      expect(text === whole).toBe(true);
    }
    expect((await client.fetch(PATH, { method: "HEAD" })).status).toBe(200);
  });

  it("gives the room of a client that takes nothing for a minute to another, and breaks its connection", async () => {
    let now = Date.now();
    const isolate = new Impatient();
    const crowd = new Lease(isolate.budget, () => now);
    crowd.reserve(BUDGET_BYTES - PLACE_BYTES, true);
    const client = freshIsolate({ isolate, now: () => now });
    const stopped = await open(client);
    now += 61_000;
    crowd.use();
    const next = await open(client);
    expect(isolate.budget.bytes).toBe(BUDGET_BYTES);
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    await expect(stopped.reader.read()).rejects.toThrow("Too many long answers");
    // It is no fault of ours.
    expect(log).not.toHaveBeenCalled();
    log.mockRestore();
    await next.reader.cancel();
    crowd.release(BUDGET_BYTES - PLACE_BYTES);
    expect(isolate.budget.bytes).toBe(0);
  });
});

describe("a failure", () => {
  const failingIn = (month: string): Client =>
    freshIsolate({ bucket: failingBucket(env.BUCKET, (key) => key.includes(`/${month}.`)) });

  it("before the first points is a problem document", async () => {
    vi.spyOn(console, "error").mockImplementationOnce(() => {});
    const response = await failingIn("2022-01").fetch(PATH);
    expect([response.status, response.headers.get("Content-Type")]).toEqual([503, "application/problem+json"]);
  });

  it("after the first points breaks the connection", async () => {
    const log = vi.spyOn(console, "error").mockImplementationOnce(() => {});
    const response = await failingIn("2022-03").fetch(PATH);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow("The data store cannot be read at the moment.");
    expect(log).toHaveBeenCalledOnce();
  });
});
