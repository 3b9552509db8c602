/** The inputs of a published asset, as far as some of its days need them: here, or else brought from the bucket. */

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { nextMonthStart } from "../../../data-schema/registry.ts";
import type { Manifest } from "../../../data-schema/stored.ts";
import { DAY_SECONDS } from "../../../data-schema/text.ts";
import { type AssetFile, fetchedTransfers, readAsset } from "../../input/asset/asset.ts";
import { readInput, readInputList, readRecord } from "../../input/fetched/bucket-inputs.ts";
import { FETCHED_NAME, type Fetched, inputsFolder, readFetched, TABLES } from "../../input/fetched/fetched.ts";
import { withFetched } from "../../input/fetched/fetched-asset.ts";
import { advisedFetch } from "../../lib/advised.ts";
import { Failure, writing } from "../../lib/failure.ts";
import type { ObjectStore } from "../../store/store.ts";

/** Days from `from` up to the end of what is published, Unix seconds. */
export interface DaysPublished {
  manifest: Manifest;
  from: number;
  end: number;
}

/**
 * The asset with the files that may have transfers of the days, its as-of time the end of the days.
 *
 * @param folder for what is brought
 * @throws {Failure} ASSET.json can't be read or is of another token; its inputs are neither here nor in the bucket, or end before
 * the days do
 */
export async function readAssetInputs(
  path: string,
  store: ObjectStore,
  { manifest, from, end }: DaysPublished,
  folder: string,
): Promise<AssetFile> {
  const asset = await readAsset(path, end);
  const { symbol, source } = asset;
  for (const key of ["contract", "decimals"] as const) {
    if (asset[key] === manifest[key]) continue;
    throw new Failure(
      `${path}: ${key} is ${asset[key]}, but ${symbol} is published with ${manifest[key]}: correct it, or build the asset.`,
    );
  }
  if (!source || String(asset.transfers) !== fetchedTransfers(symbol)) return asset;
  const here = await readFetched(inputsFolder(path, symbol));
  const isWhole = here !== undefined && Date.parse(here.asOf) / 1000 >= end;
  const fetched = isWhole ? here : ((await bring(store, asset, from, folder)) ?? here);
  if (!fetched) {
    throw new Failure(
      `${path}: its inputs are neither beside it nor in ${store.name}: run ${advisedFetch(path)} first.`,
    );
  }
  const transfers = neededTransfers(asset, fetched, from).map(({ file }) => `inputs/${symbol}/${file}`);
  const whole = withFetched({ ...asset, transfers }, fetched);
  return fetched === here ? whole : movedInputs(whole, folder);
}

/** When a file of transfers ends, Unix seconds, by its name: that of a month, a day or an hour. */
function endOf(file: string): number {
  const [, month, day, hour] = /(\d{4}-\d\d)(-\d\d)?(T\d\d)?\.parquet$/.exec(file)!;
  const start = Date.parse(`${month}${day ?? "-01"}${hour ?? "T00"}:00:00Z`) / 1000;
  return day === undefined ? nextMonthStart(start) : start + DAY_SECONDS;
}

/** The files that may have transfers since a time; the last one at least. */
const transfersSince = ({ files, hours }: Pick<Fetched, "files" | "hours">, from: number) =>
  [...files, ...(hours?.files ?? [])].filter(({ file }, at, { length }) => endOf(file) > from || at === length - 1);

/** What was given out for snapshots is looked for in the whole history. */
const neededTransfers = ({ predecessors }: AssetFile, fetched: Pick<Fetched, "files" | "hours">, from: number) =>
  transfersSince(fetched, predecessors ? Number.NEGATIVE_INFINITY : from);

/** Brings from the bucket what is needed. @returns undefined if the bucket keeps none of the asset */
async function bring(store: ObjectStore, asset: AssetFile, from: number, folder: string): Promise<Fetched | undefined> {
  const { symbol } = asset;
  const { files } = await readInputList(store, symbol);
  const record = files.find(({ file }) => file === FETCHED_NAME);
  if (!record) return undefined;
  const { fetched } = await readRecord(store, symbol, record);
  const needed = new Set([
    ...Object.values<string>(TABLES),
    ...neededTransfers(asset, fetched, from).map(({ file }) => file),
  ]);
  for (const input of files) {
    if (!needed.has(input.file)) continue;
    const path = join(folder, "inputs", symbol, input.file);
    const bytes = await readInput(store, symbol, input);
    await writing(path, async () => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytes);
    });
  }
  return fetched;
}

const MOVED = ["transfers", "prices", "labels", "contracts"] as const;

/** An asset whose fetched files are in another folder. */
function movedInputs(asset: AssetFile, folder: string): AssetFile {
  const prefix = `inputs/${asset.symbol}/`;
  const moved = (path: string) => (path.startsWith(prefix) ? `${folder}/${path}` : path);
  const roles = MOVED.flatMap((role) => (asset[role] ? [[role, asset[role].map(moved)] as const] : []));
  const cohorts = asset.cohorts?.map((list) => ({ ...list, path: moved(list.path) }));
  return { ...asset, ...Object.fromEntries(roles), ...(cohorts && { cohorts }) };
}
