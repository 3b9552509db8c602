/** Compares the active build with the one before, for `soprano verify`. */

import type { Cause, InputSummary, Manifest, SeriesChange } from "../../../data-schema/stored.ts";
import { isoTime } from "../../../data-schema/text.ts";
import { counted } from "../../lib/terminal/amount-text.ts";
import type { ObjectStore } from "../../store/store.ts";
import type { ReadBuild } from "../builds/stored-builds.ts";
import { causeText } from "../history/cause-text.ts";
import { compareBuilds } from "../history/compare-builds.ts";
import { summariesOf } from "../publish/active-manifest.ts";
import { lastActivation } from "../publish/write-changes.ts";

export interface VerifiedHistory {
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
export async function historySince(
  store: ObjectStore,
  manifest: Manifest,
  previous: Manifest,
): Promise<VerifiedHistory> {
  const { series, uncompared } = await compareBuilds(store, previous, manifest);
  return {
    build: previous.build,
    restated: restatements(series),
    changes: [...(await loggedCauses(store, manifest, previous)), ...changesBetween(manifest, previous)],
    ...(uncompared > 0 && { note: `${counted(uncompared, "object")} missing or damaged, and not compared` }),
  };
}

/** A sentence for each resolution and time from which metrics differ. */
function restatements(series: readonly SeriesChange[]): string[] {
  return [...Map.groupBy(series, ({ resolution }) => resolution)].flatMap(([resolution, changes]) =>
    [...Map.groupBy(changes, ({ first }) => first)]
      .sort(([a], [b]) => a - b)
      .map(([first, same]) => {
        const since = resolution === "hour" || resolution === "block" ? isoTime(first) : isoTime(first).slice(0, 10);
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

/** Causes in the log of changes that say more than the names of files, which the manifests have. */
const TELLING: readonly Cause["kind"][] = ["prices", "labels", "deposits", "transfers"];

/** Why the log of changes says that a build differs from the one before; nothing if it was activated after another one. */
async function loggedCauses(store: ObjectStore, manifest: Manifest, previous: Manifest): Promise<string[]> {
  const entry = await lastActivation(store, manifest);
  if (entry?.previousBuild !== previous.build) return [];
  return entry.causes.filter(({ kind }) => TELLING.includes(kind)).map(causeText);
}

/** Changed inputs that may explain why two builds differ. */
function changesBetween(manifest: Manifest, previous: Manifest): string[] {
  const changes = (["engine", "decimals", "maxSupply", "contract", "chain"] as const)
    .filter((field) => manifest[field] !== previous[field])
    .map((field) => `${field} ${previous[field]} → ${manifest[field]}`);
  return [...changes, ...inputChanges(manifest, previous)];
}

function inputChanges(manifest: Manifest, previous: Manifest): string[] {
  const [now, before] = [digestsOf(manifest), digestsOf(previous)];
  // Without its record, only the active manifest is known, which has a digest for each role.
  if (!now || !before) {
    const [roles, others] = [manifest, previous].map(({ inputs }) => summariesOf(inputs)) as [
      InputSummary[],
      InputSummary[],
    ];
    return differences(new Map(roles.map(keyed)), new Map(others.map(keyed)), () => true);
  }
  const files = differences(now, before, (name) => !GROWING.test(name));
  const added = [...now.keys()].filter((name) => GROWING.test(name) && !before.has(name)).length;
  // Every night adds one: that explains something only if nothing else does.
  return files.length > 0 || added === 0
    ? files
    : [`${counted(added, "new file")} of transfers or blocks, in which late or corrected rows may be`];
}

const keyed = ({ role, sha256 }: InputSummary) => [`the input ${role}`, sha256] as const;

/** Input that grows file by file. */
const GROWING = /^(transfers|blocks) /;

/** @param tellsNew whether a file of this name is worth a word if it is new */
function differences(
  now: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, string>,
  tellsNew: (name: string) => boolean,
): string[] {
  const changed = [...before].filter(([name, sha256]) => now.get(name) !== sha256);
  const added = [...now.keys()].filter((name) => !before.has(name) && tellsNew(name));
  return [
    ...added.map((name) => `${name} is new`),
    ...changed.map(([name]) => `${name} ${now.has(name) ? "changed" : "is missing"}`),
  ];
}

/** The digest of each input file by its role and name; undefined if the manifest has no list of them. */
function digestsOf({ inputs }: Manifest): Map<string, string> | undefined {
  const files = inputs.flatMap((input) =>
    "file" in input ? [[`${input.role} ${input.file}`, input.sha256] as const] : [],
  );
  return files.length === inputs.length ? new Map(files) : undefined;
}
