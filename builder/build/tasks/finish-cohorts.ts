/** The last step of a build for which nothing but the lists of own cohorts has changed: the rest stays as it is published. */

import type { Cause } from "../../../data-schema/changes.ts";
import type { Manifest } from "../../../data-schema/manifest.ts";
import { isOwnCohort, type OwnCohort } from "../../../data-schema/own-cohorts.ts";
import { buildId } from "../../input/build-id.ts";
import type { Survey } from "../../input/survey.ts";
import type { CannotResume } from "../../lib/failure.ts";
import { reasonText } from "../../published/history/cause-text.ts";
import type { Publication } from "../../published/publish/publication.ts";
import { publishCohorts } from "./cohorts/publish-cohorts.ts";
import type { Finished } from "./finished.ts";
import type { StageFolder } from "./folder.ts";
import type { StagePlan } from "./plan.ts";

/** Words of 32 bits that any balance fits into. */
const ANY_BALANCE = 8;

/**
 * @param recorded the active build, as it was recorded
 * @returns `CannotResume` if a published object that would be extended is damaged
 */
export async function finishCohorts(
  {
    folder,
    plan,
    publication,
    threads,
  }: { folder: StageFolder; plan: StagePlan; publication: Publication; threads: number },
  recorded: Manifest,
): Promise<Finished | CannotResume> {
  const { asset, survey } = plan;
  const lists = survey.files.filter(({ role }) => isOwnCohort(role));
  const inputs = [
    ...recorded.inputs.filter(({ role }) => !isOwnCohort(role)),
    ...lists.map(({ role, file, sha256, rows = 0 }) => ({ role, file: file.name, sha256, bytes: file.bytes, rows })),
  ];
  const causes = listCauses(recorded, survey.lists);
  const reason = reasonText(causes);
  const build = buildId(asset, Date.parse(recorded.asOf) / 1000, inputs);
  const base = { ...recorded, build, inputs, reason, created: new Date().toISOString() };
  const work = { folder, plan, publication, threads, balanceWords: ANY_BALANCE };
  const manifest = await publishCohorts(work, base, true);
  if ("cannotResume" in manifest) return manifest;
  await publication.finish(manifest, { causes });
  return {
    build,
    start: { lists: reason },
    isUnchanged: false,
    transfers: recorded.counts.transfers,
    replayed: 0,
    published: publication.totals,
  };
}

/** How the lists differ from those of the build that this one goes on from. */
export function listCauses({ cohorts: before = {} }: Pick<Manifest, "cohorts">, lists: Survey["lists"]): Cause[] {
  const now = new Map(lists.map(({ cohort, sha256 }) => [cohort, sha256]));
  const removed = (Object.keys(before) as OwnCohort[]).filter((cohort) => !now.has(cohort));
  const changed = [...now].filter(([cohort, sha256]) => before[cohort]?.sha256 !== sha256);
  const differing = [
    ...changed.map(([cohort]) => ({ cohort, change: before[cohort] ? ("changed" as const) : ("added" as const) })),
    ...removed.map((cohort) => ({ cohort, change: "removed" as const })),
  ];
  return differing.length > 0 ? [{ kind: "cohorts", lists: differing }] : [];
}
