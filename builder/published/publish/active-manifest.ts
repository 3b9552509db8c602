/**
 * The active manifest: that of a build as it was recorded, without what readers don't need. Pure. Source:
 * docs/formats.md#the-active-manifest.
 */

import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { OwnCohort } from "../../../data-schema/registry.ts";
import { type InputSummary, type Manifest, type OwnCohortFacts, unplaced } from "../../../data-schema/stored.ts";

/** The active form of a recorded manifest. One of version 1 stays as it is, so that Workers of 0.2 can read it. */
export function activeManifest(recorded: Manifest): Manifest {
  if (recorded.schema === 1) return recorded;
  const { cohorts } = recorded;
  return {
    ...recorded,
    inputs: summariesOf(recorded.inputs),
    ...(cohorts && { cohorts: withoutOpenBuckets(cohorts) }),
  };
}

function withoutOpenBuckets(cohorts: NonNullable<Manifest["cohorts"]>): typeof cohorts {
  const entries = Object.entries(cohorts) as [OwnCohort, OwnCohortFacts][];
  return Object.fromEntries(entries.map(([name, { open: _, ...facts }]) => [name, facts]));
}

/**
 * Whether an active manifest is that of a recorded build. One that repeats the active build, and ended before its activation, has
 * recorded its own reason, and the places where it has put parts.
 */
export function isActiveFormOf(active: Manifest, recorded: Manifest | undefined): boolean {
  if (recorded === undefined) return false;
  const form = activeManifest(recorded);
  return isDeepStrictEqual(active, form) || isDeepStrictEqual(withoutRun(active), withoutRun(form));
}

const withoutRun = (manifest: Manifest) => ({ ...unplaced(manifest), reason: "" });

/** Inputs by role: the number of files, and a digest of the list, which is that of the lines `sha256sum` prints of them. */
export function summariesOf(inputs: Manifest["inputs"]): InputSummary[] {
  const byRole = Map.groupBy(inputs, ({ role }) => role);
  return Array.from(byRole, ([role, entries]) => {
    const [first] = entries;
    if (first && "files" in first) return first;
    const hash = createHash("sha256");
    const summary = { role, files: 0, bytes: 0, rows: 0 };
    for (const entry of entries) {
      if ("files" in entry) continue;
      hash.update(`${entry.sha256}  ${entry.file}\n`);
      summary.files++;
      summary.bytes += entry.bytes;
      summary.rows += entry.rows;
    }
    return { ...summary, sha256: hash.digest("hex") };
  });
}
