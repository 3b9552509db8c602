/** An asset's inputs as a bucket holds them, where `soprano fetch --store` keeps them. Source: docs/formats.md#inputs. */

import * as v from "valibot";
import { inputKey, inputsKey, inputsPrefix } from "../../../data-schema/stored.ts";
import { advised } from "../../lib/advised.ts";
import { Failure, StoreFailure } from "../../lib/failure.ts";
import type { ObjectStore } from "../../store/store.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import { type AssetFile, fetchedTransfers } from "../asset/asset.ts";
import { FETCHED_NAME, type Fetched, inputsFolder, parseFetched, readFetched } from "./fetched.ts";

/** A file of `inputs/<SYMBOL>/`. */
export interface StoredInput {
  /** Such as `transfers/2026-11-20.parquet`. */
  file: string;
  bytes: number;
  sha256: string;
}

/** What the bucket holds of an asset's inputs. */
export interface BucketInputs {
  files: StoredInput[];
  /** ETag of the list; null where there is none yet. */
  etag: string | null;
}

const FILE = /^(transfers\/\d{4}-\d\d(-\d\d(T\d\d)?)?\.parquet|[a-z]+\.csv|fetch\.json)$/;

const listSchema = v.strictObject({
  schema: v.literal(1),
  symbol: v.string(),
  files: v.array(
    v.strictObject({
      file: v.pipe(v.string(), v.regex(FILE)),
      bytes: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
      sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    }),
  ),
});

export async function readInputList(store: ObjectStore, symbol: string): Promise<BucketInputs> {
  const key = inputsKey(symbol);
  const object = await store.get(key);
  if (!object) return { files: [], etag: null };
  try {
    const { files } = v.parse(listSchema, JSON.parse(new TextDecoder().decode(object.bytes)));
    return { files, etag: object.etag };
  } catch {
    throw new Failure(
      `${key} in ${store.name} is damaged, or written by a later version of Soprano. Update Soprano; or remove ${inputsPrefix(symbol)} there and fetch again.`,
    );
  }
}

/** @throws {Failure} the object is missing, or its bytes are not those that were saved */
export async function readInput(
  store: ObjectStore,
  symbol: string,
  { file, sha256 }: StoredInput,
): Promise<Uint8Array> {
  const key = inputKey(symbol, file, sha256);
  const object = await store.get(key);
  if (object && sha256Hex(object.bytes) === sha256) return object.bytes;
  throw new Failure(
    `${key} in ${store.name} is ${object ? "damaged" : "missing"}. If another machine has just saved, run soprano fetch again; ` +
      `otherwise restore it, or remove ${inputsPrefix(symbol)} there and fetch again.`,
  );
}

/** The record of the fetches that brought them. @throws {Failure} as `readInput`, or a later version wrote it */
export async function readRecord(
  store: ObjectStore,
  symbol: string,
  record: StoredInput,
): Promise<{ bytes: Uint8Array; fetched: Fetched }> {
  const bytes = await readInput(store, symbol, record);
  const key = inputKey(symbol, FETCHED_NAME, record.sha256);
  return { bytes, fetched: parseFetched(key, new TextDecoder().decode(bytes)) };
}

/**
 * Whether the inputs here end before those in the bucket.
 *
 * @returns undefined if they don't, or there are none; else a sentence without its end, which says what to do
 */
export async function behindBucket(
  { path, symbol, source, transfers }: AssetFile,
  store: ObjectStore,
): Promise<string | undefined> {
  if (!source || String(transfers) !== fetchedTransfers(symbol)) return undefined;
  const [ours, theirs] = await Promise.all([readFetched(inputsFolder(path, symbol)), recordIn(store, symbol)]);
  if (!ours || !theirs || Date.parse(ours.asOf) >= Date.parse(theirs.asOf)) return undefined;
  return (
    `The inputs here end at ${ours.asOf}, those in ${store.name} at ${theirs.asOf}: bring them with ` +
    advised("fetch", path, "--store", store.name)
  );
}

/** The record in the bucket; undefined without, or if it can't be read: `soprano fetch` says why. */
async function recordIn(store: ObjectStore, symbol: string): Promise<Fetched | undefined> {
  try {
    const record = (await readInputList(store, symbol)).files.find(({ file }) => file === FETCHED_NAME);
    return record && (await readRecord(store, symbol, record)).fetched;
  } catch (error) {
    if (error instanceof Failure && !(error instanceof StoreFailure)) return undefined;
    throw error;
  }
}
