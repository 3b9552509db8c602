/** Whether objects carry what the Worker reads of them beside their bytes. */

import {
  type ChangeEntry,
  changeKey,
  currentKey,
  hashIn,
  knownPrefix,
  type Manifest,
  METADATA,
  type MetadataName,
  references,
  SHA256_METADATA,
  screenerKey,
} from "../../../data-schema/stored.ts";
import { advisedBuild } from "../../lib/advised.ts";
import { counted } from "../../lib/terminal/amount-text.ts";
import type { ObjectStore } from "../../store/store.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import type { CurrentBuild, ReadBuild } from "../builds/stored-builds.ts";
import { lastActivation } from "../publish/write-changes.ts";
import { lackingMetadata } from "../publish/write-metadata.ts";

/** What to do about it: a full build writes all of it again. */
const advice = () => `write it again with ${advisedBuild(undefined, "--full")}.`;

/** What is wrong with an object: a clause. */
export const OTHER_BYTES = "the SHA-256 of its bytes is not the one in its name";

/**
 * A sentence for each kind of metadata that objects lack, or that is of another build or of other bytes. Nothing is said of the
 * bytes of an object that no build names: nobody reads it, and a garbage collection removes it.
 *
 * @param current the active manifest as it was read with the rest: another build may be active by now
 * @param builds all that there are
 * @param isDamaged whether other problems with an object have been told: what was put in its place carries its own metadata
 */
export async function metadataProblems(
  store: ObjectStore,
  { manifest: active, metadata }: Pick<CurrentBuild, "manifest" | "metadata">,
  builds: readonly ReadBuild[],
  isDamaged: (key: string) => boolean,
): Promise<string[]> {
  const isRead = new Set(references(active).map(({ key }) => key));
  const entry = await lastActivation(store, active);
  const keys = new Map<MetadataName, string[]>();
  const damaged: string[] = [];
  for await (const { key, names } of lackingMetadata(store, active.symbol)) {
    if (isDamaged(key)) continue;
    // The bytes of what only earlier builds name, nothing else has read. No build would write them again.
    if (names.includes(SHA256_METADATA) && !isRead.has(key) && !(await hasOwnBytes(store, key))) {
      if (mayBeNamed(builds, active, key)) damaged.push(`${key} is damaged: ${OTHER_BYTES}.`);
      continue;
    }
    for (const name of names) {
      if (name === "screener" && !hasScreener(active, entry)) continue;
      keys.set(name, [...(keys.get(name) ?? []), key]);
    }
  }
  const lacking = Array.from(keys, ([name, [first, ...more]]) => {
    const who = more.length > 0 ? `${first} and ${counted(more.length, "other object")} lack` : `${first} lacks`;
    return `${who} the custom metadata ${name}, as in a bucket that was copied without: ${advice()}`;
  });
  return [...damaged, ...lacking, ...(await activeProblems(store, active, metadata, entry))];
}

/** Whether a build, as far as builds can be read, or the log of what was known names an object. */
const mayBeNamed = (builds: readonly ReadBuild[], { symbol }: Manifest, key: string): boolean =>
  key.startsWith(knownPrefix(symbol)) ||
  builds.some(({ manifest }) => !manifest || references(manifest).some((object) => object.key === key));

/** Whether an object is there, with the bytes that its name says. */
async function hasOwnBytes(store: ObjectStore, key: string): Promise<boolean> {
  const bytes = (await store.get(key))?.bytes;
  return bytes !== undefined && sha256Hex(bytes).startsWith(hashIn(key));
}

/** Builds without a complete day have none, nor have those of 0.3 and before, whose log lacks what was known. */
const hasScreener = ({ resolutions }: Manifest, entry: ChangeEntry | undefined) =>
  resolutions.day.last !== null && entry?.known !== undefined;

/** Whether what the active manifest carries is that of its build. */
async function activeProblems(
  store: ObjectStore,
  { symbol, build }: Manifest,
  { catalog, screener }: CurrentBuild["metadata"],
  entry: ChangeEntry | undefined,
): Promise<string[]> {
  const key = currentKey(symbol);
  const problems: string[] = [];
  const { build: listed = build, activation } = METADATA.catalog.read(catalog, key) ?? {};
  if (listed !== build) problems.push(`${key} carries the catalog of build ${listed}, but is ${build}: ${advice()}`);
  if (activation && activation.change !== entry?.n) {
    const change = changeKey(symbol, activation.change);
    problems.push(`${change}, which the catalog of ${key} names, is not the entry of build ${build}: ${advice()}`);
  }
  const kept = METADATA.screener.read(screener, key);
  if (!kept || !("object" in kept)) return problems;
  const object = screenerKey(symbol, kept.object);
  if (!(await hasOwnBytes(store, object))) problems.push(`${object}, the screener, is missing or damaged: ${advice()}`);
  return problems;
}
