/**
 * `soprano remove`: an asset is no longer served. A mark says so in place of its active manifest; `soprano gc` removes what the mark
 * leaves. Each step may be repeated, so whoever is interrupted runs it again. Source: docs/operating.md#remove-an-asset.
 */

import {
  buildPrefix,
  CURRENT_PREFIX,
  changePrefix,
  checkpointPrefix,
  currentKey,
  holdersPrefix,
  inputsKey,
  inputsPrefix,
  knownPrefix,
  packsPrefix,
  type Reference,
  removedKey,
  seriesPrefix,
  transfersPrefix,
} from "../../../data-schema/stored.ts";
import { Failure } from "../../lib/failure.ts";
import type { ObjectStore } from "../../store/store.ts";
import { readRemoval, unpublish } from "../publish/removal.ts";

/** What a store has of an asset, but for its active manifest and the mark. */
export interface AssetParts {
  /** Manifests of builds. */
  builds: Reference[];
  /** Series, checkpoints, holders, transfers, tables of deposit addresses and screeners. */
  objects: Reference[];
  /** The log of changes, and that of what was known. */
  history: Reference[];
  inputs: Reference[];
}

/** Objects of screeners: another symbol may begin with this one and a point. */
const isScreener = (symbol: string, key: string) =>
  key.startsWith(`screener/${symbol}.`) && /^[0-9a-f]{32}\.json$/.test(key.slice(`screener/${symbol}.`.length));

export async function assetParts(store: ObjectStore, symbol: string): Promise<AssetParts> {
  const under = async (...prefixes: string[]) => {
    const lists = await Promise.all(prefixes.map((prefix) => store.list(prefix)));
    return lists.flatMap((list) => Array.from(list, ([key, { size }]) => ({ key, size })));
  };
  const [builds, series, screeners, history, inputs] = await Promise.all([
    under(buildPrefix(symbol)),
    under(...[packsPrefix, seriesPrefix, checkpointPrefix, holdersPrefix, transfersPrefix].map((of) => of(symbol))),
    under(`screener/${symbol}.`),
    under(changePrefix(symbol), knownPrefix(symbol)),
    under(inputsPrefix(symbol)),
  ]);
  const objects = [...series, ...screeners.filter(({ key }) => isScreener(symbol, key))];
  return { builds, objects, history, inputs };
}

/** What goes beside the active manifest. */
export interface RemovalTerms {
  inputs: boolean;
  history: boolean;
}

export interface RemovedAsset extends AssetParts {
  /** The symbol that it has now, if it has one. */
  became: string | null;
  /** Whether it was served. */
  wasActive: boolean;
}

/**
 * What `removeAsset` would find. Reads alone.
 *
 * @throws {Failure} the store has nothing of the asset, not even a mark
 */
export async function findAsset(store: ObjectStore, symbol: string): Promise<RemovedAsset> {
  const [parts, mark, listed] = await Promise.all([
    assetParts(store, symbol),
    readRemoval(store, symbol),
    store.list(currentKey(symbol)),
  ]);
  const wasActive = listed.has(currentKey(symbol));
  if (!wasActive && !mark && Object.values(parts).every((part) => part.length === 0)) {
    throw new Failure(`${store.name} has nothing of ${symbol}: ${CURRENT_PREFIX} there lists the assets.`);
  }
  return { ...parts, became: mark?.became ?? null, wasActive };
}

/**
 * Removes an asset from what is served, and what the terms name. Everything else stays until it is collected.
 *
 * @throws {Failure} as `findAsset`
 */
export async function removeAsset(store: ObjectStore, symbol: string, terms: RemovalTerms): Promise<RemovedAsset> {
  const found = await findAsset(store, symbol);
  if (found.wasActive || !(await readRemoval(store, symbol))) await unpublish(store, symbol, found.became);
  const gone = [...(terms.history ? found.history : []), ...(terms.inputs ? found.inputs : [])].map(({ key }) => key);
  // A list without its files would look damaged.
  const list = gone.filter((key) => key === inputsKey(symbol));
  if (list.length > 0) await store.delete(list);
  for (let i = 0; i < gone.length; i += MOST_KEYS) await store.delete(gone.slice(i, i + MOST_KEYS));
  return found;
}

/** Keys that are removed in one request. */
const MOST_KEYS = 1000;

/**
 * Forgets that an asset was removed, or has another symbol: the next build publishes it.
 *
 * @throws {Failure} it was not
 */
export async function forgetRemoval(store: ObjectStore, symbol: string): Promise<void> {
  if (!(await readRemoval(store, symbol))) throw new Failure(`${symbol} was not removed from ${store.name}.`);
  await store.delete([removedKey(symbol)]);
}
