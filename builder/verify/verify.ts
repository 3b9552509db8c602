/** `soprano verify`: everything that is published of one asset, read again and held against what must hold. */

import { createHash } from "node:crypto";
import { type ListedSeries, listedSeries, type Manifest, type ManifestPeriod } from "../../data-schema/manifest.ts";
import { METRICS, type MetricName, metricByName } from "../../data-schema/metrics.ts";
import { buildKey, checkpointKey, currentKey, seriesPrefix } from "../../data-schema/objects.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import { type CurrentBuild, type ReadBuild, readBuilds, readCurrent } from "../builds/builds.ts";
import type { SeriesRun } from "../engine/series.ts";
import { listingProblems, seriesReferences } from "../store/listing.ts";
import type { ObjectStore } from "../store/store.ts";
import type { Progress } from "../terminal/progress.ts";
import { compareBuilds, earlierBuild, type History } from "./compare-builds.ts";
import { EQUATIONS, metricsIn } from "./equations.ts";
import { manifestProblems } from "./manifest.ts";
import { Gathered } from "./nesting.ts";
import { checkObject } from "./object.ts";
import { readAhead } from "./read-ahead.ts";
import { bySelector, type Series } from "./series.ts";
import { daysBetween, linked, solveAll } from "./solve.ts";

export interface Verification {
  symbol: string;
  build: string;
  /** Series objects that were read, and their points. */
  objects: number;
  points: number;
  /** Single comparisons: an equation at a place. */
  checks: number;
  /** What is wrong, a sentence each. */
  problems: string[];
  /** Undefined when there is no earlier build to compare with. */
  history?: History;
}

/** @throws {Failure} there is no manifest in force that can be read */
export async function verify(store: ObjectStore, symbol: string, progress: Progress): Promise<Verification> {
  const [current, builds] = await Promise.all([readCurrent(store, symbol), readBuilds(store, symbol)]);
  return new Verifier(store, current.manifest, progress).run(current, builds);
}

class Verifier {
  readonly #store: ObjectStore;
  readonly #manifest: Manifest;
  readonly #progress: Progress;
  readonly #listed: readonly ListedSeries[];
  readonly #problems: string[] = [];
  #listing: ReadonlyMap<string, unknown> = new Map();
  #objects = 0;
  #points = 0;
  #checks = 0;

  constructor(store: ObjectStore, manifest: Manifest, progress: Progress) {
    this.#store = store;
    this.#manifest = manifest;
    this.#progress = progress;
    this.#listed = [...listedSeries(manifest)];
  }

  async run(current: CurrentBuild, builds: readonly ReadBuild[]): Promise<Verification> {
    const { symbol, build } = this.#manifest;
    this.#problems.push(...manifestProblems(this.#manifest));
    if (!builds.some((other) => other.build === build && Buffer.compare(other.bytes, current.bytes) === 0)) {
      this.#problems.push(`${buildKey(symbol, build)} is not the same as ${currentKey(symbol)}.`);
    }
    this.#progress.step(`verify ${symbol}`, this.#listed.length);
    await this.#checkListing();
    const days = await this.#checkDays();
    for (const metrics of flowClusters()) await this.#checkFlows(metrics, days);
    const earlier = earlierBuild(this.#manifest, builds);
    const history = earlier && (await compareBuilds(this.#store, this.#manifest, earlier, days));
    this.#progress.end();
    return {
      symbol,
      build,
      objects: this.#objects,
      points: this.#points,
      checks: this.#checks,
      problems: this.#problems,
      ...(history && { history }),
    };
  }

  /** Whether everything is there, and the checkpoint what it was: nothing else reads that one here. */
  async #checkListing(): Promise<void> {
    const { symbol, checkpoint } = this.#manifest;
    const listing = await this.#store.list(seriesPrefix(symbol));
    const own = checkpoint && (await this.#store.get(checkpointKey(symbol, checkpoint.hash)));
    this.#listing = listing;
    this.#problems.push(...listingProblems(seriesReferences(this.#manifest), listing));
    if (!checkpoint) return;
    const key = checkpointKey(symbol, checkpoint.hash);
    if (!own) this.#problems.push(`${key} is missing: the next build will be a full one.`);
    else if (own.bytes.length !== checkpoint.size || !sha256(own.bytes).startsWith(checkpoint.hash)) {
      this.#problems.push(`${key} is damaged: the next build will be a full one.`);
    }
  }

  /** Reads the objects of some metrics in a period, and checks each. What the listing lacks has been told already. */
  async #readPeriod(resolution: Resolution, period: ManifestPeriod, metrics: readonly MetricName[]): Promise<Series> {
    const listed = this.#listed.filter(
      (one) => one.resolution === resolution && one.period.name === period.name && metrics.includes(one.metric),
    );
    const none = new Map<string, SeriesRun>();
    const series = new Map(metrics.map((metric) => [metric, none]));
    for await (const { item, bytes } of readAhead(this.#store, listed, ({ key }) => key)) {
      this.#progress.update(++this.#objects);
      const { problems, runs } = bytes ? checkObject(this.#manifest, item, bytes) : this.#unread(item);
      this.#problems.push(...problems);
      if (runs) series.set(item.metric, bySelector(runs));
      else series.delete(item.metric);
      this.#points += runs?.reduce((sum, { t }) => sum + t.length, 0) ?? 0;
    }
    return series;
  }

  /** What is listed may still be gone, or have lost its content. */
  #unread({ key }: ListedSeries): { problems: string[]; runs?: undefined } {
    return { problems: this.#listing.has(key) ? [`${key} is listed, but can't be read: it is gone.`] : [] };
  }

  async #checkDays(): Promise<Series> {
    const { highestPrice, resolutions } = this.#manifest;
    const { first, last, periods } = resolutions.day;
    if (first === null || last === null) return new Map();
    const days = await this.#readPeriod(
      "day",
      periods[0],
      METRICS.map(({ name }) => name),
    );
    this.#count(solveAll("day", days, { days: daysBetween(first, last), highestPrice }));
    return days;
  }

  /** Blocks and hours of metrics that belong together: a period at a time, since blocks may be many. */
  async #checkFlows(metrics: readonly MetricName[], days: Series): Promise<void> {
    const { day, hour, block } = this.#manifest.resolutions;
    const hours = gatherers(metrics, "hour", hour);
    const wholeDays = gatherers(metrics, "day", hour || block ? day : undefined);

    for (const period of block?.periods ?? []) {
      const blocks = await this.#readPeriod("block", period, metrics);
      this.#count(solveAll("block", blocks));
      gather(hour ? hours : wholeDays, blocks);
    }
    for (const period of hour?.periods ?? []) {
      const read = await this.#readPeriod("hour", period, metrics);
      this.#count(solveAll("hour", read));
      if (block) for (const sums of hours.values()) this.#count(sums.compare(read, period, "blocks"));
      gather(wholeDays, read);
    }
    for (const period of day.periods) {
      for (const sums of wholeDays.values()) this.#count(sums.compare(days, period, hour ? "hours" : "blocks"));
    }
  }

  #count({ checks, problems }: { checks: number; problems: string[] }): void {
    this.#checks += checks;
    this.#problems.push(...problems);
  }
}

type Gatherers = Map<MetricName, Gathered>;

/** One for each sum, when there are longer buckets to be held against. */
function gatherers(
  metrics: readonly MetricName[],
  resolution: "day" | "hour",
  buckets: { first: number | null; last: number | null } | undefined,
): Gatherers {
  const { first, last } = buckets ?? { first: null, last: null };
  if (first === null || last === null) return new Map();
  const sums = metrics.filter((metric) => metricByName(metric).shape === "sum");
  return new Map(sums.map((metric) => [metric, new Gathered(metric, { resolution, first, last })]));
}

/** Adds a period to what was gathered. Of a metric that can't be read here, nothing can be said any more. */
function gather(gatherers: Gatherers, series: Series): void {
  for (const [metric, sums] of gatherers) {
    const runs = series.get(metric);
    if (runs) sums.add(runs.values());
    else gatherers.delete(metric);
  }
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Flow metrics, those together that equations link: so that no more is in memory than has to be. */
function flowClusters(): MetricName[][] {
  const flows = METRICS.filter(({ kind }) => kind === "flow").map(({ name }) => name);
  const fine = EQUATIONS.filter(({ resolutions }) => resolutions.includes("block"));
  return linked(flows, fine.map(metricsIn));
}
