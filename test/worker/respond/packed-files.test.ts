/** GET /v3/files of files that lie in packs: the same answers as of files that are objects of their own. */

import { env } from "cloudflare:workers";
import { beforeAll, expect, it, vi } from "vitest";
import { namePart } from "../../../data-schema/stored/objects.ts";
import { packKey } from "../../../data-schema/stored/packs.ts";
import type { Manifest } from "../../../data-schema/stored.ts";
import { recordingBucket } from "../bindings.ts";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { layInPacks } from "../packed.ts";
import { at, DAY, publish } from "../token.ts";

const START = at("2025-03-01");
const token = (build: string, scale: number) => ({
  symbol: "ARIA",
  build,
  metrics: ["sopr", "volume", "price"] as const,
  periods: { day: [{ name: "all", from: START, to: START + 31 * DAY }] },
  range: { day: [START, START + 30 * DAY] as [number, number] },
  series: () => [0, 1, 5].map((day) => ({ t: START + day * DAY, v: scale + day })),
  distributions: () => [{ selector: "tokens:total:0", t: Float64Array.of(START), v: Float64Array.of(scale) }],
});

interface ListedFile {
  path: string;
  bytes: number;
  sha256: string;
}

const listOf = async () => (await (await freshIsolate().fetch("/v3/files/ARIA")).json<{ files: ListedFile[] }>()).files;
const pathOf = ({ path }: ListedFile) => `/v3/files/ARIA/${path}`;

/** What is the same for every request of the same: not its id, nor how long it took. */
async function answerOf(client: Client, path: string, init: RequestInit) {
  const response = await client.fetch(path, init);
  const headers = Array.from(response.headers).filter(([name]) => !["x-request-id", "server-timing"].includes(name));
  const bytes = Array.from(await response.bytes());
  return { status: response.status, headers, bytes: response.status < 400 ? bytes : [] };
}

const requestsOf = ({ bytes, sha256 }: ListedFile): RequestInit[] => {
  const ranges = ["0-3", `${bytes - 8}-`, "-8", `-${bytes + 1}`, `100-${bytes * 2}`, "5-5", `0-${"9".repeat(20)}`];
  const beyond = [`${bytes}-`, `${bytes + 1}-${bytes + 5}`, "-0"];
  const tag = `"${namePart(sha256)}"`;
  return [
    {},
    { method: "HEAD" },
    { method: "HEAD", headers: { Range: "bytes=0-3" } },
    ...[...ranges, ...beyond].map((range) => ({ headers: { Range: `bytes=${range}` } })),
    { headers: { "If-None-Match": tag } },
    { headers: { "If-Match": '"x"' } },
    { headers: { Range: "bytes=0-1", "If-Range": '"x"' } },
  ];
};

const answersOf = async (files: readonly ListedFile[]) => {
  const client = freshIsolate();
  const asked = files.flatMap((file) => requestsOf(file).map((init) => [pathOf(file), init] as const));
  return Promise.all(asked.map(([path, init]) => answerOf(client, path, init)));
};

const errors = vi.spyOn(console, "error");
let files: ListedFile[];
let single: Awaited<ReturnType<typeof answersOf>>;
let older: Manifest;

beforeAll(async () => {
  await putKey();
  errors.mockImplementation(() => {});
  await publish(env.BUCKET, token("1111111111111111", 0.5));
  files = await listOf();
  single = await answersOf(files);
  older = await layInPacks(env.BUCKET, "ARIA");
});

it("are listed and answered as before, also with ranges and under conditions", async () => {
  expect(files.length).toBeGreaterThan(3);
  expect((await env.BUCKET.list({ prefix: "series/" })).objects).toEqual([]);
  expect(await listOf()).toEqual(files);
  expect(await answersOf(files)).toEqual(single);
  expect(new Set(single.map(({ status }) => status))).toEqual(new Set([200, 206, 304, 412, 416]));
});

it("take one read of the pack, or a look at it", async () => {
  const { bucket, take } = recordingBucket(env.BUCKET);
  const client = freshIsolate({ bucket });
  const [file] = files;
  const headers = { Range: "bytes=4-7" };
  for (const init of [{}, { headers }]) await (await client.fetch(pathOf(file!), init)).bytes();
  await client.fetch(pathOf(file!), { method: "HEAD" });
  expect(take()).toEqual(["get current", "get packs", "get packs", "head packs"]);
});

it("of a build that is active no more are found by its manifest, until their pack is removed", async () => {
  await publish(env.BUCKET, token("2222222222222222", 0.25));
  await layInPacks(env.BUCKET, "ARIA");
  expect((await listOf()).map(({ path }) => path)).not.toContain(files[0]!.path);
  expect(await answersOf(files)).toEqual(single);

  const { bucket, take } = recordingBucket(env.BUCKET);
  await (await freshIsolate({ bucket }).fetch(pathOf(files[0]!))).bytes();
  expect(take()).toEqual(["get current", "get series", "get series", "list", "get builds", "get packs"]);

  const [pack] = older.packs!;
  await env.BUCKET.delete(packKey("ARIA", pack!.hash));
  const response = await freshIsolate().fetch(pathOf(files[0]!));
  const successor = (await listOf()).find(({ path }) => path.split(".")[0] === files[0]!.path.split(".")[0])!;
  expect([response.status, await response.json()]).toMatchObject([404, { suggestion: pathOf(successor) }]);
});

it("are looked for in no more than ten builds", async () => {
  for (let n = 0; n < 12; n++) {
    const text = await (await env.BUCKET.get("builds/ARIA/1111111111111111.json"))!.text();
    const build = String(n).padStart(16, "a");
    await env.BUCKET.put(`builds/ARIA/${build}.json`, text.replaceAll("1111111111111111", build));
  }
  const { bucket, take } = recordingBucket(env.BUCKET);
  const path = `/v3/files/ARIA/day/sopr/all.${"0".repeat(32)}.parquet`;
  expect((await freshIsolate({ bucket }).fetch(path)).status).toBe(404);
  expect(take().filter((call) => call === "get builds")).toHaveLength(10);
});

it("of the active build whose pack is missing, or another one, are our fault", async () => {
  const [file] = await listOf();
  const { objects } = await env.BUCKET.list({ prefix: "packs/ARIA/" });
  for (const { key, size } of objects) await env.BUCKET.put(key, new Uint8Array(size));
  expect((await freshIsolate().fetch(pathOf(file!))).status).toBe(500);
  await env.BUCKET.delete(objects.map(({ key }) => key));
  expect((await freshIsolate().fetch(pathOf(file!))).status).toBe(500);
  const causes = errors.mock.calls.map(([line]) => JSON.parse(line).cause);
  const name = new RegExp(`^series/ARIA/${file!.path} in packs/ARIA/\\w+\\.pack is (not what was published|missing)$`);
  expect(causes.filter((cause) => name.test(cause))).toHaveLength(2);
});
