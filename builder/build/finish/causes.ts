/** Why there is a new build, for its manifest and the log of changes. */

import type { Cause } from "../../../data-schema/stored/changes.ts";
import { addMonths, changedMonths } from "../checkpoint/provenance.ts";
import type { RunFacts } from "../left/facts.ts";
import type { StagePlan } from "../left/stage-plan.ts";
import { listCauses } from "../plan/resume.ts";

/** A full build also says in which months its rows differ from those of the last one. */
export function causesOf(
  { resume, survey, causes, last }: StagePlan,
  runs: readonly RunFacts[],
  asOf: number,
): Cause[] {
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
