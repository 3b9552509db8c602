/** What a request leaves behind: headers with its id and timings, a line in the log, and only the reads that it needs. */

import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { failingBucket, recordingBucket } from "../bindings.ts";
import { freshIsolate, KEY, putKey } from "../client.ts";
import { LONG, publishSeen } from "./seen.ts";

beforeAll(async () => {
  await putKey();
  await publishSeen();
});

const log = vi.spyOn(console, "log");
const errors = vi.spyOn(console, "error");
beforeEach(() => {
  log.mockImplementation(() => {});
  errors.mockImplementation(() => {});
});
afterEach(() => {
  for (const [line] of [...log.mock.calls, ...errors.mock.calls]) {
    expect(line).not.toContain(KEY.slice(-12));
    expect(line).not.toContain("soprano.test");
    expect(line).not.toContain("\n");
  }
  log.mockReset();
  errors.mockReset();
});

const PATH = "/v1/metrics/sopr?a=seen";

/** The lines logged for requests. */
const entries = () => log.mock.calls.map(([line]) => JSON.parse(line));

/** The only line logged. */
function entry() {
  expect(log).toHaveBeenCalledOnce();
  return entries()[0];
}

describe("a line of the log", () => {
  it("says what was answered, and from where", async () => {
    const client = freshIsolate();
    const response = await client.fetch(PATH);
    expect(entry()).toEqual({
      event: "request",
      id: response.headers.get("X-Request-Id"),
      method: "GET",
      route: "/:version/metrics/:metric",
      status: 200,
      asset: "SEEN",
      metric: "sopr",
      resolution: "day",
      format: "json",
      points: 3,
      bytes: (await response.arrayBuffer()).byteLength,
      cache: "store",
      ms: expect.any(Number),
      key: "k1",
    });
    await client.fetch(PATH);
    expect(entries()[1]).toMatchObject({ status: 200, points: 3, cache: "memory" });
  });

  it("says if the data came from this location's cache", async () => {
    const first = freshIsolate({ edge: caches.default });
    await first.fetch(PATH);
    await first.settled();
    await freshIsolate({ edge: caches.default }).fetch(PATH);
    expect(entries().map(({ cache }) => cache)).toEqual(["store", "edge"]);
  });

  it("of a stream comes at its end", async () => {
    const response = await freshIsolate().fetch(`${PATH}&r=block`);
    expect(log).not.toHaveBeenCalled();
    const bytes = (await response.arrayBuffer()).byteLength;
    expect(entry()).toMatchObject({ status: 200, resolution: "block", points: LONG, bytes });
  });

  it("of a stream that the client leaves says so", async () => {
    const response = await freshIsolate().fetch(`${PATH}&r=block`);
    await response.body!.cancel();
    expect(entry()).toMatchObject({ status: 200, cut: "client", points: expect.any(Number) });
  });

  it("of HEAD and of 304 has no points", async () => {
    const client = freshIsolate();
    await client.fetch(`${PATH}&r=block`, { method: "HEAD" });
    expect(entries()[0]).toMatchObject({ method: "HEAD", status: 200 });
    await client.fetch(PATH, { headers: { "If-None-Match": "*" } });
    expect(entries()[1]).toMatchObject({ status: 304, asset: "SEEN" });
    for (const line of entries()) for (const name of ["points", "bytes"]) expect(line).not.toHaveProperty(name);
    expect(entries()[1]).not.toHaveProperty("cache");
  });

  it("names the problem; the id of a failure on our side leads to its cause", async () => {
    const client = freshIsolate({ bucket: failingBucket(env.BUCKET, (key) => key.startsWith("series/")) });
    await client.fetch(`${PATH}&q=1`);
    expect(entries()[0]).toMatchObject({ status: 400, problem: "unknown-parameter", key: "k1" });
    const response = await client.fetch(PATH);
    expect(entries()[1]).toMatchObject({ status: 503, problem: "store-unavailable", asset: "SEEN" });
    const [failure] = errors.mock.calls.map(([line]) => JSON.parse(line));
    expect(failure).toEqual({
      event: "failure",
      id: response.headers.get("X-Request-Id"),
      kind: "store-unavailable",
      cause: expect.stringContaining("internal error"),
    });
  });

  it.each([
    ["/health", "GET", { route: "/health", status: 200 }],
    ["/v1/metrics/sopr/meta", "GET", { route: "/:version/metrics/:metric/meta", status: 200 }],
    ["/v1/metrics/sopr", "OPTIONS", { method: "OPTIONS", status: 204 }],
    [`/${KEY}`, "GET", { route: "*", status: 404, problem: "unknown-path" }],
    [`/v1/metrics/${KEY}`, "GET", { status: 404, problem: "unknown-metric" }],
    [`/v1/metrics/sopr?a=${KEY}`, "GET", { status: 404, problem: "unsupported-asset" }],
    [`/v1/metrics/sopr?a=SEEN&r=${KEY}`, "GET", { status: 400, problem: "invalid-parameter" }],
    ["/v1/metrics/sopr", "PROPFIND", { method: "PROPFIND", status: 405 }],
  ])("of %s %s holds nothing of the client's", async (path, method, expected) => {
    await freshIsolate().fetch(path, { method });
    expect(entry()).toMatchObject({ event: "request", ...expected });
  });
});

describe("headers", () => {
  it("of a series give its description, the age of its data and the waiting times", async () => {
    for (const init of [{}, { headers: { "If-None-Match": "*" } }]) {
      const { headers } = await freshIsolate().fetch("/v2/metrics/sopr?a=SEEN", init);
      expect(headers.get("Link")).toBe('</v2/metrics/sopr/meta>; rel="describedby"');
      expect(headers.get("X-Soprano-As-Of")).toBe("2026-01-01T00:00:00Z");
      expect(headers.get("Server-Timing")).toMatch(/^key;dur=\d+, manifest;dur=\d+(, data;dur=\d+)?$/);
    }
  });

  it.each(["/v1/metrics/sopr?a=SEEN", "/v1/metrics/sopr?a=NONE", "/nowhere", "/health"])(
    "of %s hold an id: Cloudflare's or one made up",
    async (path) => {
      const id = async (ray?: string) => {
        const { headers } = await freshIsolate().fetch(path, ray ? { headers: { "CF-Ray": ray } } : {});
        return headers.get("X-Request-Id");
      };
      expect(await id("230b030023ae2822-SJC")).toBe("230b030023ae2822-SJC");
      for (const made of [await id(), await id(KEY)]) expect(made).toMatch(/^[0-9a-f]{16}$/);
      expect(await id()).not.toBe(await id());
    },
  );

  it("of a preflight have an id, too", async () => {
    const { headers } = await exports.default.fetch("https://soprano.test/v1/metrics/sopr", { method: "OPTIONS" });
    expect(headers.get("X-Request-Id")).toMatch(/^[0-9a-f]{16}$/);
  });
});

it("a series reads only its manifest and its objects, once each", async () => {
  const { bucket, take } = recordingBucket(env.BUCKET);
  const client = freshIsolate({ bucket });
  await (await client.fetch(PATH)).text();
  expect(take()).toEqual(["get current", "get series"]);
  await (await client.fetch(PATH)).text();
  await client.fetch("/v1/metrics/sopr/meta");
  expect(take()).toEqual([]);
});
