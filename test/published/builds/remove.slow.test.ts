/** An asset that is removed, or gets another symbol: what the store has of it then, wherever it is interrupted. */

import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { collect } from "../../../builder/published/builds/collect.ts";
import { forgetRemoval, removeAsset } from "../../../builder/published/builds/remove.ts";
import { publishedSymbols } from "../../../builder/published/builds/stored-builds.ts";
import { readRemoval } from "../../../builder/published/publish/removal.ts";
import { newFolder } from "../../folders.ts";
import { INTERRUPTIONS, interruptedStore } from "../../store/interrupted-store.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { buildInto, copyOf, variant } from "../verify/published.ts";

const HOUR = 3_600_000;
const folder = newFolder();
const asset = join(folder, "day.json");
let built: MemoryStore;
let store: MemoryStore;

beforeAll(async () => {
  cpSync("examples/token", folder, { recursive: true });
  variant(join(folder, "asset.json"), "day.json", { resolutions: ["day"] });
  built = new MemoryStore();
  await buildInto(built, variant(asset, "older.json", { asOf: "2024-01-02T00:00:00Z" }));
  await buildInto(built, asset);
  await buildInto(built, variant(asset, "other.json", { symbol: "TINY.X", contract: `0x${"5".repeat(40)}` }));
  for (const symbol of ["TINY", "TINY.X"]) {
    await built.write(`inputs/${symbol}/inputs.json`, "{}");
    await built.write(`inputs/${symbol}/prices.${"0".repeat(32)}.csv`, "x");
    await built.write(`screener/${symbol}.${"0".repeat(32)}.json`, "{}");
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  store = copyOf(built);
});

const OF_TINY = /^\w+\/TINY(\/|\.json|\.removed|\.0)/;
const keysOf = (of: MemoryStore, pattern = OF_TINY) => [...of.objects.keys()].filter((key) => pattern.test(key)).sort();
const parts = (of: MemoryStore) => [...new Set(keysOf(of).map((key) => key.split("/")[0]))];
const others = (of: MemoryStore) => [...of.objects].filter(([key]) => !OF_TINY.test(key));
/** Collects some hours later. */
function gc(of: MemoryStore, hours: number, dryRun = false) {
  of.now = built.now + hours * HOUR;
  return collect(of, "TINY", { keep: 7, minAge: 24 * HOUR, now: new Date(of.now), dryRun });
}
const published = async () => (await publishedSymbols(store)).sort();

describe("an asset that is removed", () => {
  it("has a mark in place of its active manifest; gc removes the rest a day later", async () => {
    const before = others(store);
    const found = await removeAsset(store, "TINY", { inputs: false, history: false });
    expect([found.wasActive, found.builds.length, found.inputs.length]).toEqual([true, 2, 2]);
    expect(await published()).toEqual(["TINY.X"]);
    expect(parts(store)).toEqual([
      "builds",
      "changes",
      "checkpoints",
      "current",
      "holders",
      "inputs",
      "screener",
      "series",
      "transfers",
    ]);
    expect(await gc(store, 23)).toEqual({ builds: [], objects: [], waiting: 2 });
    const dry = await gc(store, 24, true);
    expect(dry.objects.length).toBeGreaterThan(40);
    const collected = await gc(store, 24);
    expect([collected.builds.length, collected.objects]).toEqual([2, dry.objects]);
    expect(parts(store)).toEqual(["changes", "current", "inputs"]);
    expect(keysOf(store, /^current/)).toEqual(["current/TINY.X.json", "current/TINY.removed.json"]);
    expect(others(store)).toEqual(before);
  });

  it("loses its inputs and its history if that is asked", async () => {
    await removeAsset(store, "TINY", { inputs: true, history: true });
    expect(parts(store)).toEqual(["builds", "checkpoints", "current", "holders", "screener", "series", "transfers"]);
  });

  it("is not built again, until that is undone; then it is the same", async () => {
    await removeAsset(store, "TINY", { inputs: false, history: false });
    await expect(buildInto(store, asset)).rejects.toThrow(
      /^TINY was removed from memory on \d{4}-\d\d-\d\d, so nothing is published under it: take its ASSET.json away, or, to publish it again, run `soprano remove TINY --undo` first\.$/,
    );
    await forgetRemoval(store, "TINY");
    await buildInto(store, asset);
    expect(keysOf(store, /^series/)).toEqual(keysOf(built, /^series/));
    await expect(forgetRemoval(store, "TINY")).rejects.toThrow("TINY was not removed from memory.");
  });

  it("may be half gone", async () => {
    for (const gone of [/^current/, /^builds/, /^series\/TINY\/day/, /^(current|builds|series|changes)/]) {
      const half = copyOf(built);
      for (const key of keysOf(half)) if (gone.test(key)) half.objects.delete(key);
      await half.write("builds/TINY/0123456789abcdef.json", "{");
      await removeAsset(half, "TINY", { inputs: true, history: true });
      await gc(half, 24);
      expect(keysOf(half), String(gone)).toEqual(["current/TINY.removed.json"]);
    }
    await expect(removeAsset(store, "NONE", { inputs: true, history: true })).rejects.toThrow(
      "memory has nothing of NONE: current/ there lists the assets.",
    );
  });

  it("is removed by whoever runs it again, wherever it was interrupted", async () => {
    const terms = { inputs: true, history: true };
    for (const how of INTERRUPTIONS) {
      for (let at = 0; at < 5; at++) {
        const one = copyOf(built);
        await removeAsset(interruptedStore(one, { at, ...how }), "TINY", terms).catch(() => {});
        // Whatever was done: it is served whole, or has a mark.
        expect(one.objects.has("current/TINY.json") || one.objects.has("current/TINY.removed.json")).toBe(true);
        await removeAsset(one, "TINY", terms);
        expect(parts(one)).toEqual(["builds", "checkpoints", "current", "holders", "screener", "series", "transfers"]);
        expect(one.objects.has("current/TINY.json")).toBe(false);
      }
    }
  });

  it("stays removed by a first build that runs meanwhile", async () => {
    const other = variant(asset, "new.json", { symbol: "NEW" });
    const put = store.put.bind(store);
    store.put = async (key, ...rest) => {
      if (key.startsWith("builds/NEW/")) await removeAsset(store, "NEW", { inputs: false, history: false });
      return put(key, ...rest);
    };
    await expect(buildInto(store, other)).rejects.toThrow("NEW was removed from memory");
    expect(store.objects.has("current/NEW.json")).toBe(false);
  });
});

describe("an asset with a new symbol", () => {
  const renamed = (was: string[] = ["TINY"]) => variant(asset, "renamed.json", { symbol: "NEW", was });

  it("takes the place of the old one, which leads to it", async () => {
    await buildInto(store, renamed());
    expect(await published()).toEqual(["NEW", "TINY.X"]);
    expect(await readRemoval(store, "TINY")).toMatchObject({ symbol: "TINY", became: "NEW" });
    await expect(buildInto(store, asset)).rejects.toThrow(/^TINY has the symbol NEW since /);
    await gc(store, 24);
    expect(parts(store)).toEqual(["changes", "current", "inputs"]);
  });

  it("may say so later: the build has nothing new, and does it all the same", async () => {
    await buildInto(store, variant(asset, "renamed.json", { symbol: "NEW" }));
    expect(await published()).toEqual(["NEW", "TINY", "TINY.X"]);
    await buildInto(store, renamed());
    expect(await published()).toEqual(["NEW", "TINY.X"]);
    const marks = keysOf(store, /removed/).map((key) => store.objects.get(key)!.etag);
    await buildInto(store, renamed());
    expect(keysOf(store, /removed/).map((key) => store.objects.get(key)!.etag)).toEqual(marks);
    // Removing the old one keeps the way to the new one.
    await removeAsset(store, "TINY", { inputs: true, history: true });
    expect(await readRemoval(store, "TINY")).toMatchObject({ became: "NEW" });
  });

  it("can't have had that of another contract", async () => {
    await expect(buildInto(store, renamed(["TINY.X"]))).rejects.toThrow(
      `NEW: "was" in ASSET.json names TINY.X, which is published for another contract, 0x${"5".repeat(40)} on ethereum: leave it out.`,
    );
  });

  it("keeps its corrected prices and deposit addresses", async () => {
    const name = (symbol: string) => join(folder, `${symbol}.corrections.csv`);
    const text = 'timestamp,price_usd,reason,recorded\n2024-01-01T00:00:00Z,3,"x",2024-02-01T00:00:00Z\n';
    writeFileSync(name("TINY"), text);
    try {
      await buildInto(store, renamed());
      expect(readFileSync(name("NEW"), "utf8")).toBe(text);
      renameSync(name("NEW"), name("TINY"));
    } finally {
      rmSync(name("TINY"), { force: true });
      rmSync(name("NEW"), { force: true });
    }
  });
});

it.each([
  [["NEW"], '"was" names NEW, which is the symbol; leave it out.'],
  [["A", "A"], '"was" names A, which is there twice; leave it out.'],
  [["dog"], '"was[0]" must be a list of 1 to 10 symbols that the asset had before, such as ["DOG"].'],
  [[], '"was" must be a list of 1 to 10 symbols'],
])("was: %j is refused", async (was, sentence) => {
  const path = variant(asset, "wrong.json", { symbol: "NEW", was });
  await expect(buildInto(store, path)).rejects.toThrow(sentence);
});
