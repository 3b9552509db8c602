/** Publishes the objects of days, weeks and months, which add up what all partitions have. */

import {
  BUCKET_SECONDS,
  byWhole,
  CALENDAR_RESOLUTIONS,
  HOUR_MULTIPLES,
  METRICS,
  type MetricName,
  type WholeResolution,
} from "../../../data-schema/registry.ts";
import {
  COVERAGE_DAYS,
  COVERAGE_METRICS,
  calendarFlows,
  calendarStates,
  collectDays,
  concatFlows,
  dayStates,
  mediansOf,
  type Period,
  priceSeries,
  type TransferDay,
} from "../../engine/calendar.ts";
import { type ExactCloses, type Kept, roundCloses } from "../../engine/closes.ts";
import type { MetricSeries } from "../../engine/flows.ts";
import type { Outline } from "../../engine/history.ts";
import type { Series } from "../../engine/series.ts";
import { lowerBound } from "../../lib/columns/lower-bound.ts";
import type { WholeSeries } from "../../published/objects/encode-series.ts";
import { periodFiles } from "../../published/objects/period-files.ts";
import type { WrittenSeries } from "../../published/publish/make-manifest.ts";
import type { Publication } from "../../published/publish/publication.ts";
import { recentSince } from "../../published/verify/before-swap.ts";
import { readPublishedPoints } from "../checkpoint/previous.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { Cuts } from "../left/facts.ts";
import type { StagePlan } from "../left/stage-plan.ts";
import { readDays } from "../stages/run-points.ts";
import { transfersInMemory } from "../stages/transfers.ts";
import { hasBegun } from "../stages/write/write-units.ts";

/** @throws {CannotResume} a published object that would be extended is damaged */
export async function publishWhole(
  plan: StagePlan,
  folder: StageFolder,
  outline: Outline,
  transfers: Iterable<TransferDay>,
  { periods }: Cuts,
  { closes: exact, percentiles }: { closes: Kept<ExactCloses>; percentiles: MetricSeries },
  publication: Publication,
  written: WrittenSeries,
): Promise<WholeSeries> {
  const { asset, resume } = plan;
  const whole: WholeSeries = byWhole(() => new Map());
  const publish = async (
    resolution: WholeResolution,
    [period]: readonly Period[],
    metrics: MetricSeries,
  ): Promise<void> => {
    if (!period) return;
    const names = METRICS.map(({ name }) => name);
    const published = hasBegun(plan, period)
      ? await readPublishedPoints(publication.store, resume!, resolution, period, names)
      : undefined;
    const checked = recentSince(resume?.checkpoint.time);
    const covered = period.to - COVERAGE_DAYS * BUCKET_SECONDS.day;
    for (const { file, series } of periodFiles(asset.symbol, resolution, period.name, metrics, published)) {
      await publication.putSeries([file]);
      written.add(file);
      const since = COVERED.has(file.metric) ? Math.min(checked, covered) : checked;
      whole[resolution].set(file.metric, { bytes: file.bytes, recent: pointsSince(series(), since) });
    }
  };

  const days = await readDays(folder, plan);
  const collected = collectDays(days);
  const closes = roundCloses(exact, outline);
  const states = [...dayStates(outline, closes, collected), ...percentiles];
  const medians = mediansOf(outline, transfers, transfersInMemory(plan));
  for (const resolution of HOUR_MULTIPLES) {
    await publish(resolution, periods[resolution], [
      // States are those of the close of a day.
      ...(resolution === "day" ? states : []),
      ...concatFlows([...days.map((of) => of[resolution]), medians[resolution]]),
      ...priceSeries(outline, resolution),
    ]);
  }
  for (const resolution of CALENDAR_RESOLUTIONS) {
    await publish(resolution, periods[resolution], [
      ...calendarStates(resolution, states),
      ...calendarFlows(outline, resolution, collected),
      ...medians[resolution],
      ...priceSeries(outline, resolution),
    ]);
  }
  return whole;
}

/** The metrics whose days tell how much of the token labels cover. */
const COVERED: ReadonlySet<MetricName> = new Set(COVERAGE_METRICS);

/** The points from a time on, copied: all others may be collected. */
const pointsSince = (series: readonly Series[], since: number): Series[] =>
  series.flatMap(({ selector, t, v }) => {
    const first = lowerBound(t, t.length, since);
    return first === t.length ? [] : [{ selector, t: t.slice(first), v: v.slice(first) }];
  });
