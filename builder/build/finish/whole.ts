/** Publishes the objects of days, weeks and months, which add up what all partitions have. */

import {
  byWhole,
  CALENDAR_RESOLUTIONS,
  HOUR_MULTIPLES,
  METRICS,
  type WholeResolution,
} from "../../../data-schema/registry.ts";
import {
  calendarFlows,
  calendarStates,
  collectDays,
  concatFlows,
  dayStates,
  type Period,
  priceSeries,
} from "../../engine/calendar.ts";
import { type ExactCloses, type Kept, roundCloses } from "../../engine/closes.ts";
import type { MetricSeries } from "../../engine/flows.ts";
import type { Outline } from "../../engine/history.ts";
import type { WholeSeries } from "../../published/objects/encode-series.ts";
import { periodFiles } from "../../published/objects/period-files.ts";
import type { WrittenSeries } from "../../published/publish/make-manifest.ts";
import type { Publication } from "../../published/publish/publication.ts";
import { readPublishedPoints } from "../checkpoint/previous.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { Cuts } from "../left/facts.ts";
import type { StagePlan } from "../left/stage-plan.ts";
import { readDays } from "../stages/run-points.ts";
import { hasBegun } from "../stages/write-units.ts";

/** @throws {CannotResume} a published object that would be extended is damaged */
export async function publishWhole(
  plan: StagePlan,
  folder: StageFolder,
  outline: Outline,
  { periods }: Cuts,
  exact: Kept<ExactCloses>,
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
    for (const file of periodFiles(asset.symbol, resolution, period.name, metrics, published)) {
      await publication.putSeries([file]);
      written.add(file);
      whole[resolution].set(file.metric, file.bytes);
    }
  };

  const days = await readDays(folder, plan);
  const collected = collectDays(days);
  const closes = roundCloses(exact, outline);
  const states = [...dayStates(outline, closes, collected)];
  for (const resolution of HOUR_MULTIPLES) {
    await publish(resolution, periods[resolution], [
      // States are those of the close of a day.
      ...(resolution === "day" ? states : []),
      ...concatFlows(days.map((of) => of[resolution])),
      ...priceSeries(outline, resolution),
    ]);
  }
  for (const resolution of CALENDAR_RESOLUTIONS) {
    await publish(resolution, periods[resolution], [
      ...calendarStates(resolution, states),
      ...calendarFlows(outline, resolution, collected),
      ...priceSeries(outline, resolution),
    ]);
  }
  return whole;
}
