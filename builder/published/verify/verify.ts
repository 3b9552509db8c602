/** `soprano verify`: reads everything that is published of an asset, and checks it. */

import {
  addsUp,
  byHourMultiple,
  CALENDAR_RESOLUTIONS,
  DISTRIBUTION_NAMES,
  DISTRIBUTION_RESOLUTIONS,
  HOUR_MULTIPLES,
  type HourMultiple,
  isLotDistribution,
  LOT_DISTRIBUTIONS,
  LOT_METRICS,
  type LotMethod,
  lotCohortsOf,
  lotSelectors,
  METRICS,
  type Metric,
  type MetricName,
  metricByName,
  OWN_METRICS,
  type OwnCohort,
  partsOfDistribution,
  type Resolution,
} from "../../../data-schema/registry.ts";
import {
  buildKey,
  type Checked,
  checkpointKey,
  currentKey,
  depositsKey,
  entryOf,
  listedDistributions,
  listedOf,
  listedSeries,
  lotMethodsOf,
  lotsKey,
  type Manifest,
  type ManifestObject,
  type ManifestPeriod,
  type ManifestSeries,
  openTransfersKey,
  type Pack,
  type PackPlace,
  type PricesProven,
  packOf,
  partsOf,
  references,
  seriesParts,
} from "../../../data-schema/stored.ts";
import { COVERAGE_METRICS, coverage } from "../../engine/calendar.ts";
import type { Series } from "../../engine/series.ts";
import { count, counted } from "../../lib/terminal/amount-text.ts";
import type { Progress } from "../../lib/terminal/progress.ts";
import { listingProblems, listObjects } from "../../store/listing.ts";
import { withParts } from "../../store/parts.ts";
import { digestPieces, piecesOf } from "../../store/pieces.ts";
import { prefetch } from "../../store/prefetch.ts";
import type { ObjectStore, StoredKey, StoredObject } from "../../store/store.ts";
import { type CurrentBuild, type ReadBuild, readBuilds, readCurrent } from "../builds/stored-builds.ts";
import { isActiveFormOf } from "../publish/active-manifest.ts";
import { checkObject } from "./check-object.ts";
import { compareDistribution } from "./compare-distribution.ts";
import { comparePercentiles } from "./compare-percentiles.ts";
import { historySince, previousBuild, type VerifiedHistory } from "./compare-with-previous.ts";
import { holderProblems, type KnownBalances } from "./holders/holder-problems.ts";
import { lotsAtCheckpoint } from "./holders/lots-at-checkpoint.ts";
import { knownProblems } from "./known-problems.ts";
import { lotEquations, lotsByMetric, withAddresses } from "./lot-rules.ts";
import { manifestProblems } from "./manifest-problems.ts";
import { metadataProblems, OTHER_BYTES } from "./metadata-problems.ts";
import { asDefaults, OWN_EQUATIONS } from "./own-cohort-rules.ts";
import { EQUATIONS, type Equation, metricsIn } from "./rules/equations.ts";
import { BucketSums } from "./rules/nesting.ts";
import { bySelector, type SeriesByMetric } from "./rules/series-columns.ts";
import { daysBetween, linked, solveAll } from "./rules/solve.ts";
import { comparePrices, compareWithDays } from "./rules/weeks-from-days.ts";
import { transferProblems } from "./transfer-problems.ts";

export interface Verification {
  symbol: string;
  build: string;
  /** Series objects that were read, and their points in all. */
  objects: number;
  points: number;
  /** Comparisons: one for each equation and place. */
  checks: number;
  /** A sentence each. */
  problems: string[];
  /** Undefined if the build's transfers were not compared with the chain. */
  checked?: Checked;
  /** Undefined if its prices were not proven. */
  priceProof?: PricesProven;
  /** Undefined without a previous build. */
  history?: VerifiedHistory;
}

/**
 * @param balances what its holders should hold, where that is known from elsewhere
 * @throws {Failure} there is no active manifest, or it can't be read
 */
export async function verify(
  store: ObjectStore,
  symbol: string,
  progress: Progress,
  balances?: KnownBalances,
): Promise<Verification> {
  const [current, builds] = await Promise.all([readCurrent(store, symbol), readBuilds(store, symbol)]);
  return new Verifier(store, current, progress).run(builds, balances);
}

/** What has objects with the series of several metrics, and how they are checked. */
interface CheckedTable {
  of: OwnCohort | LotMethod;
  metrics: readonly MetricName[];
  read: (runs: readonly Series[]) => SeriesByMetric;
  equations: readonly Equation[];
  /** Days with what the equations name beside them. */
  ofDays?: (days: SeriesByMetric) => SeriesByMetric;
  /** The selectors of a metric's series; those of the registry if left out. */
  selectorsOf?: (metric: Metric) => readonly string[];
}

const ownTable = (of: OwnCohort): CheckedTable => ({
  of,
  metrics: OWN_METRICS.map(({ name }) => name),
  read: asDefaults,
  equations: OWN_EQUATIONS,
});

const lotsTable = (of: LotMethod, addresses: SeriesByMetric): CheckedTable => ({
  of,
  metrics: LOT_METRICS.map(({ name }) => name),
  read: lotsByMetric,
  equations: lotEquations(of),
  ofDays: (days) => withAddresses(days, addresses),
  selectorsOf: ({ name }) => lotSelectors(of, lotCohortsOf(name)),
});

class Verifier {
  readonly #bucket: ObjectStore;
  readonly #current: CurrentBuild;
  /** The bucket, with the parts of the build. */
  readonly #store: ObjectStore;
  readonly #manifest: Manifest;
  readonly #progress: Progress;
  readonly #listed: readonly ManifestSeries[];
  readonly #problems: string[] = [];
  readonly #totals = { objects: 0, points: 0, checks: 0 };
  #listing: ReadonlyMap<string, StoredKey> = new Map();
  /** Keys of parts whose pack is missing or damaged. */
  readonly #lost = new Set<string>();

  constructor(store: ObjectStore, current: CurrentBuild, progress: Progress) {
    const { manifest } = current;
    this.#current = current;
    this.#bucket = store;
    this.#store = withParts(store, manifest);
    this.#manifest = manifest;
    this.#progress = progress;
    this.#listed = [...listedSeries(manifest)];
  }

  async run(builds: readonly ReadBuild[], balances?: KnownBalances): Promise<Verification> {
    const { symbol, build, checked, priceProof } = this.#manifest;
    for (const problem of manifestProblems(this.#manifest)) this.#problems.push(problem);
    const recorded = builds.find((other) => other.build === build)?.manifest;
    if (!isActiveFormOf(this.#manifest, recorded)) {
      this.#problems.push(`${buildKey(symbol, build)} is not the same as ${currentKey(symbol)}.`);
    }
    this.#progress.step(`verify ${symbol}`, references(this.#manifest, seriesParts(this.#manifest)).length);
    await this.#checkListing();
    const days = await this.#checkDays();
    for (const problem of coverageProblems(this.#manifest, days)) this.#problems.push(problem);
    await this.#checkCalendar(days);
    await this.#checkHourPrices(days);
    for (const metrics of flowClusters()) await this.#checkFlows(metrics, days);
    for (const cohort of Object.keys(this.#manifest.cohorts ?? {}))
      await this.#checkTable(ownTable(cohort as OwnCohort));
    const lotDays = new Map<LotMethod, SeriesByMetric>();
    for (const method of lotMethodsOf(this.#manifest)) {
      lotDays.set(method, (await this.#checkTable(lotsTable(method, days))) ?? new Map());
    }
    await this.#checkDistributions(days, bySelectors([...lotDays.values()]));
    const found = [
      await holderProblems(this.#store, this.#manifest, days, balances),
      await lotsAtCheckpoint(this.#store, this.#manifest, lotDays),
      await transferProblems(this.#store, this.#manifest, days),
    ];
    for (const { checks, problems } of found) {
      this.#count({ checks, problems: problems.filter((problem) => !this.#isTold(problem)) });
    }
    for (const problem of await knownProblems(this.#store, this.#manifest)) this.#problems.push(problem);
    const isDamaged = (key: string) => this.#problems.some((problem) => problem.startsWith(key));
    for (const problem of await metadataProblems(this.#bucket, this.#current, builds, isDamaged))
      this.#problems.push(problem);
    const previous = previousBuild(this.#manifest, builds);
    const history = previous && (await historySince(this.#store, recorded ?? this.#manifest, previous));
    this.#progress.end();
    return {
      symbol,
      build,
      ...this.#totals,
      problems: this.#problems,
      ...(checked && { checked }),
      ...(priceProof && { priceProof }),
      ...(history && { history }),
    };
  }

  /** Whether a problem is of an object, or of a part of one, that has one already. */
  #isTold(problem: string): boolean {
    const [key = ""] = problem.split(" ", 1);
    const isLost = this.#lost.has(key.replace(/:$/, ""));
    return isLost || (key.includes("/") && this.#problems.some((told) => told.startsWith(`${key} `)));
  }

  /** Checks that every object is listed, the bytes of packs, and those of what only the next build reads. */
  async #checkListing(): Promise<void> {
    const { checkpoint, deposits, symbol } = this.#manifest;
    this.#listing = await listObjects(this.#store, symbol);
    const own = seriesParts(this.#manifest).filter(({ at }) => !at);
    for (const problem of listingProblems(references(this.#manifest, own), this.#listing)) this.#problems.push(problem);
    await this.#checkPacks();
    const table = deposits?.table;
    if (table) {
      const lost = "where its file is gone, too, the next build computes the table anew";
      await this.#checkBytes(depositsKey(symbol, table.hash), table, lost);
    }
    if (checkpoint) {
      const lost = "the next build will be a full one";
      await this.#checkBytes(checkpointKey(symbol, checkpoint.hash), checkpoint, lost);
      const { transfers } = checkpoint;
      if (transfers) await this.#checkBytes(openTransfersKey(symbol, transfers.hash), transfers, lost);
      for (const [method, table] of Object.entries(checkpoint.lots ?? {})) {
        await this.#checkBytes(lotsKey(symbol, method as LotMethod, table.hash), table, lost);
      }
    }
  }

  /** Checks the bytes of packs: one that is lost is told once, whatever lies in it. */
  async #checkPacks(): Promise<void> {
    const parts = partsOf(this.#manifest).flatMap((part) => {
      const pack = packOf(this.#manifest, part);
      return pack ? [{ ...part, pack }] : [];
    });
    for (const inPack of Map.groupBy(parts, ({ pack }) => pack.hash).values()) {
      const { pack } = inPack[0]!;
      const [unlisted] = listingProblems([pack], this.#listing);
      const problem = unlisted ?? (await this.#packProblem(pack));
      if (problem === undefined) continue;
      this.#problems.push(`${problem.slice(0, -1)}: ${counted(inPack.length, "part")} of the build should be in it.`);
      for (const { key } of inPack) this.#lost.add(key);
    }
  }

  async #packProblem({ key, hash, size }: Pack): Promise<string | undefined> {
    const { sha256 } = await digestPieces(piecesOf(this.#store, key, size), ["sha256"]);
    return sha256.startsWith(hash) ? undefined : `${key} is damaged, since ${OTHER_BYTES}.`;
  }

  /** Checks that an object, or a part, has the bytes that the manifest names. @param consequence of one that has not: a clause */
  async #checkBytes(
    key: string,
    entry: { hash: string; size: number; at?: PackPlace },
    consequence: string,
  ): Promise<void> {
    if (this.#lost.has(key)) return;
    const { hash, size } = entry;
    const isThere = entry.at !== undefined || this.#listing.get(key)?.size === size;
    const isWhole =
      isThere && (await digestPieces(piecesOf(this.#store, key, size), ["sha256"])).sha256.startsWith(hash);
    if (isWhole) return;
    const isListed = entry.at !== undefined || this.#listing.has(key);
    this.#problems.push(`${key} is ${isListed ? "damaged" : "missing"}: ${consequence}.`);
  }

  /** Reads and checks the objects of some metrics in a period. `#checkListing` has reported those that are missing. */
  async #readPeriod(
    resolution: Resolution,
    period: ManifestPeriod,
    metrics: readonly MetricName[],
  ): Promise<SeriesByMetric> {
    const listed = this.#listed.filter(
      (one) => one.resolution === resolution && one.period.name === period.name && metrics.includes(one.metric),
    );
    const none = new Map<string, Series>();
    const series = new Map(metrics.map((metric) => [metric, none]));
    for await (const { item, object } of prefetch(this.#store, listed, ({ key }) => key)) {
      const found = this.#checkRead(item, object);
      if (found) series.set(item.metric, bySelector(found));
      else series.delete(item.metric);
    }
    return series;
  }

  /** Reads and checks the object of a table in a period; undefined if it can't be read. */
  async #readTable(
    resolution: Resolution,
    period: ManifestPeriod,
    { of, read }: CheckedTable,
  ): Promise<SeriesByMetric | undefined> {
    const [listed] = listedOf(this.#manifest, resolution, of, period);
    if (!entryOf(period, of)) this.#problems.push(`The period ${resolution} ${period.name} does not list ${of}.`);
    if (!listed) return read([]);
    const runs = await this.#readObject(listed);
    return runs && read(runs);
  }

  /** Reads and checks one object; undefined if it can't be read. */
  async #readObject(listed: ManifestObject): Promise<readonly Series[] | undefined> {
    return this.#checkRead(listed, await this.#store.get(listed.key));
  }

  /** Checks an object that was read, and counts it; undefined if it can't be read. */
  #checkRead(listed: ManifestObject, object: StoredObject | undefined): readonly Series[] | undefined {
    this.#progress.update(++this.#totals.objects);
    const isLost = this.#lost.has(listed.key);
    if (isLost && (object?.isDamaged ?? true)) return undefined;
    if (!object) {
      // One that is listed may have been removed since.
      if (this.#listing.has((listed.pack ?? listed).key))
        this.#problems.push(`${listed.key} is listed but can't be read.`);
      return undefined;
    }
    const { problems, series } = checkObject(this.#manifest, listed, object);
    for (const problem of problems) this.#problems.push(problem);
    this.#totals.points += series?.reduce((sum, { t }) => sum + t.length, 0) ?? 0;
    return series;
  }

  /** Checks that each distribution adds up to what its addresses hold, and that the percentiles of costs follow from it. */
  async #checkDistributions(days: SeriesByMetric, lots: SeriesByMetric): Promise<void> {
    const listed = Array.from(listedDistributions(this.#manifest));
    for (const resolution of this.#manifest.distributions ? DISTRIBUTION_RESOLUTIONS : []) {
      const { first, last } = this.#manifest.resolutions[resolution] ?? NO_BUCKETS;
      const ofLots = LOT_DISTRIBUTIONS.filter((name) => this.#manifest.lots?.[partsOfDistribution(name).method!]);
      for (const name of [...DISTRIBUTION_NAMES, ...ofLots]) {
        const years: (readonly Series[] | undefined)[] = [];
        for (const year of listed.filter((one) => one.metric === name && one.resolution === resolution)) {
          years.push(await this.#readObject(year));
        }
        if (first === null || last === null || years.includes(undefined)) continue;
        const runs = years.flatMap((year) => year ?? []);
        this.#count(
          compareDistribution(name, resolution, runs, isLotDistribution(name) ? lots : days, { first, last }),
        );
        if (name === "cost_basis") this.#count(comparePercentiles(resolution, runs, days, { first, last }));
      }
    }
  }

  /** Checks an own cohort, or a method of lots: its equations, weeks and months against days, days against hours, hours against blocks. @returns its days, if they can be read */
  async #checkTable(table: CheckedTable): Promise<SeriesByMetric | undefined> {
    const { of, metrics, equations } = table;
    const { resolutions, highestPrice } = this.#manifest;
    const { first, last, periods } = resolutions.day;
    const check = (found: Checks) =>
      this.#count({ ...found, problems: found.problems.map((problem) => `${of}: ${problem}`) });
    const days = periods[0] && (await this.#readTable("day", periods[0], table));
    if (days) {
      const all = first === null || last === null ? undefined : daysBetween(first, last);
      check(solveAll("day", table.ofDays?.(days) ?? days, { days: all, highestPrice }, equations));
    }
    await this.#checkNested(
      metrics,
      (resolution, period) => (resolution === "day" ? days : this.#readTable(resolution, period, table)),
      (resolution, series) => solveAll(resolution, series, {}, equations),
      check,
    );
    for (const resolution of days ? CALENDAR_RESOLUTIONS : []) {
      const { first, last, periods } = resolutions[resolution] ?? NO_BUCKETS;
      for (const period of periods) {
        const buckets = await this.#readTable(resolution, period, table);
        if (buckets && first !== null && last !== null) {
          check(compareWithDays(resolution, buckets, days!, { first, last }, table.selectorsOf));
        }
      }
    }
    return days;
  }

  async #checkDays(): Promise<SeriesByMetric> {
    const { highestPrice, resolutions } = this.#manifest;
    const { first, last, periods } = resolutions.day;
    const [period] = periods;
    if (first === null || last === null || !period) return new Map();
    // Version 1 of the manifest lists no price. Whether others are missing, `manifestProblems` has checked.
    const metrics = METRICS.map(({ name }) => name).filter((name) => period.metrics[name]);
    const days = await this.#readPeriod("day", period, metrics);
    this.#count(solveAll("day", days, { days: daysBetween(first, last), highestPrice, build: this.#manifest }));
    return days;
  }

  /** Checks weeks and months against the days that they are made of. */
  async #checkCalendar(days: SeriesByMetric): Promise<void> {
    const metrics = METRICS.map(({ name }) => name);
    for (const resolution of CALENDAR_RESOLUTIONS) {
      const { first, last, periods } = this.#manifest.resolutions[resolution] ?? NO_BUCKETS;
      for (const period of periods) {
        const buckets = await this.#readPeriod(resolution, period, metrics);
        if (first !== null && last !== null) this.#count(compareWithDays(resolution, buckets, days, { first, last }));
      }
    }
  }

  /** Checks that a day closes at the price of its last hour. */
  async #checkHourPrices(days: SeriesByMetric): Promise<void> {
    const { day, hour } = this.#manifest.resolutions;
    const { first, last } = day;
    for (const period of hour?.periods ?? []) {
      if (!period.metrics.price) continue;
      const hours = (await this.#readPeriod("hour", period, ["price"])).get("price");
      const prices = days.get("price");
      if (!hours || !prices || first === null || last === null) continue;
      this.#count(comparePrices(hours, prices, period, { first, last }));
    }
  }

  /** Checks the blocks and hours of linked metrics. */
  #checkFlows(metrics: readonly MetricName[], days: SeriesByMetric): Promise<void> {
    return this.#checkNested(
      metrics,
      (resolution, period) => (resolution === "day" ? days : this.#readPeriod(resolution, period, metrics)),
      (resolution, series) => solveAll(resolution, series, { build: this.#manifest }),
      (found) => this.#count(found),
    );
  }

  /**
   * Checks blocks and hours by the equations, hours against their blocks, and the buckets that are made of hours against
   * those: one period at a time, to save memory.
   */
  async #checkNested(
    metrics: readonly MetricName[],
    read: (
      resolution: Resolution,
      period: ManifestPeriod,
    ) => Promise<SeriesByMetric | undefined> | SeriesByMetric | undefined,
    solve: (resolution: "hour" | "block", series: SeriesByMetric) => Checks,
    check: (found: Checks) => void,
  ): Promise<void> {
    const { resolutions } = this.#manifest;
    const { hour, block } = resolutions;
    const hours = bucketSums(metrics, "hour", hour);
    const multiples = byHourMultiple((resolution) =>
      bucketSums(metrics, resolution, hour || block ? resolutions[resolution] : undefined),
    );
    for (const period of block?.periods ?? []) {
      const blocks = await read("block", period);
      if (blocks) check(solve("block", blocks));
      for (const sums of hour ? [hours] : Object.values(multiples)) addTo(sums, blocks ?? new Map());
    }
    for (const period of hour?.periods ?? []) {
      const ofPeriod = await read("hour", period);
      if (ofPeriod) check(solve("hour", ofPeriod));
      if (ofPeriod && block) for (const sums of hours.values()) check(sums.compare(ofPeriod, period, "blocks"));
      for (const sums of Object.values(multiples)) addTo(sums, ofPeriod ?? new Map());
    }
    for (const resolution of HOUR_MULTIPLES) {
      for (const period of resolutions[resolution]?.periods ?? []) {
        const longer = await read(resolution, period);
        if (!longer) continue;
        for (const sums of multiples[resolution].values()) {
          check(sums.compare(longer, period, hour ? "hours" : "blocks"));
        }
      }
    }
  }

  #count({ checks, problems }: Checks): void {
    this.#totals.checks += checks;
    for (const problem of problems) this.#problems.push(problem);
  }
}

/** The series of several tables, whose selectors differ. */
const bySelectors = (tables: readonly SeriesByMetric[]): SeriesByMetric =>
  new Map(
    LOT_METRICS.map(({ name }): [MetricName, ReadonlyMap<string, Series>] => [
      name,
      new Map(tables.flatMap((table) => [...(table.get(name) ?? [])])),
    ]),
  );

/** Comparisons, and a sentence for each that failed. */
interface Checks {
  checks: number;
  problems: string[];
}

const NO_BUCKETS = { first: null, last: null, periods: [] };

type SumsByMetric = Map<MetricName, BucketSums>;

/** One for each metric whose buckets add up; none without longer buckets to compare with. */
function bucketSums(
  metrics: readonly MetricName[],
  resolution: HourMultiple | "hour",
  buckets: { first: number | null; last: number | null } | undefined,
): SumsByMetric {
  const { first, last } = buckets ?? { first: null, last: null };
  if (first === null || last === null) return new Map();
  const sums = metrics.filter((metric) => addsUp(metricByName(metric)));
  return new Map(sums.map((metric) => [metric, new BucketSums(metric, { resolution, first, last })]));
}

/** Adds a period to the sums. A metric that can't be read there is dropped: its sums would be incomplete. */
function addTo(sumsByMetric: SumsByMetric, series: SeriesByMetric): void {
  for (const [metric, sums] of sumsByMetric) {
    const runs = series.get(metric);
    if (runs) sums.add(runs.values());
    else sumsByMetric.delete(metric);
  }
}

/** Flow metrics, grouped by the equations that link them, so that few are in memory at once. */
function flowClusters(): MetricName[][] {
  const flows = METRICS.filter(({ kind }) => kind === "flow").map(({ name }) => name);
  const fine = EQUATIONS.filter(({ resolutions }) => resolutions.includes("block"));
  return linked(flows, fine.map(metricsIn));
}

/** Problems that are listed; of more, the report gives their number. */
const MAX_LISTED = 200;

/** What was compared with the chain, as a sentence. */
function checkedText({ block, holders, of, since }: Checked): string {
  const moved = since === undefined ? "" : `, those that have moved since block ${count(since)},`;
  return `The balances of ${count(holders)} of ${counted(of, "holder")}${moved} equal the chain's at block ${count(block)}.`;
}

/** What proves the prices, as a sentence. */
function priceProofText({ block, since, pools, feeds }: PricesProven): string {
  const whom = [counted(pools, "pool"), ...(feeds > 0 ? [counted(feeds, "feed")] : [])].join(" and ");
  const from = new Date(since * 1000).toISOString().slice(0, 16);
  return `The prices since ${from} are those of ${whom}, proven at block ${count(block)}.`;
}

/** The report: the result, then a line for each problem and each restatement. */
export function formatVerification({ symbol, build, checked, priceProof, history, ...rest }: Verification): string {
  const { problems } = rest;
  const verdict = problems.length === 0 ? "is whole" : `is not right: ${counted(problems.length, "problem")}`;
  const facts = [counted(rest.objects, "object"), counted(rest.points, "point"), counted(rest.checks, "check")];
  const lines = [
    `${symbol}: build ${build} ${verdict}: ${facts.join(", ")}`,
    ...(checked ? [`  ${checkedText(checked)}`] : []),
    ...(priceProof ? [`  ${priceProofText(priceProof)}`] : []),
    ...problems.slice(0, MAX_LISTED).map((problem) => `  ${problem}`),
    ...(problems.length > MAX_LISTED ? [`  … and ${count(problems.length - MAX_LISTED)} more`] : []),
  ];
  if (!history) return lines.join("\n");
  const { restated, changes, note } = history;
  if (restated.length > 0) {
    const why = changes.length > 0 ? changes.join(", ") : "nothing in the manifests; late or corrected rows might";
    lines.push(`  History restated since build ${history.build}:`, ...restated.map((line) => `    ${line}`));
    lines.push(`    What may explain it: ${why}.`);
  }
  if (note) lines.push(`  Compared with build ${history.build}: ${note}.`);
  return lines.join("\n");
}

/** A sentence for each number that does not follow; none if a metric could not be read, which is a problem of its own. */
function coverageProblems({ labels, resolutions }: Manifest, days: SeriesByMetric): string[] {
  const { last } = resolutions.day;
  if (!labels || last === null || COVERAGE_METRICS.some((metric) => !days.has(metric))) return [];
  return (["exchanges", "contracts"] as const).flatMap((kind) => {
    const listed = labels[kind];
    if (!listed) return [];
    const found = coverage(kind, (metric, selector) => days.get(metric)?.get(selector), last);
    return (["holders", "supplyShare", "volumeShare"] as const)
      .filter((name) => listed[name] !== found[name])
      .map((name) => `The manifest's labels.${kind}.${name} is ${listed[name]}, but by its days it is ${found[name]}.`);
  });
}
