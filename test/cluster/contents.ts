/** What a store holds, in a form in which two stores can be compared. */

import { createHash } from "node:crypto";
import { prefetch } from "../../builder/store/prefetch.ts";
import type { ObjectStore } from "../../builder/store/store.ts";

/** Members of JSON that say when something was done. */
const CLOCK = new Set(["created", "activated", "nights", "since", "at"]);

/** The digest of each object, by key; of manifests and of the log of changes, without their times. */
export async function contentsOf(store: ObjectStore): Promise<Map<string, string>> {
  const keys = [...(await store.list("")).keys()];
  const contents = new Map<string, string>();
  for await (const { item, object } of prefetch(store, keys, (key) => key)) {
    if (object) contents.set(item, digest(item.endsWith(".json") ? timeless(object.bytes) : object.bytes));
  }
  return contents;
}

/** The keys of objects that one of two stores lacks, or that differ. */
export function differences(one: Map<string, string>, other: Map<string, string>): string[] {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter((key) => one.get(key) !== other.get(key)).sort();
}

const digest = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

const timeless = (json: Uint8Array) =>
  JSON.stringify(JSON.parse(new TextDecoder().decode(json)), (name, value) => (CLOCK.has(name) ? undefined : value));
