/** GET /v3/files: the list of an asset's files, and their bytes: whole, in ranges, under conditions. */

import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { currentKey, namePart } from "../../../data-schema/stored/objects.ts";
import { listedSeries, type Manifest } from "../../../data-schema/stored.ts";
import { hex } from "../../../data-schema/text/bytes.ts";
import { failingBucket, readingBucket, recordingBucket } from "../bindings.ts";
import { freshIsolate, KEY, putKey } from "../client.ts";
import { at, DAY, HOUR, publish } from "../token.ts";

const START = at("2025-03-01");
const MONDAY = at("2025-03-03");
const token = (build: string, scale: number) => ({
  symbol: "ARIA",
  build,
  metrics: ["sopr", "volume", "price"] as const,
  periods: {
    day: [{ name: "all", from: START, to: START + 31 * DAY }],
    hour: [{ name: "2025", from: at("2025-01-01"), to: at("2026-01-01") }],
    block: [{ name: "2025-03", from: START, to: START + 31 * DAY }],
    week: [{ name: "all", from: MONDAY, to: MONDAY + 28 * DAY }],
  },
  range: {
    day: [START, START + 30 * DAY] as [number, number],
    hour: [START, START + 743 * HOUR] as [number, number],
    week: [MONDAY, MONDAY + 21 * DAY] as [number, number],
  },
  series: (metric: string, resolution: string, selector: string) => {
    if (resolution === "week") return metric === "sopr" && selector === "total" ? [{ t: MONDAY, v: 1 }] : [];
    const from = selector === "users" ? START : START + 2 * DAY;
    return [0, 1, 5, 9].map((day) => ({ t: from + day * DAY, v: scale + day }));
  },
});

interface ListedFile {
  path: string;
  url: string;
  bytes: number;
  rows: number;
  sha256: string;
  [member: string]: unknown;
}
interface List {
  asset: string;
  build: string;
  asOf: string;
  files: ListedFile[];
}

let earlier: List;
let list: List;
let manifest: Manifest;

const client = freshIsolate();
const listOf = async (isolate = freshIsolate()) => (await isolate.fetch("/v3/files/aria")).json<List>();

beforeAll(async () => {
  await putKey();
  await publish(env.BUCKET, token("1111111111111111", 0.5));
  earlier = await listOf();
  manifest = await publish(env.BUCKET, token("2222222222222222", 0.25));
  list = await listOf();
});

const log = vi.spyOn(console, "log");
const errors = vi.spyOn(console, "error");
beforeEach(() => {
  log.mockImplementation(() => {});
  errors.mockImplementation(() => {});
});
afterEach(async () => {
  await client.settled();
  log.mockReset();
  errors.mockReset();
});

const entries = () => log.mock.calls.map(([line]) => JSON.parse(line));
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
const problemOf = (response: Response) => response.json<Record<string, unknown>>();
const pathOf = ({ path }: { path: string }) => `/v3/files/ARIA/${path}`;
const dayOf = ({ files }: List) => files.find(({ path }) => path.startsWith("day/sopr/"))!;
const tagOf = ({ sha256 }: { sha256: string }) => `"${namePart(sha256)}"`;
const ask = (headers: Record<string, string> = {}, method = "GET", file = dayOf(list)) =>
  client.fetch(pathOf(file), { method, headers });

describe("the list", () => {
  it("has every object of the active build, and says what it is", () => {
    expect(list).toMatchObject({ asset: "ARIA", build: "2222222222222222", asOf: "2026-01-01T00:00:00Z" });
    expect(list.files.map(({ path }) => `series/ARIA/${path}`)).toEqual(
      Array.from(listedSeries(manifest), ({ key }) => key),
    );
    // 30 cohorts of sopr, of which the users begin two days before the others.
    expect(dayOf(list)).toMatchObject({
      url: `https://soprano.test${pathOf(dayOf(list))}`,
      resolution: "day",
      metric: "sopr",
      period: "all",
      rows: 120,
      first: "2025-03-01T00:00:00",
      last: "2025-03-12T00:00:00",
    });
    // No cohort has a point of volume in a week, so there is no file.
    const weeks = list.files.filter(({ resolution }) => resolution === "week");
    expect(weeks).toMatchObject([
      { metric: "sopr", rows: 1, first: "2025-03-03T00:00:00", last: "2025-03-03T00:00:00" },
    ]);
  });

  it("names files that are there, with their sizes and digests", async () => {
    expect(list.files).toHaveLength(9);
    for (const file of list.files) {
      const bytes = await bytesOf(await client.fetch(file.url));
      expect(bytes.length).toBe(file.bytes);
      expect(hex(await crypto.subtle.digest("SHA-256", bytes))).toBe(file.sha256);
    }
  });

  it("changes with the build, and is not sent again until then", async () => {
    const response = await client.fetch("/v3/files/ARIA");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/json",
      "cache-control": "private, no-cache",
      "x-soprano-as-of": "2026-01-01T00:00:00Z",
    });
    const tag = response.headers.get("ETag")!;
    expect(tag).toContain(list.build);
    const again = await client.fetch("/v3/files/ARIA/", { headers: { "If-None-Match": tag } });
    expect([again.status, again.headers.get("ETag"), await again.text()]).toEqual([304, tag, ""]);
    expect(entries()).toMatchObject([
      { route: "/v3/files/:asset", asset: "ARIA", format: "json", bytes: (await bytesOf(response)).length, key: "k1" },
      { status: 304 },
    ]);
  });

  it("has the addresses of the host that was asked, and a tag of its own for each host", async () => {
    const there = await client.fetch("https://other.example/v3/files/ARIA");
    const [file] = (await there.json<List>()).files;
    expect(file!.url).toMatch(/^https:\/\/other\.example\/v3\/files\/ARIA\//);
    const headers = { "If-None-Match": there.headers.get("ETag")! };
    expect((await client.fetch("/v3/files/ARIA", { headers })).status).toBe(200);
  });

  it("of a build before 0.3 lacks what its manifest does not know", async () => {
    const old = JSON.parse(await (await env.BUCKET.get(currentKey("ARIA")))!.text());
    for (const entry of Object.values<Record<string, unknown>>(old.resolutions.day.periods[0].metrics)) {
      entry.hash = namePart(entry.hash as string);
      delete entry.first;
      delete entry.last;
    }
    const text = JSON.stringify({ ...old, symbol: "OLD" });
    await env.BUCKET.put(currentKey("OLD"), text);
    const { files } = await (await freshIsolate().fetch("/v3/files/old")).json<List>();
    const [day, hour] = ["day", "hour"].map((one) => files.find(({ resolution }) => resolution === one)!);
    expect(Object.keys(day!)).toEqual(["path", "url", "resolution", "metric", "period", "bytes", "rows"]);
    expect(Object.keys(hour!)).toEqual(Object.keys(dayOf(list)));
    await env.BUCKET.delete(currentKey("OLD"));
  });
});

describe("a file", () => {
  it("is sent as it is stored, for the client to keep", async () => {
    const file = dayOf(list);
    const response = await ask({ "Accept-Encoding": "gzip, br" });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/vnd.apache.parquet",
      "content-length": String(file.bytes),
      "content-disposition": 'attachment; filename="ARIA_sopr_day_all.parquet"',
      "cache-control": "private, max-age=31536000, immutable",
      "accept-ranges": "bytes",
      etag: tagOf(file),
    });
    expect(response.headers.get("Access-Control-Expose-Headers")).toMatch(
      /Accept-Ranges, Content-Length, Content-Range$/,
    );
    for (const name of ["Content-Encoding", "Content-Range", "Vary"]) expect(response.headers.has(name)).toBe(false);
    const bytes = await bytesOf(response);
    expect(new TextDecoder().decode(bytes.subarray(0, 4))).toBe("PAR1");
    await client.settled();
    expect(entries()).toMatchObject([
      {
        route: "/v3/files/:asset/:resolution/:metric/:file",
        status: 200,
        key: "k1",
        bytes: file.bytes,
        asset: "ARIA",
        metric: "sopr",
        resolution: "day",
        format: "parquet",
      },
    ]);
  });

  it("can be asked for without its bytes", async () => {
    const { bucket, take } = recordingBucket(env.BUCKET);
    const isolate = freshIsolate({ bucket });
    // Ranges are for GET alone (RFC 9110 §14.2).
    const response = await isolate.fetch(pathOf(dayOf(list)), { method: "HEAD", headers: { Range: "bytes=0-3" } });
    expect([response.status, response.headers.get("Content-Length")]).toEqual([200, String(dayOf(list).bytes)]);
    expect(response.headers.get("Accept-Ranges")).toBe("bytes");
    expect(await response.text()).toBe("");
    // Whether the asset is still published.
    expect(take()).toEqual(["get current", "head series"]);
  });

  it("is sent in ranges, each by one read of the store", async () => {
    const { bucket, take } = recordingBucket(env.BUCKET);
    const isolate = freshIsolate({ bucket });
    const file = dayOf(list);
    const whole = await bytesOf(await ask());
    const size = file.bytes;
    for (const [range, from, to] of [
      ["0-3", 0, 4],
      [`${size - 8}-`, size - 8, size],
      ["-8", size - 8, size],
      [`-${size + 1}`, 0, size],
      [`100-${size * 2}`, 100, size],
      [`0-${"9".repeat(20)}`, 0, size],
    ] as const) {
      const response = await isolate.fetch(pathOf(file), { headers: { Range: `bytes=${range}` } });
      expect(response.status, range).toBe(206);
      expect(response.headers.get("Content-Range")).toBe(`bytes ${from}-${to - 1}/${size}`);
      expect(response.headers.get("Content-Length")).toBe(String(to - from));
      expect(response.headers.get("ETag")).toBe(tagOf(file));
      expect(await bytesOf(response)).toEqual(whole.subarray(from, to));
      // The isolate looks once for the asset, and then knows it.
      expect(take().filter((call) => call !== "get current")).toEqual(["get series"]);
    }
  });

  it("is sent whole to who asks for several ranges, or for a range of another file", async () => {
    for (const headers of [
      { Range: "bytes=0-1,3-4" },
      { Range: "bytes=4-1" },
      { Range: "rows=0-1" },
      { Range: "bytes=0-1", "If-Range": tagOf(dayOf(earlier)) },
    ]) {
      const response = await ask(headers);
      expect([response.status, response.headers.has("Content-Range")]).toEqual([200, false]);
      expect((await bytesOf(response)).length).toBe(dayOf(list).bytes);
    }
    const response = await ask({ Range: "bytes=0-1", "If-Range": tagOf(dayOf(list)) });
    expect([response.status, (await bytesOf(response)).length]).toEqual([206, 2]);
  });

  it("has no range beyond its end", async () => {
    const { bytes } = dayOf(list);
    for (const range of [`${bytes}-`, `${bytes}-${bytes + 5}`, "-0", `${"9".repeat(30)}-`]) {
      const response = await ask({ Range: `bytes=${range}` });
      expect([response.status, response.headers.get("Content-Range")], range).toEqual([416, `bytes */${bytes}`]);
      expect(response.headers.get("Access-Control-Expose-Headers")).toContain("Content-Range");
      expect(await problemOf(response)).toMatchObject({ type: "/problems/unsatisfiable-range" });
    }
  });

  it("is not sent to who has it, or wants another, though only if it is there", async () => {
    const [file, tag] = [dayOf(list), tagOf(dayOf(list))];
    const { bucket, take } = recordingBucket(env.BUCKET);
    const isolate = freshIsolate({ bucket });
    const missing = file.path.replace(namePart(file.sha256), "0".repeat(32));
    const statuses = async (headers: Record<string, string>) => {
      const [there, gone] = [isolate, client].map((one, index) =>
        one.fetch(pathOf(index === 0 ? file : { path: missing }), { headers: { ...headers, Range: "bytes=0-1" } }),
      );
      return [(await there!).status, (await gone!).status];
    };
    for (const known of [tag, `"x", W/${tag}`, "*"])
      expect(await statuses({ "If-None-Match": known })).toEqual([304, 404]);
    for (const other of ['"x"', `W/${tag}`]) expect(await statuses({ "If-Match": other })).toEqual([412, 404]);
    expect(await statuses({ "If-Match": '"x"', "If-None-Match": tag })).toEqual([412, 404]);
    expect(new Set(take())).toEqual(new Set(["get current", "head series"]));
    for (const same of [tag, "*"]) expect(await statuses({ "If-Match": same })).toEqual([206, 404]);
    const response = await ask({ "If-None-Match": tag });
    expect([response.headers.get("ETag"), response.headers.get("Cache-Control")]).toEqual([
      tag,
      "private, max-age=31536000, immutable",
    ]);
  });

  it("of an earlier build is there until it is removed; then its successor is suggested", async () => {
    const file = dayOf(earlier);
    expect(file.path).not.toBe(dayOf(list).path);
    expect((await bytesOf(await ask({}, "GET", file))).length).toBe(file.bytes);
    const key = `series/ARIA/${file.path}`;
    await env.BUCKET.delete(key);
    const response = await ask({}, "GET", file);
    expect([response.status, await problemOf(response)]).toMatchObject([
      404,
      { type: "/problems/unknown-file", suggestion: pathOf(dayOf(list)) },
    ]);
  });

  it("that the active build has, and the store has not, or other bytes of, is our fault", async () => {
    const file = list.files.find(({ path }) => path.startsWith("hour/sopr/"))!;
    const key = `series/ARIA/${file.path}`;
    const bytes = await (await env.BUCKET.get(key))!.bytes();
    await env.BUCKET.delete(key);
    expect((await ask({}, "GET", file)).status).toBe(500);
    await env.BUCKET.put(key, bytes.slice(1), { sha256: await crypto.subtle.digest("SHA-256", bytes.slice(1)) });
    for (const method of ["GET", "HEAD"]) expect((await ask({}, method, file)).status).toBe(500);
    expect(errors.mock.calls.map(([line]) => JSON.parse(line).cause)).toEqual([
      `${key} is missing`,
      ...Array(2).fill(`${key} is not what was published`),
    ]);
    await env.BUCKET.put(key, bytes, { sha256: file.sha256 });
  });

  it("is read only under its own name: no other object of the bucket has a path", async () => {
    const { bucket, take } = recordingBucket(env.BUCKET);
    const isolate = freshIsolate({ bucket });
    for (const path of [
      "checkpoints/ARIA/0123.parquet",
      "current/ARIA.json",
      "../current/ARIA.json",
      "..%2f..%2fcurrent%2fARIA.json",
      "day/sopr/..%2f..%2fall.0123456789abcdef0123456789abcdef.parquet",
      "day/sopr/all.parquet",
      `${dayOf(list).path}?versionId=1`,
    ]) {
      const { status } = await isolate.fetch(`/v3/files/ARIA/${path}`);
      expect([400, 404], path).toContain(status);
    }
    expect(take()).toEqual([]);
  });

  it("needs a key, and counts against its plan", async () => {
    const path = pathOf(dayOf(list));
    for (const method of ["GET", "HEAD"]) {
      const response = await client.fetch(`${path}?api_key=`, { method });
      expect(response.status).toBe(401);
    }
    const used: string[] = [];
    const limit: RateLimit["limit"] = async ({ key }) => ({ success: used.push(key!) <= 2 });
    await putKey("00000000-0000-4000-8000-000000000009", { id: "k9", plan: "free" });
    const limited = freshIsolate({ limits: { LIMIT_FREE: { limit } as RateLimit } });
    const headers = { "X-Api-Key": "00000000-0000-4000-8000-000000000009", Range: "bytes=0-3" };
    const answers = [
      await limited.fetch(path, { headers }),
      await limited.fetch("/v3/files/ARIA", { headers }),
      await limited.fetch(path, { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([206, 200, 429]);
    expect(answers.map((answer) => answer.headers.get("RateLimit-Policy"))).toEqual(Array(3).fill('"free";q=60;w=60'));
    expect(used).toEqual(["k9", "k9", "k9"]);
  });
});

it.each([
  ["/v3/files/NONE", 404, "unsupported-asset"],
  [`/v3/files/NONE/day/sopr/all.${"0".repeat(32)}.parquet`, 404, "unsupported-asset"],
  [`/v3/files/%2e%2eX/day/sopr/all.${"0".repeat(32)}.parquet`, 404, "unsupported-asset"],
  [`/v3/files/ARIA/day/sopr/all.${"0".repeat(32)}.parquet`, 404, "unknown-file"],
  [`/v3/files/ARIA/hour/sopr/1999.${"0".repeat(32)}.parquet`, 404, "unknown-file"],
  ["/v3/files/ARIA/day/sopr/all", 404, "unknown-file"],
  ["/v3/files/ARIA/day", 404, "unknown-path"],
  ["/v3/files/ARIA?f=json", 400, "unknown-parameter"],
  ["/v3/files", 404, "unknown-path"],
])("%s is %i %s", async (path, status, type) => {
  const response = await client.fetch(path);
  expect([response.status, await problemOf(response)]).toMatchObject([status, { type: `/problems/${type}` }]);
});

it("only GET and HEAD are answered, and preflights of pages that read ranges", async () => {
  for (const path of ["/v3/files/ARIA", pathOf(dayOf(list))]) {
    expect((await client.fetch(path, { method: "DELETE" })).status).toBe(405);
    const { headers } = await client.fetch(path, { method: "OPTIONS" });
    expect(headers.get("Access-Control-Allow-Headers")).toMatch(/, If-Match, If-Range, Range$/);
  }
});

describe("a store that fails", () => {
  it("before the first byte is 503, also for a range", async () => {
    const isolate = freshIsolate({ bucket: failingBucket(env.BUCKET, (key) => key.startsWith("series/")) });
    for (const init of [{}, { headers: { Range: "bytes=0-1" } }]) {
      const response = await isolate.fetch(pathOf(dayOf(list)), init);
      expect([response.status, await problemOf(response)]).toMatchObject([
        503,
        { type: "/problems/store-unavailable" },
      ]);
    }
    // The list needs no object of a series.
    expect((await isolate.fetch("/v3/files/ARIA")).status).toBe(200);
  });

  it("for once is read again", async () => {
    let reads = 0;
    const bucket = readingBucket(env.BUCKET, async (key, options) => {
      if (reads++ === 0) throw new Error("No such file");
      return env.BUCKET.get(key, options ?? {});
    });
    const isolate = freshIsolate({ bucket });
    const response = await isolate.fetch(pathOf(dayOf(list)));
    expect((await bytesOf(response)).length).toBe(dayOf(list).bytes);
    await isolate.settled();
  });

  /** A file of chunks that are made as they are taken; `ends` is called when there are no more. */
  const CHUNK = 65_536;
  function slowFile(chunks: number, ends: (controller: ReadableByteStreamController) => void) {
    const made = { chunks: 0 };
    const bucket = readingBucket(env.BUCKET, async (key) => {
      const object = await env.BUCKET.head(key);
      const body = new ReadableStream(
        {
          type: "bytes",
          pull(controller) {
            if (made.chunks++ < chunks) controller.enqueue(new Uint8Array(CHUNK));
            else ends(controller);
          },
        },
        { highWaterMark: 0 },
      );
      const { checksums } = object!;
      return { size: chunks * CHUNK, checksums, body } as unknown as R2ObjectBody;
    });
    return { isolate: freshIsolate({ bucket }), made };
  }

  it("in the middle of a file resets the connection, and is logged", async () => {
    const { isolate } = slowFile(3, (controller) => controller.error(new Error("lost")));
    const response = await isolate.fetch(pathOf(dayOf(list)));
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    await isolate.settled();
    expect(entries()).toMatchObject([{ status: 200, cut: "failure" }]);
    expect(JSON.parse(errors.mock.calls[0]![0]).cause).toBe("lost");
  });

  it("holds nothing: a client that leaves after the first bytes has had no more read than it took", async () => {
    const { isolate, made } = slowFile(1_000, (controller) => controller.close());
    const response = await isolate.fetch(pathOf(dayOf(list)));
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    await isolate.settled();
    expect(made.chunks * CHUNK).toBeLessThan(value!.length + 5 * CHUNK);
    expect(entries()).toMatchObject([{ status: 200, cut: "client" }]);
    expect(errors).not.toHaveBeenCalled();
  });
});

it("a file is answered by the Worker as it is deployed", async () => {
  const response = await exports.default.fetch(dayOf(list).url, {
    headers: { "X-Api-Key": KEY, Range: "bytes=-4" },
  });
  expect([response.status, await response.text()]).toEqual([206, "PAR1"]);
});
