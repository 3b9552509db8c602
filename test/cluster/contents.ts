/** What a store holds, in a form in which two stores can be compared. */

import { createHash } from "node:crypto";
import { activations } from "../../builder/published/publish/write-changes.ts";
import { withParts } from "../../builder/store/parts.ts";
import { prefetch } from "../../builder/store/prefetch.ts";
import type { ObjectStore } from "../../builder/store/store.ts";
import { type Manifest, parseManifest, partsOf, unplaced } from "../../data-schema/stored.ts";

/** Members of JSON that say when something was done. */
const CLOCK = ["created", "activated", "nights", "since", "at"];
/** Members that number the entries of the log of changes. A run that was killed leaves one that does not count. */
const NUMBERS = ["n", "previous"];

/**
 * The digest of each object and of each part of a pack, by key; of manifests and of the entries that count of the log of
 * changes, without their times, and wherever parts lie: each process cuts packs of its own.
 */
export async function contentsOf(store: ObjectStore): Promise<Map<string, string>> {
  const all = [...(await store.list("")).keys()];
  const manifests: Manifest[] = [];
  for await (const { object } of prefetch(store, all.filter(isManifest), (key) => key)) {
    if (object) manifests.push(parseManifest(new TextDecoder().decode(object.bytes)));
  }
  const keys = all.filter((key) => !key.startsWith("changes/") && !key.startsWith("packs/"));
  const named = manifests.flatMap((manifest) => partsOf(manifest).map(({ key }) => key));
  const contents = new Map<string, string>();
  for await (const { item, object } of prefetch(
    withParts(store, ...manifests),
    [...new Set([...keys, ...named])],
    (key) => key,
  )) {
    if (!object) continue;
    const text = () => new TextDecoder().decode(object.bytes);
    const json = () => (isManifest(item) ? unplaced(parseManifest(text())) : JSON.parse(text()));
    contents.set(item, digest(item.endsWith(".json") ? without(CLOCK, json()) : object.bytes));
    if (!item.startsWith("current/")) continue;
    let place = 0;
    for await (const entry of activations(store, parseManifest(text()))) {
      contents.set(`changes of ${item}, ${place++} before the last`, digest(without([...CLOCK, ...NUMBERS], entry)));
    }
  }
  return contents;
}

const isManifest = (key: string) => /^(builds|current)\//.test(key);

/** The keys of objects that one of two stores lacks, or that differ. */
export function differences(one: Map<string, string>, other: Map<string, string>): string[] {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter((key) => one.get(key) !== other.get(key)).sort();
}

const digest = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

const without = (members: readonly string[], json: unknown) =>
  JSON.stringify(json, (name, value) => (members.includes(name) ? undefined : value));
