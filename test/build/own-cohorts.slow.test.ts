/** Own cohorts against the reference, as they are published. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeSeries } from "../../builder/published/objects/decode.ts";
import type { ObjectStore } from "../../builder/store/store.ts";
import { listedOwn, listedSeries, type Manifest } from "../../data-schema/manifest.ts";
import { compareSeries } from "../reference/compare.ts";
import { histories } from "../reference/histories.ts";
import { type Point, reference, replayOrder, type SeriesByKey, type Token } from "../reference/reference.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { activeManifest, runBuild, TokenFolder } from "./checkpoint/nights.ts";
import { isBuildable, iso, pricesOf } from "./checkpoint/random-nights.ts";

const TIMEOUT_MS = 600_000;

const STRANGER = `0x${"ee".repeat(20)}`;

/** Addresses of a token, in the order of their first events. */
const addressesOf = (token: Token) => [
  ...new Set(token.transfers.flatMap(({ from, to }) => [from.toLowerCase(), to.toLowerCase()])),
];

/** Some addresses of a token, by the bits of a number; with one that has never held it. */
const pick = (token: Token, bits: number) => [
  STRANGER,
  ...addressesOf(token).filter((address, i) => !/^0x0{40}$/.test(address) && (bits >>> (i % 31)) & 1),
];

type Lists = Record<string, readonly string[]>;

/** Writes the lists, and names them in ASSET.json. */
function writeLists(folder: TokenFolder, lists: Lists): Record<string, string> {
  for (const [name, list] of Object.entries(lists)) {
    folder.write(`list-${name}.csv`, ["note,address", ...list.map((address) => `x,${address}`)].join("\n"));
  }
  return Object.fromEntries(Object.keys(lists).map((name) => [name, `list-${name}.csv`]));
}

async function ownSeries(store: ObjectStore, manifest: Manifest): Promise<SeriesByKey> {
  const series: SeriesByKey = new Map();
  for (const { key, metric: cohort, resolution } of listedOwn(manifest)) {
    const object = await store.get(key);
    for (const { selector: metric, t, v, block } of decodeSeries(object!.bytes)) {
      const name = `${metric}|${resolution}|${cohort}`;
      const points = Array.from(t, (time, i): Point => ({ t: time, v: v[i]!, ...(block && { block: block[i]! }) }));
      series.set(name, [...(series.get(name) ?? []), ...points]);
    }
  }
  return series;
}

const selectors = (lists: Lists) => Object.fromEntries(Object.entries(lists).map(([name, list]) => [`@${name}`, list]));

/** The reference's series of own cohorts. */
function expectedSeries(token: Token, lists: Lists): SeriesByKey {
  const all = reference({ ...token, prices: pricesOf(token), lists: selectors(lists) });
  return new Map([...all].filter(([key]) => key.split("|")[2]!.startsWith("@")));
}

const buildable = histories(30).filter(isBuildable);

describe("own cohorts", () => {
  it(
    "have the reference's series, whatever their lists share",
    async () => {
      let points = 0;
      await fc.assert(
        fc.asyncProperty(buildable, fc.nat(), fc.nat(), async (token, some, others) => {
          const lists = { empty: [], some: pick(token, some), "other_list-2": pick(token, others) };
          const folder = new TokenFolder(token, "TOK");
          try {
            folder.prices(pricesOf(token));
            folder.csv("transfers-1.csv", token.transfers);
            const store = new MemoryStore();
            const cohorts = writeLists(folder, lists);
            const prices = pricesOf(token).length === 0 && { prices: undefined };
            await runBuild(store, folder.asset({ asOf: iso(token.asOf), cohorts, ...prices }));
            const series = await ownSeries(store, await activeManifest(store, "TOK"));
            expect(compareSeries(series, expectedSeries(token, lists))).toEqual([]);
            for (const found of series.values()) points += found.length;
          } finally {
            folder.close();
          }
        }),
        { numRuns: 40 },
      );
      expect(points).toBeGreaterThan(5_000);
    },
    TIMEOUT_MS,
  );

  it(
    "are the same by nights, also of lists that are added and changed on the way, and change no other object",
    async () => {
      let [resumed, only] = [0, 0];
      await fc.assert(
        fc.asyncProperty(buildable, fc.nat(), fc.nat(), fc.nat(), async (token, a, b, c) => {
          const moving = replayOrder(token).filter(({ from, to, value }) => value > 0n && from !== to);
          const first = Math.min(...moving.map(({ timestamp }) => timestamp));
          const times = [1, 2, 3].map((i) => Math.floor(first + 1 + ((token.asOf - first - 1) * i) / 3));
          if (times.some((time) => time <= first)) return;
          const folder = new TokenFolder(token, "TOK");
          try {
            folder.prices(pricesOf(token));
            folder.csv("transfers-1.csv", token.transfers);
            const prices = pricesOf(token).length === 0 && { prices: undefined };
            const nightly = new MemoryStore();
            const build = (store: MemoryStore, asOf: number, lists: Lists) =>
              runBuild(store, folder.asset({ asOf: iso(asOf), cohorts: writeLists(folder, lists), ...prices }));
            const [kept, before, after] = [pick(token, a), pick(token, b), pick(token, c)];
            const nights: Lists[] = [
              { kept, changed: before },
              { kept, changed: before, added: after },
              { kept, changed: after, added: after },
            ];
            for (const [night, lists] of nights.entries()) {
              const { start } = await build(nightly, times[night]!, lists);
              if ("from" in start) resumed++;
            }
            // The same inputs but for the lists.
            const asBefore = await activeManifest(nightly, "TOK");
            const last = { kept: after, changed: after, new: kept };
            const { start } = await build(nightly, times[2]!, last);
            if ("lists" in start) only++;
            const whole = new MemoryStore();
            await build(whole, times[2]!, last);
            const manifest = await activeManifest(nightly, "TOK");
            expect(manifest).toEqual(await activeManifest(whole, "TOK"));
            const keys = (of: Manifest) => [...listedSeries(of)].map(({ key }) => key);
            expect(keys(manifest)).toEqual(keys(asBefore));
            const series = await ownSeries(nightly, manifest);
            expect(compareSeries(series, expectedSeries({ ...token, asOf: times[2]! }, last))).toEqual([]);
          } finally {
            folder.close();
          }
        }),
        { numRuns: 20 },
      );
      expect(resumed).toBeGreaterThan(10);
      expect(only).toBeGreaterThan(10);
    },
    TIMEOUT_MS,
  );
});
