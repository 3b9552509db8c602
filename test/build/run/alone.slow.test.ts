/** Stages as processes of their own, whatever happens between them. */

import { expect, it } from "vitest";
import { LocalFolder } from "../../../builder/build/folder/local-folder.ts";
import { InputFailure } from "../../../builder/lib/failure.ts";
import { scratchFolder } from "../../folders.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { activeManifest, runBuild } from "../checkpoint/nights.ts";
import { ALICE, AS_OF, BOB, EARLY, LATE, newTokenFolder, PRICES, transfer } from "../checkpoint/two-nights.ts";
import { StagedBuild } from "./staged-build.ts";

const newBuild = () => {
  const work = scratchFolder();
  return new StagedBuild((path, use) => use(new LocalFolder(work, path, true)));
};

/** The token on its first night, and what a build of one process publishes of it. */
async function firstNight() {
  const folder = newTokenFolder();
  folder.csv("transfers-1.csv", EARLY);
  folder.prices(PRICES);
  const asset = folder.asset({ asOf: AS_OF.first });
  const whole = new MemoryStore();
  await runBuild(whole, asset);
  return { folder, asset, whole };
}

const packs = (store: MemoryStore) => [...store.objects.keys()].filter((key) => key.startsWith("packs/"));

it("objects that a garbage collection has removed are written again", async () => {
  const { asset, whole } = await firstNight();
  const build = newBuild();
  await build.plan(asset);
  await build.runTasks(asset);
  await build.store.delete(packs(build.store).slice(0, 1));
  await expect(build.finish(asset)).rejects.toThrow("is missing in memory or damaged");
  await build.all(asset);
  await build.expectSame(whole);
});

it("another store gets all objects, by the same work folder", async () => {
  const { asset, whole } = await firstNight();
  const build = newBuild();
  await build.all(asset);
  build.store = new MemoryStore();
  await build.all(asset);
  await build.expectSame(whole);
});

it("a full build repairs objects each time", async () => {
  const { asset, whole } = await firstNight();
  const build = newBuild();
  await build.all(asset);
  for (let time = 0; time < 2; time++) {
    const [key] = packs(build.store);
    const object = build.store.objects.get(key!)!;
    build.store.objects.set(key!, { ...object, bytes: object.bytes.toReversed() });
    await build.all(asset, { full: true });
    await build.expectSame(whole);
  }
});

it("refuses new transfers that lie before the checkpoint, and says what to do", async () => {
  const { folder, asset } = await firstNight();
  const build = newBuild();
  await build.all(asset);
  folder.csv("transfers-2.csv", [{ ...transfer(3, ALICE, BOB, 1n), block: 1031 }, ...LATE]);
  const next = folder.asset({ asOf: AS_OF.second });
  await build.plan(next);
  await expect(build.runTasks(next)).rejects.toThrow(
    `new transfers of 2024-02-02T01:00:00Z lie before the end of the last build's last day: plan the build again, with \`soprano stage plan ${next} --full\`.`,
  );
  const whole = new MemoryStore();
  await runBuild(whole, next);
  await build.all(next, { full: true });
  await build.expectSame(whole);
});

it("refuses a supply far over maxSupply once the transfers are read", async () => {
  const { folder } = await firstNight();
  const asset = folder.asset({ asOf: AS_OF.first, maxSupply: "0.9" });
  const build = newBuild();
  await build.plan(asset, { allowSupply: false });
  const refused = await build.runTasks(asset).catch((error) => error);
  expect(refused).toBeInstanceOf(InputFailure);
  expect(refused.message).toContain('"maxSupply" is 0.9, but the supply was 1,000 on 2024-01-30');
  expect(packs(build.store)).toEqual([]);
  await build.plan(asset);
  await build.runTasks(asset);
  expect((await build.finish(asset))?.details?.input.notices).toHaveLength(1);
});

it("does not replace a build that was activated since the plan", async () => {
  const { folder, asset } = await firstNight();
  const build = newBuild();
  await build.plan(asset);
  await build.runTasks(asset);
  folder.csv("transfers-2.csv", LATE);
  await runBuild(build.store, folder.asset({ asOf: AS_OF.second }));
  const active = await activeManifest(build.store, "TOK");
  await expect(build.finish(asset)).rejects.toThrow("another build was published to memory while this one ran");
  expect(await activeManifest(build.store, "TOK")).toEqual(active);
});
