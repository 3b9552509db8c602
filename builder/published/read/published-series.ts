/** The published series of assets on one time line, as GET /v3/series has them. */

import type { SeriesRef } from "../../../data-schema/formula.ts";
import {
  type BucketResolution,
  bucketStarts,
  isLotMethod,
  isLotSelector,
  isOwnCohort,
  lotSeries,
  type MetricName,
  methodOf,
  metricByName,
  SINGLE_SERIES,
} from "../../../data-schema/registry.ts";
import { isOlderThan, listedOf, type Manifest, type TableOf } from "../../../data-schema/stored.ts";
import { concatSeries } from "../../engine/calendar.ts";
import type { Series } from "../../engine/series.ts";
import { advised } from "../../lib/advised.ts";
import { Failure } from "../../lib/failure.ts";
import { withParts } from "../../store/parts.ts";
import { prefetchEach } from "../../store/prefetch.ts";
import type { ObjectStore } from "../../store/store.ts";
import { decodeSeries } from "../objects/decode-series.ts";
import { parsedObject } from "./readable.ts";

/** Series on one time line; NaN where one has no point. */
export interface Lines {
  t: Float64Array;
  of: (series: SeriesRef) => Float64Array;
}

/** An asset lacks an own cohort, or lots: its operator decides which there are. */
export class NotPublished extends Failure {
  override name = "NotPublished";
  readonly symbol: string;

  constructor(symbol: string, lacking: string) {
    super(`${symbol} has no ${lacking}`);
    this.symbol = symbol;
  }
}

/** Reads each object once. */
export class PublishedSeries {
  readonly #store: ObjectStore;
  readonly #read: (symbol: string) => Promise<Manifest>;
  readonly #manifests = new Map<string, Manifest>();
  /** The store with the parts of an asset: a screener reads them column by column. */
  readonly #stores = new Map<string, ObjectStore>();
  /** By resolution, asset, metric and selector. */
  readonly #series = new Map<string, Series>();

  /** @param read reads the manifest of an asset, once */
  constructor(store: ObjectStore, read: (symbol: string) => Promise<Manifest>) {
    this.#store = store;
    this.#read = read;
  }

  /** The manifest of an asset. @throws what reading it throws */
  async manifest(symbol: string): Promise<Manifest> {
    const known = this.#manifests.get(symbol);
    if (known) return known;
    const manifest = await this.#read(symbol);
    this.#manifests.set(symbol, manifest);
    return manifest;
  }

  /**
   * Series on the rows at which one of them has a point.
   *
   * @throws {NotPublished} an asset has no such own cohort or lots
   * @throws {Failure} an asset, a resolution or a metric is not published; an object is missing or damaged
   */
  async lines(series: readonly SeriesRef[], resolution: BucketResolution): Promise<Lines> {
    await this.#load(series, resolution);
    const columns = series.map((one) => this.#dense(one, resolution));
    const t = Float64Array.from(new Set(columns.flatMap((run) => Array.from(run.t)))).sort();
    const places = new Map(Array.from(t, (time, row) => [time, row]));
    const onRows = columns.map((run) => {
      const values = new Float64Array(t.length).fill(Number.NaN);
      for (const [i, time] of run.t.entries()) values[places.get(time)!] = run.v[i]!;
      return values;
    });
    return { t, of: (wanted) => onRows[series.findIndex((one) => nameOf(one) === nameOf(wanted))]! };
  }

  /** Forgets the series of an asset: thousands of assets would not fit into memory. */
  forget(symbol: string): void {
    this.#stores.delete(symbol);
    for (const name of this.#series.keys()) if (name.split(" ")[1] === symbol) this.#series.delete(name);
  }

  async #load(series: readonly SeriesRef[], resolution: BucketResolution): Promise<void> {
    const byName = new Map(series.map((one) => [nameOf(one), one]));
    const missing = [...byName.values()].filter((one) => !this.#series.has(`${resolution} ${nameOf(one)}`));
    const bySource = Map.groupBy(missing, (one) => `${one.asset} ${sourceOf(one).table}`);
    const wanted: { key: string; source: SeriesRef[]; symbol: string; store: ObjectStore }[] = [];
    for (const source of bySource.values()) {
      const { asset: symbol } = source[0]!;
      const { table } = sourceOf(source[0]!);
      const manifest = await this.manifest(symbol);
      const published = manifest.resolutions[resolution];
      if (!published) throw new Failure(`${symbol} is not published by ${resolution}: choose another resolution.`);
      if (isOwnCohort(table) && !manifest.cohorts?.[table]) throw new NotPublished(symbol, `own cohort ${table}.`);
      if (isLotMethod(table) && !manifest.lots?.[table]) {
        throw new NotPublished(symbol, `lots by ${table}: add "lots": ["${table}"] to its ASSET.json, and build.`);
      }
      const store = this.#stores.get(symbol) ?? withParts(this.#store, manifest);
      this.#stores.set(symbol, store);
      for (const period of published.periods) {
        for (const { key } of listedOf(manifest, resolution, table, period))
          wanted.push({ key, source, symbol, store });
      }
    }
    const periods: Series[] = [];
    for await (const { item, object } of prefetchEach(wanted, ({ store, key }) => store.get(key))) {
      const runs = parsedObject(object, decodeSeries);
      if (!runs) {
        throw new Failure(
          `${item.key} is missing in ${this.#store.name} or damaged: run ${advised("verify", item.symbol)}.`,
        );
      }
      for (const one of item.source) {
        const run = runs.find(({ selector }) => selector === sourceOf(one).selector);
        if (run) periods.push({ ...run, selector: nameOf(one) });
      }
    }
    const names = missing.map(nameOf);
    const whole = new Map(concatSeries(names, [periods]).map((run) => [run.selector, run]));
    for (const name of names) this.#series.set(`${resolution} ${name}`, whole.get(name) ?? emptyRun(name));
  }

  /** A series with the zeros that its object leaves out. */
  #dense(one: SeriesRef, resolution: BucketResolution): Series {
    const run = this.#series.get(`${resolution} ${nameOf(one)}`)!;
    const manifest = this.#manifests.get(one.asset)!;
    const { first, last } = manifest.resolutions[resolution]!;
    const isDense =
      metricByName(one.metric as MetricName).shape === "sum" && !isOlderThan(manifest, one.selector ?? "");
    if (!isDense || first === null || last === null) return run;
    const t = bucketStarts(resolution, first, last);
    const values = new Map(Array.from(run.t, (time, i) => [time, run.v[i]!]));
    return { ...run, t, v: t.map((time) => values.get(time) ?? 0) };
  }
}

const emptyRun = (selector: string): Series => ({ selector, t: new Float64Array(0), v: new Float64Array(0) });

const nameOf = ({ asset, metric, selector }: SeriesRef) => `${asset} ${metric} ${selector ?? SINGLE_SERIES}`;

/** The object in which a series is, and what it is called there. */
function sourceOf({ metric, selector }: SeriesRef): { table: TableOf; selector: string } {
  if (selector !== null && isLotSelector(selector)) {
    return { table: methodOf(selector), selector: lotSeries(metric, selector) };
  }
  return selector !== null && isOwnCohort(selector)
    ? { table: selector, selector: metric }
    : { table: metric as MetricName, selector: selector ?? SINGLE_SERIES };
}
