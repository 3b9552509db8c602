/** Compressed CSV: for whom, and that nothing but the bytes on the way is different. */

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { gzip } from "../../../worker/format/gzip.ts";
import { prefersGzip } from "../../../worker/respond/send.ts";
import { freshIsolate, putKey } from "../client.ts";
import { at, type Point, publish } from "../token.ts";

const MONTHS = ["2022-01", "2022-02"].map((name, index) => ({
  name,
  from: at(`${name}-01`),
  to: at(`2022-0${index + 2}-01`),
}));

/** A block every 20 seconds: 254,880 points, of which January has 133,920. */
const points: Point[] = Array.from({ length: (MONTHS[1]!.to - MONTHS[0]!.from) / 20 }, (_, index) => ({
  t: MONTHS[0]!.from + 20 * index,
  v: 1.5 + Math.sin(index * 7919),
}));

const PATH = "/v1/metrics/sopr?a=GZIP&r=block&f=csv";
/** 3 points; 4,320 points, which are streamed; 129,600 points. */
const RANGES = ["&u=2022-01-01T00:00:40", "&u=2022-01-01T23:59:59", "&u=2022-01-30T23:59:59"];

beforeAll(async () => {
  await putKey();
  await publish(env.BUCKET, {
    symbol: "GZIP",
    metrics: ["sopr"],
    periods: { day: [], block: MONTHS },
    series: (_, resolution, selector) => (resolution === "block" && selector === "total" ? points : []),
  });
});

const accepting = (coding: string, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { ...(init.headers as Record<string, string>), "Accept-Encoding": coding },
});

/** The headers, without those that differ from request to request. */
function headersOf(response: Response): Record<string, string> {
  const { "x-request-id": _, "server-timing": __, ...rest } = Object.fromEntries(response.headers);
  return rest;
}

async function decompressed(response: Response): Promise<string> {
  return new Response(response.body!.pipeThrough(new DecompressionStream("gzip"))).text();
}

it.each<[string | null, boolean]>([
  [null, false],
  ["", false],
  ["gzip", true],
  ["GZIP", true],
  ["x-gzip", true],
  ["gzip, deflate, br, zstd", true],
  ["br;q=1.0, gzip;q=0.8, *;q=0.1", true],
  ["gzip;q=0", false],
  ["gzip; q=0.000", false],
  ["gzip;Q=0", false],
  ["br", false],
  ["identity", false],
  ["*", true],
  ["*;q=0", false],
  ["gzip;q=0, *", false],
  ["gzip, *;q=0", true],
  ["identity;q=0", false],
  ["identity;q=0, *", true],
  ["identity, gzip;q=0.5", false],
  ["identity;q=0.5, gzip;q=0.5", true],
  ["gzip;q=no", false],
  [",,;;=,", false],
])("Accept-Encoding %j takes gzip: %s", (header, expected) => {
  const headers = header === null ? {} : { "Accept-Encoding": header };
  expect(prefersGzip(new Request("https://soprano.test", { headers }))).toBe(expected);
});

it("goes by what the client sent, not by what Cloudflare made of it", () => {
  const request = (clientAcceptEncoding: string) =>
    new Request("https://soprano.test", {
      headers: { "Accept-Encoding": "br, gzip" },
      cf: { clientAcceptEncoding } as RequestInitCfProperties,
    });
  expect(prefersGzip(request(""))).toBe(false);
  expect(prefersGzip(request("deflate"))).toBe(false);
  expect(prefersGzip(request("gzip"))).toBe(true);
});

describe.each(RANGES)("a CSV answer %s", (range) => {
  const client = freshIsolate();
  const ask = (init?: RequestInit) => client.fetch(PATH + range, init);

  it("is compressed for a client that takes gzip, and the same after decompression", async () => {
    const [plain, compressed] = [await ask(), await ask(accepting("gzip"))];
    const text = await plain.text();
    expect(compressed.headers.get("Content-Encoding")).toBe("gzip");
    const bytes = await compressed.bytes();
    if (text.length > 10_000) expect(bytes.length).toBeLessThan(text.length / 2);
    expect(await decompressed(new Response(bytes))).toBe(text);
    const { "content-encoding": _, etag, ...rest } = headersOf(compressed);
    expect({ ...rest, etag: etag?.replace("W/", "") }).toEqual(headersOf(plain));
    expect([etag?.startsWith("W/"), plain.headers.get("ETag")?.startsWith("W/")]).toEqual([true, false]);
    expect(rest.vary).toBe("Accept-Encoding");
  });

  it("is not compressed for others", async () => {
    const plain = await (await ask()).text();
    for (const coding of ["identity", "gzip;q=0", "br", "deflate"]) {
      const response = await ask(accepting(coding));
      expect([response.headers.get("Content-Encoding"), await response.text()]).toEqual([null, plain]);
    }
  });

  it("has the same headers for HEAD", async () => {
    for (const init of [{}, accepting("gzip")]) {
      const [get, head] = [await ask(init), await ask({ ...init, method: "HEAD" })];
      await get.body?.cancel();
      const { "content-length": _, ...expected } = headersOf(get);
      expect([headersOf(head), head.body]).toEqual([expected, null]);
    }
  });

  it("is 304 to a client that has it, compressed or not, with the tag of what it would get", async () => {
    const tags = [await ask(), await ask(accepting("gzip"))].map(({ headers }) => headers.get("ETag")!);
    for (const known of tags) {
      const headers = { "If-None-Match": known };
      const [plain, compressed] = [await ask({ headers }), await ask(accepting("gzip", { headers }))];
      expect([plain.status, compressed.status]).toEqual([304, 304]);
      expect([plain, compressed].map((response) => response.headers.get("ETag"))).toEqual(tags);
      expect(headersOf(compressed)).toMatchObject({ vary: "Accept-Encoding", "cache-control": "private, no-cache" });
      expect(compressed.headers.get("Content-Encoding")).toBeNull();
    }
  });
});

it("a CSV answer without points is not compressed", async () => {
  const response = await freshIsolate().fetch(`${PATH}&u=2020-01-01`, accepting("gzip"));
  expect([response.headers.get("Content-Encoding"), await response.text()]).toEqual([null, "t,v\n"]);
});

it("a series that is too long to be compressed is sent as it is", async () => {
  const response = await freshIsolate().fetch(PATH, accepting("gzip"));
  expect([response.headers.get("Content-Encoding"), response.headers.get("Vary")]).toEqual([null, "Accept-Encoding"]);
  expect((await response.text()).split("\n").length).toBe(points.length + 2);
});

it.each([
  ["0", null],
  ["2", null],
  ["3", "gzip"],
  ["many", null],
])("the operator may set another limit: %s of 3 points", async (gzipPoints, coding) => {
  const response = await freshIsolate({ gzipPoints }).fetch(PATH + RANGES[0], accepting("gzip"));
  expect(response.headers.get("Content-Encoding")).toBe(coding);
});

it("JSON is not compressed: Cloudflare's edge does that", async () => {
  const path = PATH.replace("&f=csv", "&u=2022-01-01T23:59:59");
  const [plain, asked] = [await freshIsolate().fetch(path), await freshIsolate().fetch(path, accepting("gzip"))];
  expect(headersOf(asked)).toEqual(headersOf(plain));
  expect(asked.headers.get("Vary")).toBeNull();
  expect(await asked.text()).toBe(await plain.text());
});

it("errors are not compressed", async () => {
  const response = await freshIsolate().fetch(`${PATH}&c=none`, accepting("gzip"));
  expect([response.status, response.headers.get("Content-Encoding")]).toEqual([400, null]);
});

it("is compressed no further than the client's pace requires", async () => {
  const pieces = Array.from({ length: 30 }, () => crypto.getRandomValues(new Uint8Array(50_000)));
  let taken = 0;
  const content = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[taken++];
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
    },
    { highWaterMark: 0 },
  );
  const reader = gzip({ content, points: 1, sent: { points: 1, bytes: 0 } })!.getReader();
  const received: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    received.push(read.value as Uint8Array<ArrayBuffer>);
    bytes += read.value.length;
    await scheduler.wait(1);
    // Random bytes do not get shorter. What has been taken, but not received, is in the compressor.
    expect(taken * 50_000 - bytes).toBeLessThan(150_000);
  }
  const text = await new Response(new Blob(received).stream().pipeThrough(new DecompressionStream("gzip"))).bytes();
  expect(text).toEqual(await new Blob(pieces).bytes());
});

it("is broken off if the text is", async () => {
  const content = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(new Error("a read failed"));
    },
  });
  const compressed = gzip({ content, points: 1, sent: { points: 1, bytes: 0 } });
  await expect(new Response(compressed).bytes()).rejects.toThrow("a read failed");
});

it("a client that goes away ends the compression, and the log says so", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const response = await freshIsolate().fetch(PATH + RANGES[2], accepting("gzip"));
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  await vi.waitFor(() => expect(log).toHaveBeenCalledOnce());
  expect(JSON.parse(log.mock.calls[0]![0])).toMatchObject({ format: "csv", cut: "client" });
  log.mockRestore();
});
