/** Asset → its active manifest. */

import { SYMBOL_PATTERN } from "../../data-schema/asset.ts";
import { buildKey, currentKey, type Manifest, parseManifest } from "../../data-schema/stored.ts";
import { nearest } from "../../data-schema/text/nearest.ts";
import { readTwice } from "../bucket/read-twice.ts";
import { sideBySide } from "../bucket/side-by-side.ts";
import { storedSha256, verify } from "../bucket/verify-bytes.ts";
import type { Context } from "../context.ts";
import { logFailure, noteRenamed } from "../observe/log.ts";
import { damaged, Problem, type ProblemFacts, repeatable } from "../problems/problem.ts";
import type { ProblemType } from "../problems/problems.ts";
import { upperCase } from "../request/validate.ts";
import { listAssets } from "./listed-assets.ts";

/** How long a manifest is served before a newer one is looked for. */
const FRESH_MS = 30_000;

/** How long a manifest is served while a newer one is looked for. An isolate may sleep for longer than a night. */
const STALE_MS = 60_000;

/** How long an asset that does not exist is not looked for again. */
const UNKNOWN_MS = 60_000;

/**
 * Answers from one build as a whole. A superseded build may lose its objects while an isolate still serves its manifest
 * or is reading them. Then the answer is made again, from the build that is active by then.
 *
 * @param answer makes the answer from a manifest; it must not send anything before it returns
 * @throws {Problem} as `locate`; what `answer` throws for the active build
 */
export function withManifest<T>(
  symbol: string,
  context: Context,
  answer: (manifest: Manifest) => Promise<T>,
): Promise<T> {
  return withManifests([symbol], context, ([manifest]) => answer(manifest!));
}

/**
 * Answers from one build of each asset, as `withManifest`.
 *
 * @param answer makes the answer from the manifests, in the order of the symbols
 * @param placeOf where a formula of the request names an asset, as a sentence after a blank; empty if none does
 * @throws {Problem} as `withManifest`
 */
export async function withManifests<T>(
  symbols: readonly string[],
  context: Context,
  answer: (manifests: readonly Manifest[]) => Promise<T>,
  placeOf: (symbol: string) => string = () => "",
): Promise<T> {
  let manifests = await locateAll(symbols, context).catch(naming(symbols, placeOf));
  for (;;) {
    try {
      return await answer(manifests);
    } catch (error) {
      if (!(error instanceof Problem && error.type === "damaged-data")) throw error;
      const find = async ({ symbol }: Manifest) => published(symbol, await load(symbol, context), context);
      const active = await Promise.all(manifests.map(find));
      if (active.every(({ build }, index) => build === manifests[index]!.build)) throw error;
      logFailure("superseded-build", error.cause, context.entry.id);
      manifests = active;
    }
  }
}

/**
 * The active manifests of several assets. Of those that the isolate does not know, a list says which there are: invented
 * names cost one call together.
 *
 * @throws {Problem} as `locate`
 */
export async function locateAll(symbols: readonly string[], context: Context): Promise<Manifest[]> {
  await refuseStrangers(symbols, context);
  const manifests = await Promise.all(symbols.map((symbol) => locate(symbol, context)));
  refuseTwice(symbols, manifests);
  return manifests;
}

/** @throws {Problem} 400 an asset is named by its present symbol, and by one that it had before */
function refuseTwice(symbols: readonly string[], manifests: readonly Manifest[]): void {
  const places = manifests.map(({ symbol }) => manifests.findIndex((other) => other.symbol === symbol));
  const twice = places.findIndex((first, index) => first < index);
  if (twice < 0) return;
  const names = [symbols[places[twice]!], symbols[twice]].map((symbol) => repeatable(symbol!)).join(" and ");
  const detail = `${names} are one asset, ${manifests[twice]!.symbol}: name it once.`;
  throw new Problem("invalid-parameter", detail, { parameter: "a" });
}

/** How often an asset's symbol may have changed. */
const MOST_RENAMES = 5;

/** The symbol that an asset has now; null if nothing is known to have had this one before. Frozen versions know of none. */
const becameOf = (symbol: string, { isolate, isFrozen }: Context): string | null =>
  isFrozen ? null : (isolate.removals.get(symbol)?.became ?? null);

/**
 * The active manifest of an asset, by its symbol or one that it had before.
 *
 * @throws {Problem} 404 unsupported-asset; 410 removed-asset; 500 the manifest cannot be read; 503 the store is out of reach
 */
export async function locate(symbol: string, context: Context): Promise<Manifest> {
  let name = symbol;
  for (let renames = 0; ; renames++) {
    try {
      const manifest = await locateExactly(name, context);
      if (name !== symbol) noteRenamed(context.entry, symbol, name);
      return manifest;
    } catch (error) {
      const became = error instanceof UnsupportedAsset ? becameOf(name, context) : null;
      if (became === null || renames === MOST_RENAMES) throw error;
      name = became;
    }
  }
}

async function refuseStrangers(symbols: readonly string[], context: Context): Promise<void> {
  const strangers = symbols.filter((symbol) => context.isolate.manifests.get(symbol) === undefined);
  if (strangers.length < 2) return;
  // If the assets can't be listed, each is looked for.
  const listed = await listAssets(context).catch(() => null);
  const isFound = (symbol: string) =>
    listed!.some((asset) => asset.symbol === symbol) || becameOf(symbol, context) !== null;
  const unknown = listed && strangers.find((symbol) => !isFound(symbol));
  if (unknown) throw await unsupported(unknown, context);
}

/** Assets that are looked into at once. */
export const ASSETS_AT_ONCE = 4;

/**
 * What is found in each of many assets, of one build each, as `withManifest`: some at a time, since all manifests together
 * may take more memory than there is.
 *
 * @param find must not send anything
 * @throws {Problem} as `withManifests`
 */
export async function* inEach<T>(
  symbols: readonly string[],
  context: Context,
  find: (manifest: Manifest) => Promise<T>,
): AsyncGenerator<T> {
  await refuseStrangers(symbols, context).catch(naming(symbols, () => ""));
  const findIn = (symbol: string) => withManifest(symbol, context, find).catch(naming(symbols, () => ""));
  yield* sideBySide(symbols, findIn, (_, pending) => pending < ASSETS_AT_ONCE);
}

/**
 * The active manifest. A cached one that is no longer fresh is still served, and a newer one is looked for after the
 * response. A stale one is served only if that fails: while the store is down or the new manifest cannot be read, the
 * last good one stays in use.
 *
 * @throws {Problem} 404 unsupported-asset; 500 the manifest cannot be read; 503 the store is out of reach
 */
async function locateExactly(symbol: string, context: Context): Promise<Manifest> {
  if (!SYMBOL_PATTERN.test(symbol)) throw await unsupported(symbol, context);
  const { isolate, now, entry, waitUntil } = context;
  const cached = isolate.manifests.get(symbol);
  if (cached === undefined) {
    const missedAt = isolate.unknownAssets.get(symbol);
    if (missedAt !== undefined && now() - missedAt < UNKNOWN_MS) throw await unsupported(symbol, context);
    return published(symbol, await load(symbol, context), context);
  }
  if (now() < cached.refreshAt) return cached.manifest;
  const lookLater = () => {
    cached.refreshAt = now() + FRESH_MS;
  };
  const found = load(symbol, context).catch((error: unknown) => {
    lookLater();
    logFailure("serving the last good manifest", error, entry.id);
    return cached.manifest;
  });
  if (now() >= cached.staleAt) return published(symbol, await found, context);
  // Set before the new manifest is read, so that one request looks for it, not all of them.
  lookLater();
  waitUntil(found);
  return cached.manifest;
}

/** There is no such asset, or no longer. */
const GONE: readonly ProblemType[] = ["unsupported-asset", "removed-asset"];

/** @throws {Problem} 404, 410 there is no such asset, or no longer; whatever else is wrong is nobody's concern here */
export const refuseGone = (symbol: string, context: Context): Promise<Manifest | null> =>
  locate(symbol, context).catch((error: unknown) => {
    if (error instanceof Problem && GONE.includes(error.type)) throw error;
    return null;
  });

/**
 * The active manifest of an asset that a path names, in any case.
 *
 * @throws {Problem} as `locate`
 */
export async function locateNamed(name: string, context: Context): Promise<Manifest> {
  try {
    return await locate(upperCase(name), context);
  } catch (error) {
    if (!(error instanceof Problem && GONE.includes(error.type))) throw error;
    throw new Problem(error.type, error.message, { ...error.facts, parameter: undefined });
  }
}

/** @throws {Problem} 404 there is no manifest */
async function published(symbol: string, manifest: Manifest | null, context: Context): Promise<Manifest> {
  if (manifest === null) throw await unsupported(symbol, context);
  return manifest;
}

/** Among several assets, a problem says which one is unknown. */
const naming =
  ({ length }: readonly string[], placeOf: (symbol: string) => string) =>
  (error: unknown): never => {
    if (length < 2 || !(error instanceof UnsupportedAsset)) throw error;
    const { type, facts, symbol } = error;
    const named = `the asset ${repeatable(symbol) ?? "with the longest name"}`;
    const place = placeOf(symbol);
    const parameter = place === "" ? facts.parameter : "x";
    throw new Problem(type, `There are no metrics of ${named}.${place}`, { ...facts, parameter });
  };

class UnsupportedAsset extends Problem {
  readonly symbol: string;

  constructor(symbol: string, facts: ProblemFacts) {
    super("unsupported-asset", "There are no metrics of this asset.", facts);
    this.symbol = symbol;
  }
}

/** Null if there is no such asset (any more). */
async function load(symbol: string, context: Context): Promise<Manifest | null> {
  const { isolate, now } = context;
  const cached = isolate.manifests.get(symbol);
  const object = await readStored(symbol, context, cached?.etag);
  if (object === null) {
    isolate.manifests.delete(symbol);
    isolate.unknownAssets.set(symbol, now());
    // It was there: a new list says what became of it.
    if (cached !== undefined) isolate.assets = null;
    return null;
  }
  const dates = { refreshAt: now() + FRESH_MS, staleAt: now() + STALE_MS };
  if (object.body === null) return Object.assign(cached!, dates).manifest;
  // Hundreds of requests may find nothing cached. Only the first parses: each copy takes four times its text.
  const latest = isolate.manifests.get(symbol);
  if (latest?.etag === object.etag) return Object.assign(latest, dates).manifest;
  const found = await parseStored(symbol, object.etag, object.body);
  isolate.manifests.set(symbol, { ...found, ...dates });
  return found.manifest;
}

/**
 * The active manifest as the store holds it at this moment.
 *
 * @returns null if there is no such asset
 * @throws {Problem} 500 it cannot be read; 503 the store is out of reach
 */
export async function readManifest(symbol: string, context: Context): Promise<Manifest | null> {
  const object = await readStored(symbol, context);
  if (object === null || object.body === null) return null;
  return (await parseStored(symbol, object.etag, object.body)).manifest;
}

/**
 * The manifest of a build as it was recorded, whether it is active or not. It never changes, but may be collected.
 *
 * @returns null if the build is not kept
 * @throws {Problem} 500 it cannot be read; 503 the store is out of reach
 */
export async function readBuild(symbol: string, build: string, context: Context): Promise<Manifest | null> {
  const { isolate, now } = context;
  const name = `${symbol}/${build}`;
  const cached = isolate.manifests.get(name);
  if (cached !== undefined && now() < cached.refreshAt) return cached.manifest;
  const key = buildKey(symbol, build);
  // A collection removes it, so it is looked at again; if the store is out of reach, the one that is known serves.
  const object = await readTwice(key, () => read(key, context, cached?.etag), context).catch((error: unknown) => {
    if (cached === undefined) throw error;
    return { etag: cached.etag, body: null };
  });
  if (object === null) {
    isolate.manifests.delete(name);
    return null;
  }
  const dates = { refreshAt: now() + FRESH_MS, staleAt: Number.POSITIVE_INFINITY };
  if (object.body === null) return Object.assign(cached!, dates).manifest;
  const found = await parseStored(symbol, object.etag, object.body);
  if (found.manifest.build !== build) throw damaged(`${key} is the manifest of another build`);
  isolate.manifests.set(name, { ...found, ...dates });
  return found.manifest;
}

const readStored = (symbol: string, context: Context, etag?: string) =>
  readTwice(currentKey(symbol), () => read(currentKey(symbol), context, etag), context);

async function parseStored(symbol: string, etag: string, { bytes, sha256 }: StoredBytes) {
  if (sha256 !== undefined) await verify(bytes, sha256, `the manifest of ${symbol}`);
  let manifest: Manifest;
  try {
    manifest = parseManifest(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw damaged(`the manifest of ${symbol} cannot be read`, cause);
  }
  if (manifest.symbol !== symbol) throw damaged(`the manifest of ${symbol} is that of another asset`);
  return { manifest, etag, textLength: bytes.length };
}

interface StoredBytes {
  bytes: Uint8Array<ArrayBuffer>;
  sha256: string | undefined;
}

/** Null if there is no such object; its `body` is null if it still has the given etag. */
type Read = { etag: string; body: StoredBytes | null } | null;

async function read(key: string, { bindings }: Context, etag: string | undefined): Promise<Read> {
  const object = await bindings.BUCKET.get(key, etag === undefined ? {} : { onlyIf: { etagDoesNotMatch: etag } });
  if (object === null) return null;
  const body =
    "body" in object ? { bytes: new Uint8Array(await object.arrayBuffer()), sha256: storedSha256(object) } : null;
  return { etag: object.etag, body };
}

async function unsupported(symbol: string, context: Context): Promise<Problem> {
  // For suggestions, the last known list is good enough if the assets cannot be listed.
  const assets = await listAssets(context).catch(() => context.isolate.assets?.value ?? []);
  const allowed = assets.map((asset) => asset.symbol);
  const facts = { parameter: "a", allowed };
  const removal = context.isFrozen ? undefined : context.isolate.removals.get(symbol);
  if (removal?.became === null) {
    return new Problem(
      "removed-asset",
      `${repeatable(symbol)} has been removed: its metrics are no longer served.`,
      facts,
    );
  }
  return new UnsupportedAsset(symbol, { ...facts, suggestion: nearest(symbol, allowed) });
}
