/** `soprano builds`: the builds of an asset, and which of them can be put in force again. */

import { checkpointPrefix, seriesPrefix } from "../../data-schema/objects.ts";
import { counted } from "../counted.ts";
import type { ListedObject, ObjectStore } from "../store/store.ts";
import { listingProblems, references, seriesReferences } from "../verify/listing.ts";
import { type ReadBuild, readBuilds, readCurrent } from "./builds.ts";

export interface BuildEntry extends ReadBuild {
  isInForce: boolean;
  /** Series objects that are missing or of another size; 0: it can be put in force. */
  broken: number;
}

/**
 * The build that was put in force last first.
 *
 * @throws {Failure} the asset is not published, or its manifest in force can't be read
 */
export async function listBuilds(store: ObjectStore, symbol: string): Promise<BuildEntry[]> {
  const [current, builds, listing] = await Promise.all([
    readCurrent(store, symbol),
    readBuilds(store, symbol),
    listObjects(store, symbol),
  ]);
  return builds.map((build) => ({
    ...build,
    isInForce: build.build === current.manifest.build,
    broken: build.manifest ? listingProblems(seriesReferences(build.manifest), listing).length : 0,
  }));
}

/** Everything that manifests of an asset may refer to. */
export async function listObjects(store: ObjectStore, symbol: string): Promise<Map<string, ListedObject>> {
  const [series, checkpoints] = await Promise.all(
    [seriesPrefix(symbol), checkpointPrefix(symbol)].map((prefix) => store.list(prefix)),
  );
  return new Map([...series, ...checkpoints]);
}

const COLUMNS: readonly { title: string; isNumber?: true; of: (build: BuildEntry) => string }[] = [
  { title: "build", of: ({ build }) => build },
  { title: "created", of: ({ manifest }) => seconds(manifest?.created) },
  { title: "in force last", of: ({ uploaded }) => seconds(uploaded.toISOString()) },
  { title: "asOf", of: ({ manifest }) => seconds(manifest?.asOf) },
  { title: "engine", of: ({ manifest }) => manifest?.engine ?? "" },
  { title: "objects", isNumber: true, of: ({ manifest }) => (manifest ? count(references(manifest).length) : "") },
  { title: "MB", isNumber: true, of: ({ manifest }) => (manifest ? megabytes(references(manifest)) : "") },
  { title: "state", of: stateOf },
  { title: "built", of: ({ manifest }) => manifest?.reason ?? "" },
];

const count = (value: number) => value.toLocaleString("en-US");
const seconds = (iso = "") => iso.replace(/\.\d+Z$/, "Z");
const megabytes = (sizes: readonly { size: number }[]) =>
  (sizes.reduce((sum, { size }) => sum + size, 0) / 1e6).toFixed(1);

function stateOf({ isInForce, manifest, problem, broken }: BuildEntry): string {
  const state = isInForce ? "in force" : "can be rolled back to";
  if (!manifest) return `can't be read: ${problem}`;
  if (broken === 0) return state;
  return `${isInForce ? "in force, but " : ""}lacks ${counted(broken, "object")}`;
}

/** A table with a line a build. */
export function formatBuilds(builds: readonly BuildEntry[]): string {
  const rows = [COLUMNS.map(({ title }) => title), ...builds.map((build) => COLUMNS.map(({ of }) => of(build)))];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (COLUMNS[column].isNumber ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
