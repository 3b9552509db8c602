/** A bucket that was copied without custom metadata: `verify` tells, and builds of every kind mend it. */

import { beforeAll, describe, expect, it } from "vitest";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { rollback } from "../../builder/published/builds/rollback.ts";
import { sha256Hex } from "../../builder/store/stored-content.ts";
import { METADATA, type MetadataName } from "../../data-schema/stored/metadata.ts";
import { buildKey, currentKey } from "../../data-schema/stored/objects.ts";
import { listedObjects, references } from "../../data-schema/stored.ts";
import { runBuild } from "../build/checkpoint/nights.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { unpack } from "../store/unpacked.ts";
import { copyOf, manifestIn, verifyIn } from "./verify/published.ts";

const asset = "examples/token/asset.json";
/** Nobody writes here. */
const published = new MemoryStore();
/** The as-of of its build, and of one that resumes. */
const [asOf, later] = [Date.UTC(2024, 0, 2) / 1000, Date.UTC(2024, 0, 3) / 1000];

beforeAll(async () => {
  published.now = Date.now();
  await into(published, { asOf });
});

async function into(store: MemoryStore, options: { full?: boolean; asOf?: number }): Promise<string[]> {
  const notes: string[] = [];
  const progress = { ...silentProgress(), note: (line: string) => notes.push(line) };
  await runBuild(store, asset, { progress, ...options });
  return notes;
}

/** What is left of a bucket whose objects lose some of what they carry. */
function without(names: readonly MetadataName[], of: (key: string) => boolean = () => true): MemoryStore {
  const copy = copyOf(published);
  for (const [key, object] of copy.objects) {
    const left = Object.entries(object.metadata).filter(([name]) => !of(key) || !names.some((lost) => lost === name));
    copy.objects.set(key, { ...object, metadata: Object.fromEntries(left) });
  }
  return copy;
}

const NAMES = Object.keys(METADATA) as MetadataName[];
const ADVICE = "as in a bucket that was copied without: write it again with `soprano build ASSET.json --full`.";
/** All but checkpoints, holders and transfers, whose readers have the digests of what they read from the manifest. */
const contentOf = ({ objects }: MemoryStore) =>
  [...objects]
    .filter(([key]) => !/^(checkpoints|holders|transfers)\//.test(key))
    .map(([key, { bytes, metadata }]) => ({ key, sha256: sha256Hex(bytes), metadata }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));

describe("a bucket that was copied without metadata", () => {
  it("is told by verify, once for each kind, with what to do", async () => {
    const { problems } = await verifyIn(without(NAMES), "TINY");
    expect(problems).toHaveLength(NAMES.length);
    expect(problems).toContainEqual(
      expect.stringMatching(
        /^packs\/TINY\/\S+ (and [\d,]+ other objects? lack|lacks) the custom metadata sha256, as in a bucket that was copied without: write it again with `soprano build ASSET\.json --full`\.$/,
      ),
    );
    expect(problems).toContainEqual(
      expect.stringMatching(
        /^current\/TINY\.json lacks the custom metadata catalog, as in .*: write it again with `soprano build ASSET\.json --full`/,
      ),
    );
    expect((await verifyIn(published, "TINY")).problems).toEqual([]);
  });

  it("is mended by a build that finds nothing new, and keeps its log and its bytes", async () => {
    const copy = without(NAMES);
    expect(await into(copy, { asOf })).toEqual([
      expect.stringMatching(/^TINY: [\d,]+ objects lacked the metadata that the Worker reads, as in a copied bucket;/),
    ]);
    expect(contentOf(copy)).toEqual(contentOf(published));
    expect(await into(copy, { asOf })).toEqual([]);
  });

  it("is mended by a build that resumes, with the objects that it takes over", async () => {
    const copy = without(NAMES);
    await into(copy, { asOf: later });
    expect(manifestIn(copy, "TINY").reason).toMatch(/^resumed/);
    expect((await verifyIn(copy, "TINY")).problems).toEqual([]);
  });

  it("is mended where only the active manifest has been written again since", async () => {
    const copy = without(NAMES, (key) => key !== currentKey("TINY"));
    // A build that finds nothing new looks at the active manifest alone.
    expect(await into(copy, { asOf })).toEqual([]);
    await into(copy, { asOf: later });
    expect((await verifyIn(copy, "TINY")).problems).toEqual([]);
  });
});

it("tells and mends single objects: one that lacks each kind, and those that carry another's", async () => {
  const lost = new Map<MetadataName, string>();
  const copy = copyOf(published);
  for (const name of NAMES) {
    const [key, object] = [...copy.objects].find(([key]) => METADATA[name].of(key))!;
    const { [name]: _, ...metadata } = object.metadata;
    copy.objects.set(key, { ...object, metadata });
    lost.set(name, key);
  }
  expect((await verifyIn(copy, "TINY")).problems.sort()).toEqual(
    Array.from(lost, ([name, key]) => `${key} lacks the custom metadata ${name}, ${ADVICE}`).sort(),
  );
  const current = copy.objects.get(currentKey("TINY"))!;
  const before = published.objects.get(currentKey("TINY"))!.metadata;
  const catalog = JSON.stringify({ ...JSON.parse(before.catalog!), build: "f".repeat(16) });
  copy.objects.set(currentKey("TINY"), { ...current, metadata: { ...before, catalog } });
  const series = lost.get("sha256")!;
  copy.objects.set(series, { ...copy.objects.get(series)!, metadata: { sha256: "0".repeat(64) } });
  const { problems } = await verifyIn(copy, "TINY");
  expect(problems).toContain(`${series} lacks the custom metadata sha256, ${ADVICE}`);
  expect(problems).toContainEqual(
    expect.stringMatching(
      /^current\/TINY\.json carries the catalog of build f{16}, but is [0-9a-f]{16}: write it again/,
    ),
  );
  await into(copy, { asOf, full: true });
  expect((await verifyIn(copy, "TINY")).problems).toEqual([]);
});

it("an object of an earlier build that has other bytes is told as damaged", async () => {
  const copy = copyOf(published);
  await into(copy, { asOf: later });
  const listed = new Set(references(manifestIn(copy, "TINY")).map(({ key }) => key));
  const key = [...copy.objects.keys()].find((one) => METADATA.sha256.of(one) && !listed.has(one))!;
  await copy.write(key, "other bytes");
  expect((await verifyIn(copy, "TINY")).problems).toEqual([
    `${key} is damaged: the SHA-256 of its bytes is not the one in its name.`,
  ]);
});

describe("a damaged pack that has lost its metadata", () => {
  /** A bucket after two builds, and the pack that only the earlier one names. */
  async function damaged(): Promise<{ copy: MemoryStore; key: string }> {
    const copy = copyOf(published);
    await into(copy, { asOf: later });
    const listed = new Set(references(manifestIn(copy, "TINY")).map(({ key }) => key));
    const key = [...copy.objects.keys()].find((one) => one.startsWith("packs/") && !listed.has(one))!;
    copy.objects.set(key, { ...copy.objects.get(key)!, bytes: new Uint8Array(9), metadata: {} });
    return { copy, key };
  }

  it("is damaged, if an earlier build names it: no build writes it again", async () => {
    const { copy, key } = await damaged();
    await into(copy, { asOf: later, full: true });
    expect((await verifyIn(copy, "TINY")).problems).toEqual([
      `${key} is damaged: the SHA-256 of its bytes is not the one in its name.`,
    ]);
  });

  it("is no problem, if no build names it", async () => {
    const { copy } = await damaged();
    const { build } = manifestIn(published, "TINY");
    await copy.delete([buildKey("TINY", build)]);
    expect((await verifyIn(copy, "TINY")).problems).toEqual([]);
  });
});

it("a single object is told and mended, though the active build has a part of the same key in a pack", async () => {
  const copy = copyOf(published);
  await unpack(copy);
  const { build } = manifestIn(copy, "TINY");
  const { key } = [...listedObjects(manifestIn(copy, "TINY"))][0]!;
  // A build that finds no active one packs all of its parts.
  await copy.delete([currentKey("TINY")]);
  await into(copy, { asOf: later });
  copy.objects.set(key, { ...copy.objects.get(key)!, metadata: {} });
  expect(manifestIn(copy, "TINY").build).not.toBe(build);
  expect((await verifyIn(copy, "TINY")).problems).toEqual([`${key} lacks the custom metadata sha256, ${ADVICE}`]);
  await into(copy, { asOf: later, full: true });
  expect((await verifyIn(copy, "TINY")).problems).toEqual([]);
  await rollback(copy, "TINY", build);
});

it("a build that is activated while verify reads the one before is no problem", async () => {
  const copy = copyOf(published);
  const get = copy.get.bind(copy);
  let isOver = false;
  copy.get = async (key, range) => {
    const object = await get(key, range);
    if (!key.startsWith("packs/") || isOver) return object;
    isOver = true;
    await into(copy, { asOf: later });
    return object;
  };
  const { build, problems } = await verifyIn(copy, "TINY");
  expect([build, problems]).toEqual([manifestIn(published, "TINY").build, []]);
  expect(manifestIn(copy, "TINY").build).not.toBe(build);
});
