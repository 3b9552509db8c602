/** Faults of servers and networks, over real HTTP: what is tried again, for how long, and what the caller gets. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createClient } from "../../../clients/typescript/src/client.ts";
import { type Faulty, startFaulty } from "../faulty.ts";

const HEALTH = { status: "ok", version: "0", schema: 1, assets: [] };
const AGAIN = { status: 503, headers: { "Retry-After": "0" } };
/** The server's answer changes with its tag. */
let tag = '"1"';
/** Resolves when a client ends an answer without an end. */
let ended: Promise<unknown>;
const origin = createServer(({ url, headers }, response) => {
  if (url?.includes("ndjson")) {
    ended = once(response, "close");
    Readable.from(endless()).pipe(response);
    return;
  }
  response.setHeader("ETag", tag);
  if (headers["if-none-match"] === tag) response.writeHead(304).end();
  else response.setHeader("Content-Type", "application/json").end(JSON.stringify({ ...HEALTH, version: tag }));
});
function* endless() {
  for (let t = 0; ; t++) yield `${JSON.stringify({ t, "ARIA:sopr:total": t })}\n`;
}
let server: Faulty;

beforeAll(async () => {
  await new Promise<void>((resolve) => origin.listen(0, "127.0.0.1", resolve));
  server = await startFaulty(`http://127.0.0.1:${(origin.address() as AddressInfo).port}`);
});
afterAll(async () => {
  await server.close();
  origin.closeAllConnections();
  origin.close();
});
beforeEach(() => {
  tag = '"1"';
  Object.assign(server, { faults: [], asked: [] });
});

const client = (options = {}) => createClient({ url: server.url, ...options });
const statuses = () => server.asked.map(({ status }) => status);
const answer = (version = tag) => expect.objectContaining({ data: { ...HEALTH, version } });

describe("tries again", () => {
  it("after 429 and 503, when the server says", async () => {
    const again = { ...AGAIN, headers: { "Retry-After": "1" } };
    server.faults = [AGAIN, { ...again, status: 429 }];
    const start = performance.now();
    expect(await client().GET("/health")).toEqual(answer());
    expect(statuses()).toEqual([503, 429, 200]);
    // Timers may be a millisecond early.
    expect(performance.now() - start).toBeGreaterThan(990);
  });

  it.each(["drop", "cut"] as const)("after a connection that breaks: %s", async (fault) => {
    server.faults = [fault];
    expect(await client().GET("/health")).toEqual(answer());
    expect(server.asked).toHaveLength(2);
  });

  it("after a connection that falls silent", async () => {
    server.faults = ["silent"];
    expect(await client({ silenceSeconds: 2 }).GET("/health")).toEqual(answer());
    expect(server.asked).toHaveLength(2);
  });

  it("six times at most", async () => {
    server.faults = Array(10).fill(AGAIN);
    const { error } = await client().GET("/health");
    expect(error?.status).toBe(503);
    expect(server.asked).toHaveLength(6);
  });
});

describe("every wait ends, though garbage is collected all the time", () => {
  let collecting: NodeJS.Timeout;
  beforeEach(() => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    collecting = setInterval(collect, 50);
  });
  afterEach(() => clearInterval(collecting));

  it("when the server falls silent", async () => {
    server.faults = ["silent"];
    const silent = client({ silenceSeconds: 1, patienceSeconds: 0 }).GET("/health");
    await expect(silent).rejects.toThrow("The server sent nothing for 1 s.");
  });

  it("when the caller aborts", async () => {
    server.faults = ["silent"];
    const caller = new AbortController();
    setTimeout(() => caller.abort(new Error("enough")), 500);
    await expect(client().GET("/health", { signal: caller.signal })).rejects.toThrow("enough");
  });
});

describe("answers at once", () => {
  it("if the server asks for more patience than there is", async () => {
    server.faults = [{ status: 429, headers: { "Retry-After": "60" } }];
    const { data, error } = await client({ patienceSeconds: 59 }).GET("/health");
    expect([data, error?.status]).toEqual([undefined, 429]);
    expect(server.asked).toHaveLength(1);
  });

  it("with a problem document, whatever is in front of the server says", async () => {
    server.faults = [{ status: 502, headers: { "Content-Type": "text/html" }, body: "<h1>Bad gateway</h1>" }];
    const { error } = await client().GET("/health");
    expect(error).toEqual({
      type: "about:blank",
      title: "Bad Gateway",
      status: 502,
      detail: "Something in front of Soprano answered with status 502. Check the URL of the client.",
    });
    expect(server.asked).toHaveLength(1);
  });

  it("throws when the patience for a dropped connection is over", async () => {
    server.faults = ["drop"];
    await expect(client({ patienceSeconds: 0 }).GET("/health")).rejects.toThrow("fetch failed");
  });
});

describe("a caller that aborts", () => {
  it.each([
    ["ends the request", "silent"],
    ["ends the pause before another attempt", { status: 429, headers: { "Retry-After": "60" } }],
  ] as const)("%s", async (_, fault) => {
    server.faults = [fault];
    const controller = new AbortController();
    const call = client().GET("/health", { signal: controller.signal });
    await vi.waitFor(() => expect(server.asked).toHaveLength(1));
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    expect(server.asked).toHaveLength(1);
  });
});

describe("entity tags", () => {
  it("an answer that has not changed is not sent again; one that has is", async () => {
    const { GET } = client();
    for (const version of ['"1"', '"1"', '"2"', '"2"']) {
      tag = version;
      expect(await GET("/health")).toEqual(answer(version));
    }
    expect(statuses()).toEqual([200, 304, 200, 304]);
  });

  it("the answers that were asked for last are kept, within their bound", async () => {
    const { length } = JSON.stringify({ ...HEALTH, version: tag });
    const { GET } = client({ cacheBytes: 2 * length });
    for (const path of ["/health", "/v3/assets", "/health", "/v1/assets", "/health", "/v3/assets"] as const)
      await GET(path);
    expect(statuses()).toEqual([200, 200, 304, 200, 304, 200]);
  });

  it("none are kept if they must not be", async () => {
    const { GET } = client({ cacheBytes: 0 });
    for (let i = 0; i < 2; i++) await GET("/health");
    expect(statuses()).toEqual([200, 200]);
  });
});

it("a caller that has seen enough ends a stream", async () => {
  const { data } = await client().rows({ a: "ARIA", m: "sopr", time: "unix" });
  let sum = 0;
  for await (const { t } of data!) {
    sum += t;
    if (t === 10_000) break;
  }
  expect(sum).toBe(50_005_000);
  await ended;
});

it("the key is sent as a header, never in the URL", async () => {
  await client({ key: "secret" }).GET("/health");
  expect(server.asked).toMatchObject([{ path: "/health", headers: { authorization: "Bearer secret" } }]);
});
