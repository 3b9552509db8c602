/** Activates a manifest: the one write that readers see. */

import { createHash } from "node:crypto";
import {
  type Activation,
  buildKey,
  catalogEntry,
  currentKey,
  type Manifest,
  namePart,
  screenerKey,
} from "../../../data-schema/stored.ts";
import { StoreFailure } from "../../lib/failure.ts";
import { hasBytes, type ObjectStore, type PutOptions } from "../../store/store.ts";
import { activeManifest } from "./active-manifest.ts";
import { screenerOf } from "./compute-screener.ts";
import { buildMetadata } from "./write-metadata.ts";

const optionsOf = (bytes: Uint8Array): PutOptions => ({
  contentType: "application/json",
  sha256: createHash("sha256").update(bytes).digest("hex"),
});

/**
 * Writes a build's manifest under `builds/`, before it is activated. A rollback does so again: the time of such a manifest
 * is when its build was last activated, and a garbage collection that begins from now on keeps its objects.
 *
 * @param bytes the manifest as JSON
 * @param replaces etag of the one that is there; null: there must be none
 * @returns false: it was written or removed meanwhile
 */
export function record(
  store: ObjectStore,
  manifest: Manifest,
  bytes: Uint8Array,
  replaces: string | null,
): Promise<boolean> {
  const metadata = buildMetadata(manifest);
  return store.put(buildKey(manifest.symbol, manifest.build), bytes, { ...optionsOf(bytes), metadata, replaces });
}

/**
 * Makes a recorded manifest the active one, and reads it back.
 *
 * @param activation its entry in the log of changes, in short
 * @param replaces etag of the active manifest; null: there must be none
 * @returns false: another one was activated meanwhile, and stays
 * @throws {StoreFailure} it is not there afterwards
 */
export async function activate(
  store: ObjectStore,
  recorded: Manifest,
  activation: Activation,
  replaces: string | null,
): Promise<boolean> {
  const manifest = activeManifest(recorded);
  const key = currentKey(manifest.symbol);
  const bytes = new TextEncoder().encode(JSON.stringify(manifest));
  const catalog = JSON.stringify(catalogEntry(manifest, activation));
  const metadata = { catalog, ...(await screenerMetadata(store, manifest, catalog)) };
  try {
    if (!(await store.put(key, bytes, { ...optionsOf(bytes), metadata, replaces }))) return false;
  } catch (failure) {
    // Only the answer may be lost: what is there now decides.
    const active = await store.get(key).catch(() => undefined);
    if (hasBytes(active, bytes)) return true;
    throw failure;
  }
  const active = await store.get(key);
  if (active && !active.isDamaged) return true;
  throw new StoreFailure(
    `${manifest.symbol}: build ${manifest.build} was stored in ${store.name}, but is not there: ` +
      "check that nothing else removes files or objects there, then build again.",
  );
}

/** Bytes that the custom metadata of an object may take in all. */
const MOST_METADATA = 8_192;
/** What else may be there: the digest that the S3 API needs, and what names and headers take. */
const OTHER_METADATA = 192;

/** The screener as metadata, or the name of the object that has it where it does not fit beside the catalog's. */
async function screenerMetadata(
  store: ObjectStore,
  manifest: Manifest,
  catalog: string,
): Promise<Record<string, string>> {
  const screener = await screenerOf(store, manifest);
  if (screener === undefined) return {};
  const text = JSON.stringify(screener);
  const bytes = new TextEncoder().encode(text);
  if (Buffer.byteLength(catalog) + bytes.length + OTHER_METADATA <= MOST_METADATA) return { screener: text };
  const object = namePart(createHash("sha256").update(bytes).digest("hex"));
  await store.put(screenerKey(manifest.symbol, object), bytes, optionsOf(bytes));
  return { screener: JSON.stringify({ object }) };
}
