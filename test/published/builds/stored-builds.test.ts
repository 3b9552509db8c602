/** Builds listed, rolled back and collected, over made-up manifests: what matters is which objects they refer to. */

import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collect } from "../../../builder/published/builds/collect.ts";
import { formatBuilds, listBuilds } from "../../../builder/published/builds/list-builds.ts";
import { rollback } from "../../../builder/published/builds/rollback.ts";
import { activate, record } from "../../../builder/published/publish/activate.ts";
import { isActiveFormOf } from "../../../builder/published/publish/active-manifest.ts";
import { activations, recordChange } from "../../../builder/published/publish/write-changes.ts";
import { listingProblems } from "../../../builder/store/listing.ts";
import type { ObjectStore } from "../../../builder/store/store.ts";
import { PARQUET_TRAILER_BYTES } from "../../../data-schema/parquet/file-metadata.ts";
import type { ChangeEntry, SeriesChange } from "../../../data-schema/stored/changes.ts";
import {
  buildKey,
  buildPrefix,
  checkpointKey,
  collectionPrefix,
  currentKey,
  seriesKey,
  seriesPrefix,
} from "../../../data-schema/stored/objects.ts";
import {
  catalogEntry,
  MANIFEST_VERSION,
  type Manifest,
  parseCatalogEntry,
  parseManifest,
  references,
  seriesParts,
} from "../../../data-schema/stored.ts";
import { tries } from "../../effort.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { BUILT } from "../publish/built.ts";
import { copyOf } from "../verify/published.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const id = (build: number) => build.toString(16).padStart(16, "0");

const FOOTER = 10;

/** The bytes of an object with a content. */
const bytesOf = (content: string) => new TextEncoder().encode(content.padStart(100 + content.length, "."));
const hashOf = (content: string) => hashOfBytes(bytesOf(content));
const hashOfBytes = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex").slice(0, 32);

/** The contents of all objects, by the hash in their keys. */
const contents = new Map<string, Uint8Array>();

function entryOf(content: string) {
  const bytes = bytesOf(content);
  contents.set(hashOf(content), bytes);
  const footerHash = hashOfBytes(bytes.subarray(-FOOTER - PARQUET_TRAILER_BYTES));
  return { rows: 1, hash: hashOf(content), size: bytes.length, footer: FOOTER, footerHash };
}

const INPUT = { role: "transfers", file: "transfers.csv", sha256: "0".repeat(64), bytes: 10, rows: 1 };

/** A manifest of a build whose day objects have these contents. */
function manifestOf(build: number, days: readonly string[], checkpoint?: string): Manifest {
  const metrics = ["sopr", "volume", "supply"] as const;
  return parseManifest(
    JSON.stringify({
      schema: MANIFEST_VERSION,
      symbol: "SIM",
      name: "Simulated",
      chain: "ethereum",
      contract: `0x${"1".repeat(40)}`,
      decimals: 18,
      maxSupply: "1000",
      balanceUnit: "5e-7",
      asOf: "2024-01-02T00:00:00Z",
      build: id(build),
      created: new Date(Date.UTC(2026, 0, 1) + build).toISOString(),
      engine: "2",
      inputs: [INPUT],
      counts: { transfers: 1, mints: 1, burns: 0 },
      ...(checkpoint && { checkpoint: { hash: entryOf(checkpoint).hash, size: entryOf(checkpoint).size } }),
      resolutions: {
        day: {
          first: 1_704_067_200,
          last: 1_704_067_200,
          periods: [
            {
              name: "all",
              from: 1_704_067_200,
              to: 1_704_153_600,
              metrics: Object.fromEntries(metrics.map((metric, i) => [metric, entryOf(days[i]!)])),
            },
          ],
        },
      },
    }),
  );
}

async function putObjects(store: MemoryStore, manifest: Manifest): Promise<void> {
  for (const { key } of references(manifest)) {
    const [, hash = ""] = key.match(/([0-9a-f]{32})\.parquet$/) ?? [];
    if (!store.objects.has(key)) await store.write(key, contents.get(hash)!);
  }
}

/** Publishes as a build does: the objects, the manifest, and the swap. */
async function publish(store: MemoryStore, manifest: Manifest): Promise<void> {
  await putObjects(store, manifest);
  expect(await publishThrough(store, manifest)).toBe(true);
}

/** @returns false: another build was activated meanwhile */
async function publishThrough(store: ObjectStore, manifest: Manifest): Promise<boolean> {
  const current = await store.get(currentKey("SIM"));
  const bytes = new TextEncoder().encode(JSON.stringify(manifest));
  const recorded = await store.get(buildKey("SIM", manifest.build));
  expect(await record(store, manifest, bytes, recorded?.etag ?? null)).toBe(true);
  const before = current && parseManifest(new TextDecoder().decode(current.bytes));
  const activation = await recordChange(store, manifest, before, false, BUILT);
  return activate(store, manifest, activation, current?.etag ?? null);
}

function activeManifest(store: MemoryStore): Manifest {
  return parseManifest(new TextDecoder().decode(store.objects.get(currentKey("SIM"))!.bytes));
}

function manifestsIn(store: MemoryStore): Manifest[] {
  return [...store.objects]
    .filter(([key]) => key.startsWith(buildPrefix("SIM")))
    .map(([, { bytes }]) => parseManifest(new TextDecoder().decode(bytes)));
}

const gc = (store: MemoryStore, keep: number, minAge = DAY, dryRun = false) =>
  collect(store, "SIM", { keep, minAge, now: new Date(store.now), dryRun });

/** Stores by their number of builds, for each test to begin with a copy: most of a random case would be to publish them. */
const published = [new MemoryStore()];

/** Builds 1 to n, a day apart; each has one object of its own, one that two share, and one that all share. */
async function nights(n: number): Promise<MemoryStore> {
  for (let build = published.length; build <= n; build++) {
    const store = copyOf(published[build - 1]!);
    store.now += DAY;
    await publish(store, manifestOf(build, [`own ${build}`, `pair ${build >> 1}`, "all"], `checkpoint ${build}`));
    published.push(store);
  }
  return copyOf(published[n]!);
}

const builtIn = (store: MemoryStore) =>
  manifestsIn(store)
    .map(({ build }) => Number.parseInt(build, 16))
    .sort();

describe("the list of builds", () => {
  it("has the active one first, and says which can be rolled back to", async () => {
    const store = await nights(3);
    store.objects.delete(seriesKey("SIM", "day", "sopr", "all", hashOf("own 1")));
    expect(formatBuilds(await listBuilds(store, "SIM"))).toBe(
      [
        "build             created               last active           asOf                  engine  objects   MB  state                  changed                 built",
        "0000000000000003  2026-01-01T00:00:00Z  2026-01-04T00:00:00Z  2024-01-02T00:00:00Z  2             4  0.0  active                 2 objects not compared",
        "0000000000000002  2026-01-01T00:00:00Z  2026-01-03T00:00:00Z  2024-01-02T00:00:00Z  2             4  0.0  can be rolled back to  4 objects not compared",
        "0000000000000001  2026-01-01T00:00:00Z  2026-01-02T00:00:00Z  2024-01-02T00:00:00Z  2             4  0.0  lacks 1 object",
      ].join("\n"),
    );
  });

  it("says what the last activation of each build changed", async () => {
    const store = await nights(2);
    // A rollback that never came to its swap.
    const older = { ...manifestOf(1, ["own 1", "pair 0", "all"]) };
    await recordChange(store, older, activeManifest(store), false, { causes: [{ kind: "rollback" }] });
    const builds = await listBuilds(store, "SIM");
    expect(builds.map(({ change }) => [change?.build, change?.n])).toEqual([
      [id(2), 2],
      [id(1), 1],
    ]);

    const changed = (series: SeriesChange[], uncompared = 0, previousBuild: string | null = id(1)) =>
      formatBuilds([{ ...builds[0]!, change: { ...builds[0]!.change!, series, uncompared, previousBuild } }])
        .split("\n")[1]!
        .replace(/^.* active */, "");
    const one: SeriesChange = {
      resolution: "day",
      metric: "sopr",
      first: Date.UTC(2024, 1, 3) / 1000,
      points: 1_200,
      appeared: 0,
      disappeared: 0,
      largest: 0.5,
    };
    expect(changed([])).toBe("nothing");
    expect(changed([one])).toBe("1,200 points of 1 metric from 2024-02-03");
    const hours = { ...one, resolution: "hour", first: one.first - DAY / 1000, points: 34 } as const;
    expect(changed([one, hours, { ...one, metric: "volume" }], 1)).toBe(
      "2,434 points of 2 metrics from 2024-02-02, 1 object not compared",
    );
    // The first build has nothing to be compared with.
    expect(changed([], 0, null)).toBe("");
  });

  it("says how many holders were compared with the chain, if any build knows", async () => {
    const store = await nights(1);
    const checked = { block: 21_000_000, holders: 1_000_000, of: 1_234_567 };
    await publish(store, { ...manifestOf(2, ["own 2", "pair 1", "all"]), checked });
    await publish(store, { ...manifestOf(3, ["own 3", "pair 1", "all"]), checked: { ...checked, of: 1_000_000 } });
    const lines = formatBuilds(await listBuilds(store, "SIM")).split("\n");
    expect(lines[0]).toMatch(/ MB +checked holders {2}state /);
    expect(lines[1]).toMatch(/^0+3 .* 0\.0 +all 1,000,000 {2}active/);
    expect(lines[2]).toMatch(/^0+2 .* 0\.0 {2}1,000,000 of 1,234,567 {2}can be rolled back to/);
    expect(lines[3]).toMatch(/^0+1 .* 0\.0 {26}can be rolled back to/);
  });

  it("names manifests that can't be read", async () => {
    const store = await nights(1);
    await store.write(`${buildPrefix("SIM")}${id(9)}.json`, { schema: 3 });
    await store.write(`${buildPrefix("SIM")}${id(8)}.json`, manifestOf(7, ["a", "b", "c"]));
    const text = formatBuilds(await listBuilds(store, "SIM"));
    expect(text).toMatch(/0{15}9 .*can't be read: the manifest has schema version 3/);
    expect(text).toMatch(/0{15}8 .*can't be read: it is another build's/);
  });
});

describe("rollback", () => {
  it("activates the build, with its catalog entry, and leaves the others as they are", async () => {
    const store = await nights(3);
    store.now += HOUR;
    expect(await rollback(store, "SIM", id(1))).toMatchObject({ manifest: { build: id(1) }, before: id(3) });
    expect(activeManifest(store).build).toBe(id(1));
    const current = store.objects.get(currentKey("SIM"))!;
    const { activation, ...entry } = parseCatalogEntry(current.metadata!.catalog)!;
    expect(entry).toEqual(catalogEntry(activeManifest(store)));
    expect(activation).toMatchObject({ change: 4, nights: expect.any(Array) });
    expect(isActiveFormOf(activeManifest(store), manifestsIn(store)[0])).toBe(true);
    expect(builtIn(store)).toEqual([1, 2, 3]);
    // And forth again.
    await rollback(store, "SIM", id(3));
    expect(activeManifest(store).build).toBe(id(3));
  });

  it("activates a build of version 1 as it was recorded: its readers know no more", async () => {
    const store = await nights(1);
    const old = { ...manifestOf(9, ["a", "b", "c"]), schema: 1 as const, inputs: [INPUT] };
    await putObjects(store, old);
    await store.write(buildKey("SIM", old.build), old);
    await rollback(store, "SIM", old.build);
    expect(JSON.parse(new TextDecoder().decode(store.objects.get(currentKey("SIM"))!.bytes))).toEqual(old);
    expect(isActiveFormOf(activeManifest(store), old)).toBe(true);
  });

  it("takes the first digits, if they tell the build from others", async () => {
    const store = new MemoryStore();
    const builds = [0x1a00, 0x1b00, 0x2000].map((build) => build * 2 ** 24);
    for (const build of builds) await publish(store, manifestOf(build, ["a", "b", String(build)]));
    await expect(rollback(store, "SIM", "0000001")).rejects.toThrow(/SIM has 2 builds that begin with 0000001:/);
    await expect(rollback(store, "SIM", "ff")).rejects.toThrow(/SIM has no build that begins with ff/);
    await rollback(store, "SIM", "0000001A");
    expect(activeManifest(store).build).toBe(id(builds[0]!));
  });

  it.each<[string, (store: MemoryStore) => Promise<unknown> | unknown, RegExp]>([
    ["active", () => {}, /0003 of SIM is already active/],
    [
      "that lacks an object",
      (s) => s.objects.delete(seriesKey("SIM", "day", "sopr", "all", hashOf("own 1"))),
      /not complete: series\/.* is missing/,
    ],
    [
      "with an object of another size",
      (s) => s.write(seriesKey("SIM", "day", "sopr", "all", hashOf("own 1")), "x"),
      /not complete: .* has 1 bytes/,
    ],
    [
      "with an object of other bytes, which a listing does not show",
      (s) => s.write(seriesKey("SIM", "day", "sopr", "all", hashOf("own 1")), bytesOf("own 2")),
      /not complete: series\/.* is damaged: its checksum/,
    ],
    ["that can't be read", (s) => s.write(buildKey("SIM", id(1)), "{"), /can't be read \(the manifest is not JSON\)/],
    [
      "of another contract",
      (s) => s.write(buildKey("SIM", id(1)), { ...manifestOf(1, ["a", "b", "c"]), chain: "other" }),
      /is of the contract/,
    ],
    [
      "when the active manifest can't be read",
      (s) => s.write(currentKey("SIM"), { schema: 3 }),
      /current\/SIM.json in memory can't be read/,
    ],
  ])("refuses one %s, and changes nothing", async (what, change, message) => {
    const store = await nights(3);
    await change(store);
    const before = store.objects.get(currentKey("SIM"));
    await expect(rollback(store, "SIM", what === "active" ? id(3) : id(1))).rejects.toThrow(message);
    expect(store.objects.get(currentKey("SIM"))).toBe(before);
  });

  it("leaves what another build has activated meanwhile", async () => {
    const store = await nights(3);
    const list = store.list.bind(store);
    let came = false;
    // The other build comes once the active manifest has been read.
    store.list = async (prefix) => {
      if (prefix.startsWith("series/") && !came) {
        came = true;
        await publish(store, manifestOf(4, ["x", "y", "z"]));
      }
      return list(prefix);
    };
    await expect(rollback(store, "SIM", id(1))).rejects.toThrow(/was activated meanwhile, and stays active/);
    expect(activeManifest(store).build).toBe(id(4));
  });
});

/** The builds that the log says were activated, the first first. */
async function logged(store: MemoryStore): Promise<string[]> {
  const entries: ChangeEntry[] = [];
  for await (const entry of activations(store, activeManifest(store))) entries.push(entry);
  for (const [i, { previousBuild, n }] of entries.entries()) {
    expect(previousBuild).toBe(entries[i + 1]?.build ?? null);
    expect(n).toBeGreaterThan(entries[i + 1]?.n ?? 0);
  }
  return entries.map(({ build }) => build).reverse();
}

/** A store whose operations come in any order among several callers. */
function scheduled(store: MemoryStore, scheduler: fc.Scheduler): ObjectStore {
  const next = () => scheduler.schedule(Promise.resolve());
  return {
    name: store.name,
    get: (key) => next().then(() => store.get(key)),
    put: (key, bytes, options) => next().then(() => store.put(key, bytes, options)),
    list: (prefix) => next().then(() => store.list(prefix)),
    delete: (keys) => next().then(() => store.delete(keys)),
    close: async () => {},
  };
}

describe("gc beside a rollback", () => {
  it("leaves the build whole that is active in the end, whatever comes first", async () => {
    const ends = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.nat(12), async (scheduler, late) => {
        const store = await nights(4);
        // Leases go by the clock.
        store.now = Date.now();
        const both = scheduled(store, scheduler);
        /** Without a late start, the rollback would hardly ever be the first. */
        const begin = async () => {
          for (let step = 0; step < late; step++) await scheduler.schedule(Promise.resolve());
        };
        const work = Promise.allSettled([
          rollback(both, "SIM", id(1)),
          begin().then(() => collect(both, "SIM", { keep: 0, minAge: DAY, now: new Date(store.now), dryRun: false })),
        ]);
        const [rolledBack, collected] = await scheduler.waitFor(work);
        expect(collected.status).toBe("fulfilled");
        const active = activeManifest(store);
        expect(active.build).toBe(id(rolledBack.status === "fulfilled" ? 1 : 4));
        expect(listingProblems(references(active), await store.list(""))).toEqual([]);
        expect(await store.list(collectionPrefix("SIM"))).toEqual(new Map());
        ends.add(rolledBack.status === "fulfilled" ? "rolled back" : String(rolledBack.reason.message.slice(0, 20)));
      }),
      { numRuns: tries(200) },
    );
    // Each of them has won.
    expect(ends).toContain("rolled back");
    expect(ends.size).toBeGreaterThan(1);
  });

  it("lets no rollback activate a build that it removed while its objects were listed", async () => {
    const store = await nights(4);
    store.now = Date.now();
    let hasCollected = false;
    const disturbed: ObjectStore = {
      name: store.name,
      get: (key) => store.get(key),
      put: (key, bytes, options) => store.put(key, bytes, options),
      async list(prefix) {
        const listed = await store.list(prefix);
        if (!hasCollected && prefix.startsWith(seriesPrefix("SIM"))) {
          hasCollected = true;
          await collect(store, "SIM", { keep: 0, minAge: DAY, now: new Date(store.now), dryRun: false });
        }
        return listed;
      },
      delete: (keys) => store.delete(keys),
      close: async () => {},
    };
    await expect(rollback(disturbed, "SIM", id(1))).rejects.toThrow(
      `Build ${id(1)} of SIM was removed meanwhile: see \`soprano builds SIM\`.`,
    );
    expect(activeManifest(store).build).toBe(id(4));
  });

  it("keeps a rollback from starting while it runs, but not for ever after it was killed", async () => {
    const store = await nights(3);
    store.now = Date.now();
    await store.write(`${collectionPrefix("SIM")}killed.json`, "{}");
    await expect(rollback(store, "SIM", id(1))).rejects.toThrow(
      /^A garbage collection of SIM is running, or was killed: roll back once it has ended, at \d{4}-.*Z at the latest\.$/,
    );
    expect(activeManifest(store).build).toBe(id(3));
    store.objects.get(`${collectionPrefix("SIM")}killed.json`)!.uploaded = new Date(Date.now() - HOUR);
    await rollback(store, "SIM", id(1));
    expect(activeManifest(store).build).toBe(id(1));
    // And the next one removes what it has left.
    await gc(store, 5);
    expect(await store.list(collectionPrefix("SIM"))).toEqual(new Map());
  });
});

describe("the log of changes", () => {
  it("tells what was activated, and nothing else, when builds and a rollback race", async () => {
    const ends = new Set<number>();
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.nat(20), { minLength: 3, maxLength: 3 }),
        async (scheduler, late) => {
          const store = await nights(3);
          store.now = Date.now();
          const before = await logged(store);
          const active = [id(3)];
          const put = store.put.bind(store);
          store.put = async (key, bytes, options) => {
            const isPut = await put(key, bytes, options);
            if (isPut && key === currentKey("SIM")) active.push(activeManifest(store).build);
            return isPut;
          };
          const through = scheduled(store, scheduler);
          const race = async (steps: number, end: () => Promise<unknown>) => {
            for (let step = 0; step < steps; step++) await scheduler.schedule(Promise.resolve());
            return end();
          };
          const built = (build: number) =>
            publishThrough(through, manifestOf(build, [`own ${build}`, "pair 1", "all"]));
          for (const build of [4, 5]) await putObjects(store, manifestOf(build, [`own ${build}`, "pair 1", "all"]));
          await scheduler.waitFor(
            Promise.allSettled([
              race(late[0]!, () => built(4)),
              race(late[1]!, () => built(5)),
              race(late[2]!, () => rollback(through, "SIM", id(1))),
            ]),
          );
          expect(await logged(store)).toEqual([...before, ...active.slice(1)]);
          ends.add(active.length);
        },
      ),
      { numRuns: tries(120) },
    );
    // One of them has won, or several one after the other.
    expect(ends.size).toBeGreaterThan(1);
  });
});

describe("in a bucket that was copied", () => {
  /** The objects of a store, put one after the other in the order of their keys, which says nothing of when they were. */
  function copied(store: MemoryStore): MemoryStore {
    const copy = new MemoryStore();
    copy.now = store.now;
    const sorted = [...store.objects].sort(([a], [b]) => (a > b ? -1 : 1));
    for (const [key, object] of sorted) {
      copy.now += 1000;
      copy.objects.set(key, { ...object, uploaded: new Date(copy.now) });
    }
    return copy;
  }

  it("builds are in the order of the log, and gc keeps those that were active last", async () => {
    const store = await nights(5);
    store.now += HOUR;
    await rollback(store, "SIM", id(2));
    store.now += HOUR;
    await publish(store, manifestOf(6, ["own 6", "pair 3", "all"]));
    // One that was killed before its activation.
    await store.write(buildKey("SIM", id(9)), manifestOf(9, ["own 6", "pair 3", "all"]));
    const order = (builds: Awaited<ReturnType<typeof listBuilds>>) => builds.map(({ build }) => build);
    expect(order(await listBuilds(store, "SIM"))).toEqual([6, 2, 5, 4, 3, 1, 9].map(id));
    const copy = copied(store);
    expect(order(await listBuilds(copy, "SIM"))).toEqual([6, 2, 5, 4, 3, 1, 9].map(id));
    copy.now += 2 * DAY;
    await gc(copy, 2);
    expect(builtIn(copy)).toEqual([2, 5, 6]);
  });

  it("a build whose objects lack their SHA-256 is no target of a rollback", async () => {
    const store = await nights(2);
    const key = seriesKey("SIM", "day", "sopr", "all", hashOf("own 1"));
    store.objects.set(key, { ...store.objects.get(key)!, metadata: {} });
    await expect(rollback(store, "SIM", id(1))).rejects.toThrow(
      /not complete: series\/.* lacks the custom metadata sha256: write it again with `soprano build ASSET\.json --full`/,
    );
    expect(activeManifest(store).build).toBe(id(2));
  });
});

describe("gc", () => {
  it("keeps the active build and so many others, and what they refer to", async () => {
    const store = await nights(8);
    store.now += 2 * DAY;
    expect(await gc(store, 2)).toMatchObject({ builds: [5, 4, 3, 2, 1].map(id) });
    expect(builtIn(store)).toEqual([6, 7, 8]);
    for (const manifest of manifestsIn(store)) {
      expect(listingProblems(references(manifest), await store.list(""))).toEqual([]);
    }
    // 3 of their own, 2 of pairs (3 and 4), 1 of all, 3 checkpoints.
    expect([...store.objects.keys()].filter((key) => /^(series|checkpoints)/.test(key))).toHaveLength(9);
  });

  it("says beforehand what it removes", async () => {
    const store = await nights(8);
    store.now += 2 * DAY;
    const before = new Map(store.objects);
    const said = await gc(store, 1, DAY, true);
    expect(store.objects).toEqual(before);
    expect(await gc(store, 1)).toEqual(said);
    expect(before.size - store.objects.size).toBe(said.builds.length + said.objects.length);
  });

  it("keeps what has not been out of force for long enough, by the next build but one", async () => {
    const store = await nights(8);
    // 8 is active; 7 and 6 were before, perhaps until this moment; 5 until 7 came at the latest, a day ago.
    expect(await gc(store, 0)).toMatchObject({ builds: [5, 4, 3, 2, 1].map(id) });
    store.now += DAY - 1;
    expect(await gc(store, 0)).toMatchObject({ builds: [], waiting: 2 });
    expect(await gc(store, 1, DAY, true)).toMatchObject({ builds: [], waiting: 1 });
    store.now += 1;
    expect(await gc(store, 0)).toMatchObject({ builds: [7, 6].map(id) });
  });

  it("counts a rollback as the time since when the other is out of force", async () => {
    const store = await nights(8);
    store.now += 5 * DAY;
    await rollback(store, "SIM", id(4));
    store.now += HOUR;
    // 8 was active until an hour ago, and by the rule so may 7 have been.
    expect(await gc(store, 0)).toMatchObject({ builds: [6, 5, 3, 2, 1].map(id) });
    expect(activeManifest(store).build).toBe(id(4));
  });

  it("leaves objects of a build that is under way, and takes those of one that never ended", async () => {
    const store = await nights(2);
    await putObjects(store, manifestOf(9, ["half", "done", "all"]));
    store.now += DAY - 1;
    expect(await gc(store, 5)).toEqual({ builds: [], objects: [], waiting: 0 });
    store.now += 1;
    expect((await gc(store, 5)).objects).toHaveLength(2);
  });

  it("leaves a build that is about to be activated", async () => {
    const store = await nights(2);
    store.now += 9 * DAY;
    const next = manifestOf(3, ["new", "pair 1", "all"]);
    await putObjects(store, next);
    await store.write(buildKey("SIM", next.build), next);
    expect((await gc(store, 0)).builds).toEqual([id(1)]);
    expect(listingProblems(references(next), await store.list(""))).toEqual([]);
  });

  it.each<[string, (store: MemoryStore) => Promise<unknown> | unknown, RegExp]>([
    ["is no active manifest", (s) => s.objects.delete(currentKey("SIM")), /SIM is not published/],
    ["is an active one of a newer schema", (s) => s.write(currentKey("SIM"), { schema: 3 }), /can't be read/],
    [
      "is a build of a newer schema",
      (s) => s.write(buildKey("SIM", id(1)), { schema: 3 }),
      /the objects it needs are unknown\. Nothing was removed/,
    ],
  ])("removes nothing when there %s", async (_, change, message) => {
    const store = await nights(8);
    store.now += 9 * DAY;
    await change(store);
    const before = new Map(store.objects);
    await expect(gc(store, 0, 0)).rejects.toThrow(message);
    expect(store.objects).toEqual(before);
  });

  it("takes nothing of other assets", async () => {
    const store = await nights(2);
    store.now += 9 * DAY;
    await store.write("series/SIM2/day/sopr/all.x.parquet", "x");
    await store.write("builds/SIM2/x.json", "x");
    store.now += 9 * DAY;
    await gc(store, 0);
    expect([...store.objects.keys()].filter((key) => key.includes("SIM2"))).toHaveLength(2);
  });
});

// ── Any sequence of builds, rollbacks and collections ──────────────────────────────────────────────────────────────

const content = fc.constantFrom("a", "b", "c", "d", "e", "f");
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("build" as const),
      build: fc.nat(30),
      contents: fc.tuple(content, content, content),
      checkpoint: fc.option(content),
    }),
  },
  // Killed before its manifest is active; or before it is there at all.
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("killed" as const),
      build: fc.nat(30),
      contents: fc.tuple(content, content, content),
      withManifest: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("rollback" as const), index: fc.nat(9) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("gc" as const),
      keep: fc.nat(4),
      minAge: fc.constantFrom(0, HOUR, DAY, 7 * DAY),
      failsAfter: fc.option(fc.nat(6)),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("wait" as const), hours: fc.constantFrom(1, 12, 24, 200) }) },
);

/** The contents of a build depend on its id: the same build twice is the same. */
class Operator {
  readonly store = new MemoryStore();
  readonly known = new Map<number, Manifest>();

  manifest(build: number, contents: readonly string[], checkpoint?: string): Manifest {
    const manifest = this.known.get(build) ?? manifestOf(build, contents, checkpoint);
    this.known.set(build, manifest);
    return manifest;
  }
}

describe("any sequence of builds, rollbacks and collections", () => {
  it("leaves what is active, and every manifest that there is, whole; and keeps as many as it is told", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const operator = new Operator();
        const { store } = operator;
        await publish(store, operator.manifest(0, ["a", "b", "c"]));
        const active = [id(0)];
        for (const step of steps) {
          store.now += 1000;
          const before = activeManifest(store);
          if (step.kind === "wait") store.now += step.hours * HOUR;
          if (step.kind === "build") {
            await publish(store, operator.manifest(step.build, step.contents, step.checkpoint ?? undefined));
          }
          if (step.kind === "killed") {
            const manifest = operator.manifest(step.build, step.contents);
            await putObjects(store, manifest);
            if (step.withManifest) await store.write(buildKey("SIM", manifest.build), manifest);
          }
          if (step.kind === "rollback") {
            const builds = await listBuilds(store, "SIM");
            const { build, isActive, broken } = builds[step.index % builds.length]!;
            if (!isActive) {
              // Whatever is listed is whole, and so can be activated.
              expect(broken).toBe(0);
              await rollback(store, "SIM", build);
              expect(activeManifest(store).build).toBe(build);
            }
          }
          if (step.kind === "gc") {
            const others = builtIn(store).length - 1;
            store.deletesLeft = step.failsAfter ?? Number.POSITIVE_INFINITY;
            const outcome = await gc(store, step.keep, step.minAge).catch((error) => error);
            store.deletesLeft = Number.POSITIVE_INFINITY;
            expect(activeManifest(store)).toEqual(before);
            expect(builtIn(store).length - 1).toBeGreaterThanOrEqual(Math.min(step.keep, others));
            if (!(outcome instanceof Error) && step.minAge === 0) {
              expect(builtIn(store)).toHaveLength(1 + Math.min(step.keep, others));
            }
          }
          const listing = await store.list("");
          for (const manifest of [activeManifest(store), ...manifestsIn(store)]) {
            expect(listingProblems(references(manifest), listing)).toEqual([]);
          }
          expect(references(activeManifest(store), seriesParts(activeManifest(store))).length).toBe(3);
          if (activeManifest(store).build !== before.build) active.push(activeManifest(store).build);
        }
        // No collection takes entries away, nor is a build that was killed among them.
        expect(await logged(store)).toEqual(active);
      }),
      { numRuns: tries(120) },
    );
  });

  it("never takes what was active within the min-age", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const operator = new Operator();
        const { store } = operator;
        /** When each object was last needed by what was active. */
        const needed = new Map<string, number>();
        const note = () => {
          for (const { key } of references(activeManifest(store), seriesParts(activeManifest(store))))
            needed.set(key, store.now);
        };
        await publish(store, operator.manifest(0, ["a", "b", "c"]));
        let killed = false;
        for (const step of steps) {
          note();
          store.now += 1000;
          note();
          if (step.kind === "wait") store.now += step.hours * HOUR;
          note();
          // The rule forgives one build in a row that left its manifest and was never active.
          if (step.kind === "killed" && !killed) {
            killed = true;
            const manifest = operator.manifest(step.build, step.contents);
            await putObjects(store, manifest);
            if (step.withManifest && manifest.build !== activeManifest(store).build) {
              await store.write(buildKey("SIM", manifest.build), manifest);
            }
          }
          if (step.kind === "build") {
            killed = false;
            await publish(store, operator.manifest(step.build, step.contents, step.checkpoint ?? undefined));
          }
          if (step.kind === "rollback") {
            killed = false;
            const others = (await listBuilds(store, "SIM")).filter(({ isActive }) => !isActive);
            if (others.length > 0) await rollback(store, "SIM", others[step.index % others.length]!.build);
          }
          if (step.kind === "gc") {
            const { objects } = await gc(store, step.keep, step.minAge);
            for (const { key } of objects) {
              expect(store.now - (needed.get(key) ?? 0)).toBeGreaterThanOrEqual(step.minAge);
            }
          }
        }
      }),
      { numRuns: tries(120) },
    );
  });
});

it("a checkpoint of a kept build stays, and of others goes", async () => {
  const store = await nights(3);
  store.now += 2 * DAY;
  await gc(store, 1);
  const checkpoints = [...store.objects.keys()].filter((key) => key.startsWith("checkpoints/"));
  expect(checkpoints.sort()).toEqual(
    ["checkpoint 2", "checkpoint 3"].map((text) => checkpointKey("SIM", hashOf(text))),
  );
});
