/** Distributions, as they are published: against the reference, by nights, in small tasks and in stages. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LocalFolder } from "../../../builder/build/folder/local-folder.ts";
import type { TaskSizes } from "../../../builder/build/plan/sizes.ts";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import { decodeSeries } from "../../../builder/published/objects/decode-series.ts";
import { verify } from "../../../builder/published/verify/verify.ts";
import {
  COST_PERCENTILES,
  DISTRIBUTION_NAMES,
  DISTRIBUTION_RESOLUTIONS,
  percentileMetric,
} from "../../../data-schema/registry/distributions.ts";
import { listedDistributions, type Manifest } from "../../../data-schema/stored.ts";
import { timeLimit, tries, untilCovered } from "../../effort.ts";
import { newFolder } from "../../folders.ts";
import { histories } from "../../reference/histories.ts";
import { type Point, reference, type SeriesByKey, type Token, ZERO_ADDRESS } from "../../reference/reference.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import { partIn, unpack } from "../../store/unpacked.ts";
import { activeManifest, runBuild, TokenFolder } from "../checkpoint/nights.ts";
import { firstTime, isBuildable, iso, pricesOf, SMALL_TASKS } from "../checkpoint/random-nights.ts";
import { StagedBuild } from "../run/staged-build.ts";

const TIMEOUT_MS = timeLimit(600_000);

const SMALL = { ...SMALL_TASKS, partitions: () => 4 };

/** A token's files, and builds of it. */
class Built {
  readonly #folder: TokenFolder;
  readonly #token: Token;

  constructor(token: Token) {
    this.#token = token;
    this.#folder = new TokenFolder(token, "TOK");
    this.#folder.prices(pricesOf(token));
    this.#folder.csv("transfers-1.csv", token.transfers);
  }

  /** @returns the path of ASSET.json */
  write(asOf = this.#token.asOf): string {
    return this.#folder.asset({ asOf: iso(asOf), ...(pricesOf(this.#token).length === 0 && { prices: undefined }) });
  }

  async build(store: MemoryStore, { asOf, sizes }: { asOf?: number; sizes?: TaskSizes } = {}) {
    const { start } = await runBuild(store, this.write(asOf), sizes && { sizes });
    return { start, manifest: await activeManifest(store, "TOK") };
  }

  [Symbol.dispose](): void {
    this.#folder.close();
  }
}

/** The points of all distributions, by `<distribution>|<resolution>|<field>:<selector>:<bucket>`. */
async function pointsOf(store: MemoryStore, manifest: Manifest): Promise<SeriesByKey> {
  const series: SeriesByKey = new Map();
  for (const { key, metric, resolution } of listedDistributions(manifest)) {
    for (const { selector, t, v } of decodeSeries((await partIn(store, key))!.bytes)) {
      const name = `${metric}|${resolution}|${selector}`;
      const points = Array.from(t, (time, i): Point => ({ t: time, v: v[i]! }));
      series.set(name, [...(series.get(name) ?? []), ...points]);
    }
  }
  return series;
}

function expectedPoints(token: Token): SeriesByKey {
  const distributions: SeriesByKey = new Map();
  reference({ ...token, prices: pricesOf(token) }, distributions);
  return distributions;
}

/** What a manifest says of the objects of percentiles. */
const percentilesIn = ({ resolutions }: Manifest) =>
  DISTRIBUTION_RESOLUTIONS.flatMap((resolution) =>
    (resolutions[resolution]?.periods ?? []).flatMap(({ metrics }) =>
      COST_PERCENTILES.map((percent) => metrics[percentileMetric(percent)]),
    ),
  );

/** The differences, a line each: counts are the same, tokens and dollars to 1e-9, what is not there is not there. */
function differences(actual: SeriesByKey, expected: SeriesByKey): string[] {
  const names = new Set([...actual.keys(), ...expected.keys()]);
  return [...names].flatMap((name) => {
    const [a, b] = [actual.get(name) ?? [], expected.get(name) ?? []];
    if (a.length !== b.length) return [`${name}: ${a.length} points instead of ${b.length}`];
    const isSame = (x: Point, y: Point) =>
      x.t === y.t && (name.includes("num_addresses") ? x.v === y.v : Math.abs(x.v - y.v) <= 1e-9 * Math.abs(y.v));
    const wrong = a.findIndex((point, i) => !isSame(point, b[i]!));
    return wrong < 0 ? [] : [`${name}: ${JSON.stringify(a[wrong])} instead of ${JSON.stringify(b[wrong])}`];
  });
}

const buildable = histories(30).filter(isBuildable);

/** The example of docs/methodology.md §11. */
function example(): Token {
  const [A, B, C] = ["a", "b", "c"].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string];
  const first = Date.UTC(2024, 0, 1) / 1000;
  const day = (number: number) => first + 86_400 * (number - 1);
  const event = (at: number, block: number, from: string, to: string, value: bigint) => {
    return { block, logIndex: 0, timestamp: day(at) + 3_600 * (block % 24), from, to, value };
  };
  return {
    decimals: 0,
    maxSupply: "1000",
    asOf: day(5),
    transfers: [
      event(1, 1, ZERO_ADDRESS, A, 100n),
      event(2, 2, A, B, 40n),
      event(3, 3, ZERO_ADDRESS, A, 60n),
      event(3, 4, B, C, 40n),
      event(4, 5, C, B, 10n),
    ],
    prices: [1, 2, 4, 4].map((usd, i): [number, number] => [day(i + 1), usd]),
    exchanges: {},
    contracts: [],
  };
}

describe("distributions", () => {
  it("are those of the example", async () => {
    const token = example();
    using built = new Built(token);
    const store = new MemoryStore();
    const { manifest } = await built.build(store);
    const series = await pointsOf(store, manifest);
    const days = (of: string, bucket: string) =>
      series.get(`cost_basis|day|${of}:total:${bucket}`)?.map(({ t, v }) => [(t - token.asOf) / 86_400 + 5, v]);
    const buckets = Object.fromEntries(
      ["k0", "k12", "k15", "k24"].map((bucket) => [
        bucket,
        ["supply", "realised_cap", "num_addresses"].map((of) => days(of, bucket)),
      ]),
    );
    expect(buckets).toEqual({
      k0: [
        [
          [1, 100],
          [2, 60],
        ],
        [
          [1, 100],
          [2, 60],
        ],
        [
          [1, 1],
          [2, 1],
        ],
      ],
      k12: [[[2, 40]], [[2, 80]], [[2, 1]]],
      k15: [
        [
          [3, 120],
          [4, 120],
        ],
        [
          [3, 300],
          [4, 300],
        ],
        [
          [3, 1],
          [4, 1],
        ],
      ],
      k24: [
        [
          [3, 40],
          [4, 40],
        ],
        [
          [3, 160],
          [4, 160],
        ],
        [
          [3, 1],
          [4, 2],
        ],
      ],
    });
    expect([...series.keys()].filter((name) => name.startsWith("cost_basis|day|supply:total"))).toHaveLength(4);
  });

  it(
    "are the reference's, in small tasks",
    async () => {
      let points = 0;
      const property = fc.asyncProperty(buildable, async (token) => {
        using built = new Built(token);
        const store = new MemoryStore();
        const { manifest } = await built.build(store, { sizes: SMALL });
        const series = await pointsOf(store, manifest);
        expect(differences(series, expectedPoints(token))).toEqual([]);
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
    "are the same by nights as by one build, which may have other tasks",
    async () => {
      let resumed = 0;
      const property = fc.asyncProperty(buildable, async (token) => {
        const first = firstTime(token);
        const times = [1, 2, 3, 4].map((i) => Math.floor(first + 1 + ((token.asOf - first - 1) * i) / 4));
        if (times.some((time) => time <= first)) return;
        using built = new Built(token);
        const nightly = new MemoryStore();
        for (const asOf of times) {
          const { start } = await built.build(nightly, { asOf, sizes: SMALL });
          if ("from" in start) resumed++;
        }
        const last = await activeManifest(nightly, "TOK");
        const whole = await built.build(new MemoryStore(), { asOf: times.at(-1)! });
        expect(last.distributions).toEqual(whole.manifest.distributions);
        expect(percentilesIn(last)).toEqual(percentilesIn(whole.manifest));
        expect((await verify(nightly, "TOK", silentProgress())).problems).toEqual([]);
      });
      await untilCovered(
        () => fc.assert(property, { numRuns: tries(1) }),
        () => resumed > 0,
      );
      expect(resumed).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  it(
    "are the same in stages",
    async () => {
      await fc.assert(
        fc.asyncProperty(buildable, async (token) => {
          using built = new Built(token);
          const store = new MemoryStore();
          await built.build(store);
          const folder = newFolder();
          const staged = new StagedBuild((assetPath, use) => use(new LocalFolder(folder, assetPath, true)));
          await staged.all(built.write());
          await staged.expectSame(store);
        }),
        { numRuns: tries(1) },
      );
    },
    TIMEOUT_MS,
  );

  it(
    "are said to be wrong if an object is another one",
    async () => {
      const [token] = fc.sample(
        buildable.filter((token) => expectedPoints(token).size > 30),
        { numRuns: 1, seed: 7 },
      );
      using built = new Built(token!);
      const store = new MemoryStore();
      const { manifest } = await built.build(store);
      await unpack(store);
      const { distributions } = manifest;
      for (const resolution of DISTRIBUTION_RESOLUTIONS) {
        for (const name of DISTRIBUTION_NAMES) {
          const years = distributions![resolution].map((year) => ({
            ...year,
            objects: { ...year.objects, [name]: { rows: 0 as const } },
          }));
          if (years.length === 0) continue;
          const altered = {
            ...manifest,
            created: iso(token!.asOf),
            distributions: { ...distributions!, [resolution]: years },
          };
          await store.write("current/TOK.json", altered);
          const { problems } = await verify(store, "TOK", silentProgress());
          expect(problems.join("\n")).toContain(`${resolution} ${name} of total does not add up to supply`);
          const wrong = `cost_basis_p50 of total does not follow from ${resolution} cost_basis`;
          expect(problems.some((problem) => problem.includes(wrong))).toBe(name === "cost_basis");
        }
      }
    },
    TIMEOUT_MS,
  );
});
