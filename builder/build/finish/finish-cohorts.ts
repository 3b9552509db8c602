/** The last step of a build for which nothing but the lists of own cohorts and the calendar has changed: the rest stays as it is published. */

import type { Manifest } from "../../../data-schema/stored.ts";
import { computeBuildId } from "../../input/asset/build-id.ts";
import { isOfSeries } from "../../input/digest-input.ts";
import type { Publication } from "../../published/publish/publication.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { StagePlan } from "../left/stage-plan.ts";
import { besideCauses } from "../plan/full-or-resume.ts";
import { publishCohorts } from "./cohorts/publish-cohorts.ts";
import { type Finished, onlyBeside } from "./finished.ts";
import { renameCohorts } from "./publish-holders.ts";

/** Words of 32 bits that any balance fits into. */
const ANY_BALANCE = 8;

/**
 * @param recorded the active build, as it was recorded
 * @throws {CannotResume} a published object that would be extended is damaged
 */
export async function finishCohorts(
  {
    folder,
    plan,
    publication,
    threads,
  }: { folder: StageFolder; plan: StagePlan; publication: Publication; threads: number },
  recorded: Manifest,
): Promise<Finished> {
  const { asset, survey } = plan;
  const beside = survey.files.filter(({ role }) => !isOfSeries(role));
  const inputs = [
    ...recorded.inputs.filter(({ role }) => isOfSeries(role)),
    ...beside.map(({ role, file, sha256, rows = 0 }) => ({ role, file: file.name, sha256, bytes: file.bytes, rows })),
  ];
  const causes = besideCauses(recorded, survey);
  const start = onlyBeside(causes);
  const build = computeBuildId(asset, Date.parse(recorded.asOf) / 1000, inputs);
  const hasOtherLists = causes.some(({ kind }) => kind === "cohorts");
  const named = hasOtherLists && (await renameCohorts(plan, folder, publication, recorded));
  const { events: _, ...others } = recorded;
  const events = survey.events.length > 0 && { events: survey.events };
  const base = {
    ...others,
    ...named,
    ...events,
    build,
    inputs,
    reason: start.beside,
    created: new Date().toISOString(),
  };
  const work = { folder, plan, publication, threads, balanceWords: ANY_BALANCE };
  const manifest = await publishCohorts(work, base, true);
  await publication.finish(manifest, { causes });
  return {
    build,
    start,
    isUnchanged: false,
    transfers: recorded.counts.transfers,
    replayed: 0,
    published: publication.totals,
  };
}
