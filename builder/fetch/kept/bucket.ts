/**
 * Keeps an asset's inputs in the bucket, so that a machine without a disk of its own continues where the last one stopped.
 * Files are stored under names derived from their content; the list of them, `inputs.json`, is written last and only if
 * nobody else has saved meanwhile. Source: docs/chain.md#nightly.
 */

import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { inputKey, inputsKey, inputsPrefix } from "../../../data-schema/stored.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import {
  type BucketInputs,
  readInput,
  readInputList,
  readRecord,
  type StoredInput,
} from "../../input/fetched/bucket-inputs.ts";
import {
  FETCHED_NAME,
  type Fetched,
  readFetched,
  TABLES,
  type TableRole,
  transferFiles,
} from "../../input/fetched/fetched.ts";
import { Failure } from "../../lib/failure.ts";
import { syncFolder } from "../../lib/files/durable.ts";
import type { ObjectStore } from "../../store/store.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import { Uploads } from "../../store/uploads.ts";
import { bringCorrections, CORRECTIONS } from "./corrections.ts";
import { writeDurably } from "./durable.ts";

/** Files that are brought at once: over the network, that is mostly waiting. */
const DOWNLOADS = 8;

export interface Transferred {
  files: number;
  bytes: number;
}

/**
 * Brings an asset's inputs from the bucket: what is missing or differs. Inputs that are ahead of the bucket stay, as after
 * a fetch that could not be saved. An asset whose symbol is new has those of its former one.
 *
 * @param folder `inputs/<SYMBOL>`
 * @param isRepair whether what was repaired without the bucket may be lost, since it is repaired again
 * @returns what the bucket holds, for `saveInputs`; what was brought; and the names of files that gave way, of the same time or
 * changed by hand
 * @throws {Failure} an object is missing or damaged, or the inputs here and there have diverged
 */
export async function bringInputs(
  store: ObjectStore,
  asset: Pick<AssetFile, "symbol" | "was">,
  folder: string,
  isRepair = false,
): Promise<{ inBucket: BucketInputs; brought: Transferred; gaveWay: string[] }> {
  const own = await readInputList(store, asset.symbol);
  const { symbol, inBucket } = (own.etag === null && (await formerInputs(store, asset))) || {
    symbol: asset.symbol,
    inBucket: own,
  };
  const brought: Transferred = { files: 0, bytes: 0 };
  const gaveWay: string[] = [];
  await bringCorrections(store, symbol, folder, inBucket.files);
  const record = inBucket.files.find(({ file }) => file === FETCHED_NAME);
  // What was saved under a former symbol is saved anew under its own.
  if (!record) return { inBucket: own, brought, gaveWay };
  const { bytes: recordBytes, fetched: theirs } = await readRecord(store, symbol, record);
  const ours = await readFetched(folder);
  if (ours && isAhead(ours, theirs, { store, symbol, folder })) return { inBucket: own, brought, gaveWay };
  if (ours && !isRepair) refuseLoss(ours, theirs, { store, folder });

  await mkdir(join(folder, "transfers"), { recursive: true });
  const rest = inBucket.files.filter((input) => input !== record && input.file !== CORRECTIONS).values();
  let hasFailed = false;
  const bring = async () => {
    for (const input of rest) {
      if (hasFailed) return;
      if (await isThere(folder, input, ours)) continue;
      const bytes = await readInput(store, symbol, input);
      if (await isOwnWork(folder, input, ours, theirs)) gaveWay.push(input.file);
      await writeDurably(join(folder, input.file), bytes);
      brought.files++;
      brought.bytes += input.bytes;
    }
  };
  const bringing = Array.from({ length: DOWNLOADS }, () =>
    bring().catch((error: unknown) => {
      hasFailed = true;
      throw error;
    }),
  );
  // Nothing is written any more when this ends.
  for (const result of await Promise.allSettled(bringing)) if (result.status === "rejected") throw result.reason;
  // After this write the others are not of this state any more.
  await writeDurably(join(folder, FETCHED_NAME), recordBytes);
  await removeOthers(folder, inBucket);
  return { inBucket: own, brought, gaveWay: gaveWay.sort() };
}

/** The inputs that a bucket has under a symbol that the asset had before; undefined without. */
async function formerInputs(store: ObjectStore, { was = [] }: Pick<AssetFile, "was">) {
  for (const symbol of was) {
    const inBucket = await readInputList(store, symbol);
    if (inBucket.etag !== null) return { symbol, inBucket };
  }
  return undefined;
}

/**
 * Saves an asset's inputs: new files first, then the list of all. A kill in between leaves the bucket as it was.
 *
 * @param inBucket what the bucket held when this fetch began
 * @throws {Failure} another machine has saved meanwhile
 */
export async function saveInputs(
  store: ObjectStore,
  symbol: string,
  folder: string,
  inBucket: BucketInputs,
): Promise<Transferred> {
  const fetched = await readFetched(folder);
  if (!fetched) throw new Error(`${folder} has no ${FETCHED_NAME}`);
  const known = new Set(inBucket.files.map(({ file, sha256 }) => inputKey(symbol, file, sha256)));
  const files: StoredInput[] = transferFiles(fetched).map(({ file, bytes, sha256 }) => ({ file, bytes, sha256 }));
  const saved: Transferred = { files: 0, bytes: 0 };
  const uploads = new Uploads();
  const upload = async ({ file, sha256 }: StoredInput, bytes: Uint8Array) => {
    const key = inputKey(symbol, file, sha256);
    await uploads.add(bytes.length, async () => {
      await store.put(key, bytes, { contentType: TYPES[extension(file)]!, sha256 });
    });
    saved.files++;
    saved.bytes += bytes.length;
  };
  for (const input of files) {
    if (known.has(inputKey(symbol, input.file, input.sha256))) continue;
    const bytes = await readFile(join(folder, input.file));
    if (sha256Hex(bytes) !== input.sha256) {
      throw new Failure(
        `${join(folder, input.file)} has changed since it was fetched, so nothing was saved. Restore it, or run soprano ` +
          "fetch with --repair, which fetches it again.",
      );
    }
    await upload(input, bytes);
  }
  for (const file of [...Object.values(TABLES), CORRECTIONS, FETCHED_NAME]) {
    const bytes = await readFile(join(folder, file)).catch(missing);
    if (!bytes) continue;
    const input = { file, bytes: bytes.length, sha256: sha256Hex(bytes) };
    files.push(input);
    if (!known.has(inputKey(symbol, file, input.sha256))) await upload(input, bytes);
  }
  await uploads.end();
  // In this order, which is that of the list.
  if (JSON.stringify(files) === JSON.stringify(inBucket.files)) return saved;
  const list = new TextEncoder().encode(`${JSON.stringify({ schema: 1, symbol, files })}\n`);
  const isSaved = await store.put(inputsKey(symbol), list, {
    contentType: TYPES.json!,
    sha256: sha256Hex(list),
    replaces: inBucket.etag,
  });
  if (!isSaved) {
    throw new Failure(
      `The inputs of ${symbol} in ${store.name} were saved by another machine meanwhile. Nothing was changed there; run soprano fetch again.`,
    );
  }
  await removeOld(store, symbol, [...inBucket.files, ...files]);
  return saved;
}

const TYPES: Record<string, string> = {
  parquet: "application/vnd.apache.parquet",
  csv: "text/csv",
  json: "application/json",
};

const extension = (file: string) => file.slice(file.lastIndexOf(".") + 1);

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

/**
 * Whether the inputs here continue those of the bucket.
 *
 * @throws {Failure} they are of a later time, but not made from the same files
 */
function isAhead(
  ours: Fetched,
  theirs: Fetched,
  { store, symbol, folder }: { store: ObjectStore; symbol: string; folder: string },
): boolean {
  if (Date.parse(ours.asOf) <= Date.parse(theirs.asOf)) return false;
  const [day, theirDay] = [ours, theirs].map(({ asOf }) => asOf.slice(0, 10));
  // Their hours are a day's file here, if that day is complete.
  const [files, continued] = [day === theirDay ? transferFiles(theirs) : theirs.files, transferFiles(ours)];
  const differs = files.find(({ sha256 }, index) => continued[index]?.sha256 !== sha256);
  const isSame = ours.chainId === theirs.chainId && ours.contract === theirs.contract;
  if (isSame && !differs) return true;
  throw new Failure(
    `${folder} and ${inputsPrefix(symbol)} in ${store.name} have diverged: ${differs ? `the first file that differs is ${differs.file}` : "they are of different contracts"}. ` +
      "Remove one of them, then fetch again.",
  );
}

/** @throws {Failure} a repair without the bucket, of which it knows nothing, would be undone */
function refuseLoss(ours: Fetched, theirs: Fetched, { store, folder }: { store: ObjectStore; folder: string }): void {
  if (!ours.repaired?.some((file) => !theirs.repaired?.includes(file))) return;
  // A repaired day may be part of a month's file by now.
  const digests = new Map(theirs.files.map(({ file, sha256 }) => [file, sha256]));
  const lost = ours.files.find(({ file, sha256 }) => digests.get(file) !== sha256);
  if (lost === undefined) return;
  throw new Failure(
    `${join(folder, lost.file)} was repaired here, but not in ${store.name}, whose file would replace it. ` +
      "Run this again with --repair, which repairs what the bucket has; or remove the folder to take that as it is.",
  );
}

/** Whether a file that gives way to one of the bucket is of the same time, or was changed by hand. */
async function isOwnWork(
  folder: string,
  { file, sha256 }: StoredInput,
  ours: Fetched | undefined,
  theirs: Fetched,
): Promise<boolean> {
  const here = await readFile(join(folder, file)).then(sha256Hex, () => undefined);
  if (here === undefined || here === sha256) return false;
  const role = (Object.keys(TABLES) as TableRole[]).find((role) => TABLES[role] === file);
  const written = role && ours?.tables?.[role];
  return ours?.asOf === theirs.asOf || (written !== undefined && here !== written);
}

/** Whether a file is here as it is in the bucket. */
async function isThere(folder: string, { file, bytes, sha256 }: StoredInput, ours: Fetched | undefined) {
  const path = join(folder, file);
  const found = await stat(path).catch(() => undefined);
  if (found?.size !== bytes) return false;
  // fetch.json knows the digest of transfers; the build compares it with the bytes.
  const known = ours && transferFiles(ours).find((listed) => listed.file === file);
  if (known) return known.sha256 === sha256;
  return sha256Hex(await readFile(path)) === sha256;
}

/** Removes transfers that the bucket does not have: of a state that it has replaced. */
async function removeOthers(folder: string, { files }: BucketInputs): Promise<void> {
  const listed = new Set(files.map(({ file }) => file));
  for (const name of await readdir(join(folder, "transfers"))) {
    if (!listed.has(`transfers/${name}`)) await rm(join(folder, "transfers", name), { recursive: true });
  }
  await syncFolder(folder);
}

/** Objects that another machine may still be reading, or about to list, are younger. */
const OLD_MS = 24 * 60 * 60_000;

/** Removes what neither this list nor the one before names, such as yesterday's prices. */
async function removeOld(store: ObjectStore, symbol: string, keep: readonly StoredInput[]): Promise<void> {
  const needed = new Set([inputsKey(symbol), ...keep.map(({ file, sha256 }) => inputKey(symbol, file, sha256))]);
  const old = [...(await store.list(inputsPrefix(symbol)))]
    .filter(([key, { uploaded }]) => !needed.has(key) && Date.now() - uploaded.getTime() > OLD_MS)
    .map(([key]) => key);
  if (old.length > 0) await store.delete(old);
}
