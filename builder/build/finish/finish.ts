/**
 * Stage `finish`: adds up the partitions, makes the objects of days, weeks and months, checks the build and activates it.
 */

import { METRICS } from "../../../data-schema/registry/metrics.ts";
import {
  BUCKET_SECONDS,
  byWhole,
  CALENDAR_RESOLUTIONS,
  HOUR_MULTIPLES,
  type WholeResolution,
} from "../../../data-schema/registry/resolutions.ts";
import type { Cause } from "../../../data-schema/stored/changes.ts";
import { namePart } from "../../../data-schema/stored/objects.ts";
import { calendarFlows, calendarStates, collectDays } from "../../engine/calendar/calendar.ts";
import { concatFlows } from "../../engine/calendar/concat-series.ts";
import type { Period } from "../../engine/calendar/periods.ts";
import { priceSeries } from "../../engine/calendar/price-series.ts";
import { dayStates } from "../../engine/calendar/states.ts";
import { roundCloses } from "../../engine/closes/closes.ts";
import type { MetricSeries } from "../../engine/flows.ts";
import { NO_EVENTS, type Totals } from "../../engine/history/checkpoint.ts";
import type { Outline } from "../../engine/history/outline.ts";
import { eventsFromFirstToLast } from "../../engine/history/tally.ts";
import { checkSupply } from "../../engine/replay/check-supply.ts";
import { reasonText } from "../../published/history/cause-text.ts";
import type { WholeSeries } from "../../published/objects/object.ts";
import { periodFiles } from "../../published/objects/period-files.ts";
import { labelCoverage } from "../../published/publish/label-coverage.ts";
import { manifestOf, WrittenSeries } from "../../published/publish/manifest.ts";
import type { Publication } from "../../published/publish/publication.ts";
import { verifyBeforeSwap } from "../../published/verify/before-swap.ts";
import { readPublishedPoints } from "../checkpoint/previous.ts";
import { addMonths, changedMonths } from "../checkpoint/provenance.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { Cuts, RunFacts } from "../left/facts.ts";
import { joinRuns } from "../left/join.ts";
import { outlineOfRuns } from "../left/outline.ts";
import type { StagePlan } from "../left/plan.ts";
import { readDays } from "../left/points.ts";
import { readResults } from "../left/results.ts";
import { readPartitions } from "../left/runs.ts";
import { listCauses } from "../plan/resume.ts";
import { hasBegun } from "../stages/units.ts";
import { publishDistributions } from "./distributions.ts";
import { type Finished, startText } from "./finished.ts";
import { mergeCloses } from "./merge-closes.ts";
import { publishCohorts } from "./publish-cohorts.ts";

export interface Finish {
  folder: StageFolder;
  plan: StagePlan;
  /** What `map` found. */
  runs: readonly RunFacts[];
  publication: Publication;
  /** How many threads may read the transfers of own cohorts. */
  threads: number;
}

/**
 * @throws {CannotResume} a published object that would be extended is damaged
 * @throws {Failure} the build is wrong, or another one was activated meanwhile
 */
export async function finish({ folder, plan, runs, publication, threads }: Finish): Promise<Finished> {
  const { asset, resume } = plan;
  const partitions = await readPartitions(folder, plan);
  const [cuts] = await readResults(folder, plan, "periods");
  const hours = await readResults(folder, plan, "hours");
  const results = [...hours, ...(await readResults(folder, plan, "blocks"))];
  const outline = outlineOfRuns(plan, runs);
  checkSupply(outline, partitions);
  const input = joinRuns(plan, runs, partitions);

  const written = new WrittenSeries();
  for (const { files, totals } of results) {
    for (const file of files) written.add(file);
    if (totals) publication.count(totals);
  }
  const whole = await publishWhole(plan, folder, outline, cuts!, partitions.length, publication, written);
  const checkpoint = results.find((result) => result.checkpoint)?.checkpoint;

  const causes = causesOf(plan, runs, input.asOf);
  const start = resume ? { from: resume.checkpoint.time } : { reason: reasonText(causes) };
  const days = cuts!.checkpoint &&
    checkpoint && { last: cuts!.checkpoint.time - BUCKET_SECONDS.day, objects: whole.day, held: checkpoint.held };
  const made = { ...input, prices: plan.survey.prices };
  const withoutCohorts = manifestOf({
    asset,
    input: made,
    outline,
    periods: cuts!.periods,
    written,
    labels: labelCoverage(asset, made, plan.survey.labels.counts, days),
    holders: partitions.reduce((sum, { holders }) => sum + holders, 0),
    reason: startText(start),
    ...(checkpoint && { checkpoint: { hash: namePart(checkpoint.sha256), size: checkpoint.size } }),
  });
  const years = await publishDistributions(plan, folder, outline, partitions.length, publication);
  const withYears = { ...withoutCohorts, distributions: years };
  const { balanceWords } = outline;
  const manifest = await publishCohorts({ folder, plan, publication, threads, balanceWords }, withYears, false);
  if (plan.verify) verifyBeforeSwap(asset.path, manifest, whole);
  await publication.finish(manifest, { causes, unchangedBefore: resume?.checkpoint.time });

  const { totals } = outline;
  const replayed = eventsFromFirstToLast(runs.flatMap(({ days }) => days));
  return {
    build: input.build,
    start,
    isUnchanged: false,
    replayed,
    transfers: totals.transfers,
    published: publication.totals,
    details: {
      ofNoEffect: replayed - (events(totals) - events(resume?.checkpoint.totals ?? NO_EVENTS)),
      input: input.report,
      ...(manifest.price && { price: manifest.price }),
      ...(manifest.labels && { labels: manifest.labels }),
      counts: totals,
      firstSeconds: totals.first!.t,
      lastSeconds: totals.last!.t,
      ...(checkpoint && { checkpoint: { holders: checkpoint.holders, bytes: checkpoint.size } }),
    },
  };
}

/** Publishes the objects of days, weeks and months. */
async function publishWhole(
  plan: StagePlan,
  folder: StageFolder,
  outline: Outline,
  { periods }: Cuts,
  partitions: number,
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
  const closes = roundCloses(await mergeCloses(folder, partitions), outline);
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

/** Why there is a new build. Of a full one also: in which months its rows differ from the last build's. */
function causesOf({ resume, survey, causes, last }: StagePlan, runs: readonly RunFacts[], asOf: number): Cause[] {
  if (resume) {
    const from = new Date(resume.checkpoint.time * 1000).toISOString();
    return [{ kind: "new-events", from }, ...listCauses(resume.manifest, survey.lists)];
  }
  if (!last || asOf < last.time) return [...causes];
  const now = addMonths(
    runs.flatMap(({ days }) => days),
    last.time,
  );
  const months = changedMonths(last.months, now);
  return [...causes, ...(months ? [{ kind: "transfers" as const, ...months }] : [])];
}

const events = ({ transfers, mints, burns }: Totals) => transfers + mints + burns;
