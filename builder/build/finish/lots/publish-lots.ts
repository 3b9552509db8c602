/**
 * Publishes what is computed of lots: an object for each method and period, beside those of the metrics, and the table of lots
 * beside the checkpoint. Tasks have written those of hours and blocks (builder/build/stages/write/lot-objects.ts). No method
 * changes what is published of anything else. Source: docs/methodology.md §14.
 */

import { createReadStream, openAsBlob } from "node:fs";
import { join } from "node:path";
import {
  BUCKET_SECONDS,
  LOT_DISTRIBUTION_NAMES,
  LOT_METRICS,
  type LotMethod,
  lotDistribution,
  lotSelector,
  lotSeries,
  lotTable,
  type Resolution,
} from "../../../../data-schema/registry.ts";
import {
  type DistributionYear,
  lotsKey,
  type Manifest,
  type ManifestPeriod,
  namePart,
  type SeriesObject,
} from "../../../../data-schema/stored.ts";
import { closePrice, newBuckets, type Outline } from "../../../engine/history.ts";
import { LotBook, LotCloses, LotDistributions, type LotDistributionYear } from "../../../engine/lots.ts";
import type { Publication } from "../../../published/publish/publication.ts";
import { DIGESTS, digestPieces } from "../../../store/pieces.ts";
import type { HolderFacts, Written } from "../../left/facts.ts";
import { readResults } from "../../left/results.ts";
import { lotMethods, type StagePlan } from "../../left/stage-plan.ts";
import { amountWords, LOT_TABLE } from "../../lots/lot-files.ts";
import { lotTableEnd } from "../../lots/lot-table.ts";
import { publishYear, yearName } from "../publish-distributions.ts";
import { periodsOf, publishPeriod } from "../publish-period.ts";
import { type SeriesTable, type TableSeries, type TableWork, tableSeries } from "../table-series.ts";
import { readBook } from "./read-book.ts";

type Checkpoint = NonNullable<Manifest["checkpoint"]>;

/**
 * @param written the objects of hours and blocks
 * @param manifest of the build, with its periods and its checkpoint, if it has one
 * @returns the manifest with the lots
 * @throws {CannotResume} a published object that would be extended is damaged
 */
export async function publishLots(
  work: TableWork,
  publication: Publication,
  written: Written["lots"],
  manifest: Manifest,
  outline: Outline,
): Promise<Manifest> {
  const { plan, folder } = work;
  const objects = new Map(
    written.map(({ resolution, period, metric, entry }) => [`${placeOf(resolution, period)} ${metric}`, entry]),
  );
  const methods = lotMethods(plan);
  if (methods.length === 0) return manifest;
  const [holders] = await readResults(folder, plan, "holders");
  const facts: NonNullable<Manifest["lots"]> = {};
  const tables: NonNullable<Checkpoint["lots"]> = {};
  const entries = new Map<string, Partial<Record<LotMethod, SeriesObject>>>();
  const distributions = new Map<string, YearObjects>();
  for (const method of methods) {
    const state = plan.resume?.lots?.[method];
    const own: Outline = {
      ...outline,
      whose: "lots",
      ...(outline.checkpoint && { checkpoint: { ...outline.checkpoint, ...state } }),
    };
    const { series, years } = await seriesOf(work, own, method, (year) =>
      publishYears(work, publication, method, year),
    );
    for (const { place, ...objects } of years) distributions.set(place, { ...distributions.get(place), ...objects });
    const table = { symbol: manifest.symbol, of: method, order: lotTable(method), resume: plan.resume };
    for (const [resolution, period] of periodsOf(manifest)) {
      const place = placeOf(resolution, period.name);
      const entry = isWrittenByTasks(resolution)
        ? (objects.get(`${place} ${method}`) ?? sealedEntry(plan, resolution, period, method))
        : await publishPeriod(publication, table, resolution, period, series);
      entries.set(place, { ...entries.get(place), [method]: entry });
    }
    facts[method] = { lots: holders!.lots![method]!.written.rows };
    const { last } = manifest.resolutions.day;
    if (manifest.checkpoint && last !== null) {
      tables[method] = await publishTable(work, publication, method, holders!, series, last);
    }
  }
  return withLots(manifest, { facts, tables, entries, distributions });
}

const isWrittenByTasks = (resolution: Resolution) => resolution === "hour" || resolution === "block";

/** What the last build says of an object to which nothing is added. */
function sealedEntry(
  { resume }: StagePlan,
  resolution: Resolution,
  { name }: ManifestPeriod,
  method: LotMethod,
): SeriesObject {
  const periods = resume?.manifest.resolutions[resolution]?.periods ?? [];
  return periods.find((period) => period.name === name)?.lots?.[method] ?? { rows: 0 };
}

/** What the manifest says of distributions of lots in a year. */
type YearObjects = NonNullable<DistributionYear["lots"]>;

/** Publishes the distributions of a method in a calendar year. */
async function publishYears(
  { plan: { asset, resume } }: TableWork,
  publication: Publication,
  method: LotMethod,
  { resolution, from, series }: LotDistributionYear,
): Promise<YearObjects & { place: string }> {
  const year = yearName(from);
  const begun = resume?.manifest.distributions?.[resolution].find(({ name }) => name === year);
  const objects: YearObjects = {};
  for (const name of LOT_DISTRIBUTION_NAMES) {
    const of = lotDistribution(method, name);
    const place = { symbol: asset.symbol, resolution, of, begun, resume };
    objects[of] = await publishYear(publication, place, year, series[name]);
  }
  return { ...objects, place: placeOf(resolution, year) };
}

const placeOf = (resolution: Resolution, period: string) => `${resolution}/${period}`;

/** @param onYear takes the distributions of each year that is complete, or the last */
async function seriesOf<Year>(
  work: TableWork,
  outline: Outline,
  method: LotMethod,
  onYear: (year: LotDistributionYear) => Promise<Year>,
): Promise<{ series: TableSeries; years: Year[] }> {
  const days = newBuckets(outline, "day");
  const count = days ? (days.last - days.first) / BUCKET_SECONDS.day + 1 : 0;
  const book = new LotBook(outline.parameters.decimals, amountWords(outline));
  const closes = new LotCloses(count);
  const distributions = new LotDistributions(method);
  const years: Year[] = [];
  let close = days?.first ?? 0;
  let isFirst = true;
  for await (const changes of readBook(work, outline, method, count)) {
    book.change(changes);
    if (!isFirst) {
      for (const year of distributions.close(book.keys, close)) years.push(await onYear(year));
      close += BUCKET_SECONDS.day;
      closes.close(book.keys, close, closePrice(outline.prices, close));
    }
    isFirst = false;
  }
  for (const year of distributions.end()) years.push(await onYear(year));
  return { series: await tableSeries(work, outline, closes.kept, [], tableOf(method)), years };
}

const tableOf = (method: LotMethod): SeriesTable => ({
  metrics: LOT_METRICS.map(({ name }) => name),
  order: lotTable(method),
  nameOf: (metric, cohort) => lotSeries(metric, lotSelector(method, cohort)),
  method,
});

/** Puts the table of a method into the store. @param last start of the last complete day, Unix seconds */
async function publishTable(
  { plan, folder }: TableWork,
  publication: Publication,
  method: LotMethod,
  { lots }: HolderFacts,
  series: TableSeries,
  last: number,
): Promise<{ hash: string; size: number }> {
  const name = LOT_TABLE(method);
  await folder.copy(name);
  const path = join(folder.scratch, name);
  const time = last + BUCKET_SECONDS.day;
  const state = { time, coinDaysDestroyed: series.destroyedUntil(last), openBuckets: series.openAt(time) };
  const end = lotTableEnd(lots![method]!, state);
  const pieces = async function* () {
    yield* createReadStream(path);
    yield* end;
  };
  const digests = await digestPieces(pieces(), DIGESTS);
  const hash = namePart(digests.sha256);
  const content = new Blob([await openAsBlob(path), ...(end as Uint8Array<ArrayBuffer>[])]);
  await publication.putNamed(lotsKey(plan.asset.symbol, method, hash), content, digests);
  return { hash, size: digests.size };
}

interface Lots {
  facts: NonNullable<Manifest["lots"]>;
  tables: NonNullable<Checkpoint["lots"]>;
  /** By resolution and period. */
  entries: ReadonlyMap<string, Partial<Record<LotMethod, SeriesObject>>>;
  /** By resolution and year: those with a new close; all others stay as they are. */
  distributions: ReadonlyMap<string, YearObjects>;
}

function withLots(manifest: Manifest, { facts, tables, entries, distributions }: Lots): Manifest {
  const years = Object.entries(manifest.distributions ?? {}).map(([resolution, all]) => [
    resolution,
    all.map((year) => {
      const lots = distributions.get(placeOf(resolution as Resolution, year.name));
      return lots ? { ...year, lots } : year;
    }),
  ]);
  const resolutions = Object.entries(manifest.resolutions).map(([resolution, found]) => {
    const periods = found!.periods.map((period) => {
      return { ...period, lots: entries.get(placeOf(resolution as Resolution, period.name)) };
    });
    return [resolution, { ...found, periods }];
  });
  return {
    ...manifest,
    lots: facts,
    ...(manifest.distributions && { distributions: Object.fromEntries(years) as typeof manifest.distributions }),
    ...(manifest.checkpoint && { checkpoint: { ...manifest.checkpoint, lots: tables } }),
    resolutions: Object.fromEntries(resolutions) as Manifest["resolutions"],
  };
}
