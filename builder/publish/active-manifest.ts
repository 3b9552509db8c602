/**
 * The active manifest: that of a build as it was recorded, without what readers don't need, and with when it was activated.
 * Pure. Source: docs/formats.md#the-active-manifest.
 */

import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Activation, type InputSummary, MAX_NIGHTS, type Manifest } from "../../data-schema/manifest.ts";

/** A manifest that is activated now. A manifest of version 1 stays as it is: it has no place for more. */
export function activeManifest(recorded: Manifest, activation: Activation): Manifest {
  return recorded.schema === 1 ? recorded : { ...recorded, inputs: summariesOf(recorded.inputs), activation };
}

/** Whether an active manifest is that of a recorded build, whenever it was activated. */
export function isActiveFormOf(active: Manifest, recorded: Manifest | undefined): boolean {
  return recorded !== undefined && isDeepStrictEqual(contentOf(active), contentOf(recorded));
}

function contentOf({ activation: _, ...manifest }: Manifest): Omit<Manifest, "activation"> {
  return { ...manifest, inputs: summariesOf(manifest.inputs) };
}

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

/**
 * When a manifest is activated, and the latest nights, each with how long its data took to become available: from `asOf`
 * until a build of it was activated for the first time. A rollback, or another build of the same `asOf`, is not a night.
 *
 * @param change the number of its entry in the log of changes
 * @param before the active manifest that it replaces
 */
export function activationOf(manifest: Manifest, change: number, before: Manifest | undefined, now: Date): Activation {
  const known = before?.activation?.nights ?? [];
  const asOf = Date.parse(manifest.asOf) / 1000;
  const latency = Math.max(0, Math.round(now.getTime() / 1000 - asOf));
  const isNew = asOf > (known.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY);
  const nights = isNew ? [...known, [asOf, latency] satisfies [number, number]] : known;
  return { at: now.toISOString(), change, nights: nights.slice(-MAX_NIGHTS) };
}
