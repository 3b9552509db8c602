/** Own cohorts, as they are published: against the reference, by nights, and in stages. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LocalFolder } from "../../../builder/build/folder/local-folder.ts";
import type { TaskSizes } from "../../../builder/build/plan/sizes.ts";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import { decodeSeries } from "../../../builder/published/objects/decode-series.ts";
import { verify } from "../../../builder/published/verify/verify.ts";
import type { ObjectStore } from "../../../builder/store/store.ts";
import { OWN_METRICS, seriesOf } from "../../../data-schema/registry/metrics.ts";
import { listedOwn, listedSeries, type Manifest, type ManifestObject } from "../../../data-schema/stored.ts";
import { timeLimit, tries, untilCovered } from "../../effort.ts";
import { newFolder } from "../../folders.ts";
import { compareSeries } from "../../reference/compare.ts";
import { histories } from "../../reference/histories.ts";
import { type Point, reference, type SeriesByKey, type Token, ZERO_ADDRESS } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { partIn } from "../../store/unpacked.ts";
import { activeManifest, runBuild, TokenFolder } from "../checkpoint/nights.ts";
import { firstTime, isBuildable, iso, pricesOf, SMALL_TASKS } from "../checkpoint/random-nights.ts";
import { StagedBuild } from "../run/staged-build.ts";

const TIMEOUT_MS = timeLimit(600_000);

const STRANGER = `0x${"ee".repeat(20)}`;

/** Addresses of a token, in the order of their first events. */
const addressesOf = (token: Token) =>
  [...new Set(token.transfers.flatMap(({ from, to }) => [from.toLowerCase(), to.toLowerCase()]))].filter(
    (address) => address !== ZERO_ADDRESS,
  );

/** Some addresses of a token, by the bits of a number; with one that has never held it. */
const pick = (token: Token, bits: number) => [
  STRANGER,
  ...addressesOf(token).filter((_, i) => (bits >>> (i % 31)) & 1),
];

type Lists = Record<string, readonly string[]>;

/** A token's files, and builds of it with own cohorts. */
class ListedToken {
  readonly #folder: TokenFolder;
  readonly #token: Token;

  constructor(token: Token) {
    this.#token = token;
    this.#folder = new TokenFolder(token, "TOK");
    this.#folder.prices(pricesOf(token));
    this.#folder.csv("transfers-1.csv", token.transfers);
  }

  /** @returns the path of ASSET.json */
  write(lists: Lists, asOf = this.#token.asOf): string {
    for (const [name, list] of Object.entries(lists)) {
      this.#folder.write(`list-${name}.csv`, ["note,address", ...list.map((address) => `x,${address}`)].join("\n"));
    }
    return this.#folder.asset({
      asOf: iso(asOf),
      cohorts: Object.fromEntries(Object.keys(lists).map((name) => [name, `list-${name}.csv`])),
      ...(pricesOf(this.#token).length === 0 && { prices: undefined }),
    });
  }

  async build(store: MemoryStore, lists: Lists, { asOf, sizes }: { asOf?: number; sizes?: TaskSizes } = {}) {
    const { start } = await runBuild(store, this.write(lists, asOf), sizes && { sizes });
    return { start, manifest: await activeManifest(store, "TOK") };
  }

  [Symbol.dispose](): void {
    this.#folder.close();
  }
}

/** The points of some objects, by `metric|resolution|selector`. */
async function pointsOf(
  store: ObjectStore,
  objects: Iterable<ManifestObject>,
  nameOf: (object: ManifestObject, selector: string) => string | undefined,
): Promise<SeriesByKey> {
  const series: SeriesByKey = new Map();
  for (const object of objects) {
    const { bytes } = (await partIn(store, object.key))!;
    for (const { selector, t, v, block } of decodeSeries(bytes)) {
      const name = nameOf(object, selector);
      if (name === undefined) continue;
      const points = Array.from(t, (time, i): Point => ({ t: time, v: v[i]!, ...(block && { block: block[i]! }) }));
      series.set(name, [...(series.get(name) ?? []), ...points]);
    }
  }
  return series;
}

const ownSeries = (store: ObjectStore, manifest: Manifest) =>
  pointsOf(store, listedOwn(manifest), ({ metric: cohort, resolution }, metric) => `${metric}|${resolution}|${cohort}`);

/** The reference's series of own cohorts. */
function expectedSeries(token: Token, lists: Lists): SeriesByKey {
  const own = Object.fromEntries(Object.entries(lists).map(([name, list]) => [`@${name}`, list]));
  const all = reference({ ...token, prices: pricesOf(token), lists: own });
  return new Map([...all].filter(([key]) => key.split("|")[2]!.startsWith("@")));
}

const buildable = histories(30).filter(isBuildable);

describe("own cohorts", () => {
  it(
    "have the reference's series, whatever their lists share",
    async () => {
      let points = 0;
      const property = fc.asyncProperty(buildable, fc.nat(), fc.nat(), async (token, some, others) => {
        using listed = new ListedToken(token);
        const lists = { empty: [], some: pick(token, some), "other_list-2": pick(token, others) };
        const store = new MemoryStore();
        const { manifest } = await listed.build(store, lists, { sizes: SMALL_TASKS });
        const series = await ownSeries(store, manifest);
        expect(compareSeries(series, expectedSeries(token, lists))).toEqual([]);
        expect((await verify(store, "TOK", silentProgress())).problems).toEqual([]);
        for (const found of series.values()) points += found.length;
      });
      await untilCovered(
        () => fc.assert(property, { numRuns: tries(1) }),
        () => points > 300,
      );
      expect(points).toBeGreaterThan(300);
    },
    TIMEOUT_MS,
  );

  it(
    "of all addresses have the numbers of total, and of all users those of users, bit for bit",
    async () => {
      await fc.assert(
        fc.asyncProperty(buildable, async (token) => {
          using listed = new ListedToken(token);
          const labels = [token.exchanges, token.deposits ?? {}]
            .flatMap(Object.keys)
            .concat(token.contracts)
            .map((address) => address.toLowerCase());
          const total = addressesOf(token);
          const lists = { total, users: total.filter((address) => !labels.includes(address)) };
          const store = new MemoryStore();
          const { manifest } = await listed.build(store, lists);
          const own = await ownSeries(store, manifest);
          for (const selector of ["total", "users"]) {
            const metrics = OWN_METRICS.filter((metric) => seriesOf(metric).includes(selector)).map(({ name }) => name);
            const isCompared = (name: string) => metrics.some((metric) => name.startsWith(`${metric}|`));
            const expected = await pointsOf(store, listedSeries(manifest), ({ metric, resolution }, found) =>
              found === selector ? `${metric}|${resolution}|@${selector}` : undefined,
            );
            const compared = (series: SeriesByKey) =>
              [...series].filter(([name]) => name.endsWith(`|@${selector}`) && isCompared(name)).sort();
            expect(compared(own)).toEqual(compared(expected));
          }
        }),
        { numRuns: tries(1) },
      );
    },
    TIMEOUT_MS,
  );

  it(
    "are the same by nights, also of lists that are added and changed on the way, and change no other object",
    async () => {
      let [resumed, only] = [0, 0];
      const property = fc.asyncProperty(buildable, fc.nat(), fc.nat(), fc.nat(), async (token, a, b, c) => {
        const first = firstTime(token);
        const times = [1, 2, 3].map((i) => Math.floor(first + 1 + ((token.asOf - first - 1) * i) / 3));
        if (times.some((time) => time <= first)) return;
        using listed = new ListedToken(token);
        const [kept, before, after] = [pick(token, a), pick(token, b), pick(token, c)];
        const nightly = new MemoryStore();
        const nights: Lists[] = [
          { kept, changed: before },
          { kept, changed: before, added: after },
          { kept, changed: after, added: after },
        ];
        for (const [night, lists] of nights.entries()) {
          const { start } = await listed.build(nightly, lists, { asOf: times[night]!, sizes: SMALL_TASKS });
          if ("from" in start) resumed++;
        }
        // The next build has the same inputs but for the lists.
        const asBefore = await activeManifest(nightly, "TOK");
        const last = { kept: after, changed: after, new: kept };
        const { start, manifest } = await listed.build(nightly, last, { asOf: times[2]!, sizes: SMALL_TASKS });
        if ("beside" in start) only++;
        const keys = (of: Manifest) => [...listedSeries(of)].map(({ key }) => key);
        expect(keys(manifest)).toEqual(keys(asBefore));
        const whole = await listed.build(new MemoryStore(), last, { asOf: times[2]! });
        expect(manifest).toEqual(whole.manifest);
        const series = await ownSeries(nightly, manifest);
        expect(compareSeries(series, expectedSeries({ ...token, asOf: times[2]! }, last))).toEqual([]);
        expect((await verify(nightly, "TOK", silentProgress())).problems).toEqual([]);
      });
      await untilCovered(
        () => fc.assert(property, { numRuns: tries(1) }),
        () => resumed > 0 && only > 0,
      );
      expect(resumed).toBeGreaterThan(0);
      expect(only).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  it(
    "are the same in stages, in many small tasks",
    async () => {
      await fc.assert(
        fc.asyncProperty(buildable, fc.nat(), fc.nat(), async (token, some, others) => {
          using listed = new ListedToken(token);
          const lists = { some: pick(token, some), others: pick(token, others) };
          const store = new MemoryStore();
          await listed.build(store, lists);
          const folder = newFolder();
          const staged = new StagedBuild((assetPath, use) => use(new LocalFolder(folder, assetPath, true)));
          await staged.all(listed.write(lists));
          await staged.expectSame(store);
        }),
        { numRuns: tries(1) },
      );
    },
    TIMEOUT_MS,
  );
});
