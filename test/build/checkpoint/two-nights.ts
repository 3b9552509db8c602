/** A small token in two nights: what its second build does after something has changed. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import type { BuildReport } from "../../../builder/build/run/build-report.ts";
import type { Token, Transfer } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { unpacked } from "../../store/unpacked.ts";
import { activeManifest, runBuild, TokenFolder } from "./nights.ts";

export const DAY = 86_400;
export const START = Date.UTC(2024, 0, 30) / 1000;
export const ZERO = `0x${"0".repeat(40)}`;
export const [ALICE, BOB, CAROL] = ["a1", "b0", "ca"].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];

/** A transfer on a day, counted from 0, in a block of its own. */
export const transfer = (day: number, from: string, to: string, value: bigint): Transfer => ({
  block: 1000 + 10 * day,
  logIndex: 0,
  timestamp: START + day * DAY + 3_600,
  from,
  to,
  value,
});

export const TOKENS = 10n ** 18n;
export const EARLY = [
  transfer(0, ZERO, ALICE, 1_000n * TOKENS),
  transfer(1, ALICE, BOB, 100n * TOKENS),
  transfer(3, BOB, CAROL, 30n * TOKENS),
  transfer(4, ALICE, CAROL, 5n * TOKENS),
];
export const LATE = [transfer(5, CAROL, ALICE, 4n * TOKENS), transfer(6, ALICE, BOB, 7n * TOKENS)];
export const PRICES: [number, number][] = Array.from({ length: 9 }, (_, day) => [START + day * DAY, 1 + day / 7]);

export const token: Token = {
  decimals: 18,
  maxSupply: "1000000",
  asOf: START + 7 * DAY,
  prices: PRICES,
  exchanges: { [CAROL]: "binance" },
  contracts: [],
  transfers: [...EARLY, ...LATE],
};

export const AS_OF = { first: "2024-02-03T12:00:00Z", second: "2024-02-06T00:00:00Z" };

let folder: TokenFolder | undefined;
afterEach(() => {
  folder?.close();
  folder = undefined;
});

/** A folder without transfers that is removed after the test. */
export function newTokenFolder(of: Token = token): TokenFolder {
  folder = new TokenFolder(of, "TOK");
  return folder;
}

/** Builds by the content of their folders: equal builds are made once. */
const builds = new Map<string, Promise<MemoryStore>>();

/** What a build of the folder publishes to an empty store. */
async function freshBuild(path: string): Promise<MemoryStore> {
  const folder = join(path, "..");
  const content = readdirSync(folder).sort();
  const key = JSON.stringify(content.map((name) => [name, readFileSync(join(folder, name), "latin1")]));
  const build = async () => {
    const store = new MemoryStore();
    await runBuild(store, path);
    return store;
  };
  const made = builds.get(key) ?? build();
  builds.set(key, made);
  const copy = new MemoryStore();
  for (const [key, object] of (await made).objects) copy.objects.set(key, object);
  return copy;
}

/** The token's folder on the second night, and a store with the build of the first. */
export async function firstNight() {
  const folder = newTokenFolder();
  folder.csv("transfers-1.csv", EARLY);
  folder.prices(PRICES.slice(0, 5));
  const store = await freshBuild(folder.asset({ asOf: AS_OF.first }));
  folder.csv("transfers-2.csv", LATE);
  folder.prices(PRICES);
  return { folder, store };
}

/** Builds the second night, and compares what is published with a full build. */
export async function secondNight(
  store: MemoryStore,
  keys: Record<string, unknown> = {},
  options = {},
): Promise<BuildReport> {
  const asset = folder!.asset({ asOf: AS_OF.second, ...keys });
  const report = await runBuild(store, asset, options);
  const whole = await freshBuild(asset);
  expect(await activeManifest(store, "TOK")).toEqual(await activeManifest(whole, "TOK"));
  const [own, other] = await Promise.all([unpacked(store), unpacked(whole)]);
  for (const [key, { bytes }] of other.objects) {
    if (key.startsWith("series/")) expect(Buffer.compare(own.objects.get(key)!.bytes, bytes), key).toBe(0);
  }
  return report;
}
