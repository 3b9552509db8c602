/**
 * What a build *restated*: points that were complete in another build, and differ in this one. Late or corrected rows
 * restate history, and so do other labels, prices or engines.
 */

import {
  isLotMethod,
  isOwnCohort,
  METRICS,
  type OwnCohort,
  RESOLUTIONS,
  type Resolution,
  resolutionsOf,
} from "../../../data-schema/registry.ts";
import {
  isOlderThan,
  listedOf,
  lotMethodsOf,
  type Manifest,
  type ManifestObject,
  rangeIn,
  type SeriesChange,
  type TableOf,
} from "../../../data-schema/stored.ts";
import type { Series } from "../../engine/series.ts";
import { withParts } from "../../store/parts.ts";
import { prefetch } from "../../store/prefetch.ts";
import type { ObjectStore, StoredObject } from "../../store/store.ts";
import { decodeSeries } from "../objects/decode-series.ts";
import { parsedObject } from "../read/readable.ts";
import { type ComparedTime, Differences } from "./differing-points.ts";
import { ReplacedPoints } from "./replaced-points.ts";

/** How two builds differ. */
export interface BuildComparison {
  /** The changed series, by resolution and in registry order. */
  series: SeriesChange[];
  /** Objects that are missing or damaged, so that they were not compared. */
  uncompared: number;
}

/** What was replaced of an object, or of a part of it. */
export interface ReplacedRuns {
  resolution: Resolution;
  of: TableOf;
  period: { name: string } & ComparedTime;
  /** At least one, with a point each. */
  series: Series[];
}

/**
 * Compares two builds of a token. Objects that both builds list are not read; of the others, one of each build is decoded
 * at a time.
 *
 * @param unchangedBefore Unix seconds; the caller knows that no point before it differs
 * @param keep takes what was replaced, also of series that there are no longer
 */
export async function compareBuilds(
  store: ObjectStore,
  before: Manifest,
  now: Manifest,
  unchangedBefore = Number.NEGATIVE_INFINITY,
  keep?: (replaced: ReplacedRuns) => Promise<void>,
): Promise<BuildComparison> {
  const pairs = [...differentPairs(before, now, unchangedBefore), ...(keep ? lostPairs(before, now) : [])];
  const reading = new PairReader(withParts(store, before, now), pairs);
  // A series that only one build has restates nothing, like a metric that only one has.
  const isInBoth = ({ selector }: Series) => !isOlderThan(before, selector) && !isOlderThan(now, selector);
  const isLost = ({ selector }: Series) => !isOlderThan(before, selector) && isOlderThan(now, selector);
  const series: SeriesChange[] = [];
  for (const ofMetric of Map.groupBy(pairs, ({ resolution, metric }) => `${resolution}/${metric}`).values()) {
    const { resolution, metric } = ofMetric[0]!;
    const differences = new Differences();
    for (const pair of ofMetric) {
      const [runsBefore, runsNow] = await reading.next(pair);
      if (!runsBefore || !runsNow) continue;
      const replaced = keep && new ReplacedPoints(rangeIn(before, resolution)?.[0] ?? Number.POSITIVE_INFINITY);
      differences.compare(runsBefore.filter(isInBoth), runsNow.filter(isInBoth), pair.span, replaced);
      if (!keep || !replaced) continue;
      new Differences().compare(runsBefore.filter(isLost), [], pair.span, replaced);
      const { runs } = replaced;
      const name = (pair.objects[0] ?? pair.objects[1])!.period.name;
      if (runs.length > 0) await keep({ resolution, of: metric, period: { name, ...pair.span }, series: runs });
    }
    const { found } = differences;
    if (found && !ofMetric[0]!.isLost) series.push({ resolution, metric, ...found });
  }
  return { series, uncompared: reading.unread.size };
}

/** A stretch of time that lies in one object, or none, of each build. */
interface Pair {
  resolution: Resolution;
  metric: TableOf;
  span: ComparedTime;
  /** The object of the build before, and that of the new one. */
  objects: [before: ManifestObject | undefined, now: ManifestObject | undefined];
  /** The series are no longer there, which restates nothing. */
  isLost?: true;
}

/** Reads the objects of pairs in their order: neighbouring pairs often share one. */
class PairReader {
  /** Keys of objects that are missing or damaged. */
  readonly unread = new Set<string>();
  readonly #objects: AsyncIterator<{ object: StoredObject | undefined }>;
  /** What was read last of each build. */
  readonly #held: { key: string; series: Series[] | undefined }[] = [];

  constructor(store: ObjectStore, pairs: readonly Pair[]) {
    const last: (string | undefined)[] = [];
    const keys = pairs.flatMap(({ objects }) =>
      objects.flatMap((object, side) => {
        if (object === undefined || object.key === last[side]) return [];
        last[side] = object.key;
        return [object.key];
      }),
    );
    this.#objects = prefetch(store, keys, (key) => key);
  }

  /** The series of both builds; none where a build has no object, undefined where it can't be read. */
  async next({ objects }: Pair): Promise<(readonly Series[] | undefined)[]> {
    const read: (readonly Series[] | undefined)[] = [];
    for (const [side, object] of objects.entries()) {
      if (object !== undefined && object.key !== this.#held[side]?.key) {
        // The one before is let go first.
        delete this.#held[side];
        const runs = parsedObject<Series[]>((await this.#objects.next()).value.object, decodeSeries);
        if (!runs) this.unread.add(object.key);
        this.#held[side] = { key: object.key, series: runs };
      }
      read.push(object === undefined ? [] : this.#held[side]!.series);
    }
    return read;
  }
}

/** The stretches in which points may differ: by resolution and metric, ascending in time. */
function* differentPairs(before: Manifest, now: Manifest, unchangedBefore: number): Generator<Pair> {
  for (const resolution of RESOLUTIONS) {
    const [was, is] = [before.resolutions[resolution]?.periods, now.resolutions[resolution]?.periods];
    // The asset file decides which resolutions there are.
    if (!was || !is) continue;
    const spans = spansOf([...was, ...is], { from: unchangedBefore, to: completeUntil(before, resolution) });
    for (const metric of METRICS) {
      const { name } = metric;
      // A build of an earlier version may lack a metric: to add it restates nothing.
      if (!resolutionsOf(metric).includes(resolution) || was.some(({ metrics }) => !metrics[name])) continue;
      yield* pairsOf(resolution, name, spans);
    }
    for (const cohort of Object.keys(before.cohorts ?? {}) as OwnCohort[]) {
      const [listBefore, list] = [before.cohorts?.[cohort], now.cohorts?.[cohort]];
      if (!list) continue;
      // A list that has changed restates its series from their first day.
      const from = list.sha256 === listBefore?.sha256 ? unchangedBefore : Number.NEGATIVE_INFINITY;
      const ownSpans = spansOf([...was, ...is], { from, to: completeUntil(before, resolution) });
      yield* pairsOf(resolution, cohort, ownSpans);
    }
    // A method that only one build has restates nothing.
    for (const method of lotMethodsOf(before)) if (now.lots?.[method]) yield* pairsOf(resolution, method, spans);
  }

  function* pairsOf(resolution: Resolution, metric: TableOf, spans: readonly ComparedTime[]): Generator<Pair> {
    for (const span of spans) {
      const objectIn = (manifest: Manifest) => {
        const periods = manifest.resolutions[resolution]!.periods;
        const period = periods.find(({ from, to }) => from <= span.from && span.to <= to);
        return period && listedOf(manifest, resolution, metric, period)[0];
      };
      const objects: Pair["objects"] = [objectIn(before), objectIn(now)];
      if (objects[0]?.key !== objects[1]?.key) yield { resolution, metric, span, objects };
    }
  }
}

/** What only the build before has: resolutions, own cohorts and methods of lots. */
function* lostPairs(before: Manifest, now: Manifest): Generator<Pair> {
  for (const resolution of RESOLUTIONS) {
    const to = completeUntil(before, resolution);
    const isGone = now.resolutions[resolution] === undefined;
    const isLost = (of: TableOf) =>
      isGone || (isOwnCohort(of) && !now.cohorts?.[of]) || (isLotMethod(of) && !now.lots?.[of]);
    const beside = [...(Object.keys(before.cohorts ?? {}) as OwnCohort[]), ...lotMethodsOf(before)];
    for (const of of [...METRICS.map(({ name }) => name), ...beside].filter(isLost)) {
      for (const period of before.resolutions[resolution]?.periods ?? []) {
        const [object] = listedOf(before, resolution, of, period);
        const span = { from: period.from, to: Math.min(period.to, to) };
        if (object) yield { resolution, metric: of, span, objects: [object, undefined], isLost: true };
      }
    }
  }
}

/** Up to when the points of a build were complete, Unix seconds, exclusive. */
function completeUntil(manifest: Manifest, resolution: Resolution): number {
  if (resolution === "block") return Date.parse(manifest.asOf) / 1000;
  const range = rangeIn(manifest, resolution);
  return range ? range[1] + 1 : Number.NEGATIVE_INFINITY;
}

/** Cuts time wherever a period begins or ends, within a span. */
function spansOf(periods: readonly ComparedTime[], { from, to }: ComparedTime): ComparedTime[] {
  const within = (time: number) => Math.min(Math.max(time, from), to);
  const cuts = [...new Set(periods.flatMap((period) => [within(period.from), within(period.to)]))];
  cuts.sort((a, b) => a - b);
  return cuts.slice(1).map((end, i) => ({ from: cuts[i]!, to: end }));
}
