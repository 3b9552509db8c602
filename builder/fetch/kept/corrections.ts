/**
 * Corrected prices, as `soprano prices` keeps them: beside the inputs, and in the bucket if that keeps the inputs. Two copies are
 * merged, so that neither a fetch nor another machine undoes what somebody has said. Source: docs/building.md#corrected-prices.
 */

import { mkdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { inputKey, inputsKey } from "../../../data-schema/stored.ts";
import { isoTime } from "../../../data-schema/text.ts";
import { type AssetFile, keptCorrections } from "../../input/asset/asset.ts";
import { readInput, readInputList, type StoredInput } from "../../input/fetched/bucket-inputs.ts";
import { inputsFolder } from "../../input/fetched/fetched.ts";
import {
  type Correction,
  formatCorrections,
  mergeCorrections,
  parseCorrections,
} from "../../input/prices/corrections.ts";
import { Failure, writing } from "../../lib/failure.ts";
import { replaceDurably } from "../../lib/files/durable.ts";
import type { ObjectStore } from "../../store/store.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import { takeAssetLock } from "./asset-lock.ts";

/** In the folder of the inputs. */
export const CORRECTIONS = "corrections.csv";

type Asset = Pick<AssetFile, "path" | "symbol" | "source">;

/** What is said of the price of a time: USD per token, or null to drop what was said before. */
type Said = Pick<Correction, "time" | "usd" | "reason">;

const pathOf = (asset: Asset) => resolve(dirname(asset.path), keptCorrections(asset));

/** The corrections on this machine, those that were dropped included. @throws {Failure} as `parseCorrections` */
async function readCorrections(path: string): Promise<Correction[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new Failure(`${path} can't be read (${error.code}); check its permissions.`);
  });
  return text === undefined ? [] : parseCorrections(path, text);
}

async function write(path: string, corrections: readonly Correction[]): Promise<void> {
  const text = formatCorrections(corrections);
  // What a later run would refuse is not written.
  parseCorrections(path, text);
  await writing(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    await replaceDurably(path, text);
  });
}

/**
 * Adds what a bucket has to the corrections here.
 *
 * @param listed the inputs that the bucket has
 */
export async function bringCorrections(
  store: ObjectStore,
  symbol: string,
  folder: string,
  listed: readonly StoredInput[],
): Promise<void> {
  const input = listed.find(({ file }) => file === CORRECTIONS);
  if (!input) return;
  const path = join(folder, CORRECTIONS);
  const name = inputKey(symbol, CORRECTIONS, input.sha256);
  const theirs = parseCorrections(name, new TextDecoder().decode(await readInput(store, symbol, input)));
  const ours = await readCorrections(path);
  const merged = mergeCorrections(ours, theirs);
  if (ours.length === 0 || formatCorrections(merged) !== formatCorrections(ours)) await write(path, merged);
}

/**
 * The corrections of an asset, with those of the bucket that keeps its inputs.
 *
 * @throws {Failure} they can't be read
 */
export async function listCorrections(asset: Asset, store?: ObjectStore): Promise<Correction[]> {
  const { path, symbol } = asset;
  if (asset.source && store) {
    const { files } = await readInputList(store, symbol);
    await bringCorrections(store, symbol, inputsFolder(path, symbol), files);
  }
  return readCorrections(pathOf(asset));
}

export interface ChangedCorrections {
  corrections: Correction[];
  /** Whether the bucket has them, too. */
  isSaved: boolean;
}

/**
 * Corrects a price, or drops a correction: here, and in the bucket that keeps the asset's inputs.
 *
 * @throws {Failure} there is none to drop, there would be too many, or a fetch of the asset is running
 */
export async function changeCorrections(asset: Asset, said: Said, store?: ObjectStore): Promise<ChangedCorrections> {
  const { path, symbol, source } = asset;
  if (!source) return { corrections: await say(asset, said), isSaved: false };
  const folder = inputsFolder(path, symbol);
  const release = await takeAssetLock(join(folder, ".part"));
  try {
    await listCorrections(asset, store);
    const corrections = await say(asset, said);
    return { corrections, isSaved: store !== undefined && (await save(store, symbol, folder)) };
  } finally {
    await release();
  }
}

async function say(asset: Asset, said: Said): Promise<Correction[]> {
  const path = pathOf(asset);
  const before = await readCorrections(path);
  const known = before.find(({ time }) => time === said.time);
  if (said.usd === null && (known?.usd ?? null) === null) {
    const held = before.filter(({ usd }) => usd !== null).map(({ time }) => isoTime(time));
    const others = held.length > 0 ? `those that are corrected are ${held.join(", ")}` : "no price is corrected";
    throw new Failure(`${asset.symbol}: the price of ${isoTime(said.time)} is not corrected; ${others}.`);
  }
  // Later than what it replaces, whatever this machine's clock says.
  const recorded = Math.max(Math.floor(Date.now() / 1000), (known?.recorded ?? 0) + 1);
  const corrections = mergeCorrections(before, [{ ...said, recorded }]);
  await write(path, corrections);
  return corrections;
}

/** Saves that are tried while other machines save, too. */
const ATTEMPTS = 5;

/** @returns whether the bucket keeps the inputs */
async function save(store: ObjectStore, symbol: string, folder: string): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { files, etag } = await readInputList(store, symbol);
    if (etag === null) return false;
    await bringCorrections(store, symbol, folder, files);
    const bytes = await readFile(join(folder, CORRECTIONS));
    const input = { file: CORRECTIONS, bytes: bytes.length, sha256: sha256Hex(bytes) };
    await store.put(inputKey(symbol, CORRECTIONS, input.sha256), bytes, {
      contentType: "text/csv",
      sha256: input.sha256,
    });
    const at = files.findIndex(({ file }) => file === CORRECTIONS);
    const listed = at < 0 ? [...files.slice(0, -1), input, ...files.slice(-1)] : files.with(at, input);
    const list = new TextEncoder().encode(`${JSON.stringify({ schema: 1, symbol, files: listed })}\n`);
    const options = { contentType: "application/json", sha256: sha256Hex(list), replaces: etag };
    if (await store.put(inputsKey(symbol), list, options)) return true;
  }
  throw new Failure(
    `The inputs of ${symbol} in ${store.name} are being saved by other machines. The correction is in ${join(folder, CORRECTIONS)}; run this again.`,
  );
}
