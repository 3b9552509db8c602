/** Publishing to either store: what is written, what is not written again, and what keeps a build from being activated. */

import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import type { SeriesFile } from "../../../builder/published/objects/encode-series.ts";
import { isActiveFormOf } from "../../../builder/published/publish/active-manifest.ts";
import { withLease } from "../../../builder/published/publish/collections.ts";
import { Publication } from "../../../builder/published/publish/publication.ts";
import { openLocalState } from "../../../builder/store/local/local.ts";
import { withParts } from "../../../builder/store/parts.ts";
import { DIGESTS, digestPieces } from "../../../builder/store/pieces.ts";
import { openR2 } from "../../../builder/store/r2/r2.ts";
import type { ObjectStore } from "../../../builder/store/store.ts";
import type { MetricName } from "../../../data-schema/registry/metrics.ts";
import { parseChangeEntry } from "../../../data-schema/stored/changes.ts";
import {
  buildKey,
  changeKey,
  checkpointKey,
  collectionPrefix,
  currentKey,
  seriesKey,
  seriesPrefix,
} from "../../../data-schema/stored/objects.ts";
import { packKey, packsPrefix } from "../../../data-schema/stored/packs.ts";
import {
  catalogEntry,
  MANIFEST_VERSION,
  type Manifest,
  parseCatalogEntry,
  parseManifest,
  unplaced,
} from "../../../data-schema/stored.ts";
import { newFolder } from "../../folders.ts";
import { BUCKET, startS3 } from "../../store/s3.ts";
import { BUILT } from "./built.ts";

const DAY = 86_400;
const HOUR_MS = 3_600_000;
const CONTRACT = `0x${"c".repeat(40)}`;
const BUILD = { one: "1".repeat(16), two: "2".repeat(16) };

const bytesOf = (text: string) => new TextEncoder().encode(text);
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

function file(metric: MetricName, text: string): SeriesFile {
  const bytes = bytesOf(text.padEnd(20, "."));
  const entry = { rows: 1, hash: sha256Of(bytes), size: bytes.length, footer: 1, footerHash: "0".repeat(32) };
  return { metric, resolution: "day", period: "all", bytes, entry };
}

const OTHER_METRICS: MetricName[] = ["sopr", "volume", "num_transfers"];

const fileOf = (role: string, file: string, rows: number) => ({
  role,
  file,
  sha256: sha256Of(bytesOf(file)),
  bytes: 50 * rows,
  rows,
});
const INPUTS = [fileOf("transfers", "a.csv", 2), fileOf("transfers", "b.csv", 3), fileOf("prices", "prices.csv", 1)];

/** A manifest that lists files and little else. */
function manifestOf(
  symbol: string,
  build: string,
  files: readonly SeriesFile[],
  changes: Partial<Manifest> = {},
): Manifest {
  const none = OTHER_METRICS.map((metric) => [metric, { rows: 0 }]);
  const metrics = Object.fromEntries([...none, ...files.map(({ metric, entry }) => [metric, entry])]);
  return {
    schema: MANIFEST_VERSION,
    symbol,
    name: "Tökén 通証",
    chain: "ethereum",
    contract: CONTRACT,
    decimals: 18,
    maxSupply: "1000",
    balanceUnit: "1e0",
    asOf: "2024-01-02T00:00:00.000Z",
    build,
    created: "2024-01-03T00:00:00.000Z",
    engine: "1",
    inputs: INPUTS,
    counts: { transfers: 1, mints: 1, burns: 0 },
    resolutions: { day: { first: DAY, last: DAY, periods: [{ name: "all", from: DAY, to: 2 * DAY, metrics }] } },
    ...changes,
  };
}

const STORES: [name: string, open: () => Promise<ObjectStore>][] = [
  [
    "R2",
    async () => {
      const s3 = await startS3();
      const store = openR2(BUCKET, s3.environment);
      return { ...store, close: () => store.close().then(s3.close) };
    },
  ],
  [
    "the local store",
    async () => {
      const folder = newFolder();
      const state = await openLocalState(folder);
      const close = () => state.close().then(() => rmSync(folder, { recursive: true, force: true }));
      return { ...state.objects, close };
    },
  ],
];

describe.each(STORES)("%s", (_, open) => {
  let store: ObjectStore;
  let symbol: string;
  let symbols = 0;

  beforeAll(async () => {
    store = await open();
  });

  beforeEach(() => {
    symbol = `S${symbols++}`;
  });

  afterAll(() => store.close());

  const owner = () => ({ symbol, contract: CONTRACT, chain: "ethereum" });
  const begin = (through = store) => Publication.begin(through, owner());

  async function publish(build: string, files: readonly SeriesFile[], through = store): Promise<Publication> {
    const publication = await begin(through);
    await publication.putSeries(files);
    await publication.finish(manifestOf(symbol, build, files), BUILT);
    return publication;
  }

  const textOf = async (key: string) => new TextDecoder().decode((await store.get(key))?.bytes);
  const activeManifest = async () => unplaced(parseManifest(await textOf(currentKey(symbol))));
  const recordedManifest = async (build: string) => unplaced(parseManifest(await textOf(buildKey(symbol, build))));
  const expectActive = async (recorded: Manifest) => {
    expect(await recordedManifest(recorded.build)).toEqual(recorded);
    expect(isActiveFormOf(await activeManifest(), recorded)).toBe(true);
  };
  /** The pack that has some files, and no others. */
  const packOf = (files: readonly SeriesFile[]) => {
    const inOrder = files.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    return packKey(symbol, sha256Of(Buffer.concat(inOrder.map(({ bytes }) => bytes))).slice(0, 32));
  };
  const keyOf = ({ metric, entry }: SeriesFile) => seriesKey(symbol, "day", metric, "all", entry.hash);

  /** The store, as if all had been put so many hours earlier. */
  const longAfter = (hours: number): ObjectStore => ({
    ...store,
    async list(prefix) {
      const listed = await store.list(prefix);
      const earlier = (date: Date) => new Date(date.getTime() - hours * HOUR_MS);
      return new Map([...listed].map(([key, object]) => [key, { ...object, uploaded: earlier(object.uploaded) }]));
    },
  });

  it("puts series, records the build's manifest, and activates it without its list of input files", async () => {
    const files = [file("sopr", "a"), file("volume", "b")];
    const { totals, previous } = await publish(BUILD.one, files);
    expect(previous).toBeUndefined();
    expect(totals).toEqual({ objects: 2, bytes: 40, written: 2, bytesWritten: 40 });
    expect([...(await store.list(packsPrefix(symbol))).keys()]).toEqual([packOf(files)]);
    expect((await store.list(seriesPrefix(symbol))).size).toBe(0);
    const parts = withParts(store, parseManifest(await textOf(currentKey(symbol))));
    for (const one of files) expect((await parts.get(keyOf(one)))?.bytes).toEqual(one.bytes);
    const recorded = manifestOf(symbol, BUILD.one, files);
    expect(await recordedManifest(BUILD.one)).toEqual(recorded);
    const { inputs, ...active } = await activeManifest();
    expect({ ...active, inputs: INPUTS }).toEqual(recorded);
    // printf '%s  %s\n' $(printf a.csv | sha256sum | cut -c-64) a.csv … | sha256sum
    expect(inputs).toEqual([
      {
        role: "transfers",
        files: 2,
        bytes: 250,
        rows: 5,
        sha256: "fe8eb5c235e7c57e2a3ee1645f39129384c0c8a4b2c0368b06680ad5f0b731e9",
      },
      {
        role: "prices",
        files: 1,
        bytes: 50,
        rows: 1,
        sha256: "948c6498761195cbc9ba559549c83fe9dc6b1e706a61bad4c765ef16b2c7645d",
      },
    ]);
  });

  it("carries the latencies of earlier nights on", async () => {
    const files = [file("sopr", "a")];
    const nights = ["2024-01-02T00:00:00.000Z", "2024-01-03T00:00:00.000Z"];
    for (const [index, asOf] of nights.entries()) {
      const publication = await begin();
      await publication.putSeries(files);
      await publication.finish(manifestOf(symbol, String(index).repeat(16), files, { asOf }), BUILT);
    }
    const last = parseChangeEntry(await textOf(changeKey(symbol, 2)));
    expect(last.nights.map(([asOf]) => new Date(asOf * 1000).toISOString())).toEqual(nights);
    const [, latency] = last.nights.at(-1)!;
    expect(latency).toBe(Math.round((Date.parse(last.activated) - Date.parse(nights[1]!)) / 1000));
    expect(Math.abs(Date.now() - Date.parse(last.activated))).toBeLessThan(60_000);
  });

  it("puts again only what is new, and knows what was active", async () => {
    const files = [file("sopr", "a"), file("volume", "b")];
    await publish(BUILD.one, files);
    const next = await publish(BUILD.two, [files[0]!, file("volume", "c")]);
    expect(next.totals).toEqual({ objects: 2, bytes: 40, written: 1, bytesWritten: 20 });
    expect(isActiveFormOf(unplaced(next.previous!), manifestOf(symbol, BUILD.one, files))).toBe(true);
    expect((await activeManifest()).build).toBe(BUILD.two);
  });

  it("keeps the time of creation of a build that is made again", async () => {
    const files = [file("sopr", "a")];
    await publish(BUILD.one, files);
    await publish(BUILD.two, files);
    const publication = await begin();
    await publication.putSeries(files);
    await publication.finish(manifestOf(symbol, BUILD.one, files, { created: "2025-01-01T00:00:00.000Z" }), BUILT);
    await expectActive(manifestOf(symbol, BUILD.one, files));
  });

  it("takes what the active manifest lists as there, however old, and of the rest only what is new", async () => {
    const files = [file("sopr", "a"), file("volume", "b")];
    await publish(BUILD.one, [files[0]!]);
    const killed = await begin();
    await killed.putSeries([files[1]!]);
    await killed.putAll(() => false);
    const soon = await begin(longAfter(5));
    await soon.list();
    await soon.putSeries(files);
    await soon.finish(manifestOf(symbol, BUILD.two, files), BUILT);
    expect(soon.totals.written).toBe(0);
    // Now the second pack is no longer named.
    await publish(BUILD.one, [files[0]!]);
    const late = await begin(longAfter(7));
    await late.list();
    expect(late.holds({ key: packOf([files[0]!]), size: 20 })).toBe(true);
    expect(late.holds({ key: packOf([files[0]!]), size: 21 })).toBe(false);
    expect(late.holds({ key: packOf([files[1]!]), size: 20 })).toBe(false);
    await late.putSeries(files);
    await late.putAll(() => false);
    expect(late.totals.written).toBe(1);
  });

  it("mends an object that was cut short", async () => {
    const files = [file("sopr", "a")];
    await publish(BUILD.one, files);
    const half = files[0]!.bytes.slice(0, 10);
    await store.put(packOf(files), half, { contentType: "x", sha256: sha256Of(half) });
    const publication = await begin();
    await publication.list();
    await publication.putSeries(files);
    await publication.finish(manifestOf(symbol, BUILD.two, files), BUILT);
    expect(publication.totals.written).toBe(1);
    expect((await store.get(packOf(files)))?.bytes).toEqual(files[0]!.bytes);
  });

  it("replaces, for a repair, what was damaged without a trace in the listing", async () => {
    const files = [file("sopr", "a"), file("volume", "b")];
    await publish(BUILD.one, files);
    const damaged: ObjectStore = {
      ...store,
      async get(key, range) {
        const object = await store.get(key, range);
        return object && key === packOf(files) && repaired === 0
          ? { ...object, bytes: object.bytes.with(3, 0), isDamaged: true }
          : object;
      },
      async put(key, bytes, options) {
        if (key === packOf(files)) repaired++;
        return store.put(key, bytes, options);
      },
    };
    let repaired = 0;
    const repair = await Publication.begin(damaged, owner(), { repair: true });
    await repair.putSeries(files);
    await repair.finish(manifestOf(symbol, BUILD.one, files), BUILT);
    expect(repaired).toBe(1);
    // What lay beside the damaged part is written with it.
    expect(repair.totals).toEqual({ objects: 2, bytes: 40, written: 2, bytesWritten: 40 });
  });

  it("waits for a garbage collection that is running, and then sees what it has removed", async () => {
    const before = [file("sopr", "a")];
    await publish(BUILD.one, before);
    const files = [file("sopr", "b")];
    const notes: string[] = [];
    const publication = await Publication.begin(store, owner(), {
      progress: { ...silentProgress(), note: (line) => notes.push(line) && release.resolve() },
    });
    await publication.putSeries(files);
    await publication.putAll(() => false);
    const release = Promise.withResolvers<void>();
    // The collection has listed the objects before the build's manifest came.
    const collection = withLease(store, symbol, async (remove) => {
      await release.promise;
      await remove([packOf(files)]);
    });
    while ((await store.list(collectionPrefix(symbol))).size === 0);
    await expect(publication.finish(manifestOf(symbol, BUILD.two, files), BUILT)).rejects.toThrow(
      /is missing in .*: build again/,
    );
    await collection;
    expect(notes).toEqual([expect.stringMatching(`^${symbol}: a garbage collection is running, .* at the latest\\.$`)]);
    expect((await activeManifest()).build).toBe(BUILD.one);
    expect((await store.list(collectionPrefix(symbol))).size).toBe(0);
  });

  it("fails when the manifest is not there after it was activated", async () => {
    const forgetful: ObjectStore = {
      ...store,
      get: (key, range) =>
        isStored && key === currentKey(symbol) ? Promise.resolve(undefined) : store.get(key, range),
      async put(key, bytes, options) {
        isStored ||= key === currentKey(symbol);
        return store.put(key, bytes, options);
      },
    };
    let isStored = false;
    await expect(publish(BUILD.one, [file("sopr", "a")], forgetful)).rejects.toMatchObject({
      name: "StoreFailure",
      message: expect.stringMatching(`^${symbol}: build ${BUILD.one} was stored in .*, but is not there: check that `),
    });
  });

  it("is active although the answer was lost", async () => {
    const files = [file("sopr", "a")];
    const deaf: ObjectStore = {
      ...store,
      async put(key, bytes, options) {
        const written = await store.put(key, bytes, options);
        if (key === currentKey(symbol)) throw new Error("timed out");
        return written;
      },
    };
    await publish(BUILD.one, files, deaf);
    await expectActive(manifestOf(symbol, BUILD.one, files));
  });

  it.each<[string, (key: string, bytes: Uint8Array) => Promise<unknown>]>([
    ["is gone", (key) => store.delete([key])],
    ["was cut short", (key, bytes) => put(key, bytes.slice(0, 10))],
    ["has other bytes", (key, bytes) => put(key, bytes.with(3, 0))],
  ])("is not activated when an object %s", async (_, damage) => {
    const before = [file("sopr", "a")];
    await publish(BUILD.one, before);
    const files = [file("sopr", "b"), file("volume", "c")];
    const publication = await begin();
    await publication.putSeries(files);
    await publication.putAll(() => false);
    const pack = packOf(files);
    await damage(pack, (await store.get(pack))!.bytes);
    await expect(publication.finish(manifestOf(symbol, BUILD.two, files), BUILT)).rejects.toMatchObject({
      name: "Failure",
      message: expect.stringMatching(`^${symbol}: ${packOf(files)} is missing in .*: build again`),
    });
    await expectActive(manifestOf(symbol, BUILD.one, before));
  });

  const put = (key: string, bytes: Uint8Array) => store.put(key, bytes, { contentType: "x", sha256: sha256Of(bytes) });

  it.each([false, true])(
    "puts a checkpoint, and misses it when it is gone (too large for memory: %s)",
    async (isBlob) => {
      const files = [file("sopr", "a")];
      const bytes = bytesOf("what the next build goes on from");
      const hash = sha256Of(bytes).slice(0, 32);
      const manifest = manifestOf(symbol, BUILD.one, files, { checkpoint: { hash, size: bytes.length } });
      const publication = await begin();
      await publication.putSeries(files);
      const content = isBlob ? new Blob([bytes]) : bytes;
      expect(await publication.putCheckpoint(content, await digestPieces([bytes], DIGESTS))).toEqual({
        hash,
        size: bytes.length,
      });
      await publication.finish(manifest, BUILT);
      expect((await store.get(checkpointKey(symbol, hash)))?.bytes).toEqual(bytes);
      const next = await begin();
      await next.list();
      expect(next.holds({ key: checkpointKey(symbol, hash), size: bytes.length })).toBe(true);
      await store.delete([checkpointKey(symbol, hash)]);
      await expect(next.finish(manifest, BUILT)).rejects.toMatchObject({
        message: expect.stringContaining(checkpointKey(symbol, hash)),
      });
    },
  );

  it.each<[string, string, string]>([
    ["of another build", BUILD.one, BUILD.two],
    ["of the same build", BUILD.one, BUILD.one],
  ])("lets the first of two publications at once win: %s", async (_, first, second) => {
    await publish("0".repeat(16), [file("sopr", "before")]);
    const [one, two] = [await begin(), await begin()];
    const files = [[file("sopr", "a")], [file("sopr", first === second ? "a" : "b")]];
    await Promise.all([one.putSeries(files[0]!), two.putSeries(files[1]!)]);
    await one.finish(manifestOf(symbol, first, files[0]!), BUILT);
    const created = "2025-01-01T00:00:00.000Z";
    await expect(two.finish(manifestOf(symbol, second, files[1]!, { created }), BUILT)).rejects.toMatchObject({
      name: "Failure",
      message: expect.stringMatching(`^another build was published .* stays active: build again`),
    });
    await expectActive(manifestOf(symbol, first, files[0]!));
  });

  it("lets one of many first publications win", async () => {
    const builds = Array.from({ length: 5 }, (_, i) => String(i).repeat(16));
    const files = [file("sopr", "a")];
    const publications = await Promise.all(builds.map(() => begin()));
    const ends = await Promise.allSettled(
      publications.map(async (publication, i) => {
        await publication.putSeries(files);
        await publication.finish(manifestOf(symbol, builds[i]!, files), BUILT);
      }),
    );
    const won = ends.flatMap(({ status }, i) => (status === "fulfilled" ? [builds[i]] : []));
    expect(won).toEqual([(await activeManifest()).build]);
  });

  it("fails with the first put that failed, and leaves what was active", async () => {
    const before = [file("sopr", "a")];
    await publish(BUILD.one, before);
    const failing: ObjectStore = {
      ...store,
      put: (key, bytes, options) =>
        key.startsWith("packs/") ? Promise.reject(new Error("the disk is full")) : store.put(key, bytes, options),
    };
    const files = [file("sopr", "b"), file("volume", "c"), file("num_transfers", "d")];
    await expect(publish(BUILD.two, files, failing)).rejects.toThrow("the disk is full");
    expect((await activeManifest()).build).toBe(BUILD.one);
  });

  it("refuses a symbol that is another contract's", async () => {
    await publish(BUILD.one, [file("sopr", "a")]);
    const asset = { symbol, contract: `0x${"d".repeat(40)}`, chain: "ethereum" };
    await expect(Publication.begin(store, asset)).rejects.toMatchObject({
      name: "Failure",
      message: expect.stringMatching(`^${symbol} is already published for the contract ${CONTRACT} on ethereum: `),
    });
  });

  it.each(["null", "no JSON", '{"schema":0}'])("replaces an active manifest that can't be read: %s", async (text) => {
    await put(currentKey(symbol), bytesOf(text));
    const { previous } = await publish(BUILD.one, [file("sopr", "a")]);
    expect(previous).toBeUndefined();
    expect((await activeManifest()).build).toBe(BUILD.one);
  });
});

it("leaves the catalog's entry where the Worker's list finds it", async () => {
  const s3 = await startS3();
  const store = openR2(BUCKET, s3.environment);
  const manifest = manifestOf("CAT", BUILD.one, []);
  const publication = await Publication.begin(store, manifest);
  await publication.finish(manifest, BUILT);
  const bucket = await s3.miniflare.getR2Bucket("BUCKET");
  const { customMetadata } = (await bucket.head(currentKey("CAT")))!;
  const active = parseManifest(await (await bucket.get(currentKey("CAT")))!.text());
  const { activation, ...entry } = parseCatalogEntry(customMetadata?.catalog)!;
  expect(entry).toEqual(catalogEntry(active));
  expect(activation).toMatchObject({ change: expect.any(Number), nights: [expect.any(Array)] });
  await store.close();
  await s3.close();
});
