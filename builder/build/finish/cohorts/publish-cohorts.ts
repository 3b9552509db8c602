/**
 * Publishes own cohorts: an object for each list and period, beside those of the metrics. A list that goes on from the last
 * build reads the new transfers only; one that is new, or has changed, reads all. No list changes what is published of
 * anything else. Source: docs/building.md#own-cohorts.
 */

import { join } from "node:path";
import { BUCKET_SECONDS, byCalendar, type OwnCohort, type Resolution } from "../../../../data-schema/registry.ts";
import type { Manifest, ManifestPeriod, OwnCohortFacts, SeriesObject } from "../../../../data-schema/stored.ts";
import { type OpenBucket, OWN_COHORT } from "../../../engine/history.ts";
import type { OwnCohortList } from "../../../input/labels/own-cohorts.ts";
import { planReading } from "../../../input/transfers/plan-reading.ts";
import type { Reading } from "../../../input/transfers/shares/share.ts";
import { whileUnchanged } from "../../../input/while-unchanged.ts";
import type { Publication } from "../../../published/publish/publication.ts";
import type { StageFolder } from "../../folder/folder.ts";
import { LocalFolder } from "../../folder/local-folder.ts";
import { ListIndex } from "../../holders/list-index.ts";
import { withSorted } from "../../left/sorted.ts";
import type { StagePlan } from "../../left/stage-plan.ts";
import { leastPartitions, mostRows } from "../../plan/sizes.ts";
import { periodsOf, publishPeriod } from "../publish-period.ts";
import { type GatheredList, gatherRuns, gatherSeeds } from "./gather.ts";
import { type ListSeries, OWN_TABLE, replayList } from "./list-series.ts";

export interface CohortWork {
  folder: StageFolder;
  plan: StagePlan;
  publication: Publication;
  threads: number;
  /** 32-bit words that any balance of the token may need. */
  balanceWords: number;
}

type Open = NonNullable<OwnCohortFacts["open"]>;

/**
 * @param manifest of the build, with its periods
 * @param isKept whether it is the last build's, but for own cohorts
 * @returns the manifest with own cohorts
 * @throws {CannotResume} a published object that would be extended is damaged
 */
export async function publishCohorts(work: CohortWork, manifest: Manifest, isKept: boolean): Promise<Manifest> {
  const { plan } = work;
  const before = plan.resume?.cohorts;
  const made: CohortObjects = { facts: {}, entries: new Map() };
  const resumed: StartedList[] = [];
  const anew: StartedList[] = [];
  for (const list of plan.survey.lists) {
    const { cohort } = list;
    const facts = before?.[cohort];
    if (facts?.sha256 !== list.sha256) anew.push({ list });
    else if (isKept) keep(cohort, facts, manifest, made);
    else if (facts.open) resumed.push({ list, open: facts.open });
    else anew.push({ list });
  }
  // On this machine: nobody else reads what lists leave.
  const room = new LocalFolder(join(work.folder.scratch, "cohorts"), work.folder.assetPath, false);
  await room.make();
  await publishLists(work, room, resumed, plannedReading, manifest, made);
  await publishLists(work, room, anew, wholeReading, manifest, made);
  return withCohorts(manifest, made);
}

/** A list, and the open week and month from which it goes on; without those it is replayed from the start. */
interface StartedList {
  list: OwnCohortList;
  open?: Open;
}

/** What the manifest says of own cohorts: entries by resolution, period and cohort. */
interface CohortObjects {
  facts: Partial<Record<OwnCohort, OwnCohortFacts>>;
  entries: Map<string, Partial<Record<OwnCohort, SeriesObject>>>;
}

const placeOf = (resolution: Resolution, { name }: Pick<ManifestPeriod, "name">) => `${resolution}/${name}`;

function add({ entries }: CohortObjects, place: string, cohort: OwnCohort, entry: SeriesObject): void {
  entries.set(place, { ...entries.get(place), [cohort]: entry });
}

/** Takes a cohort over from the last build, whose periods are the manifest's. */
function keep(cohort: OwnCohort, facts: OwnCohortFacts, manifest: Manifest, made: CohortObjects): void {
  made.facts[cohort] = facts;
  for (const [resolution, period] of periodsOf(manifest)) {
    add(made, placeOf(resolution, period), cohort, period.own?.[cohort] ?? { rows: 0 });
  }
}

/** The manifest with these own cohorts, and no others. */
function withCohorts(manifest: Manifest, { facts, entries }: CohortObjects): Manifest {
  const { cohorts: _, ...rest } = manifest;
  const resolutions = Object.entries(manifest.resolutions).map(([resolution, found]) => {
    const periods = found!.periods.map(({ own: _, ...period }) => {
      const own = entries.get(placeOf(resolution as Resolution, period));
      return { ...period, ...(own && { own }) };
    });
    return [resolution, { ...found, periods }];
  });
  return {
    ...rest,
    ...(Object.keys(facts).length > 0 && { cohorts: facts }),
    resolutions: Object.fromEntries(resolutions) as Manifest["resolutions"],
  };
}

/** The reading of the plan, with the paths of sorted copies. */
const plannedReading = ({ folder, plan: { reading } }: CohortWork): Promise<Reading> =>
  withSorted(
    folder,
    reading,
    reading.shares.flatMap(({ files }) => files),
  );

/** The reading of lists that start anew: all transfers. */
async function wholeReading(work: CohortWork, room: LocalFolder): Promise<Reading> {
  const { asset, survey, resume, taskBytes } = work.plan;
  if (!resume) return plannedReading(work);
  const rows = () => mostRows(taskBytes);
  return whileUnchanged(survey.history, () =>
    planReading(asset, survey, { rows, folder: room.scratch, memory: taskBytes, threads: work.threads }),
  );
}

/** Publishes lists that all start anew, or all go on from the last build. */
async function publishLists(
  work: CohortWork,
  room: LocalFolder,
  started: readonly StartedList[],
  readingOf: (work: CohortWork, room: LocalFolder) => Promise<Reading>,
  manifest: Manifest,
  made: CohortObjects,
): Promise<void> {
  if (started.length === 0) return;
  const reading = await readingOf(work, room);
  const lists = started.map(({ list }, i): GatheredList => {
    const folder = new LocalFolder(join(room.scratch, String(i)), room.assetPath, false);
    return { list, folder, partitions: leastPartitions(list.addresses, work.plan.taskBytes), runs: [] };
  });
  const index = await ListIndex.of(started.map(({ list }) => list));
  const isResumed = started[0]!.open !== undefined;
  if (isResumed) await gatherSeeds(work, index, lists);
  await gatherRuns(work, reading, index, lists);
  for (const [i, { open }] of started.entries()) {
    await publishList(work, lists[i]!, open, reading, manifest, made);
    await room.remove(String(i));
  }
}

async function publishList(
  { plan, publication, balanceWords }: CohortWork,
  { list, folder, partitions, runs }: GatheredList,
  open: Open | undefined,
  reading: Reading,
  manifest: Manifest,
  made: CohortObjects,
): Promise<void> {
  const { cohort, sha256, addresses } = list;
  const shares = reading.shares.length;
  const { resume, ...rest } = plan;
  const checkpoint = open && resume && { ...resume.checkpoint, openBuckets: byCalendar((r) => openBucket(open[r])) };
  const series = await replayList({
    folder,
    runs,
    plan: {
      ...rest,
      id: `${plan.id} ${cohort}`,
      asset: { ...plan.asset, asOf: Date.parse(manifest.asOf) / 1000 },
      list: { balanceWords },
      reading,
      partitions,
      tasks: { ...plan.tasks, divide: open ? plan.tasks.divide : 0, replay: partitions, flows: shares },
      ...(checkpoint && { resume: { ...resume!, checkpoint } }),
    },
  });
  const table = {
    symbol: manifest.symbol,
    of: cohort,
    order: OWN_TABLE.order,
    resume: checkpoint && { manifest: resume!.manifest, checkpoint },
  };
  for (const [resolution, period] of periodsOf(manifest)) {
    add(made, placeOf(resolution, period), cohort, await publishPeriod(publication, table, resolution, period, series));
  }
  const { last } = manifest.resolutions.day;
  made.facts[cohort] = {
    sha256,
    addresses,
    holders: series.holders,
    ...(last !== null && { open: openOf(series, last + BUCKET_SECONDS.day) }),
  };
}

/** Open buckets name the selector, of which a list has one. */
const openBucket = ({ from, sums }: Open["week"]): OpenBucket => ({
  from,
  sums: Object.fromEntries(Object.entries(sums).map(([metric, of]) => [metric, { [OWN_COHORT]: of }])),
});

const openOf = (series: ListSeries, time: number): Open => {
  const open = series.openAt(time);
  return byCalendar((resolution) => {
    const { from, sums } = open[resolution];
    return { from, sums: Object.fromEntries(Object.entries(sums).map(([metric, of]) => [metric, of[OWN_COHORT]!])) };
  });
};
