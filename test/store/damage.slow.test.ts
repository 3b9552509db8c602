/** Files of the local store that are damaged behind its back, and what repairs them. */

import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { build } from "../../builder/build/run/build.ts";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import { type Progress, silentProgress } from "../../builder/lib/terminal/progress.ts";
import { rollback } from "../../builder/published/builds/rollback.ts";
import { verify } from "../../builder/published/verify/verify.ts";
import { type LocalState, openLocalState } from "../../builder/store/local/local.ts";
import { buildKey, checkpointKey, currentKey } from "../../data-schema/stored/objects.ts";
import {
  type Manifest,
  packOf,
  parseManifest,
  partsOf,
  references,
  seriesParts,
  unplaced,
} from "../../data-schema/stored.ts";
import { newFolder } from "../folders.ts";
import { variant } from "../published/verify/published.ts";

const folder = newFolder();
const persist = join(folder, "state");
const blobs = join(persist, "v3", "r2", "soprano", "blobs");
let state: LocalState;
let asset = "";
let older = "";

const bytesOf = async (key: string) => (await state.objects.get(key))!.bytes;
const manifestAt = async (key: string): Promise<Manifest> =>
  parseManifest(new TextDecoder().decode(await bytesOf(key)));
const publish = (path: string, full = false) =>
  build(path, state.objects, { threads: 1, progress: silentProgress(), full });

beforeAll(async () => {
  const options = { out: join(folder, "token"), seed: 1, transfers: 1500, days: 60, symbol: "SIM" };
  const { assetPath } = await simulate(options);
  asset = variant(assetPath, "day.json", { resolutions: ["day"] });
  state = await openLocalState(persist);
  older = (await publish(variant(asset, "early.json", { asOf: "2025-12-20T00:00:00Z" }))).build;
  await publish(asset);
});

afterAll(async () => {
  await state.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Damages the files that hold an object: those with its bytes. */
async function damageFiles(key: string, damage: (path: string) => void): Promise<void> {
  const bytes = await bytesOf(key);
  const paths = readdirSync(blobs).map((name) => join(blobs, name));
  const found = paths.filter((path) => Buffer.compare(readFileSync(path), bytes) === 0);
  expect(found.length).toBeGreaterThan(0);
  for (const path of found) damage(path);
}

function flipBit(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(path, bytes);
}

it.each<[string, (path: string) => void]>([
  ["have another bit", flipBit],
  ["were cut short", (path) => truncateSync(path, readFileSync(path).length >> 1)],
  ["were emptied", (path) => truncateSync(path)],
  ["are gone", (path) => rmSync(path)],
])("files that %s are reported by verify, and replaced by build --full", async (_, damage) => {
  const manifest = await manifestAt(currentKey("SIM"));
  const { key: series } = packOf(manifest, seriesParts(manifest)[0]!)!;
  const inPack = partsOf(manifest).filter((part) => packOf(manifest, part)?.key === series);
  const checkpoint = checkpointKey("SIM", manifest.checkpoint!.hash);
  for (const key of [series, checkpoint]) await damageFiles(key, damage);
  expect((await verify(state.objects, "SIM", silentProgress())).problems).toEqual([
    `${series} is damaged, since the SHA-256 of its bytes is not the one in its name: ${inPack.length} parts of the build should be in it.`,
    `${checkpoint} is damaged: the next build will be a full one.`,
  ]);
  for (const key of [currentKey("SIM"), buildKey("SIM", manifest.build)]) await damageFiles(key, damage);
  await expect(verify(state.objects, "SIM", silentProgress())).rejects.toThrow(
    /^current\/SIM\.json in .* can't be read \(it is damaged\): write it again with `soprano build ASSET\.json --full`\.$/,
  );
  const repaired = await publish(asset, true);
  // Without the active manifest, packs are cut anew: then others may be the same, or all parts are written.
  expect([inPack.length + 1, partsOf(manifest).length]).toContain(repaired.published.written);
  expect((await verify(state.objects, "SIM", silentProgress())).problems).toEqual([]);
  const undated = { created: "", reason: "" };
  expect({ ...unplaced(await manifestAt(currentKey("SIM"))), ...undated }).toEqual({
    ...unplaced(manifest),
    ...undated,
  });
  expect((await publish(asset, true)).published.written).toBe(0);
});

it("a build fails whose state folder is removed while it runs", async () => {
  const removed = join(folder, "removed");
  const other = await openLocalState(removed);
  const progress: Progress = {
    ...silentProgress(),
    step(title) {
      if (title === "series") rmSync(removed, { recursive: true });
    },
  };
  await expect(build(asset, other.objects, { threads: 1, progress })).rejects.toMatchObject({
    name: "StoreFailure",
    message: `The state folder ${removed} was removed while it was in use: run the command again.`,
  });
  await other.close();
});

it("a rollback does not activate a build with a damaged file, although the listing shows none", async () => {
  const manifest = await manifestAt(currentKey("SIM"));
  const needed = new Set(references(manifest).map(({ key }) => key));
  const own = references(await manifestAt(buildKey("SIM", older))).find(({ key }) => !needed.has(key))!;
  await damageFiles(own.key, flipBit);
  await expect(rollback(state.objects, "SIM", older)).rejects.toThrow(
    new RegExp(`^Build ${older} of SIM is not complete: (series|holders)/SIM/\\S+ is damaged: `),
  );
  expect((await manifestAt(currentKey("SIM"))).build).toBe(manifest.build);
});
