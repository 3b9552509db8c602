/** Asset → the manifest in force. */

import { SYMBOL_PATTERN } from "../data-schema/asset.ts";
import { type Manifest, parseManifest } from "../data-schema/manifest.ts";
import { currentKey } from "../data-schema/objects.ts";
import type { Context } from "./context.ts";
import { listAssets } from "./list.ts";
import { logFailure } from "./log.ts";
import { nearest } from "./nearest.ts";
import { damaged, Problem, storeUnavailable } from "./problems.ts";
import { storedSha256, verify } from "./read/verify.ts";

/** How long a manifest is served without looking for a newer one. */
const FRESH_MS = 30_000;

/** A manifest as it was read. */
export interface PublishedManifest {
  manifest: Manifest;
  etag: string;
  textLength: number;
  /** When to look for a newer one, in milliseconds. */
  refreshAt: number;
}

/**
 * The manifest in force. One that is no longer fresh still serves, while a newer one is looked for behind the
 * response: a store that is down, or a manifest that cannot be read, does not take away what is known to be good.
 *
 * @throws {Problem} 404 unsupported-asset; 500 a manifest that cannot be read; 503 the store is out of reach
 */
export async function locate(symbol: string, context: Context): Promise<Manifest> {
  if (!SYMBOL_PATTERN.test(symbol)) throw await unsupported(symbol, context);
  const { isolate, now, entry, waitUntil } = context;
  const known = isolate.manifests.get(symbol);
  if (known === undefined) {
    const first = await load(symbol, context);
    if (first === null) throw await unsupported(symbol, context);
    return first;
  }
  if (now() >= known.refreshAt) {
    // Moved on at once: one request in a while looks, not all of them.
    known.refreshAt = now() + FRESH_MS;
    const failed = (error: unknown) => logFailure("serving the last good manifest", error, entry.id);
    waitUntil(load(symbol, context, known).catch(failed));
  }
  return known.manifest;
}

/** Null: there is no such asset any more, or no newer manifest than the known one. */
async function load(symbol: string, context: Context, known?: PublishedManifest): Promise<Manifest | null> {
  const { isolate, now } = context;
  const object = await readTwice(symbol, context, known?.etag);
  if (object === null) {
    isolate.manifests.delete(symbol);
    return null;
  }
  if (object.body === null) return null;
  const { bytes, sha256 } = object.body;
  if (sha256 !== undefined) await verify(bytes, sha256, `the manifest of ${symbol}`);
  let manifest: Manifest;
  try {
    manifest = parseManifest(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw damaged(`the manifest of ${symbol} cannot be read`, cause);
  }
  if (manifest.symbol !== symbol) throw damaged(`the manifest of ${symbol} is another asset's`);
  isolate.manifests.set(symbol, {
    manifest,
    etag: object.etag,
    textLength: bytes.length,
    refreshAt: now() + FRESH_MS,
  });
  return manifest;
}

/** Null: there is no such object. `body` null: it is still the one with the given etag. */
type Read = { etag: string; body: { bytes: Uint8Array<ArrayBuffer>; sha256: string | undefined } | null } | null;

/** Swapping the local object from a second process can fail one concurrent read: the second attempt finds it. */
async function readTwice(symbol: string, context: Context, etag?: string): Promise<Read> {
  try {
    return await read(symbol, context, etag);
  } catch {
    try {
      return await read(symbol, context, etag);
    } catch (cause) {
      throw storeUnavailable(cause);
    }
  }
}

async function read(symbol: string, { bindings }: Context, etag: string | undefined): Promise<Read> {
  const object = await bindings.BUCKET.get(
    currentKey(symbol),
    etag === undefined ? {} : { onlyIf: { etagDoesNotMatch: etag } },
  );
  if (object === null) return null;
  const body =
    "body" in object ? { bytes: new Uint8Array(await object.arrayBuffer()), sha256: storedSha256(object) } : null;
  return { etag: object.etag, body };
}

async function unsupported(symbol: string, context: Context): Promise<Problem> {
  const assets = await published(context);
  return new Problem("unsupported-asset", "There are no metrics of this asset.", {
    parameter: "a",
    allowed: assets,
    suggestion: nearest(symbol, assets),
  });
}

/** What an error has to offer, so a failure to list the assets is none. */
async function published(context: Context): Promise<string[]> {
  const assets = await listAssets(context).catch(() => context.isolate.assets?.value ?? []);
  return assets.map(({ symbol }) => symbol);
}
