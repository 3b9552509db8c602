/** Lots, as they are published: against the reference, by nights, and in stages. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LocalFolder } from "../../../builder/build/folder/local-folder.ts";
import type { TaskSizes } from "../../../builder/build/plan/sizes.ts";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import { decodeSeries } from "../../../builder/published/objects/decode-series.ts";
import { verify } from "../../../builder/published/verify/verify.ts";
import { isLotDistribution, partsOfDistribution } from "../../../data-schema/registry/distributions.ts";
import { LOT_METHODS } from "../../../data-schema/registry/lots.ts";
import { parseChangeEntry } from "../../../data-schema/stored/changes.ts";
import { parseReplaced } from "../../../data-schema/stored/known-log.ts";
import { changeKey, knownKey } from "../../../data-schema/stored/objects.ts";
import { listedDistributions, listedLots, listedSeries, type Manifest } from "../../../data-schema/stored.ts";
import { timeLimit, tries, untilCovered } from "../../effort.ts";
import { newFolder } from "../../folders.ts";
import { compareSeries } from "../../reference/compare.ts";
import { histories } from "../../reference/histories.ts";
import { lotReference, type Method } from "../../reference/lots.ts";
import { type Point, type SeriesByKey, type Token, ZERO_ADDRESS } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { partIn } from "../../store/unpacked.ts";
import { activeManifest, runBuild, TokenFolder } from "../checkpoint/nights.ts";
import { firstTime, isBuildable, iso, pricesOf, SMALL_TASKS } from "../checkpoint/random-nights.ts";
import { StagedBuild } from "../run/staged-build.ts";

const TIMEOUT_MS = timeLimit(600_000);

/** A token's files, and builds of it with lots. */
class LotToken {
  readonly #folder: TokenFolder;
  readonly #token: Token;

  constructor(token: Token) {
    this.#token = token;
    this.#folder = new TokenFolder(token, "TOK");
    this.#folder.prices(pricesOf(token));
    this.#folder.csv("transfers-1.csv", token.transfers);
  }

  /** @returns the path of ASSET.json */
  write(lots: readonly Method[], asOf = this.#token.asOf): string {
    return this.#folder.asset({
      asOf: iso(asOf),
      ...(lots.length > 0 && { lots }),
      ...(pricesOf(this.#token).length === 0 && { prices: undefined }),
    });
  }

  async build(store: MemoryStore, lots: readonly Method[], { asOf, sizes }: { asOf?: number; sizes?: TaskSizes } = {}) {
    const { start } = await runBuild(store, this.write(lots, asOf), sizes && { sizes });
    return { start, manifest: await activeManifest(store, "TOK") };
  }

  [Symbol.dispose](): void {
    this.#folder.close();
  }
}

async function publishedLots(store: MemoryStore, manifest: Manifest): Promise<SeriesByKey> {
  const series: SeriesByKey = new Map();
  for (const { key, resolution } of listedLots(manifest)) {
    const { bytes } = (await partIn(store, key))!;
    for (const { selector: name, t, v, block } of decodeSeries(bytes)) {
      const [metric, selector] = name.split(":");
      const points = Array.from(t, (time, i): Point => ({ t: time, v: v[i]!, ...(block && { block: block[i]! }) }));
      const found = `${metric}|${resolution}|${selector}`;
      series.set(found, [...(series.get(found) ?? []), ...points]);
    }
  }
  return series;
}

/** The points of distributions of lots, by `distribution|resolution|field:selector:bucket`. */
async function publishedDistributions(store: MemoryStore, manifest: Manifest): Promise<SeriesByKey> {
  const series: SeriesByKey = new Map();
  for (const { key, resolution, metric } of listedDistributions(manifest)) {
    if (!isLotDistribution(metric)) continue;
    const { bytes } = (await partIn(store, key))!;
    for (const { selector, t, v } of decodeSeries(bytes)) {
      const found = `${partsOfDistribution(metric).name}|${resolution}|${selector}`;
      const points = Array.from(t, (time, i): Point => ({ t: time, v: v[i]! }));
      series.set(found, [...(series.get(found) ?? []), ...points]);
    }
  }
  return series;
}

/** The keys of which two sets of series differ by more than 1e-9 of a value. */
function differing(one: SeriesByKey, other: SeriesByKey): string[] {
  const isSame = (a: Point[], b: Point[]) =>
    a.length === b.length &&
    a.every(({ t, v }, i) => t === b[i]!.t && Math.abs(v - b[i]!.v) <= 1e-9 * Math.abs(b[i]!.v));
  return [...new Set([...one.keys(), ...other.keys()])].filter(
    (key) => !isSame(one.get(key) ?? [], other.get(key) ?? []),
  );
}

function expectedLots(token: Token, methods: readonly Method[]): { series: SeriesByKey; distributions: SeriesByKey } {
  const priced = { ...token, prices: pricesOf(token) };
  const distributions: SeriesByKey = new Map();
  return {
    series: new Map(methods.flatMap((method) => [...lotReference(priced, method, distributions)])),
    distributions,
  };
}

const buildable = histories(30).filter(isBuildable);

describe("lots", () => {
  it(
    "have the reference's series, by each method",
    async () => {
      let points = 0;
      const property = fc.asyncProperty(
        buildable,
        fc.subarray([...LOT_METHODS], { minLength: 1 }),
        async (token, lots) => {
          using made = new LotToken(token);
          const store = new MemoryStore();
          const { manifest } = await made.build(store, lots, { sizes: SMALL_TASKS });
          const series = await publishedLots(store, manifest);
          const expected = expectedLots(token, lots);
          expect(compareSeries(series, expected.series)).toEqual([]);
          expect(differing(await publishedDistributions(store, manifest), expected.distributions)).toEqual([]);
          expect((await verify(store, "TOK", silentProgress())).problems).toEqual([]);
          for (const found of series.values()) points += found.length;
        },
      );
      await untilCovered(
        () => fc.assert(property, { numRuns: tries(1) }),
        () => points > 1_000,
      );
      expect(points).toBeGreaterThan(1_000);
    },
    TIMEOUT_MS,
  );

  it(
    "are the same by nights, and change no other object",
    async () => {
      let resumed = 0;
      const property = fc.asyncProperty(
        buildable,
        fc.subarray([...LOT_METHODS], { minLength: 1 }),
        async (token, lots) => {
          const first = firstTime(token);
          const times = [1, 2, 3].map((i) => Math.floor(first + 1 + ((token.asOf - first - 1) * i) / 3));
          if (times.some((time) => time <= first)) return;
          using made = new LotToken(token);
          const nightly = new MemoryStore();
          for (const asOf of times) {
            const { start } = await made.build(nightly, lots, { asOf, sizes: SMALL_TASKS });
            if ("from" in start) resumed++;
          }
          const whole = await made.build(new MemoryStore(), lots, { asOf: times[2]! });
          const found = await activeManifest(nightly, "TOK");
          expect(found).toEqual(whole.manifest);
          expect((await verify(nightly, "TOK", silentProgress())).problems).toEqual([]);
          const without = await made.build(new MemoryStore(), [], { asOf: times[2]! });
          const keys = (of: Manifest) => [...listedSeries(of)].map(({ key }) => key);
          expect(keys(found)).toEqual(keys(without.manifest));
          expect([...listedLots(without.manifest)]).toEqual([]);
        },
      );
      await untilCovered(
        () => fc.assert(property, { numRuns: tries(1) }),
        () => resumed > 0,
      );
      expect(resumed).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  it(
    "that another build restates, adds and removes are told by the log of changes, and what was replaced is kept",
    async () => {
      const transfer = (block: number, from: string, to: string, value: bigint) => ({
        ...{ block, logIndex: 0, timestamp: 1_700_000_000 + 86_400 * block, from, to, value },
      });
      const [a, b] = [`0x${"0a".repeat(20)}`, `0x${"0b".repeat(20)}`];
      const token: Token = {
        decimals: 0,
        maxSupply: "1000",
        asOf: 1_700_000_000 + 86_400 * 9,
        transfers: [transfer(1, ZERO_ADDRESS, a, 100n), transfer(2, ZERO_ADDRESS, a, 100n), transfer(4, a, b, 150n)],
        prices: [0, 1, 2, 3, 4].map((day) => [1_700_000_000 + 86_400 * day, 1 + day]),
        exchanges: {},
        contracts: [],
      };
      const store = new MemoryStore();
      using before = new LotToken(token);
      await before.build(store, ["fifo", "hifo"]);
      using after = new LotToken({ ...token, prices: token.prices.map(([t, usd], i) => [t, i === 2 ? 7 : usd]) });
      await after.build(store, ["fifo", "lifo"]);
      const text = (key: string) => new TextDecoder().decode(store.objects.get(key)!.bytes);
      const { series, known } = parseChangeEntry(text(changeKey("TOK", 2)));
      const changed = new Set(series.map(({ metric }) => metric));
      expect([changed.has("sopr"), changed.has("fifo"), changed.has("hifo"), changed.has("lifo")]).toEqual([
        ...[true, true, false, false],
      ]);
      expect(known!.lines.map(({ lots }) => lots)).toEqual([
        ["fifo", "hifo"],
        ["fifo", "lifo"],
      ]);
      const { objects } = parseReplaced(text(knownKey("TOK", known!.lines[1]!.replaced!)));
      const replaced = new Set(objects.map(({ of }) => of));
      expect([replaced.has("fifo"), replaced.has("hifo"), replaced.has("lifo")]).toEqual([true, true, false]);
      expect((await verify(store, "TOK", silentProgress())).problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "are the same in stages, in many small tasks",
    async () => {
      await fc.assert(
        fc.asyncProperty(buildable, async (token) => {
          using made = new LotToken(token);
          const store = new MemoryStore();
          await made.build(store, LOT_METHODS);
          const folder = newFolder();
          const staged = new StagedBuild((assetPath, use) => use(new LocalFolder(folder, assetPath, true)));
          await staged.all(made.write(LOT_METHODS));
          await staged.expectSame(store);
        }),
        { numRuns: tries(1) },
      );
    },
    TIMEOUT_MS,
  );
});
