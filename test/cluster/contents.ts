/** What a store holds, in a form in which two stores can be compared. */

import { createHash } from "node:crypto";
import { activations } from "../../builder/published/publish/write-changes.ts";
import { prefetch } from "../../builder/store/prefetch.ts";
import type { ObjectStore } from "../../builder/store/store.ts";
import { parseManifest } from "../../data-schema/stored.ts";

/** Members of JSON that say when something was done. */
const CLOCK = ["created", "activated", "nights", "since", "at"];
/** Members that number the entries of the log of changes. A run that was killed leaves one that does not count. */
const NUMBERS = ["n", "previous"];

/** The digest of each object, by key; of manifests and of the entries that count of the log of changes, without their times. */
export async function contentsOf(store: ObjectStore): Promise<Map<string, string>> {
  const keys = [...(await store.list("")).keys()].filter((key) => !key.startsWith("changes/"));
  const contents = new Map<string, string>();
  for await (const { item, object } of prefetch(store, keys, (key) => key)) {
    if (!object) continue;
    const text = () => new TextDecoder().decode(object.bytes);
    contents.set(item, digest(item.endsWith(".json") ? without(CLOCK, JSON.parse(text())) : object.bytes));
    if (!item.startsWith("current/")) continue;
    let place = 0;
    for await (const entry of activations(store, parseManifest(text()))) {
      contents.set(`changes of ${item}, ${place++} before the last`, digest(without([...CLOCK, ...NUMBERS], entry)));
    }
  }
  return contents;
}

/** The keys of objects that one of two stores lacks, or that differ. */
export function differences(one: Map<string, string>, other: Map<string, string>): string[] {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter((key) => one.get(key) !== other.get(key)).sort();
}

const digest = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

const without = (members: readonly string[], json: unknown) =>
  JSON.stringify(json, (name, value) => (members.includes(name) ? undefined : value));
