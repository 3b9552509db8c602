/** Reads what the last build has published. */

import { rename } from "node:fs/promises";
import { join } from "node:path";
import {
  CALENDAR_RESOLUTIONS,
  LOT_METHODS,
  type LotMethod,
  METRICS,
  type MetricName,
  type Resolution,
} from "../../../data-schema/registry.ts";
import {
  checkpointKey,
  lotsKey,
  type Manifest,
  type ManifestObject,
  openTransfersKey,
  type Reference,
  seriesKey,
  unplaced,
} from "../../../data-schema/stored.ts";
import type { Period } from "../../engine/calendar.ts";
import type { Series } from "../../engine/series.ts";
import { CannotResume } from "../../lib/failure.ts";
import { TableFile } from "../../lib/fixed-width-table.ts";
import { decodeSeries } from "../../published/objects/decode-series.ts";
import { type PublishedPoints, pointsBefore } from "../../published/objects/period-files.ts";
import { piecesOf, writePieces } from "../../store/pieces.ts";
import type { ObjectStore } from "../../store/store.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import { CheckpointFile } from "./checkpoint-file.ts";
import { type LotState, parseLotEntry } from "./lot-state.ts";

/** Where the checkpoint is copied to. */
export const CHECKPOINT_BEFORE = "before.parquet";
/** Where the transfers of the week and the month that it left open are copied to. */
export const TRANSFERS_BEFORE = "transfers-before.parquet";

/** Where the lots of a method are copied to. */
export const LOTS_BEFORE = (method: LotMethod) => `lots-before-${method}.parquet`;

/** The active build and the checkpoint it left. */
export interface Previous extends Pick<CheckpointFile, "checkpoint" | "provenance"> {
  /** Without the places of its parts: the store of the publication knows them. */
  manifest: Manifest;
  /** The checkpoint with its rows, on this machine. */
  file: Pick<CheckpointFile, "path" | "labels" | "rowCount">;
  /** Its lots, by method: what they go on with, and how many they are. */
  lots: Partial<Record<LotMethod, { state: LotState; rows: number }>>;
  /** The manifest as it is among the builds; undefined if it has been deleted or damaged since. */
  recorded: Manifest | undefined;
}

/** What is published of an asset when a build begins. */
export interface Published {
  store: ObjectStore;
  /** The active manifest. */
  previous: Manifest | undefined;
  /** Whether there is an active manifest that is damaged, or that this version can't read. */
  isUnreadable: boolean;
  /** The objects of the active manifest that are missing, or of another size. */
  lost(): Promise<readonly Reference[]>;
  recorded(active: Manifest): Promise<Manifest | undefined>;
}

/**
 * @param folder for the copy
 * @throws {CannotResume} there is none to resume from
 */
export async function readPrevious(published: Published, folder: string): Promise<Previous> {
  const { store, previous: active, isUnreadable } = published;
  if (isUnreadable) throw new CannotResume("the last build's manifest is damaged or of another version");
  if (!active) throw new CannotResume("it is the first build");
  const manifest = unplaced(active);
  const { symbol, checkpoint } = manifest;
  if (!checkpoint) throw new CannotResume("the last build left no checkpoint");
  // Includes periods that have ended: the next manifest lists their objects again.
  const [lost] = await published.lost();
  if (lost) throw new CannotResume(`${lost.key} is missing`);
  const path = join(folder, CHECKPOINT_BEFORE);
  await copyChecked(store, checkpointKey(symbol, checkpoint.hash), checkpoint, path);
  const { transfers } = checkpoint;
  if (transfers) {
    await copyChecked(store, openTransfersKey(symbol, transfers.hash), transfers, join(folder, TRANSFERS_BEFORE));
  }
  const methods = LOT_METHODS.filter((method) => checkpoint.lots?.[method]);
  for (const method of methods) {
    const table = checkpoint.lots![method]!;
    await copyChecked(store, lotsKey(symbol, method, table.hash), table, join(folder, LOTS_BEFORE(method)));
  }
  const recorded = await published.recorded(active);
  try {
    const file = new CheckpointFile(path);
    const lots: Previous["lots"] = {};
    for (const method of methods) {
      const { entry, rows } = new TableFile(join(folder, LOTS_BEFORE(method)), {});
      lots[method] = { state: parseLotEntry(entry), rows };
    }
    return { manifest, recorded, file, lots, checkpoint: file.checkpoint, provenance: file.provenance };
  } catch {
    throw new CannotResume("the last build's checkpoint is of another version");
  }
}

/**
 * Copies the published object of a method of lots and a period to a file.
 *
 * @returns whether there is one
 * @throws {CannotResume} it is missing or damaged
 */
export async function copyPublished(
  store: ObjectStore,
  { manifest }: { manifest: Manifest },
  resolution: Resolution,
  { name }: Pick<Period, "name">,
  method: LotMethod,
  path: string,
): Promise<boolean> {
  const entry = manifest.resolutions[resolution]?.periods.find((period) => period.name === name)?.lots?.[method];
  if (!entry || !("hash" in entry)) return false;
  await copyChecked(store, seriesKey(manifest.symbol, resolution, method, name, entry.hash), entry, path);
  return true;
}

/** Copies an object to a file. @throws {CannotResume} it is damaged */
async function copyChecked(
  store: ObjectStore,
  key: string,
  { hash, size }: { hash: string; size: number },
  path: string,
): Promise<void> {
  // Tasks of an earlier plan may still read the copy under its name.
  const part = `${path}.part`;
  const copy = await writePieces(part, piecesOf(store, key, size), ["sha256"]);
  if (!copy.sha256.startsWith(hash)) throw new CannotResume(`${key} is damaged`);
  await rename(part, path);
}

/**
 * Reads the published objects of some metrics in a period, so that new points can be appended.
 *
 * @throws {CannotResume} an object is missing or damaged
 */
export async function readPublishedPoints(
  store: ObjectStore,
  { manifest, checkpoint }: { manifest: Manifest; checkpoint: { time: number } },
  resolution: Resolution,
  { name }: Pick<Period, "name">,
  metrics: readonly MetricName[],
): Promise<PublishedPoints> {
  const published = manifest.resolutions[resolution]?.periods.find((period) => period.name === name)?.metrics;
  const objects: PublishedPoints["objects"] = {};
  const read = metrics.map(async (metric) => {
    const entry = published?.[metric];
    if (!entry || !("hash" in entry)) return;
    const key = seriesKey(manifest.symbol, resolution, metric, name, entry.hash);
    objects[metric] = { bytes: await readChecked(store, key, entry.hash), entry };
  });
  await Promise.all(read);
  return { until: checkpoint.time, objects };
}

/**
 * The points of a published object before the checkpoint.
 *
 * @throws {CannotResume} it is missing or damaged
 */
export async function readPointsBefore(
  store: ObjectStore,
  { key, entry }: ManifestObject,
  { checkpoint }: { checkpoint: { time: number } },
): Promise<Series[]> {
  return decodeSeries(await readChecked(store, key, entry.hash)).flatMap((run) => pointsBefore(run, checkpoint.time));
}

/**
 * Compares the published weeks and months with their hashes: a build to which no new one comes takes them over unread.
 *
 * @throws {CannotResume} one is missing or damaged
 */
export async function checkSealed(
  store: ObjectStore,
  previous: Pick<Previous, "manifest" | "checkpoint">,
): Promise<void> {
  const metrics = METRICS.map(({ name }) => name);
  for (const resolution of CALENDAR_RESOLUTIONS) {
    for (const period of previous.manifest.resolutions[resolution]?.periods ?? []) {
      await readPublishedPoints(store, previous, resolution, period, metrics);
    }
  }
}

/** Reads an object and compares its bytes with the hash in its key. */
export async function readChecked(store: ObjectStore, key: string, hash: string): Promise<Uint8Array> {
  const object = await store.get(key);
  if (!object) throw new CannotResume(`${key} is missing`);
  if (!sha256Hex(object.bytes).startsWith(hash)) throw new CannotResume(`${key} is damaged`);
  return object.bytes;
}
