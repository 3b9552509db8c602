/** A full build whose reason is another one, and a part that it would take along is damaged in its pack. */

import { rmSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { simulate } from "../../../builder/demo/simulate/simulate.ts";
import { seriesPrefix } from "../../../data-schema/stored/objects.ts";
import { type Manifest, packOf, partsOf } from "../../../data-schema/stored.ts";
import { newFolder } from "../../folders.ts";
import { copyOf, manifestIn, variant, verifyIn } from "../../published/verify/published.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { runBuild } from "../checkpoint/nights.ts";

const SYMBOL = "SIM";
const folder = newFolder();

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A series in which nothing has happened for a month, and where it lies. */
function quiet(manifest: Manifest): { key: string; pack: string; offset: number } {
  const part = partsOf(manifest).find(({ key }) => key.startsWith(`${seriesPrefix(SYMBOL)}day/minted/`))!;
  const { key: pack, offset } = packOf(manifest, part)!;
  return { key: part.key, pack, offset };
}

it("computes what can't be taken along", async () => {
  const { assetPath } = await simulate({ out: folder, seed: 3, transfers: 1_500, days: 400, symbol: SYMBOL });
  const asset = (asOf: string, more: object = {}) =>
    variant(assetPath, `${asOf}.json`, { resolutions: ["day"], asOf: `${asOf}T00:00:00Z`, ...more });
  const store = new MemoryStore();
  await runBuild(store, asset("2025-11-21"));
  await runBuild(store, asset("2025-11-22"));
  const before = quiet(manifestIn(store, SYMBOL));
  const next = asset("2025-11-23", { maxSupply: "2000000000" });

  const whole = copyOf(store);
  await runBuild(whole, next);
  const taken = quiet(manifestIn(whole, SYMBOL));
  expect(taken.key).toBe(before.key);
  expect(taken.pack).not.toBe(before.pack);

  const { bytes, ...object } = store.objects.get(before.pack)!;
  store.objects.set(before.pack, { ...object, bytes: bytes.with(before.offset, bytes[before.offset]! ^ 1) });
  const { start } = await runBuild(store, next);
  expect(start).toMatchObject({ reason: expect.stringContaining("maxSupply has changed") });
  expect(await verifyIn(store, SYMBOL)).toMatchObject({ problems: [] });
  expect(quiet(manifestIn(store, SYMBOL))).toEqual(taken);
});
