import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { bringInputs, saveInputs } from "../../../builder/fetch/kept/bucket.ts";
import { readAsset } from "../../../builder/input/asset/asset.ts";
import { behindBucket } from "../../../builder/input/fetched/bucket-inputs.ts";
import { type Fetched, formatFetched } from "../../../builder/input/fetched/fetched.ts";
import { Failure } from "../../../builder/lib/failure.ts";
import { collect } from "../../../builder/published/builds/collect.ts";
import { openR2 } from "../../../builder/store/r2/r2.ts";
import type { ObjectStore } from "../../../builder/store/store.ts";
import { runBuild } from "../../build/checkpoint/nights.ts";
import { firstNight } from "../../build/checkpoint/two-nights.ts";
import { scratchFolder } from "../../folders.ts";
import { INTERRUPTIONS, interruptedStore } from "../../store/interrupted-store.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { BUCKET, type S3, startS3 } from "../../store/s3.ts";

const HASH = `0x${"12".repeat(32)}`;
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Writes the inputs of a number of nights; `salt` makes another history. */
function fetchTo(folder: string, nights: number, salt = ""): void {
  mkdirSync(join(folder, "transfers"), { recursive: true });
  const files = Array.from({ length: nights }, (_, night): Fetched["files"][number] => {
    const file = `transfers/2026-11-0${night + 1}.parquet`;
    const text = `rows of ${night}${night === 0 ? "" : salt}`;
    writeFileSync(join(folder, file), text);
    return {
      file,
      from: 10 * night,
      to: 10 * night + 9,
      lastHash: HASH,
      rows: 1,
      bytes: text.length,
      sha256: sha256(text),
      source: "rpc",
    };
  });
  for (const name of ["prices", "contracts"]) writeFileSync(join(folder, `${name}.csv`), `${name} ${nights}\n`);
  writeFileSync(join(folder, "exchanges.csv"), "address,exchange,source\n");
  const asOf = new Date(Date.UTC(2026, 10, 1 + nights)).toISOString();
  const fetched: Fetched = {
    schema: 2,
    chainId: 1,
    contract: `0x${"70".repeat(20)}`,
    terms: { events: "erc20" },
    asOf,
    files,
    labels: "none",
  };
  writeFileSync(join(folder, "fetch.json"), formatFetched(fetched));
}

/** Every file of a folder, by name. */
const filesOf = (folder: string) =>
  Object.fromEntries(
    (readdirSync(folder, { recursive: true }) as string[])
      .filter((name) => /\.\w+$/.test(name))
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );

function inputsOf(nights: number, salt?: string): Record<string, string> {
  const folder = scratchFolder();
  fetchTo(folder, nights, salt);
  return filesOf(folder);
}

/** What a machine without inputs gets from the bucket. */
async function broughtFrom(store: ObjectStore): Promise<Record<string, string>> {
  const folder = join(scratchFolder(), "inputs", "HUM");
  mkdirSync(folder, { recursive: true });
  await bringInputs(store, { symbol: "HUM" }, folder);
  return filesOf(folder);
}

/** A bucket after some nights, and the folder that they were saved from. */
async function bucketAfter(nights: number) {
  const store = new MemoryStore();
  const folder = scratchFolder();
  fetchTo(folder, nights);
  await saveInputs(store, "HUM", folder, (await bringInputs(store, { symbol: "HUM" }, folder)).inBucket);
  return { store, folder };
}

it("a machine without inputs gets those that were saved", async () => {
  const { store } = await bucketAfter(3);
  expect(await broughtFrom(store)).toEqual(inputsOf(3));
});

it("an empty bucket brings nothing", async () => {
  const folder = scratchFolder();
  expect(await bringInputs(new MemoryStore(), { symbol: "HUM" }, folder)).toEqual({
    inBucket: { files: [], etag: null },
    brought: { files: 0, bytes: 0 },
    gaveWay: [],
  });
  expect(readdirSync(folder)).toEqual([]);
});

it("a build is told that its inputs end before those of the bucket", async () => {
  const { store } = await bucketAfter(3);
  const folder = scratchFolder();
  const path = join(folder, "HUM.json");
  const source = { chainId: 1, firstBlock: 0, events: "erc20" };
  const contract = `0x${"70".repeat(20)}`;
  writeFileSync(
    path,
    JSON.stringify({ symbol: "HUM", name: "HUM", chain: "ethereum", contract, decimals: 18, maxSupply: "1", source }),
  );
  const asset = await readAsset(path);
  // Nothing has been fetched here: the build says so itself.
  expect(await behindBucket(asset, store)).toBeUndefined();
  fetchTo(join(folder, "inputs", "HUM"), 2);
  expect(await behindBucket(asset, store)).toBe(
    `The inputs here end at 2026-11-03T00:00:00.000Z, those in memory at 2026-11-04T00:00:00.000Z: bring them with \`soprano fetch ${path} --store memory\``,
  );
  expect(await behindBucket(asset, new MemoryStore())).toBeUndefined();
  const { source: _, ...own } = asset;
  expect(await behindBucket(own, store)).toBeUndefined();
  fetchTo(join(folder, "inputs", "HUM"), 4);
  expect(await behindBucket(asset, store)).toBeUndefined();
  // A list that can't be read is what fetch tells.
  fetchTo(join(folder, "inputs", "HUM"), 2);
  await store.write("inputs/HUM/inputs.json", "{");
  expect(await behindBucket(asset, store)).toBeUndefined();
});

it("a night moves only what is new, either way", async () => {
  const { store, folder } = await bucketAfter(2);
  const later = scratchFolder();
  fetchTo(later, 2);
  const { inBucket, brought } = await bringInputs(store, { symbol: "HUM" }, later);
  expect(brought.files).toBe(0);
  fetchTo(later, 3);
  const puts = store.objects.size;
  // A day, prices, contracts and fetch.json; the labels are the same.
  expect((await saveInputs(store, "HUM", later, inBucket)).files).toBe(4);
  expect(store.objects.size).toBe(puts + 4);
  expect((await bringInputs(store, { symbol: "HUM" }, folder)).brought.files).toBe(3);
  expect(filesOf(folder)).toEqual(inputsOf(3));
});

it("nothing new is not written", async () => {
  const { store, folder } = await bucketAfter(2);
  const counting = interruptedStore(store);
  const { inBucket } = await bringInputs(counting, { symbol: "HUM" }, folder);
  expect(await saveInputs(counting, "HUM", folder, inBucket)).toEqual({ files: 0, bytes: 0 });
  expect(counting.writes).toBe(0);
});

it("inputs that could not be saved stay, and are saved the next time", async () => {
  const { store, folder } = await bucketAfter(2);
  fetchTo(folder, 4);
  const { inBucket, brought } = await bringInputs(store, { symbol: "HUM" }, folder);
  expect([brought.files, filesOf(folder)]).toEqual([0, inputsOf(4)]);
  await saveInputs(store, "HUM", folder, inBucket);
  expect(await broughtFrom(store)).toEqual(inputsOf(4));
});

it("of two states of one night, that of the bucket counts", async () => {
  const { store } = await bucketAfter(3);
  const folder = scratchFolder();
  fetchTo(folder, 3, " differ");
  writeFileSync(join(folder, "transfers", "2026-11-09.parquet"), "of a fetch that was killed");
  const { gaveWay } = await bringInputs(store, { symbol: "HUM" }, folder);
  expect(filesOf(folder)).toEqual(inputsOf(3));
  expect(gaveWay).toEqual(["transfers/2026-11-02.parquet", "transfers/2026-11-03.parquet"]);
});

it("what was repaired without the bucket is not lost to it unsaid", async () => {
  const { store } = await bucketAfter(3);
  const folder = scratchFolder();
  const repaired = "transfers/2026-11-02.parquet";
  const repair = (nights: number) => {
    fetchTo(folder, nights, " repaired");
    const record = join(folder, "fetch.json");
    writeFileSync(record, formatFetched({ ...JSON.parse(readFileSync(record, "utf8")), repaired: [repaired] }));
  };
  for (const nights of [2, 3]) {
    repair(nights);
    const before = filesOf(folder);
    await expect(bringInputs(store, { symbol: "HUM" }, folder)).rejects.toThrow(
      new Failure(
        `${join(folder, repaired)} was repaired here, but not in memory, whose file would replace it. Run this again with --repair, which repairs what the bucket has; or remove the folder to take that as it is.`,
      ),
    );
    expect(filesOf(folder)).toEqual(before);
    await bringInputs(store, { symbol: "HUM" }, folder, true);
    expect(filesOf(folder)).toEqual(inputsOf(3));
  }
  // The bucket has the repair, too, and goes on from it.
  repair(3);
  const fixed = new MemoryStore();
  await saveInputs(fixed, "HUM", folder, (await bringInputs(fixed, { symbol: "HUM" }, folder)).inBucket);
  repair(2);
  await bringInputs(fixed, { symbol: "HUM" }, folder);
});

it("inputs that have diverged from the bucket's are refused", async () => {
  const { store } = await bucketAfter(3);
  const folder = scratchFolder();
  fetchTo(folder, 4, " differ");
  await expect(bringInputs(store, { symbol: "HUM" }, folder)).rejects.toThrow(
    new Failure(
      `${folder} and inputs/HUM/ in memory have diverged: the first file that differs is transfers/2026-11-02.parquet. Remove one of them, then fetch again.`,
    ),
  );
});

it("of two machines at once, one is refused and changes nothing", async () => {
  const { store, folder } = await bucketAfter(1);
  const other = scratchFolder();
  const ours = (await bringInputs(store, { symbol: "HUM" }, folder)).inBucket;
  const theirs = (await bringInputs(store, { symbol: "HUM" }, other)).inBucket;
  fetchTo(folder, 2, " differ");
  fetchTo(other, 2);
  await saveInputs(store, "HUM", other, theirs);
  await expect(saveInputs(store, "HUM", folder, ours)).rejects.toThrow(
    "The inputs of HUM in memory were saved by another machine meanwhile. Nothing was changed there; run soprano fetch again.",
  );
  expect(await broughtFrom(store)).toEqual(inputsOf(2));
});

it("a file that is not what fetch.json says is not saved", async () => {
  const { store, folder } = await bucketAfter(1);
  const { inBucket } = await bringInputs(store, { symbol: "HUM" }, folder);
  fetchTo(folder, 2);
  writeFileSync(join(folder, "transfers", "2026-11-02.parquet"), "damaged");
  await expect(saveInputs(store, "HUM", folder, inBucket)).rejects.toThrow("has changed since it was fetched");
  expect(await broughtFrom(store)).toEqual(inputsOf(1));
});

describe("damage in the bucket is refused by name", () => {
  const FILES = ["transfers/2026-11-01.parquet", "prices.csv", "contracts.csv", "exchanges.csv", "fetch.json"];

  it.each([...FILES, "inputs.json"])("%s", async (file) => {
    const { store, folder } = await bucketAfter(1);
    const stem = file.replace(/\.\w+$/, ".");
    const key = [...store.objects.keys()].find((name) => name.startsWith(`inputs/HUM/${stem}`))!;
    await store.write(key, "damaged");
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    await expect(bringInputs(store, { symbol: "HUM" }, folder)).rejects.toThrow(`${key} in memory is damaged`);
    expect(readdirSync(folder)).not.toContain("fetch.json");
    if (file === "inputs.json") return;
    await store.delete([key]);
    await expect(bringInputs(store, { symbol: "HUM" }, folder)).rejects.toThrow(`${key} in memory is missing`);
  });
});

describe("whoever follows the advice of a refusal saves and brings again", () => {
  /** What a fetch does with the bucket. */
  async function sync(store: ObjectStore, folder: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    const { inBucket } = await bringInputs(store, { symbol: "HUM" }, folder);
    if (readdirSync(folder).includes("fetch.json")) await saveInputs(store, "HUM", folder, inBucket);
  }
  const removePrefix = async (store: ObjectStore) => store.delete([...(await store.list("inputs/HUM/")).keys()]);
  const diverged = async () => {
    const { store, folder } = await bucketAfter(3);
    fetchTo(folder, 4, " differ");
    return { store, folder };
  };
  const damaged = async (start: string, isOfThisMachine: boolean) => {
    const { store, folder } = await bucketAfter(3);
    const key = [...store.objects.keys()].find((name) => name.startsWith(`inputs/HUM/${start}`))!;
    const before = store.objects.get(key)!.bytes;
    await store.write(key, "damaged");
    return { store, folder: isOfThisMachine ? folder : scratchFolder(), restore: () => store.write(key, before) };
  };

  it.each<[string, () => Promise<{ store: MemoryStore; folder: string; restore?(): Promise<void> }>, RegExp[]]>([
    ["inputs that have diverged", diverged, [/Remove one of them, then fetch again/]],
    ["a damaged list", () => damaged("inputs.json", true), [/remove inputs\/HUM\/ there and fetch again/]],
    ["a damaged file", () => damaged("transfers", false), [/restore it/, /remove inputs\/HUM\/ there and fetch again/]],
    ["a damaged record", () => damaged("fetch.", true), [/restore it/, /remove inputs\/HUM\/ there and fetch again/]],
  ])("%s", async (_, provoke, says) => {
    const follow: ((scene: Awaited<ReturnType<typeof provoke>>) => unknown)[] = [
      ({ restore, folder }) => (restore ? restore() : rmSync(folder, { recursive: true })),
      ({ store }) => removePrefix(store),
    ];
    for (const way of follow) {
      const scene = await provoke();
      const refusal = await sync(scene.store, scene.folder).then(
        () => "",
        ({ message }: Failure) => message,
      );
      for (const advice of says) expect(refusal).toMatch(advice);
      await way(scene);
      await sync(scene.store, scene.folder);
      await sync(scene.store, scene.folder);
    }
  });
});

it("names in the list can't lead out of the folder", async () => {
  const { store, folder } = await bucketAfter(1);
  const files = [{ file: "../../evil.csv", bytes: 1, sha256: sha256("x") }];
  await store.write("inputs/HUM/inputs.json", { schema: 1, symbol: "HUM", files });
  await expect(bringInputs(store, { symbol: "HUM" }, folder)).rejects.toThrow(
    "inputs/HUM/inputs.json in memory is damaged",
  );
});

it("whoever is killed while saving leaves one state or the other, and the next one saves it", async () => {
  const writes = async () => {
    const { store, folder } = await bucketAfter(1);
    const { inBucket } = await bringInputs(store, { symbol: "HUM" }, folder);
    fetchTo(folder, 3);
    const counting = interruptedStore(store);
    await saveInputs(counting, "HUM", folder, inBucket);
    return counting.writes;
  };
  const [before, after] = [inputsOf(1), inputsOf(3)];
  const last = (await writes()) - 1;
  expect(last).toBeGreaterThan(4);
  for (const interruption of INTERRUPTIONS) {
    for (let at = 0; at <= last; at++) {
      const { store, folder } = await bucketAfter(1);
      const { inBucket } = await bringInputs(store, { symbol: "HUM" }, folder);
      fetchTo(folder, 3);
      await expect(
        saveInputs(interruptedStore(store, { ...interruption, at }), "HUM", folder, inBucket),
      ).rejects.toThrow();
      const isDone = at === last && interruption.isDone;
      expect([at, await broughtFrom(store)]).toEqual([at, isDone ? after : before]);
      await saveInputs(store, "HUM", folder, (await bringInputs(store, { symbol: "HUM" }, folder)).inBucket);
      expect(await broughtFrom(store)).toEqual(after);
    }
  }
});

it("whoever is killed while bringing has the record of before, and the next one brings the rest", async () => {
  const { store } = await bucketAfter(4);
  for (const nights of [0, 2]) {
    for (let reads = 1; ; reads++) {
      const folder = scratchFolder();
      if (nights > 0) fetchTo(folder, nights);
      const before = filesOf(folder)["fetch.json"];
      let left = reads;
      const dying: ObjectStore = {
        ...interruptedStore(store),
        get: async (key) => (left-- > 0 ? store.get(key) : Promise.reject(new Error("killed"))),
      };
      const isDone = await bringInputs(dying, { symbol: "HUM" }, folder).then(
        () => true,
        () => false,
      );
      if (!isDone) expect(filesOf(folder)["fetch.json"]).toBe(before);
      await bringInputs(store, { symbol: "HUM" }, folder);
      expect(filesOf(folder)).toEqual(inputsOf(4));
      if (!isDone) continue;
      expect(reads).toBeGreaterThan(4);
      break;
    }
  }
});

it("what no list names any more goes a day later", async () => {
  const { store, folder } = await bucketAfter(1);
  const night = async (nights: number) => {
    const { inBucket } = await bringInputs(store, { symbol: "HUM" }, folder);
    fetchTo(folder, nights);
    await saveInputs(store, "HUM", folder, inBucket);
    return [...store.objects.keys()].filter((key) => key.includes("prices")).length;
  };
  // The store's clock says January: everything is old.
  expect([await night(2), await night(3), await night(4)]).toEqual([2, 2, 2]);
  store.now = Date.now();
  expect([await night(5), await night(6), await night(7)]).toEqual([2, 2, 3]);
  expect(await broughtFrom(store)).toEqual(inputsOf(7));
});

it("a garbage collection leaves them alone", async () => {
  const { folder, store } = await firstNight();
  await runBuild(store, folder.asset());
  const inputs = scratchFolder();
  fetchTo(inputs, 2);
  await saveInputs(store, "TOK", inputs, (await bringInputs(store, { symbol: "TOK" }, inputs)).inBucket);
  const before = [...(await store.list("inputs/")).keys()];
  await collect(store, "TOK", { keep: 0, minAge: 0, now: new Date(Date.now() + 1e9), dryRun: false });
  expect([...(await store.list("inputs/")).keys()]).toEqual(before);
});

describe("inputs in R2", () => {
  let s3: S3;

  beforeAll(async () => {
    s3 = await startS3();
    return () => s3.close();
  });

  it("come back the same, night after night", async () => {
    const store = openR2(BUCKET, s3.environment);
    try {
      const folder = scratchFolder();
      for (const nights of [1, 2, 4]) {
        const { inBucket } = await bringInputs(store, { symbol: "HUM" }, folder);
        fetchTo(folder, nights);
        await saveInputs(store, "HUM", folder, inBucket);
        expect(await broughtFrom(store)).toEqual(inputsOf(nights));
      }
      const late = (await bringInputs(store, { symbol: "HUM" }, folder)).inBucket;
      fetchTo(folder, 5);
      await saveInputs(store, "HUM", folder, late);
      fetchTo(folder, 6);
      await expect(saveInputs(store, "HUM", folder, late)).rejects.toThrow("saved by another machine meanwhile");
      expect(await broughtFrom(store)).toEqual(inputsOf(5));
    } finally {
      await store.close();
    }
  });
});
