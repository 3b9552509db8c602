/** `verify` passes what builds publish, and tells every fault that is planted in it. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { simulate } from "../../../builder/demo/simulate/simulate.ts";
import type { Series } from "../../../builder/engine/series.ts";
import {
  EQUATIONS,
  type Equation,
  equationText,
  metricsIn,
} from "../../../builder/published/verify/rules/equations.ts";
import { bySelector, placesIn } from "../../../builder/published/verify/rules/series-columns.ts";
import { daysBetween, solve } from "../../../builder/published/verify/rules/solve.ts";
import { formatVerification } from "../../../builder/published/verify/verify.ts";
import {
  METRICS,
  type Metric,
  type MetricName,
  metricByName,
  v1ResolutionsOf,
} from "../../../data-schema/registry/metrics.ts";
import { type Resolution, V1_RESOLUTIONS } from "../../../data-schema/registry/resolutions.ts";
import { buildKey, currentKey } from "../../../data-schema/stored/objects.ts";
import { isOlderThan, listedObjects, listedSeries, type Manifest } from "../../../data-schema/stored.ts";
import { newFolder } from "../../folders.ts";
import { MemoryStore } from "../../store/memory-store.ts";
import {
  buildInto,
  changeValue,
  copyOf,
  keyOf,
  manifestIn,
  ofVersion1,
  type Place,
  putManifest,
  replaceRuns,
  runsIn,
  variant,
  verifyIn,
} from "./published.ts";

const folder = newFolder();
const asset = join(folder, "asset.json");
/** Nobody writes here: faults are planted in copies. */
const published = new MemoryStore();

beforeAll(async () => {
  await simulate({ out: folder, seed: 7, transfers: 1000, days: 40, symbol: "SIM" });
  // The exchanges' own wallets come first; the rest are deposit addresses.
  const labels = readFileSync(join(folder, "exchanges.csv"), "utf8").split("\n");
  writeFileSync(join(folder, "exchanges.csv"), labels.slice(0, 30).join("\n"));
  writeFileSync(join(folder, "deposits.csv"), [labels[0], ...labels.slice(30)].join("\n"));
  await buildInto(published, variant(asset, "asset.json", { deposits: "deposits.csv" }));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What verify says of a copy in which something was changed. */
async function problemsAfter(change: (store: MemoryStore, manifest: Manifest) => Promise<void> | void) {
  const store = copyOf(published);
  await change(store, manifestIn(store, "SIM"));
  return (await verifyIn(store, "SIM")).problems;
}

/** A manifest like the active one, changed. */
const withManifest = (change: (manifest: Manifest) => void) =>
  problemsAfter(async (store, manifest) => {
    change(manifest);
    await putManifest(store, manifest);
  });

describe("what a build publishes is whole", () => {
  it("of a simulated token, with its points counted", async () => {
    const verification = await verifyIn(published, "SIM");
    expect(verification.problems).toEqual([]);
    expect(verification.history).toBeUndefined();
    const listed = [...listedObjects(manifestIn(published, "SIM"))];
    expect(verification.objects).toBe(listed.length);
    expect(verification.points).toBe(listed.reduce((sum, { entry }) => sum + entry.rows, 0));
    expect(verification.checks).toBeGreaterThan(100_000);
  });

  it("of an earlier engine, without the metrics and cohorts that have come since", async () => {
    const store = copyOf(published);
    const old = { engine: "3" };
    for (const { resolution, metric, period } of listedSeries(manifestIn(store, "SIM"))) {
      if (isOlderThan(old, metric)) continue;
      const index = manifestIn(store, "SIM").resolutions[resolution]!.periods.findIndex(
        ({ name }) => name === period.name,
      );
      await replaceRuns(store, "SIM", { resolution, metric, period: index }, (runs) =>
        runs.filter(({ selector }) => !isOlderThan(old, selector)),
      );
    }
    const manifest = manifestIn(store, "SIM");
    const periods = Object.values(manifest.resolutions).flatMap((one) => one?.periods ?? []);
    for (const { metrics } of periods) {
      for (const name of Object.keys(metrics)) if (isOlderThan(old, name)) delete metrics[name as MetricName];
    }
    await putManifest(store, { ...manifest, ...old });
    const { problems, checks } = await verifyIn(store, "SIM");
    expect(problems).toEqual([]);
    expect(checks).toBeGreaterThan(100_000);
    // In a build of this engine, the same objects are wrong.
    await putManifest(store, manifest);
    expect((await verifyIn(store, "SIM")).problems.join("\n")).toMatch(/does not list minted[\s\S]*rule 12/);
  });

  it("with what was compared with the chain, if anything was", async () => {
    const store = copyOf(published);
    expect(formatVerification(await verifyIn(store, "SIM"))).not.toContain("chain");
    await putManifest(store, {
      ...manifestIn(store, "SIM"),
      checked: { block: 21_000_000, holders: 12_345, of: 1_234_567 },
    });
    const verification = await verifyIn(store, "SIM");
    expect(verification.problems).toEqual([]);
    expect(formatVerification(verification).split("\n")[1]).toBe(
      "  The balances of 12,345 of 1,234,567 holders equal the chain's at block 21,000,000.",
    );
  });

  it.each([
    ["without hours", ["day", "block"]],
    ["without blocks", ["day", "hour"]],
    ["of days alone", ["day"]],
  ])("%s", async (_, resolutions) => {
    const store = new MemoryStore();
    await buildInto(store, variant(asset, "some.json", { resolutions }));
    expect((await verifyIn(store, "SIM")).problems).toEqual([]);
  });

  it("of a token without a complete day", async () => {
    const store = new MemoryStore();
    const { first } = manifestIn(published, "SIM").resolutions.day;
    const asOf = new Date((first! + 86_399) * 1000).toISOString();
    await buildInto(store, variant(asset, "short.json", { asOf }));
    expect(manifestIn(store, "SIM").resolutions.day.last).toBeNull();
    expect((await verifyIn(store, "SIM")).problems).toEqual([]);
  });
});

describe("objects that are not what the manifest says", () => {
  const volume: Place = { resolution: "hour", metric: "volume" };

  it("one that is missing", async () => {
    const key = keyOf(manifestIn(published, "SIM"), volume);
    expect(await problemsAfter((store) => void store.objects.delete(key))).toEqual([`${key} is missing.`]);
  });

  it("one that is listed, and has lost its content", async () => {
    const key = keyOf(manifestIn(published, "SIM"), volume);
    const problems = await problemsAfter((store) => {
      const get = store.get.bind(store);
      store.get = async (asked, range) => (asked === key ? undefined : get(asked, range));
    });
    expect(problems).toEqual([`${key} is listed but can't be read.`]);
  });

  it("one that is cut short", async () => {
    const key = keyOf(manifestIn(published, "SIM"), volume);
    const problems = await problemsAfter((store) => store.write(key, store.objects.get(key)!.bytes.slice(0, -1)));
    expect(problems.join()).toMatch(/has \d+ bytes, but the manifest lists \d+/);
  });

  it("one with another byte", async () => {
    const key = keyOf(manifestIn(published, "SIM"), volume);
    const problems = await problemsAfter((store) => {
      const bytes = store.objects.get(key)!.bytes.slice();
      bytes[100]! ^= 1;
      return store.write(key, bytes);
    });
    expect(problems).toEqual([`${key} is damaged: its checksum is not the one in the manifest.`]);
  });

  it.each([
    ["rows", /has \d+ rows, but the manifest lists \d+/],
    ["footer", /footer has another length/],
    ["footerHash", /footer has another length/],
    ["first", /its first or last t is not/],
    ["last", /its first or last t is not/],
  ] as const)("other %s than the manifest lists", async (field, message) => {
    const problems = await withManifest(({ resolutions }) => {
      const entry = resolutions.hour!.periods[0]!.metrics.volume as unknown as Record<string, number | string>;
      entry[field] = field === "footerHash" ? "0".repeat(32) : Number(entry[field]) + 1;
    });
    expect(problems).toEqual([expect.stringMatching(message)]);
  });

  it("the object of another metric under this one's name", async () => {
    const problems = await problemsAfter(async (store, manifest) => {
      const metrics = manifest.resolutions.day.periods[0]!.metrics;
      const [from, to] = ["cex_inflow", "cex_outflow"] as const;
      const { bytes } = store.objects.get(keyOf(manifest, { resolution: "day", metric: from }))!;
      metrics[to] = metrics[from]!;
      await store.write(keyOf(manifest, { resolution: "day", metric: to }), bytes);
      await putManifest(store, manifest);
    });
    expect(problems.join("\n")).toMatch(/its metric is cex_inflow, but the manifest says cex_outflow/);
  });
});

describe("points that no series has", () => {
  /** Changes the second run of an object: its first is another's whole. */
  const changed = (place: Place, change: (run: Series) => Series) =>
    problemsAfter((store) =>
      replaceRuns(store, "SIM", place, (runs) => runs.map((run, i) => (i === 1 ? change(run) : run))),
    );
  const day: Place = { resolution: "day", metric: "cex_inflow" };
  const block: Place = { resolution: "block", metric: "cex_inflow" };
  const set = (column: Float64Array, i: number, value: number) => {
    column[i] = value;
  };

  it.each<[string, Place, (run: Series) => void, RegExp]>([
    ["a value that is no number", day, ({ v }) => set(v, 3, Number.NaN), /not finite numbers at 1 place/],
    [
      "an infinite one",
      block,
      ({ v }) => set(v, 3, Number.POSITIVE_INFINITY),
      /not finite numbers at 1 place, first in block/,
    ],
    ["a zero in a sum", day, ({ v }) => set(v, 3, 0), /has zeros, which sums must not hold at 1 place/],
    ["a time twice", day, ({ t }) => set(t, 3, t[2]!), /does not ascend at 1 place/],
    ["a time that falls", { resolution: "hour", metric: "volume" }, ({ t }) => set(t, 3, t[1]!), /does not ascend/],
    ["a block twice", block, ({ block }) => set(block!, 3, block![2]!), /does not ascend at 1 place, first in block/],
    ["a block's time that falls", block, ({ t }) => set(t, 3, t[2]! - 1), /does not ascend/],
    ["a time in the middle of a day", day, ({ t }) => set(t, 3, t[3]! + 3600), /not the start of a bucket at 1 place/],
    [
      "a day after the last",
      day,
      ({ t }) => set(t, t.length - 1, t[t.length - 1]! + 86_400 * 999),
      /outside its period/,
    ],
    ["a day before the first", day, ({ t }) => set(t, 0, t[0]! - 86_400 * 999), /outside its period/],
    ["a block after the last", block, ({ block }) => set(block!, block!.length - 1, 2 ** 50), /outside its period/],
    [
      "a year's hour in another's",
      { ...day, resolution: "hour" },
      ({ t }) => set(t, 0, t[0]! - 366 * 86_400),
      /outside its period/,
    ],
  ])("%s", async (_, place, change, message) => {
    const problems = await changed(place, (run) => {
      change(run);
      return run;
    });
    expect(problems.join("\n")).toMatch(message);
  });

  it("half a transfer", async () => {
    const problems = await changed({ resolution: "hour", metric: "num_transfers" }, (run) => {
      run.v[0]! += 0.5;
      return run;
    });
    expect(problems.join("\n")).toMatch(/has counts that are not whole numbers at 1 place/);
  });

  it("a selector that the metric does not have", async () => {
    const problems = await changed(day, (run) => ({ ...run, selector: "mtgox" }));
    expect(problems.join("\n")).toMatch(/mtgox is not a series of cex_inflow/);
  });

  it("selectors in another order than the registry's", async () => {
    const problems = await problemsAfter((store) => replaceRuns(store, "SIM", day, (runs) => runs.reverse()));
    expect(problems.join("\n")).toMatch(/is not in the order of the registry/);
  });
});

describe("manifests that contradict themselves", () => {
  it.each<[string, (manifest: Manifest) => void, RegExp]>([
    [
      "a balance unit of another supply",
      (m) => (m.balanceUnit = "9e9"),
      /balanceUnit 9e9 does not follow from maxSupply/,
    ],
    [
      "a metric that a period leaves out",
      (m) => delete m.resolutions.hour!.periods[0]!.metrics.sopr,
      /does not list sopr/,
    ],
    [
      "a metric that has no hours",
      (m) => (m.resolutions.hour!.periods[0]!.metrics.supply = { rows: 0 }),
      /lists supply/,
    ],
    ["a period of another name", (m) => (m.resolutions.hour!.periods[0]!.name = "1999"), /period hour 1999 begins at/],
    ["days that end too late", (m) => (m.resolutions.day.periods[0]!.to += 86_400), /period day all is not all days/],
    [
      "an as-of time long after the last day",
      (m) => (m.asOf = "2040-01-01T00:00:00Z"),
      /but the last complete one at asOf is 2039-12-31/,
    ],
    [
      "labels that cover something else than the days say",
      (m) => (m.labels!.exchanges!.supplyShare = 0.123456),
      /^The manifest's labels\.exchanges\.supplyShare is 0\.123456, but by its days it is 0\.\d+\.$/m,
    ],
    [
      "an as-of time before the last block",
      (m) => (m.asOf = new Date(m.resolutions.block!.last!.t * 1000).toISOString()),
      /is not before asOf/,
    ],
  ])("%s", async (_, change, message) => {
    expect((await withManifest(change)).join("\n")).toMatch(message);
  });

  it("an active manifest that is not its build's", async () => {
    const problems = await problemsAfter((store, manifest) =>
      store.write(buildKey("SIM", manifest.build), { ...manifest, name: "other" }),
    );
    expect(problems).toEqual([expect.stringMatching(/builds\/SIM\/.* is not the same as current\/SIM.json/)]);
  });

  it.each([
    ["none at all", (store: MemoryStore) => void store.objects.delete(currentKey("SIM")), /is not published/],
    [
      "one of another schema version",
      (store: MemoryStore) => store.write(currentKey("SIM"), { schema: 3 }),
      /schema version 3/,
    ],
  ])("%s is a failure", async (_, change, message) => {
    await expect(problemsAfter(change)).rejects.toThrow(message);
  });

  it("without the weeks that version 2 always has", async () => {
    expect(await withManifest(({ resolutions }) => delete resolutions.week)).toContain(
      "The manifest does not list the resolution week.",
    );
    expect(await withManifest(({ resolutions }) => delete resolutions.day.periods[0]!.metrics.price)).toContain(
      "The period day all does not list price.",
    );
  });

  it("but not one of version 1, which has no weeks, months and prices", async () => {
    expect(await problemsAfter((store, manifest) => putManifest(store, ofVersion1(manifest)))).toEqual([]);
  });

  it("a checkpoint that is missing, or damaged", async () => {
    const checkpoint = { hash: "0123456789abcdef0123456789abcdef", size: 12 };
    const key = `checkpoints/SIM/${checkpoint.hash}.parquet`;
    const store = copyOf(published);
    await putManifest(store, { ...manifestIn(store, "SIM"), checkpoint });
    expect((await verifyIn(store, "SIM")).problems.join()).toMatch(/is missing: the next build will be a full one/);
    await store.write(key, new Uint8Array(12));
    expect((await verifyIn(store, "SIM")).problems.join()).toMatch(/is damaged: the next build will be a full one/);
    await putManifest(store, { ...manifestIn(store, "SIM"), checkpoint: { ...checkpoint, transfers: checkpoint } });
    expect((await verifyIn(store, "SIM")).problems).toContain(
      `checkpoints/SIM/transfers.${checkpoint.hash}.parquet is missing: the next build will be a full one.`,
    );
  });

  it("a table of deposit addresses that is missing, or damaged", async () => {
    const table = { hash: "0123456789abcdef0123456789abcdef", size: 12 };
    const key = `checkpoints/SIM/deposits.${table.hash}.csv`;
    const store = copyOf(published);
    const manifest = manifestIn(store, "SIM");
    await putManifest(store, { ...manifest, deposits: { ...manifest.deposits!, table } });
    const sentence = (fault: string) =>
      `${key} is ${fault}: where its file is gone, too, the next build computes the table anew.`;
    expect((await verifyIn(store, "SIM")).problems).toContain(sentence("missing"));
    await store.write(key, new Uint8Array(12));
    expect((await verifyIn(store, "SIM")).problems).toContain(sentence("damaged"));
  });
});

/** By resolution, the series of what is published: those of its first period. */
const decoded = new Map<Resolution, Map<MetricName, Map<string, Series>>>();

function publishedSeries(resolution: Resolution): Map<MetricName, Map<string, Series>> {
  const known = decoded.get(resolution);
  if (known) return known;
  const manifest = manifestIn(published, "SIM");
  const { metrics } = manifest.resolutions[resolution]!.periods[0]!;
  const series = new Map(
    METRICS.map(({ name }) => [
      name,
      bySelector((metrics[name]?.rows ?? 0) > 0 ? runsIn(published, manifest, { resolution, metric: name }) : []),
    ]),
  );
  decoded.set(resolution, series);
  return series;
}

/** Where to change a series: some places at which the equation speaks. */
function placesToBreak(
  series: ReturnType<typeof publishedSeries>,
  { onlyIfDefined }: Equation,
  metric: MetricName,
  selector: string,
): number[] {
  const run = series.get(metric)!.get(selector)!;
  const defined = onlyIfDefined && series.get(onlyIfDefined.metric)?.get(onlyIfDefined.selectors[0]!);
  const at = onlyIfDefined ? new Set(defined ? placesIn(defined) : []) : undefined;
  const places = Array.from(placesIn(run), (place, i) => ({ place, i })).filter(({ place }) => at?.has(place) ?? true);
  return places.slice(0, 30).map(({ i }) => i);
}

/** The series with one value changed. */
function broken(series: ReturnType<typeof publishedSeries>, metric: MetricName, selector: string, i: number) {
  const run = series.get(metric)!.get(selector)!;
  const v = run.v.slice();
  v[i]! += 1e12;
  return new Map(series).set(metric, new Map(series.get(metric)!).set(selector, { ...run, v }));
}

describe("every invariant, broken in one value, is found", () => {
  const metrics: readonly (Metric & { name: MetricName })[] = METRICS;
  const values = metrics
    .filter(({ shape }) => shape === "sum")
    .flatMap((metric) => v1ResolutionsOf(metric).map((resolution) => ({ metric, resolution })));
  const areNamedTogether = (a: MetricName, b: MetricName) =>
    a === b || EQUATIONS.map(metricsIn).some((names) => names.includes(a) && names.includes(b));
  /** What is broken at once: no equation names two metrics of a group, so each is told by problems of its own. */
  const groups: (typeof values)[] = [];
  for (const value of values) {
    const isApart = ({ metric }: (typeof values)[number]) => !areNamedTogether(metric.name, value.metric.name);
    const group = groups.find((others) => others.every(isApart));
    if (group) group.push(value);
    else groups.push([value]);
  }

  it.each(
    groups.map((group) => ({ group, what: group.map((one) => `${one.metric.name} by ${one.resolution}`).join() })),
  )("$what", async ({ group }) => {
    const problems = await problemsAfter(async (store) => {
      for (const { metric, resolution } of group) {
        const [run] = runsIn(published, manifestIn(published, "SIM"), { resolution, metric: metric.name });
        const place = { resolution, metric: metric.name, selector: run!.selector };
        // What the largest holders have may be anything up to what more of them have; likewise depositors.
        const change = /^supply_top_|^cex_depositors|^deposit_addresses/.test(metric.name)
          ? (v: number) => 1e6 * v
          : metric.unit === "count"
            ? (v: number) => v + 1
            : undefined;
        await changeValue(store, "SIM", place, change);
      }
    });
    for (const { metric } of group) expect(problems.join("\n")).toMatch(new RegExp(`\\b${metric.name}\\b`));
  });

  it.each([1, 2, 3, 4, 5, 6, 8, 11, 12, 13, 14, 16, 17, 19])("rule %i, in each of its equations", (rule) => {
    const manifest = manifestIn(published, "SIM");
    const { highestPrice } = manifest;
    const { first, last } = manifest.resolutions.day;
    const days = daysBetween(first!, last!);
    for (const resolution of V1_RESOLUTIONS) {
      const series = publishedSeries(resolution);
      const terms = { highestPrice, days: resolution === "day" ? days : undefined };
      for (const equation of EQUATIONS.filter((one) => one.rule === rule && one.resolutions.includes(resolution))) {
        const { relation, left, right } = equation;
        // The left side may be smaller: so it grows. The right side may not be smaller.
        for (const { metric, selectors, times } of relation === "=" ? [...left, ...right] : left) {
          const [selector] = selectors.filter((selector) => series.get(times ?? metric)?.has(selector));
          // The token has no such series.
          if (selector === undefined) continue;
          const places = placesToBreak(series, equation, times ?? metric, selector);
          if (places.length === 0) continue;
          const isTold = (i: number) =>
            solve(equation, broken(series, times ?? metric, selector, i), terms).violation !== undefined;
          const told = places.some(isTold);
          expect(told, `${resolution}: ${metric}(${selector}) in ${equationText(equation)}`).toBe(true);
        }
        expect(solve(equation, series, terms).violation).toBeUndefined();
      }
    }
  });

  it.each<[Resolution, MetricName, string]>([
    ["week", "volume", "total"],
    ["month", "realised_profit", "users"],
    ["week", "num_transfers", "all"],
    ["week", "active_addresses", "users"],
    ["month", "active_addresses_30d", "total"],
    ["month", "supply", "total"],
    ["week", "realised_price", "cex"],
    ["month", "sopr", "total"],
    ["week", "moved_coins_realised_price", "users"],
    ["week", "price", "total"],
    ["month", "price", "total"],
  ])("rule 10, in the last digit of a %s of %s", async (resolution, metric, selector) => {
    const change = (v: number) => (metricByName(metric).unit === "count" ? v + 1 : v * (1 + Number.EPSILON));
    const problems = await problemsAfter((store) =>
      changeValue(store, "SIM", { resolution, metric, selector }, change),
    );
    expect(problems).toEqual([
      expect.stringMatching(
        `^${resolution}: ${metric}\\(${selector}\\) does not follow from its days \\(rule 10\\) at 1 place`,
      ),
    ]);
  });

  it("rule 10, a week without its point", async () => {
    const place = { resolution: "week", metric: "volume" } as const;
    const problems = await problemsAfter((store) =>
      replaceRuns(store, "SIM", place, (runs) =>
        // Other cohorts may have no other week.
        runs.map((run) => (run.selector === "total" ? { ...run, t: run.t.slice(1), v: run.v.slice(1) } : run)),
      ),
    );
    expect(problems[0]).toMatch(/^week: volume\(total\) does not follow .*: no point instead of \d/);
  });

  it("rule 11, an hour at another price than the day that it ends", async () => {
    const last = 23 * 3600;
    const problems = await problemsAfter((store) =>
      replaceRuns(store, "SIM", { resolution: "hour", metric: "price" }, ([run]) => {
        run!.v[run!.t.findLastIndex((t) => t % 86_400 === last)]! *= 2;
        return [run!];
      }),
    );
    expect(problems).toEqual([
      expect.stringMatching(/^hour: the price of the last hour is not that of the day \(rule 11\) at 1 place/),
    ]);
  });

  it("rule 7 by hours that do not make their day, and blocks that do not make their hour", async () => {
    const change = (resolution: "hour" | "block") =>
      problemsAfter((store) => changeValue(store, "SIM", { resolution, metric: "cex_inflow", selector: "all" }));
    const hours = (await change("hour")).join("\n");
    expect(hours).toMatch(/day: the hours of cex_inflow\(all\) do not add up \(rule 7\) at 1 place, first on 2/);
    expect(hours).toMatch(/hour: the blocks of cex_inflow\(all\) do not add up \(rule 7\) at 1 place, first at 2/);
    expect(await change("block")).toEqual([
      expect.stringMatching(/^hour: the blocks of cex_inflow\(all\) do not add up \(rule 7\) at 1 place, first at 2/),
    ]);
  });

  it("a series that is gone altogether", async () => {
    const problems = await problemsAfter((store) =>
      replaceRuns(store, "SIM", { resolution: "hour", metric: "volume" }, (runs) =>
        runs.filter(({ selector }) => selector !== "users"),
      ),
    );
    expect(problems.join("\n")).toMatch(/hour: volume\(users\) = volume\(\$0-100 … \$10M\+\) \(rule 1\) does not hold/);
    expect(problems.join("\n")).toMatch(/the blocks of volume\(users\) do not add up/);
  });

  it("one damaged object is one problem, not one for each equation that it is in", async () => {
    const key = keyOf(manifestIn(published, "SIM"), { resolution: "block", metric: "volume" });
    expect(await problemsAfter((store) => store.write(key, new Uint8Array(20)))).toHaveLength(2);
  });
});
