/** Nights of a token whose parts lie in packs: what they take of the bucket, and what is lost with a pack. */

import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { simulate } from "../../../builder/demo/simulate/simulate.ts";
import { collect } from "../../../builder/published/builds/collect.ts";
import { rollback } from "../../../builder/published/builds/rollback.ts";
import { isActiveFormOf } from "../../../builder/published/publish/active-manifest.ts";
import { Publication } from "../../../builder/published/publish/publication.ts";
import { withParts } from "../../../builder/store/parts.ts";
import type { ObjectStore } from "../../../builder/store/store.ts";
import { packsPrefix } from "../../../data-schema/stored/packs.ts";
import { packOf, partsOf, references } from "../../../data-schema/stored.ts";
import { activeManifest, runBuild } from "../../build/checkpoint/nights.ts";
import { newFolder } from "../../folders.ts";
import { interruptedStore } from "../../store/interrupted-store.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { unpack, unpacked } from "../../store/unpacked.ts";
import { copyOf, manifestIn, variant, verifyIn } from "../verify/published.ts";

/** Counts what a store is asked for. */
class CountingStore extends MemoryStore {
  calls: string[] = [];

  override get(...given: Parameters<MemoryStore["get"]>) {
    this.calls.push(`get ${given[0]}`);
    return super.get(...given);
  }

  override put(...given: Parameters<MemoryStore["put"]>) {
    this.calls.push(`put ${given[0]}`);
    return super.put(...given);
  }

  override list(prefix: string) {
    this.calls.push(`list ${prefix}`);
    return super.list(prefix);
  }

  /** What there was since the last time, by kind. */
  taken(kind: "get" | "put" | "list"): string[] {
    return this.calls.filter((call) => call.startsWith(`${kind} `)).map((call) => call.slice(kind.length + 1));
  }
}

const folder = newFolder();
let asset = "";
const night = (store: ObjectStore, asOf: string, options: { full?: boolean } = {}) =>
  runBuild(store, variant(asset, "night.json", { asOf, resolutions: ["day", "hour"] }), options);

const published = new CountingStore();
const kinds = (keys: readonly string[]) => keys.map((key) => key.split("/")[0]).sort();
/** All parts of the active build, by key. */
async function partsIn(store: MemoryStore): Promise<Map<string, Uint8Array>> {
  const { objects } = await unpacked(store);
  const parts = partsOf(manifestIn(store, "SIM"));
  return new Map(parts.map(({ key }): [string, Uint8Array] => [key, objects.get(key)!.bytes]).sort());
}

beforeAll(async () => {
  asset = (await simulate({ out: folder, seed: 5, transfers: 2_000, days: 60, symbol: "SIM" })).assetPath;
  published.now = Date.now() - 3 * 86_400_000;
  await night(published, "2025-12-29T00:00:00Z");
});

it("a first build looks for each of its packs, and reads the days for the screener once", () => {
  const ofPacks = published.taken("get").filter((key) => key.startsWith(packsPrefix("SIM")));
  expect(ofPacks.length).toBe(manifestIn(published, "SIM").packs!.length + 1);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("a night takes five writes, and a list of leases", async () => {
  published.calls = [];
  await night(published, "2025-12-30T00:00:00Z");
  expect(kinds(published.taken("put"))).toEqual(["builds", "changes", "checkpoints", "current", "packs"]);
  expect(published.taken("list")).toEqual(["collections/SIM/"]);
  expect(published.taken("get").length).toBeLessThan(40);
  expect((await verifyIn(published, "SIM")).problems).toEqual([]);
});

it("a part that is read has memory of its own, whatever the store's bytes are", async () => {
  const buffers = new MemoryStore();
  buffers.get = async (...given) => {
    const object = await published.get(...given);
    return object && { ...object, bytes: Buffer.from(object.bytes) };
  };
  const manifest = manifestIn(published, "SIM");
  const parts = withParts(buffers, manifest);
  const [{ key } = { key: "" }] = partsOf(manifest);
  const first = (await parts.get(key))!.bytes;
  // The slice of a Buffer has the memory of that.
  const was = Uint8Array.from(first);
  first.fill(0);
  expect(Buffer.compare((await parts.get(key))!.bytes, was)).toBe(0);
});

it("a build that finds nothing new takes one read", async () => {
  published.calls = [];
  await night(published, "2025-12-30T00:00:00Z");
  expect(published.calls).toEqual(["get current/SIM.json"]);
});

it("a night that closes a month and a year takes six writes, and leaves what is closed in a pack of its own", async () => {
  published.calls = [];
  await night(published, "2026-01-01T00:00:00Z");
  expect(kinds(published.taken("put"))).toEqual(["builds", "changes", "checkpoints", "current", "packs", "packs"]);
  const manifest = manifestIn(published, "SIM");
  const packsOf = (wanted: RegExp) =>
    new Set(partsOf(manifest).flatMap((part) => (wanted.test(part.key) ? [packOf(manifest, part)?.key] : [])));
  const closed = packsOf(/\/hour\/.*\/2025\.|\/(holders|transfers)\/SIM\/2025-12\./);
  const open = packsOf(/\/day\/[^/]+\/all\./);
  expect([closed.size, open.size]).toEqual([1, 1]);
  expect(closed).not.toEqual(open);
});

describe("what is published of nights in packs", () => {
  it("is what a full build publishes, and the same again has the same packs", async () => {
    const [whole, again] = [new MemoryStore(), new MemoryStore()];
    for (const store of [whole, again]) await night(store, "2026-01-01T00:00:00Z");
    expect(await partsIn(published)).toEqual(await partsIn(whole));
    expect(await activeManifest(published, "SIM")).toEqual(await activeManifest(whole, "SIM"));
    expect([...again.objects.keys()].sort()).toEqual([...whole.objects.keys()].sort());
    expect(manifestIn(again, "SIM").packs).toEqual(manifestIn(whole, "SIM").packs);
  });

  it("is the same where the bucket has single objects of the version before", async () => {
    const store = new MemoryStore();
    await night(store, "2025-12-29T00:00:00Z");
    await unpack(store);
    expect([...store.objects.keys()].filter((key) => key.startsWith("packs/"))).toEqual([]);
    for (const asOf of ["2025-12-30T00:00:00Z", "2026-01-01T00:00:00Z"]) await night(store, asOf);
    expect(await partsIn(store)).toEqual(await partsIn(published));
    expect((await verifyIn(store, "SIM")).problems).toEqual([]);
  });
});

describe("a pack that is lost", () => {
  const lost = () => {
    const store = copyOf(published);
    const manifest = manifestIn(store, "SIM");
    const [day] = partsOf(manifest).filter(({ key }) => key.includes("/day/volume/"));
    const { key } = packOf(manifest, day!)!;
    const parts = partsOf(manifest).filter((part) => packOf(manifest, part)?.key === key).length;
    return { store, key, parts, bytes: store.objects.get(key)!.bytes };
  };

  it.each<[string, (store: MemoryStore, key: string, bytes: Uint8Array) => unknown, string]>([
    ["gone", (store, key) => store.delete([key]), "is missing"],
    ["cut short", (store, key, bytes) => store.write(key, bytes.slice(0, 99)), "has 99 bytes, but the manifest lists"],
    [
      "of other bytes",
      (store, key, bytes) =>
        store.write(
          key,
          bytes.map((byte) => byte ^ 1),
        ),
      "is damaged, since the SHA-256",
    ],
  ])("is told once by verify, and written again by a full build: %s", async (_, damage, problem) => {
    const { store, key, parts, bytes } = lost();
    await damage(store, key, bytes);
    const { problems } = await verifyIn(store, "SIM");
    expect(problems[0]).toMatch(new RegExp(`^${key} ${problem}.*: ${parts} parts of the build should be in it\\.$`));
    expect(problems.filter((one) => /^(series|holders|transfers|checkpoints)\//.test(one))).toEqual([]);
    await night(store, "2026-01-01T00:00:00Z", { full: true });
    expect((await verifyIn(store, "SIM")).problems).toEqual([]);
    expect(await partsIn(store)).toEqual(await partsIn(published));
  });

  it("makes the next night a full one", async () => {
    const { store, key } = lost();
    await store.delete([key]);
    const { start } = await night(store, "2025-12-31T12:00:00Z");
    expect(start).toEqual({ reason: `${key} is missing` });
    expect((await verifyIn(store, "SIM")).problems).toEqual([]);
  });

  it("of which one part is damaged is told with it, and a build that would extend that is a full one", async () => {
    const { store, key, bytes } = lost();
    const manifest = manifestIn(store, "SIM");
    const { at, key: part } = partsOf(manifest).find((one) => one.key.includes("/day/volume/"))!;
    // Behind the store's back, as a disk does it.
    const flipped = bytes.map((byte, i) => (i === at![1] + 40 ? byte ^ 1 : byte));
    store.objects.set(key, { ...store.objects.get(key)!, bytes: flipped });
    expect((await verifyIn(store, "SIM")).problems.slice(0, 1)).toEqual([expect.stringContaining(`${key} is damaged`)]);
    const { start } = await night(store, "2026-01-02T00:00:00Z");
    expect(start).toEqual({ reason: `${part} is damaged` });
  });
});

it("a full build that ends before its activation may have put parts elsewhere: the active build stays as it is", async () => {
  const store = copyOf(published);
  const manifest = manifestIn(store, "SIM");
  // One part of a pack is damaged, behind the store's back: the full build puts all of that pack's parts into others.
  const { key, offset } = packOf(manifest, partsOf(manifest).find((part) => part.key.includes("/day/volume/"))!)!;
  const { bytes, ...object } = store.objects.get(key)!;
  store.objects.set(key, { ...object, bytes: bytes.map((byte, i) => (i === offset + 40 ? byte ^ 1 : byte)) });
  const counting = interruptedStore(copyOf(store));
  const asOf = "2026-01-01T00:00:00Z";
  await night(counting, asOf, { full: true });
  const stopped = interruptedStore(store, { at: counting.writes - 1, isDone: false, stops: true });
  await expect(night(stopped, asOf, { full: true })).rejects.toThrow("interrupted");
  store.objects.set(key, { ...object, bytes });
  expect(manifestIn(store, "SIM")).toEqual(manifest);
  expect((await verifyIn(store, "SIM")).problems).toEqual([]);
  const publication = await Publication.begin(store, manifest);
  expect(isActiveFormOf(manifest, await publication.recorded(publication.previous!))).toBe(true);
});

it("a garbage collection keeps the packs that kept builds name, and removes all others", async () => {
  const store = copyOf(published);
  const before = await store.list(packsPrefix("SIM"));
  const { objects } = await collect(store, "SIM", { keep: 0, minAge: 0, now: new Date(), dryRun: false });
  const left = await store.list(packsPrefix("SIM"));
  const named = references(manifestIn(store, "SIM")).filter(({ key }) => key.startsWith("packs/"));
  expect([...left.keys()].sort()).toEqual(named.map(({ key }) => key).sort());
  expect(objects.filter(({ key }) => key.startsWith("packs/"))).toHaveLength(before.size - left.size);
  expect(before.size).toBeGreaterThan(left.size);
  expect((await verifyIn(store, "SIM")).problems).toEqual([]);
});

it("a rollback goes back to packs of an earlier night", async () => {
  const store = copyOf(published);
  const { previousBuild } = JSON.parse(new TextDecoder().decode(store.objects.get("changes/SIM/00000003.json")!.bytes));
  await rollback(store, "SIM", previousBuild);
  expect(manifestIn(store, "SIM").build).toBe(previousBuild);
  expect((await verifyIn(store, "SIM")).problems).toEqual([]);
});
