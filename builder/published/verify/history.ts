/** Compares the active build with the one before, for `soprano verify`. */

import type { SeriesChange } from "../../../data-schema/changes.ts";
import type { Manifest } from "../../../data-schema/manifest.ts";
import { counted } from "../../lib/terminal/amounts.ts";
import type { ObjectStore } from "../../store/store.ts";
import type { ReadBuild } from "../builds/builds.ts";
import { compareBuilds } from "../history/compare-builds.ts";
import { timeText } from "./solve.ts";

export interface History {
  /** The previous build. */
  build: string;
  /** Differences in what was complete then, a line each. */
  restated: string[];
  /** Changed inputs that may explain them. */
  changes: string[];
  /** Why some objects were not compared. */
  note?: string;
}

/** The newest build of the same token that was made before. */
export function previousBuild(manifest: Manifest, builds: readonly ReadBuild[]): Manifest | undefined {
  const { build, contract, chain, created } = manifest;
  return builds
    .flatMap((other) => other.manifest ?? [])
    .filter((other) => other.contract === contract && other.chain === chain)
    .filter((other) => other.build !== build && other.created <= created)
    .sort((a, b) => Date.parse(b.created) - Date.parse(a.created))[0];
}

/** What a build changed of the history that the previous one had published. */
export async function historySince(store: ObjectStore, manifest: Manifest, previous: Manifest): Promise<History> {
  const { series, uncompared } = await compareBuilds(store, previous, manifest);
  return {
    build: previous.build,
    restated: restatements(series),
    changes: changesBetween(manifest, previous),
    ...(uncompared > 0 && { note: `${counted(uncompared, "object")} missing or damaged, and not compared` }),
  };
}

/** A sentence for each resolution and time from which metrics differ. */
function restatements(series: readonly SeriesChange[]): string[] {
  return [...Map.groupBy(series, ({ resolution }) => resolution)].flatMap(([resolution, changes]) =>
    [...Map.groupBy(changes, ({ first }) => first)]
      .sort(([a], [b]) => a - b)
      .map(([first, same]) => {
        const since = resolution === "hour" || resolution === "block" ? timeText(first) : timeText(first).slice(0, 10);
        return `${resolution}, from ${since} on: ${namesOf(same.map(({ metric }) => metric))}.`;
      }),
  );
}

/** Names a few metrics, counts many. */
function namesOf(metrics: readonly string[]): string {
  return metrics.length <= 4
    ? metrics.join(", ")
    : `${metrics.length} metrics, such as ${metrics.slice(0, 3).join(", ")}`;
}

/** Changed inputs that may explain why two builds differ. */
function changesBetween(manifest: Manifest, previous: Manifest): string[] {
  const changes = (["engine", "decimals", "maxSupply", "contract", "chain"] as const)
    .filter((field) => manifest[field] !== previous[field])
    .map((field) => `${field} ${previous[field]} → ${manifest[field]}`);
  const filesOf = ({ inputs }: Manifest) =>
    inputs.flatMap((input) => ("file" in input ? [{ name: `${input.role} ${input.file}`, sha256: input.sha256 }] : []));
  const digests = new Map(filesOf(manifest).map(({ name, sha256 }) => [name, sha256]));
  // Without its record, only the active manifest is known, which lists no files.
  const files = (digests.size === 0 ? [] : filesOf(previous))
    .filter(({ name, sha256 }) => digests.get(name) !== sha256)
    .map(({ name }) => `${name} ${digests.has(name) ? "changed" : "is missing"}`);
  return [...changes, ...files];
}
