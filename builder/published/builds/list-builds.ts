/** `soprano builds`: the builds of an asset, what each changed, and which of them can be rolled back to. */

import { type ChangeEntry, references, seriesParts } from "../../../data-schema/stored.ts";
import { isoDay } from "../../../data-schema/text.ts";
import { alignColumns } from "../../lib/terminal/align.ts";
import { count, counted, megabytes } from "../../lib/terminal/amount-text.ts";
import { listingProblems, listObjects } from "../../store/listing.ts";
import type { ObjectStore } from "../../store/store.ts";
import { activations } from "../publish/write-changes.ts";
import { type ActivatedBuild, byActivation } from "./activation-times.ts";
import { readBuilds, readCurrent } from "./stored-builds.ts";

export interface BuildEntry extends ActivatedBuild {
  isActive: boolean;
  /** Series objects that are missing or of another size; 0 in a build that can be rolled back to. */
  broken: number;
  /** Its last activation in the log of changes; undefined if the log has none. */
  change: ChangeEntry | undefined;
}

/**
 * The last activated build first.
 *
 * @throws {Failure} the asset is not published, or its active manifest can't be read
 */
export async function listBuilds(store: ObjectStore, symbol: string): Promise<BuildEntry[]> {
  const [current, builds, listing] = await Promise.all([
    readCurrent(store, symbol),
    readBuilds(store, symbol),
    listObjects(store, symbol),
  ]);
  const changes = new Map<string, ChangeEntry>();
  for await (const entry of activations(store, current.manifest)) {
    if (!changes.has(entry.build)) changes.set(entry.build, entry);
    if (builds.every(({ build }) => changes.has(build))) break;
  }
  return (await byActivation(store, current.manifest, builds)).map((build) => ({
    ...build,
    change: changes.get(build.build),
    isActive: build.build === current.manifest.build,
    broken: build.manifest
      ? listingProblems(references(build.manifest, seriesParts(build.manifest)), listing).length
      : 0,
  }));
}

interface ListColumn {
  title: string;
  isNumber?: true;
  /** Left out of a list in which it is empty. */
  isOptional?: true;
  of: (build: BuildEntry) => string;
}

const COLUMNS: readonly ListColumn[] = [
  { title: "build", of: ({ build }) => build },
  { title: "created", of: ({ manifest }) => seconds(manifest?.created) },
  { title: "last active", of: ({ lastActive }) => seconds(lastActive.toISOString()) },
  { title: "asOf", of: ({ manifest }) => seconds(manifest?.asOf) },
  { title: "engine", of: ({ manifest }) => manifest?.engine ?? "" },
  { title: "objects", isNumber: true, of: ({ manifest }) => (manifest ? count(references(manifest).length) : "") },
  { title: "MB", isNumber: true, of: ({ manifest }) => (manifest ? megabytes(sizeOf(references(manifest))) : "") },
  { title: "checked holders", isNumber: true, isOptional: true, of: checkedOf },
  { title: "state", of: stateOf },
  { title: "changed", isOptional: true, of: changedOf },
  { title: "built", of: ({ manifest }) => manifest?.reason ?? "" },
];

const seconds = (iso = "") => iso.replace(/\.\d+Z$/, "Z");
const sizeOf = (objects: readonly { size: number }[]) => objects.reduce((sum, { size }) => sum + size, 0);

function checkedOf({ manifest }: BuildEntry): string {
  const { checked } = manifest ?? {};
  if (!checked) return "";
  return checked.holders === checked.of
    ? `all ${count(checked.of)}`
    : `${count(checked.holders)} of ${count(checked.of)}`;
}

/** Which points the build changed of those that had been published; empty for a first build. */
function changedOf({ change }: BuildEntry): string {
  if (!change || change.previousBuild === null) return "";
  const { series, uncompared } = change;
  const unknown = uncompared > 0 ? [`${counted(uncompared, "object")} not compared`] : [];
  if (series.length === 0) return unknown[0] ?? "nothing";
  const points = series.reduce((sum, one) => sum + one.points, 0);
  const metrics = new Set(series.map(({ metric }) => metric)).size;
  const first = isoDay(Math.min(...series.map((one) => one.first)));
  return [`${counted(points, "point")} of ${counted(metrics, "metric")} from ${first}`, ...unknown].join(", ");
}

function stateOf({ isActive, manifest, problem, broken }: BuildEntry): string {
  const state = isActive ? "active" : "can be rolled back to";
  if (!manifest) return `can't be read: ${problem}`;
  if (broken === 0) return state;
  return `${isActive ? "active, but " : ""}lacks ${counted(broken, "object")}`;
}

/** A table with a line a build. */
export function formatBuilds(builds: readonly BuildEntry[]): string {
  const columns = COLUMNS.filter(({ isOptional, of }) => !isOptional || builds.some((build) => of(build) !== ""));
  const rows = builds.map((build) => columns.map(({ of }) => of(build)));
  const numbers = columns.flatMap(({ isNumber }, column) => (isNumber ? [column] : []));
  return alignColumns([columns.map(({ title }) => title), ...rows], numbers);
}
