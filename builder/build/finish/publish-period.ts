/** Publishes the object of an own cohort, or of a method of lots, and a period. */

import { VARIOUS_UNITS } from "../../../data-schema/parquet.ts";
import { type LotMethod, type OwnCohort, RESOLUTIONS, type Resolution } from "../../../data-schema/registry.ts";
import {
  entryOf,
  listedOf,
  type Manifest,
  type ManifestPeriod,
  type SeriesObject,
} from "../../../data-schema/stored.ts";
import { concatSeries } from "../../engine/calendar.ts";
import { SharedColumns, seriesFile } from "../../published/objects/encode-series.ts";
import type { Publication } from "../../published/publish/publication.ts";
import { readPointsBefore } from "../checkpoint/previous.ts";
import type { StagePlan } from "../left/stage-plan.ts";
import type { SeriesTable, TableSeries } from "./table-series.ts";

export function* periodsOf({ resolutions }: Manifest): Generator<[Resolution, ManifestPeriod]> {
  for (const resolution of RESOLUTIONS) {
    for (const period of resolutions[resolution]?.periods ?? []) yield [resolution, period];
  }
}

/** What has an object for each period. */
export interface PeriodTable extends Pick<SeriesTable, "order"> {
  symbol: string;
  of: OwnCohort | LotMethod;
  /** The build whose points they extend; absent of those that start anew. */
  resume?: Pick<NonNullable<StagePlan["resume"]>, "manifest" | "checkpoint"> | undefined;
}

/**
 * @param series the new points
 * @returns what the manifest says of the object
 * @throws {CannotResume} the published object that would be extended is damaged
 */
export async function publishPeriod(
  publication: Publication,
  { symbol, of, order, resume }: PeriodTable,
  resolution: Resolution,
  period: ManifestPeriod,
  series: TableSeries,
): Promise<SeriesObject> {
  const published = resume?.manifest.resolutions[resolution]?.periods.find(({ name }) => name === period.name);
  if (resume && published && period.to <= resume.checkpoint.time) return entryOf(published, of) ?? { rows: 0 };
  const [listed] = resume && published ? listedOf(resume.manifest, resolution, of, published) : [];
  const before = listed ? await readPointsBefore(publication.store, listed, resume!) : [];
  const shared = new SharedColumns();
  const runs = concatSeries(order, [before, await series.points(resolution, period)]).map((run) => shared.share(run));
  const file = seriesFile(symbol, { name: of, unit: VARIOUS_UNITS }, resolution, period.name, runs);
  if (file) await publication.putSeries([file]);
  return file?.entry ?? { rows: 0 };
}
