/** Whether the log of what was known is whole: `known` in a request needs all of it. */

import {
  type KnownLine,
  knownKey,
  knownPrefix,
  type Manifest,
  type Reference,
  replacedKey,
} from "../../../data-schema/stored.ts";
import { listingProblems } from "../../store/listing.ts";
import type { ObjectStore } from "../../store/store.ts";
import { lastActivation } from "../publish/write-changes.ts";
import { readLogChunk, readReplaced } from "../publish/write-known-log.ts";

/** A sentence for each part that is missing, or can't be read. */
export async function knownProblems(store: ObjectStore, active: Manifest): Promise<string[]> {
  const { symbol } = active;
  const entry = await lastActivation(store, active);
  if (!entry?.known) return [];
  const problems: string[] = [];
  const lines: KnownLine[] = [...entry.known.lines];
  for (let { older } = entry.known; older !== null; ) {
    const chunk = await readLogChunk(store, symbol, older);
    if (!chunk)
      problems.push(`${knownKey(symbol, older)} is missing or damaged: it has what was known before ${lines[0]!.at}.`);
    lines.unshift(...(chunk?.lines ?? []));
    older = chunk?.older ?? null;
  }
  const expected: Reference[] = [];
  for (const { at, replaced } of lines) {
    if (replaced === undefined) continue;
    const list = await readReplaced(store, symbol, replaced);
    if (!list)
      problems.push(`${knownKey(symbol, replaced)} is missing or damaged: it has what was known before ${at}.`);
    for (const { resolution, of, period, entry } of list?.objects ?? []) {
      expected.push({ key: replacedKey(symbol, resolution, of, period.name, entry.hash), size: entry.size });
    }
  }
  // Activations that replaced the same values have one object.
  const missing = listingProblems(expected, await store.list(knownPrefix(symbol)));
  return [...new Set([...problems, ...missing])];
}
