/** Files of the local R2 that are damaged on the disk: what the store promises is then not what it delivers. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workerModules } from "../../builder/serve/bundle.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import { workerOptions } from "../../builder/store/wrangler.ts";
import { currentKey } from "../../data-schema/stored/objects.ts";
import { listedSeries, type Manifest, parseManifest } from "../../data-schema/stored.ts";
import { runBuild } from "../build/checkpoint/nights.ts";
import { soprano } from "../commands/soprano.ts";
import { newFolder } from "../folders.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { unpack } from "../store/unpacked.ts";

const folder = newFolder();
const persist = join(folder, "state");
let miniflare: Miniflare;
let url: string;
let key: string;
let manifest: Manifest;
let other: Buffer;
/** `WHOLE_BYTES` of worker/read/objects/open-object.ts, which only loads in workerd. */
const WHOLE_BYTES = 256 * 1024;
/** The files that hold an object, by its key: a manifest is stored twice. */
const files = new Map<string, string[]>();

beforeAll(async () => {
  const token = ["--out", join(folder, "token"), "--transfers", "30000", "--days", "300", "--symbol", "BAD"];
  expect(await soprano("simulate", ...token)).toMatchObject({ status: 0 });
  // Each object in a file of its own: damaged packs are those of test/worker/bucket/packs.test.ts.
  const built = new MemoryStore();
  await runBuild(built, join(folder, "token", "asset.json"));
  await unpack(built);
  const state = await openLocalState(persist);
  await built.copyTo(state.objects);
  await state.close();
  const made = await soprano("keys", "create", "--name", "x", "--plan", "unlimited", "--persist", persist);
  key = made.stdout.trim();
  const options = { ...(await workerOptions(persist)), ...(await workerModules("test/worker/forgetful.ts")) };
  miniflare = new Miniflare(convertV4MiniflareOptions({ ...options, ratelimits: {}, handleStructuredLogs() {} }));
  url = (await miniflare.ready).origin;

  const listed = (await (await fetch(`${url}/objects`)).json()) as Record<string, string>;
  manifest = parseManifest(listed[currentKey("BAD")]!);
  const digests: { path: string; digest: string }[] = [];
  for (const name of readdirSync(join(persist, "v3"), { recursive: true, encoding: "utf8" })) {
    if (!/blobs\/./.test(name)) continue;
    const path = join(persist, "v3", name);
    digests.push({ path, digest: md5(readFileSync(path)) });
  }
  for (const [key, text] of Object.entries(listed)) {
    const wanted = key.endsWith(".json") ? md5(text) : text.split(" ")[0];
    files.set(
      key,
      digests.flatMap(({ path, digest }) => (digest === wanted ? [path] : [])),
    );
  }
  const supply = [...listedSeries(manifest)].find(({ metric }) => metric === "supply")!;
  other = readFileSync(files.get(supply.key)![0]!);
});

afterAll(async () => {
  await miniflare.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const md5 = (bytes: Buffer | string) => createHash("md5").update(bytes).digest("hex");

/** A series object that is read whole, or by ranges. */
function object(isLarge: boolean) {
  return [...listedSeries(manifest)].find(
    ({ entry, metric, resolution }) =>
      metric === "volume" &&
      (isLarge ? resolution === "block" : resolution === "day") &&
      entry.size > WHOLE_BYTES === isLarge,
  )!;
}

const targets: [name: string, key: () => string, query: string][] = [
  ["the manifest", () => currentKey("BAD"), "r=day"],
  ["a small object, read whole", () => object(false).key, "r=day"],
  ["a large object, read by ranges", () => object(true).key, "r=block"],
];

const damages: [name: string, damage: (bytes: Buffer, path: string) => void][] = [
  ["is missing", (_, path) => rmSync(path)],
  ["is empty", (_, path) => writeFileSync(path, "")],
  ["lacks its last byte", (bytes, path) => writeFileSync(path, bytes.subarray(0, -1))],
  ["is cut off in the middle", (bytes, path) => writeFileSync(path, bytes.subarray(0, bytes.length >> 1))],
  ["has one byte left", (bytes, path) => writeFileSync(path, bytes.subarray(0, 1))],
  ["is one byte too long", (bytes, path) => writeFileSync(path, Buffer.concat([bytes, Buffer.from("x")]))],
  ["is twice as long", (bytes, path) => writeFileSync(path, Buffer.concat([bytes, bytes]))],
  ["is another object", (_, path) => writeFileSync(path, other)],
  ["has one other bit", (bytes, path) => writeFileSync(path, bytes.with(bytes.length - 20, bytes.at(-20)! ^ 1))],
];

describe.each(targets)("%s", (target, keyOf, query) => {
  const [isManifest, isLarge] = [target === "the manifest", target.startsWith("a large")];
  const ask = async () => {
    const response = await fetch(`${url}/v1/metrics/volume?a=BAD&${query}`, { headers: { "X-Api-Key": key } });
    const text = await response.text();
    return { status: response.status, retry: response.headers.get("Retry-After"), text };
  };

  it.each(damages)("that %s", async (name, damage) => {
    const paths = files.get(keyOf())!;
    const bytes = readFileSync(paths[0]!);
    const right = await ask();
    expect(right.status).toBe(200);
    for (const path of paths) damage(bytes, path);
    const answer = await ask();
    const [health, assets] = [await fetch(`${url}/health`), await fetch(`${url}/v1/assets`)];
    const catalog = { status: health.status, health: await health.json(), assets: await assets.json() };
    for (const path of paths) writeFileSync(path, bytes);
    // The asset of a manifest that is gone is unknown, and ranges of an object that has grown are still right.
    if (isManifest && name === "is missing") expect(answer).toMatchObject({ status: 404, retry: null });
    else if (isLarge && name.endsWith("long")) expect(answer).toEqual(right);
    else expect(answer).toMatchObject({ status: 500, retry: null, text: expect.stringContaining("damaged-data") });
    expect(await ask()).toEqual(right);
    if (!isManifest) return;
    const none = {
      status: 503,
      health: { status: "degraded", assets: [], unreadable: ["BAD"] },
      assets: { assets: [] },
    };
    expect(catalog).toMatchObject(none);
  });
});
