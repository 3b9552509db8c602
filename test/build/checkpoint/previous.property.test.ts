/** What an incremental build needs of the last one is missing or damaged. Each time a full build follows. */

import { describe, expect, it } from "vitest";
import { isActiveFormOf } from "../../../builder/published/publish/active-manifest.ts";
import { buildKey, checkpointKey, currentKey } from "../../../data-schema/stored/objects.ts";
import { parseManifest } from "../../../data-schema/stored.ts";
import { LEAP } from "../../engine/leap-weeks.ts";
import { verifyIn } from "../../published/verify/published.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { unpack } from "../../store/unpacked.ts";
import { activeManifest, runBuild } from "./nights.ts";
import { decoded, encoded, type StoredCheckpoint } from "./stored-checkpoint.ts";
import { BOB, firstNight, newTokenFolder, secondNight, TOKENS, transfer, ZERO } from "./two-nights.ts";

type Change = (night: Awaited<ReturnType<typeof firstNight>>) => Promise<void> | void;

/** What is changed between the nights, what the build says of it, and keys of ASSET.json that change. */
const CHANGES: Record<string, [change: Change, reason: string | RegExp]> = {
  "the checkpoint is missing": [
    async ({ store }) => store.delete([...(await store.list("checkpoints/")).keys()]),
    /^checkpoints\/TOK\/\w+\.parquet is missing$/,
  ],
  "the checkpoint is damaged": [
    async ({ store }) => damage(store, [...(await store.list("checkpoints/")).keys()][0]!),
    /^checkpoints\/TOK\/\w+\.parquet is damaged$/,
  ],
  "the checkpoint can't be read": [
    async ({ store }) => rewriteCheckpoint(store, (stored) => (stored.checkpoint.totals.mints = -1)),
    "the last build's checkpoint is of another version",
  ],
  "the transfers of the open week and month are missing": [
    async ({ store }) => store.delete([...(await store.list("checkpoints/TOK/transfers.")).keys()]),
    /^checkpoints\/TOK\/transfers\.\w+\.parquet is missing$/,
  ],
  "the transfers of the open week and month are damaged": [
    async ({ store }) => damage(store, [...(await store.list("checkpoints/TOK/transfers.")).keys()][0]!),
    /^checkpoints\/TOK\/transfers\.\w+\.parquet is damaged$/,
  ],
  "an open object is damaged": [
    async ({ store }) => damage(store, [...(await store.list("series/TOK/hour/volume/")).keys()][0]!),
    /^series\/TOK\/hour\/volume\/2024\.\w+\.parquet is damaged$/,
  ],
  "an open object of days is damaged": [
    async ({ store }) => damage(store, [...(await store.list("series/TOK/day/supply/")).keys()][0]!),
    /^series\/TOK\/day\/supply\/all\.\w+\.parquet is damaged$/,
  ],
  "the manifest can't be read": [
    ({ store }) => store.write(currentKey("TOK"), "{}"),
    "the last build's manifest is damaged or of another version",
  ],
};

function damage(store: MemoryStore, key: string): Promise<void> {
  return store.write(
    key,
    store.objects.get(key)!.bytes.map((byte, i) => (i === 40 ? byte ^ 1 : byte)),
  );
}

/** Puts another checkpoint in the place of the one that the active manifest names. */
async function rewriteCheckpoint(store: MemoryStore, change: (stored: StoredCheckpoint) => unknown) {
  const current = await store.get(currentKey("TOK"));
  const manifest = JSON.parse(new TextDecoder().decode(current!.bytes));
  const stored = decoded((await store.get(checkpointKey("TOK", manifest.checkpoint.hash)))!.bytes);
  change(stored);
  const bytes = encoded(stored);
  const digest = Buffer.from(await crypto.subtle.digest("SHA-256", bytes.slice()));
  manifest.checkpoint = { hash: digest.toString("hex").slice(0, 32), size: bytes.length };
  await store.write(checkpointKey("TOK", manifest.checkpoint.hash), bytes);
  await store.write(currentKey("TOK"), manifest);
}

describe("a build is a full build when", () => {
  it.each(Object.entries(CHANGES))("%s", async (_, [change, reason]) => {
    const night = await firstNight();
    await unpack(night.store);
    await change(night);
    const { start } = await secondNight(night.store);
    expect("reason" in start && start.reason).toMatch(reason);
  });

  it("an object is gone of a year that is over", async () => {
    const { folder, store } = await firstNight();
    folder.csv("transfers-0.csv", [transfer(-40, ZERO, BOB, TOKENS)]);
    await secondNight(store);
    await unpack(store);
    const [key] = [...(await store.list("series/TOK/hour/inflow_cohort/2023.")).keys()] as [string];
    await store.delete([key]);
    const { start } = await secondNight(store, { asOf: "2024-02-07T00:00:00Z" });
    expect(start).toEqual({ reason: `${key} is missing` });
  });
});

it("a damaged object to which nights add nothing is found and replaced by the first build after the end of a week", async () => {
  const folder = newTokenFolder(LEAP);
  folder.csv("transfers-1.csv", LEAP.transfers);
  folder.prices(LEAP.prices);
  const store = new MemoryStore();
  const night = (asOf: string) => runBuild(store, folder.asset({ asOf }));
  await night("2024-03-01T00:00:00Z");
  await unpack(store);
  const [key] = [...(await store.list("series/TOK/month/volume/")).keys()] as [string];
  const { bytes } = store.objects.get(key)!;
  await damage(store, key);
  // A Saturday: neither a week nor a month has ended since.
  const { start: saturday } = await night("2024-03-02T18:00:00Z");
  expect(saturday).toEqual({ from: Date.UTC(2024, 2, 1) / 1000 });
  expect(await verifyIn(store, "TOK")).toMatchObject({ problems: [expect.stringContaining(`${key} is damaged`)] });
  const { start: tuesday } = await night("2024-03-05T00:00:00Z");
  await unpack(store);
  expect(tuesday).toEqual({ reason: `${key} is damaged` });
  expect(store.objects.get(key)!.bytes).toEqual(bytes);
  expect((await verifyIn(store, "TOK")).problems).toEqual([]);
});

it("a recorded manifest that is lost is told, and written again by a full build", async () => {
  const { store } = await firstNight();
  await secondNight(store);
  const { build } = await activeManifest(store, "TOK");
  for (const lose of [() => store.delete([buildKey("TOK", build)]), () => store.write(buildKey("TOK", build), "{}")]) {
    await lose();
    // Nothing new: the active manifest alone tells, and a build looks no further.
    await secondNight(store);
    expect((await verifyIn(store, "TOK")).problems).toEqual([
      `${buildKey("TOK", build)} is not the same as ${currentKey("TOK")}.`,
    ]);
    await secondNight(store, {}, { full: true });
    const manifestAt = async (key: string) => parseManifest(new TextDecoder().decode((await store.get(key))?.bytes));
    const recorded = await manifestAt(buildKey("TOK", build));
    expect(recorded.inputs.map((input) => "file" in input && input.file)).toContain("transfers-1.csv");
    expect(isActiveFormOf(await manifestAt(currentKey("TOK")), recorded)).toBe(true);
  }
});
