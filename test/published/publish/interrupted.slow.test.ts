/**
 * Publishing is interrupted at every write: readers see the earlier build or the new one, complete, and the next run
 * completes what was interrupted. disturbed.slow.test.ts kills real processes.
 */

import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { simulate } from "../../../builder/demo/simulate/simulate.ts";
import { rollback } from "../../../builder/published/builds/rollback.ts";
import type { ObjectStore } from "../../../builder/store/store.ts";
import { parseChangeEntry } from "../../../data-schema/stored/changes.ts";
import { buildKey, changeKey, changePrefix, currentKey } from "../../../data-schema/stored/objects.ts";
import { type Manifest, parseCatalogEntry, parseManifest, references } from "../../../data-schema/stored.ts";
import { runBuild } from "../../build/checkpoint/nights.ts";
import { tries } from "../../effort.ts";
import { newFolder } from "../../folders.ts";
import { INTERRUPTIONS, interruptedStore } from "../../store/interrupted-store.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { unpacked } from "../../store/unpacked.ts";
import { copyOf, manifestIn, variant } from "../verify/published.ts";
import { publishMade } from "./publish-made.ts";

const SYMBOL = "SIM";
const folder = newFolder();
const stores = { before: new MemoryStore(), after: new MemoryStore() };
let [early, asset] = ["", ""];

beforeAll(async () => {
  const { assetPath } = await simulate({
    out: join(folder, "token"),
    seed: 11,
    transfers: 1_000,
    days: 90,
    symbol: SYMBOL,
  });
  // One object a metric: as few as there can be, so that a build can be run for each. No week or month ends meanwhile.
  asset = variant(assetPath, "day.json", { resolutions: ["day"], asOf: "2025-12-07T00:00:00Z" });
  early = variant(asset, "early.json", { asOf: "2025-12-02T00:00:00Z" });
  // What a build finds and need not write again is what was put in the last hours.
  stores.before.now = Date.now();
  await runBuild(stores.before, early);
  stores.after = copyOf(stores.before);
  await runBuild(stores.after, asset);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
/** What a store holds, without times; of its log, the entries that count, without their numbers. */
const digestsOf = (store: MemoryStore) =>
  new Map<string, unknown>([
    ...Array.from(store.objects)
      .filter(([key]) => !key.startsWith(changePrefix(SYMBOL)))
      .map(([key, { bytes }]): [string, unknown] => [
        key,
        key === currentKey(SYMBOL) ? undated(manifestIn(store, SYMBOL)) : sha256(bytes),
      ]),
    ["the log", entriesIn(store)],
  ]);

function entriesIn(store: MemoryStore): object[] {
  const entries: object[] = [];
  for (let n: number | null = activationIn(store).change; n !== null; ) {
    const {
      activated: _,
      nights: __,
      known,
      n: ___,
      previous,
      ...entry
    } = entryOf(store.objects.get(changeKey(SYMBOL, n))!.bytes);
    entries.push({ ...entry, known: known!.lines.map(({ build, replaced }) => [build, replaced]) });
    n = previous;
  }
  return entries;
}

const entryOf = (bytes: Uint8Array) => parseChangeEntry(new TextDecoder().decode(bytes));

/** The entry of the active build in the log of changes. */
const entryIn = (store: MemoryStore) =>
  entryOf(store.objects.get(changeKey(SYMBOL, activationIn(store).change))!.bytes);

const activationIn = (store: MemoryStore) =>
  parseCatalogEntry(store.objects.get(currentKey(SYMBOL))!.metadata!.catalog)!.activation!;

const changesIn = ({ objects }: MemoryStore) =>
  [...objects.keys()].filter((key) => key.startsWith(changePrefix(SYMBOL))).length;

/** A manifest but for when it was made. */
const undated = (manifest: Manifest) => ({ ...manifest, created: "" });

/** The active build is one of the two, and all of its objects are there as they were put. */
function expectComplete(store: MemoryStore): void {
  const manifest = manifestIn(store, SYMBOL);
  const whole = [stores.before, stores.after].find((known) => manifestIn(known, SYMBOL).build === manifest.build);
  expect(undated(manifest)).toEqual(undated(manifestIn(whole!, SYMBOL)));
  const broken = references(manifest).filter(
    ({ key }) => !store.objects.has(key) || !key.includes(sha256(store.objects.get(key)!.bytes).slice(0, 32)),
  );
  expect(broken).toEqual([]);
}

/** Publishes the later build. */
async function publish(store: ObjectStore): Promise<void> {
  const { build } = manifestIn(stores.after, SYMBOL);
  const manifest = parseManifest(new TextDecoder().decode(stores.after.objects.get(buildKey(SYMBOL, build))!.bytes));
  const parts = await unpacked(stores.after);
  await publishMade(store, manifest, (key) => parts.objects.get(key)!.bytes, { causes: entryIn(stores.after).causes });
}

/** How many writes a command makes on top of the earlier build. */
async function writesOf(before: MemoryStore, command: (store: ObjectStore) => Promise<unknown>): Promise<number> {
  const store = interruptedStore(copyOf(before));
  await command(store);
  return store.writes;
}

/** What is written after the objects: the build's manifest, the entry of the change, and the active manifest. */
const LAST_WRITES = 3;

/**
 * Objects are written alike, one after the other: each kind of interruption meets its share of them, and with more effort
 * all of them. What comes after them meets every kind.
 */
function interruptedWrites(writes: number, kind: number): number[] {
  const share = Math.max(1, Math.floor(INTERRUPTIONS.length / tries(1)));
  return Array.from({ length: writes }, (_, at) => at).filter(
    (at) => at === 0 || at >= writes - LAST_WRITES - 1 || at % share === kind % share,
  );
}

const KINDS = INTERRUPTIONS.map((interruption, kind) => ({ ...interruption, kind }));

describe.each(KINDS)("a write that is interrupted (done: $isDone, then stops: $stops)", ({ kind, ...interruption }) => {
  it("leaves a complete build, whichever write of a publication it is, and the next run completes it", async () => {
    const writes = await writesOf(stores.before, publish);
    // Every object but weeks and months, which are the same as before, the entry of the change, and the manifest twice.
    const added = references(manifestIn(stores.after, SYMBOL)).filter(({ key }) => !stores.before.objects.has(key));
    expect(writes).toBe(added.length + 3);
    // A pack and the checkpoint.
    expect(added.length).toBe(2);
    const whole = digestsOf(stores.after);
    for (const at of interruptedWrites(writes, kind)) {
      const store = copyOf(stores.before);
      const end = publish(interruptedStore(store, { ...interruption, at }));
      const isActivated = interruption.isDone && at === writes - 1;
      // Only the answer to the last write is lost, so reading shows that it was carried out.
      if (isActivated && !interruption.stops) await end;
      else await expect(end, `write ${at}`).rejects.toThrow();
      expectComplete(store);
      const isActive = manifestIn(store, SYMBOL).build === manifestIn(stores.after, SYMBOL).build;
      expect(isActive).toBe(isActivated);

      // An entry that the attempt has left takes its number.
      const isTaken = changesIn(store) > changesIn(stores.before);
      const again = interruptedStore(store);
      await publish(again);
      // A night does not look for what an attempt before it has put: it puts the same once more.
      expect(again.writes).toBe(isActive ? 2 : writes + Number(isTaken));
      expect(digestsOf(store)).toEqual(whole);
    }
  });

  it("leaves a complete build, whichever write of a rollback it is", async () => {
    const { build } = manifestIn(stores.before, SYMBOL);
    const back = (store: ObjectStore) => rollback(store, SYMBOL, build);
    const writes = await writesOf(stores.after, back);
    const rolledBack = copyOf(stores.after);
    await back(rolledBack);
    const log = [...rolledBack.objects.keys()].filter((key) => key.startsWith(`known/${SYMBOL}/`));
    expect(log.length).toBeGreaterThan(0);
    // What was replaced, the entry of the change, and the manifest twice.
    expect(writes).toBe(log.length + 3);
    for (const at of interruptedWrites(writes, kind)) {
      const store = copyOf(stores.after);
      const end = back(interruptedStore(store, { ...interruption, at }));
      const isActivated = interruption.isDone && at === writes - 1;
      if (isActivated && !interruption.stops) await end;
      else await expect(end).rejects.toThrow();
      expectComplete(store);
      expect(manifestIn(store, SYMBOL).build === build).toBe(isActivated);
    }
  });
});

it("a build that is stopped after few writes, again and again, ends with what an undisturbed one leaves", async () => {
  const store = copyOf(stores.before);
  const writes = await writesOf(stores.before, (to) => runBuild(to, asset));
  // Each run finds what those before it have put, and gets some writes further: one, at the end.
  for (let run = 0, left = writes; left > 1; run++) {
    const at = Math.min(run % 12, left - 2);
    left -= at + 1;
    const stopped = interruptedStore(store, { at, isDone: true, stops: true });
    await expect(runBuild(stopped, asset), `run ${run}`).rejects.toThrow();
    expectComplete(store);
  }
  await runBuild(store, asset);
  expect(undated(manifestIn(store, SYMBOL))).toEqual(undated(manifestIn(stores.after, SYMBOL)));
  const series = (all: MemoryStore) => [...digestsOf(all)].filter(([key]) => !key.endsWith(".json")).sort();
  expect(series(store)).toEqual(series(stores.after));
});
