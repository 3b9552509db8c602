/** The mark in place of an active manifest: the asset was removed, or has another symbol. Source: docs/formats.md#removed-assets. */

import { currentKey, parseRemoval, REMOVAL_METADATA, type Removal, removedKey } from "../../../data-schema/stored.ts";
import { advised } from "../../lib/advised.ts";
import { Failure } from "../../lib/failure.ts";
import type { ObjectStore } from "../../store/store.ts";
import { sha256Hex } from "../../store/stored-content.ts";

/** The mark of a symbol; undefined without. */
export async function readRemoval(store: ObjectStore, symbol: string): Promise<Removal | undefined> {
  const object = await store.get(removedKey(symbol));
  if (!object) return undefined;
  // Whatever is there says that the asset was removed: only whereto can be unreadable.
  const unreadable = { schema: 1 as const, symbol, at: new Date().toISOString(), became: null };
  return parseRemoval(new TextDecoder().decode(object.bytes)) ?? unreadable;
}

/** Puts the mark of a symbol, and then takes its active manifest away. */
export async function unpublish(store: ObjectStore, symbol: string, became: string | null): Promise<void> {
  const removal: Removal = { schema: 1, symbol, at: new Date().toISOString(), became };
  const bytes = new TextEncoder().encode(JSON.stringify(removal));
  await store.put(removedKey(symbol), bytes, {
    contentType: "application/json",
    sha256: sha256Hex(bytes),
    metadata: { [REMOVAL_METADATA]: new TextDecoder().decode(bytes) },
  });
  await store.delete([currentKey(symbol)]);
}

/** @throws {Failure} the asset was removed, or has another symbol */
export async function refuseRemoved(store: ObjectStore, symbol: string): Promise<void> {
  const mark = await readRemoval(store, symbol);
  if (!mark) return;
  const { at, became } = mark;
  const since = at.slice(0, 10);
  const what =
    became === null ? `was removed from ${store.name} on ${since}` : `has the symbol ${became} since ${since}`;
  throw new Failure(
    `${symbol} ${what}, so nothing is published under it: take its ASSET.json away, or, to publish it again, run ` +
      `${advised("remove", symbol, "--undo")} first.`,
  );
}
