/** Publishes distributions: an object for each of them, resolution and calendar year. Source: docs/formats.md#distributions. */

import { VARIOUS_UNITS } from "../../../data-schema/parquet.ts";
import {
  bucketOf,
  DISTRIBUTION_NAMES,
  type DistributionName,
  type DistributionResolution,
  type LotDistribution,
  nextYearStart,
  seriesNames,
} from "../../../data-schema/registry.ts";
import {
  type DistributionYear,
  distributionIn,
  type Manifest,
  type SeriesObject,
} from "../../../data-schema/stored.ts";
import { concatSeries } from "../../engine/calendar.ts";
import {
  DistributionSeries,
  type NewDistributionYear as NewPoints,
  type YearOfChanges,
} from "../../engine/distributions.ts";
import type { MetricSeries } from "../../engine/flows.ts";
import type { Outline } from "../../engine/history.ts";
import type { Series } from "../../engine/series.ts";
import { SharedColumns, seriesFile } from "../../published/objects/encode-series.ts";
import type { Publication } from "../../published/publish/publication.ts";
import { readPointsBefore } from "../checkpoint/previous.ts";
import type { StageFolder } from "../folder/folder.ts";
import { fromJson } from "../left/json.ts";
import { CHANGES } from "../left/layouts.ts";
import { openLeftTable } from "../left/open-table.ts";
import type { StagePlan } from "../left/stage-plan.ts";

type Distributions = NonNullable<Manifest["distributions"]>;

/**
 * @returns what the manifest says of them, and the percentiles of costs that follow from them, by day
 * @throws {CannotResume} a published object that would be extended is damaged
 */
export async function publishDistributions(
  { asset: { symbol }, resume }: StagePlan,
  folder: StageFolder,
  outline: Outline,
  partitions: number,
  publication: Publication,
): Promise<{ years: Distributions; percentiles: MetricSeries }> {
  // Years without a new bucket stay as they are.
  const { day = [], week = [], month = [] } = resume?.manifest.distributions ?? {};
  const published: Distributions = { day: [...day], week: [...week], month: [...month] };
  const series = new DistributionSeries(outline);
  for await (const year of readChanges(folder, partitions)) {
    for (const complete of series.addYear(year)) await publish(complete);
  }
  for (const open of series.end()) await publish(open);
  return { years: published, percentiles: series.percentiles.days() };

  async function publish({ resolution, from, series }: NewPoints): Promise<void> {
    const name = yearName(from);
    const years = published[resolution];
    const begun = years.at(-1)?.name === name ? years.pop() : undefined;
    const year: DistributionYear = { name, from, to: nextYearStart(from), objects: {} as DistributionYear["objects"] };
    for (const of of DISTRIBUTION_NAMES) {
      const place = { symbol, resolution, of, begun, resume };
      year.objects[of] = await publishYear(publication, place, name, series[of]);
    }
    years.push(year);
  }
}

/** The name of the calendar year that begins at a time, Unix seconds. */
export const yearName = (from: number): string => String(new Date(from * 1000).getUTCFullYear());

interface YearPlace {
  symbol: string;
  resolution: DistributionResolution;
  of: DistributionName | LotDistribution;
  /** The year as the build before has published it, if that has begun it. */
  begun: DistributionYear | undefined;
  resume: StagePlan["resume"];
}

/**
 * Publishes the object of a distribution and a calendar year: new points after those that are published.
 *
 * @returns what the manifest says of it
 * @throws {CannotResume} the published object is damaged
 */
export async function publishYear(
  publication: Publication,
  { symbol, resolution, of, begun, resume }: YearPlace,
  name: string,
  series: readonly Series[],
): Promise<SeriesObject> {
  const [listed] = resume && begun ? distributionIn(resume.manifest, resolution, of, begun) : [];
  const before = listed ? await readPointsBefore(publication.store, listed, resume!) : [];
  const shared = new SharedColumns();
  const parts = [before, series];
  const buckets = parts.flat().map(({ selector }) => bucketOf(selector));
  const runs = concatSeries(seriesNames(of, buckets), parts).map((run) => shared.share(run));
  const file = seriesFile(symbol, { name: of, unit: VARIOUS_UNITS }, resolution, name, runs);
  if (file) await publication.putSeries([file]);
  return file?.entry ?? { rows: 0 };
}

/** What the partitions have logged, year by year. */
async function* readChanges(folder: StageFolder, partitions: number): AsyncGenerator<YearOfChanges[]> {
  const files = await Promise.all(
    Array.from({ length: partitions }, (_, partition) =>
      openLeftTable(folder, `changes/${partition}.parquet`, CHANGES),
    ),
  );
  const years = fromJson<Pick<YearOfChanges, "first" | "days">[]>(files[0]!.entry!);
  for (const [index, year] of years.entries()) {
    yield files.map((file) => ({ ...year, words: file.group(index).word }));
  }
}
