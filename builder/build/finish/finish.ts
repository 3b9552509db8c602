/**
 * Stage `finish`: adds up the partitions, makes the objects of days, weeks and months, checks the build and activates it.
 */

import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { type Cause, type Manifest, namePart } from "../../../data-schema/stored.ts";
import { eventsFromFirstToLast, NO_EVENTS, type Totals } from "../../engine/history.ts";
import { checkSupply } from "../../engine/replay.ts";
import { heldCorrections } from "../../input/prices/corrections.ts";
import { causeText, reasonText } from "../../published/history/cause-text.ts";
import { labelCoverage } from "../../published/publish/label-coverage.ts";
import { manifestOf, WrittenSeries } from "../../published/publish/make-manifest.ts";
import type { Publication } from "../../published/publish/publication.ts";
import { isWholeCheck, verifyBeforeSwap } from "../../published/verify/before-swap.ts";
import { checkSealed } from "../checkpoint/previous.ts";
import { addMonths, changedMonths } from "../checkpoint/provenance.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { Cuts, RunFacts } from "../left/facts.ts";
import { inflowBefore, joinRuns } from "../left/join.ts";
import { readResults } from "../left/results.ts";
import { outlineOfRuns } from "../left/run-outline.ts";
import { readPartitions } from "../left/runs.ts";
import type { StagePlan } from "../left/stage-plan.ts";
import { besideCauses, correctionCauses } from "../plan/full-or-resume.ts";
import { readTransferDays } from "../stages/transfers.ts";
import { publishCohorts } from "./cohorts/publish-cohorts.ts";
import { publishDeposits } from "./deposits.ts";
import { type Finished, startText } from "./finished.ts";
import { publishLots } from "./lots/publish-lots.ts";
import { mergeCloses } from "./merge-closes.ts";
import { publishOpenTransfers } from "./open-transfers.ts";
import { publishDistributions } from "./publish-distributions.ts";
import { publishHolders } from "./publish-holders.ts";
import { publishLargeTransfers } from "./publish-large-transfers.ts";
import { publishWhole } from "./whole.ts";

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
 * @throws {CannotResume} a published object that would be extended, or that the whole check reads, is damaged
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
  for (const { files, put } of results) {
    for (const file of files) written.add(file);
    if (put) publication.join(put);
  }
  const transferDays = await readTransferDays(folder, plan);
  const closes = await mergeCloses(folder, partitions.length);
  const { years, percentiles } = await publishDistributions(plan, folder, outline, partitions.length, publication);
  const states = { closes, percentiles };
  const whole = await publishWhole(plan, folder, outline, transferDays, cuts!, states, publication, written);
  const checkpoint = results.find((result) => result.checkpoint)?.checkpoint;

  const causes = causesOf(plan, publication.previous, runs, input.asOf);
  const changes = causes.filter(({ kind }) => kind === "deposits" || kind === "corrections").map(causeText);
  const start = resume
    ? { from: resume.checkpoint.time, ...(changes.length > 0 && { changes }) }
    : { reason: reasonText(causes) };
  const days = cuts!.checkpoint &&
    checkpoint && {
      time: cuts!.checkpoint.time,
      last: cuts!.checkpoint.time - BUCKET_SECONDS.day,
      objects: whole.day,
      held: checkpoint.held,
    };
  const transfers = days && (await publishOpenTransfers(folder, transferDays, days.time, publication));
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
    corrections: heldCorrections(plan.survey.corrections),
    events: plan.survey.events,
    ...(checkpoint && {
      checkpoint: { hash: namePart(checkpoint.sha256), size: checkpoint.size, ...(transfers && { transfers }) },
    }),
  });
  const deposits = await publishDeposits(plan, folder, publication, inflowOf(plan, runs, cuts!), input.asOf);
  const held = checkpoint && (await publishHolders(plan, folder, publication, outline, closes, checkpoint.index));
  const largest = checkpoint && (await publishLargeTransfers(plan, folder, runs, publication, outline));
  const withYears = {
    ...withoutCohorts,
    distributions: years,
    ...(deposits && { deposits }),
    ...(held && { holders: held }),
    ...(largest && { transfers: { largest } }),
  };
  const lots = results.flatMap((result) => result.lots);
  const withLots = await publishLots({ folder, plan, runs }, publication, lots, withYears, outline);
  const { balanceWords } = outline;
  const manifest = await publishCohorts({ folder, plan, publication, threads, balanceWords }, withLots, false);
  if (plan.verify) {
    const resumed = resume?.checkpoint.time;
    if (resume && isWholeCheck(manifest, resumed)) await checkSealed(publication.store, resume);
    verifyBeforeSwap(asset.path, manifest, whole, resumed);
  }
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
      ...(deposits && { deposits }),
      counts: totals,
      firstSeconds: totals.first!.t,
      lastSeconds: totals.last!.t,
      ...(checkpoint && { checkpoint: { holders: checkpoint.holders, bytes: checkpoint.size } }),
    },
  };
}

/** The inflow of the last days that are complete; undefined while none is. */
const inflowOf = (plan: StagePlan, runs: readonly RunFacts[], { checkpoint }: Cuts) =>
  checkpoint && inflowBefore(plan, runs, checkpoint.time);

const events = ({ transfers, mints, burns }: Totals) => transfers + mints + burns;

/** A full build also says in which months its rows differ from those of the last one. */
function causesOf(plan: StagePlan, active: Manifest | undefined, runs: readonly RunFacts[], asOf: number): Cause[] {
  const { resume, survey, causes, last, deposits } = plan;
  const corrected = active ? correctionCauses(active, survey.corrections) : [];
  if (resume) {
    const from = new Date(resume.checkpoint.time * 1000).toISOString();
    const change = deposits?.change ? [{ kind: "deposits" as const, ...deposits.change }] : [];
    return [{ kind: "new-events", from }, ...besideCauses(resume.manifest, survey), ...change, ...corrected];
  }
  const all = [...causes, ...(causes.some(({ kind }) => kind === "corrections") ? [] : corrected)];
  if (!last || asOf < last.time) return all;
  const now = addMonths(
    runs.flatMap(({ days }) => days),
    last.time,
  );
  const months = changedMonths(last.months, now);
  return [...all, ...(months ? [{ kind: "transfers" as const, ...months }] : [])];
}
