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

/** For how long it may be served while a newer one is looked for. An isolate may sleep for longer than a night. */
const STALE_MS = 300_000;

/** A manifest as it was read. */
export interface PublishedManifest {
  manifest: Manifest;
  etag: string;
  textLength: number;
  /** When to look for a newer one, in milliseconds. */
  refreshAt: number;
  /** From when on it is not served before that. */
  staleAt: number;
}

/**
 * Answers from one build as a whole. A build that has been superseded may lose its objects while an isolate still knows
 * its manifest, or reads it: then the answer is made anew, from the build that is in force by now.
 *
 * @param answer makes the answer from a manifest; nothing of it may have left before it is there
 * @throws {Problem} as `locate`; what `answer` throws, of the build in force
 */
export async function withManifest<T>(
  symbol: string,
  context: Context,
  answer: (manifest: Manifest) => Promise<T>,
): Promise<T> {
  let manifest = await locate(symbol, context);
  for (;;) {
    try {
      return await answer(manifest);
    } catch (error) {
      if (!(error instanceof Problem && error.type === "damaged-data")) throw error;
      const inForce = await published(symbol, await load(symbol, context), context);
      if (inForce.build === manifest.build) throw error;
      logFailure("superseded-build", error.cause, context.entry.id);
      manifest = inForce;
    }
  }
}

/**
 * The manifest in force. One that is no longer fresh still serves, while a newer one is looked for behind the
 * response; one that is stale serves only when that fails: a store that is down, or a manifest that cannot be read,
 * does not take away what is known to be good.
 *
 * @throws {Problem} 404 unsupported-asset; 500 a manifest that cannot be read; 503 the store is out of reach
 */
export async function locate(symbol: string, context: Context): Promise<Manifest> {
  if (!SYMBOL_PATTERN.test(symbol)) throw await unsupported(symbol, context);
  const { isolate, now, entry, waitUntil } = context;
  const known = isolate.manifests.get(symbol);
  if (known === undefined) return published(symbol, await load(symbol, context), context);
  if (now() < known.refreshAt) return known.manifest;
  const lookLater = () => {
    known.refreshAt = now() + FRESH_MS;
  };
  const found = load(symbol, context).catch((error: unknown) => {
    lookLater();
    logFailure("serving the last good manifest", error, entry.id);
    return known.manifest;
  });
  if (now() >= known.staleAt) return published(symbol, await found, context);
  // Moved on at once: one request in a while looks, not all of them.
  lookLater();
  waitUntil(found);
  return known.manifest;
}

/** @throws {Problem} 404 there is none */
async function published(symbol: string, manifest: Manifest | null, context: Context): Promise<Manifest> {
  if (manifest === null) throw await unsupported(symbol, context);
  return manifest;
}

/** Null: there is no such asset, or no more. */
async function load(symbol: string, context: Context): Promise<Manifest | null> {
  const { isolate, now } = context;
  const known = isolate.manifests.get(symbol);
  const object = await readTwice(symbol, context, known?.etag);
  if (object === null) {
    isolate.manifests.delete(symbol);
    return null;
  }
  const dates = { refreshAt: now() + FRESH_MS, staleAt: now() + STALE_MS };
  if (object.body === null) return Object.assign(known!, dates).manifest;
  const { bytes, sha256 } = object.body;
  if (sha256 !== undefined) await verify(bytes, sha256, `the manifest of ${symbol}`);
  let manifest: Manifest;
  try {
    manifest = parseManifest(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw damaged(`the manifest of ${symbol} cannot be read`, cause);
  }
  if (manifest.symbol !== symbol) throw damaged(`the manifest of ${symbol} is another asset's`);
  isolate.manifests.set(symbol, { manifest, etag: object.etag, textLength: bytes.length, ...dates });
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
  const assets = await publishedSymbols(context);
  return new Problem("unsupported-asset", "There are no metrics of this asset.", {
    parameter: "a",
    allowed: assets,
    suggestion: nearest(symbol, assets),
  });
}

/** What an error has to offer, so a failure to list the assets is none. */
async function publishedSymbols(context: Context): Promise<string[]> {
  const assets = await listAssets(context).catch(() => context.isolate.assets?.value ?? []);
  return assets.map(({ symbol }) => symbol);
}
