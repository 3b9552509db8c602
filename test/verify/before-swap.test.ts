/** What a build asks before it puts itself in force. */

import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { simulate } from "../../builder/simulate/simulate.ts";
import { verifyBeforeSwap } from "../../builder/verify/before-swap.ts";
import { listedSeries, type Manifest } from "../../data-schema/manifest.ts";
import type { MetricName } from "../../data-schema/metrics.ts";
import { checkpointKey } from "../../data-schema/objects.ts";
import { MemoryStore } from "../builds/memory-store.ts";
import { newFolder } from "../end-to-end/command-line.ts";
import { buildInto, changeValue, copyOf, keyOf, manifestIn } from "./published.ts";

const folder = newFolder();
const published = new MemoryStore();

beforeAll(async () => {
  await simulate({ out: folder, seed: 3, transfers: 1500, days: 100, symbol: "SIM" });
  await buildInto(published, join(folder, "asset.json"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The bytes of the day objects, as a build has them. */
function daysIn(store: MemoryStore, manifest: Manifest): Map<MetricName, Uint8Array> {
  return new Map(
    [...listedSeries(manifest)]
      .filter(({ resolution }) => resolution === "day")
      .map(({ key, metric }) => [metric, store.objects.get(key)!.bytes]),
  );
}

async function check(store: MemoryStore, change: (manifest: Manifest) => void = () => {}, md5s?: Map<string, string>) {
  const manifest = manifestIn(store, "SIM");
  const days = daysIn(store, manifest);
  change(manifest);
  store.get = (key) => {
    throw new Error(`${key} is read back`);
  };
  await verifyBeforeSwap(store, manifest, days, md5s);
}

it("passes what a build has written, and reads nothing back", async () => {
  await check(copyOf(published));
});

const hour = { resolution: "hour", metric: "volume" } as const;
const key = () => keyOf(manifestIn(published, "SIM"), hour);

it.each<[string, (store: MemoryStore) => unknown, RegExp]>([
  ["an object that is missing", (s) => s.objects.delete(key()), /hour\/volume\/.* is missing/],
  ["an object of another size", (s) => s.write(key(), "x"), /hour\/volume\/.* has 1 bytes/],
  [
    "a day value that breaks an invariant",
    (s) => changeValue(s, "SIM", { resolution: "day", metric: "supply", selector: "users" }),
    /day: supply\(total\) = supply\(users \+ cex \+ sc\) \(rule 1\) does not hold at 1 place/,
  ],
  [
    "a day value that is no number",
    (s) => changeValue(s, "SIM", { resolution: "day", metric: "sopr", selector: "total" }, () => Number.NaN),
    /sopr: total has values that are no numbers/,
  ],
])("refuses %s", async (_, change, message) => {
  const store = copyOf(published);
  await change(store);
  const failure = await check(store).catch((error) => error);
  expect(failure.name).toBe("Failure");
  expect(failure.message).toMatch(
    /^SIM: build [0-9a-f]{16} is not right, and was not published; .* Build again with --full/,
  );
  expect(failure.message).toMatch(message);
});

it("refuses a manifest that contradicts itself", async () => {
  const change = (manifest: Manifest) => {
    manifest.resolutions.hour!.periods[0].name = "1999";
  };
  await expect(check(copyOf(published), change)).rejects.toThrow(/The period hour 1999 begins at/);
});

it("refuses a checkpoint that is missing", async () => {
  const checkpoint = { hash: "0".repeat(32), size: 12 };
  const change = (manifest: Manifest) => {
    manifest.checkpoint = checkpoint;
  };
  const store = copyOf(published);
  await expect(check(store, change)).rejects.toThrow(/checkpoints\/SIM\/0+\.parquet is missing/);
  await store.write(checkpointKey("SIM", checkpoint.hash), new Uint8Array(12));
  await check(store, change);
});

it("refuses bytes that are not those that were written: days always, others where the MD5 is known", async () => {
  for (const place of [hour, { ...hour, resolution: "day" }] as const) {
    const store = copyOf(published);
    const object = keyOf(manifestIn(store, "SIM"), place);
    const bytes = store.objects.get(object)!.bytes;
    const damaged = bytes.slice();
    damaged[50] ^= 1;
    const manifest = manifestIn(store, "SIM");
    const days = daysIn(store, manifest);
    await store.write(object, damaged);
    const md5s = new Map([[object, createHash("md5").update(bytes).digest("hex")]]);
    await expect(verifyBeforeSwap(store, manifest, days, md5s)).rejects.toThrow(/is damaged: its checksum is not what/);
    if (place.resolution === "day") await expect(verifyBeforeSwap(store, manifest, days)).rejects.toThrow(/is damaged/);
  }
});
