/** Reads the events of days that are published, with the labels and prices by which they were built. */

import { join } from "node:path";
import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { checkpointKey } from "../../../data-schema/stored.ts";
import { isoDay } from "../../../data-schema/text.ts";
import { CheckpointFile } from "../../build/checkpoint/checkpoint-file.ts";
import { withActiveDeposits } from "../../build/deposits/in-use.ts";
import { mostRows, taskSizes } from "../../build/plan/sizes.ts";
import { defaultMemory } from "../../build/threads/memory.ts";
import { firstRowAt, type History, isZero, pricesAt } from "../../engine/history.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import { digestInput } from "../../input/digest-input.ts";
import { labelsOf } from "../../input/labels/address-labels.ts";
import { type Survey, surveyInput } from "../../input/survey.ts";
import { planReading } from "../../input/transfers/plan-reading.ts";
import { readShare } from "../../input/transfers/read-share.ts";
import { whileUnchanged } from "../../input/while-unchanged.ts";
import { advisedBuild } from "../../lib/advised.ts";
import { Failure } from "../../lib/failure.ts";
import { counted } from "../../lib/terminal/amount-text.ts";
import { piecesOf, writePieces } from "../../store/pieces.ts";
import type { ObjectStore } from "../../store/store.ts";
import type { DaysPublished } from "./asset-inputs.ts";
import type { EventShare } from "./large-transfers.ts";

/**
 * The checkpoint of an active build: the balances at the end of its last day.
 *
 * @param path of the ASSET.json
 * @param folder for a copy
 * @throws {Failure} it is missing, damaged or of another version
 */
export async function readClose(
  path: string,
  { symbol, checkpoint = { hash: "", size: 0 } }: DaysPublished["manifest"],
  store: ObjectStore,
  folder: string,
): Promise<CheckpointFile> {
  const key = checkpointKey(symbol, checkpoint.hash);
  const copy = join(folder, "close.parquet");
  const { sha256 } = await writePieces(copy, piecesOf(store, key, checkpoint.size), ["sha256"]);
  try {
    if (sha256.startsWith(checkpoint.hash)) return new CheckpointFile(copy);
  } catch {
    // What can't be parsed is refused below.
  }
  throw new Failure(
    `${key} is missing in ${store.name}, damaged, or of another version of soprano: run ${advisedBuild(path, "--full")}.`,
  );
}

interface ReadOptions {
  store: ObjectStore;
  days: DaysPublished;
  /** All events up to this block are of earlier days; undefined if that is not known. */
  after: number | undefined;
  /** The transfers of each published day, neither mints nor burns. */
  published: ReadonlyMap<number, number>;
  folder: string;
}

/** What events are read from. */
export interface EventInput {
  asset: AssetFile;
  survey: Survey;
}

/** Finds and surveys the files. @throws {Failure} as `digestInput`, `surveyInput` and `withActiveDeposits` */
export async function surveyEvents(
  asset: AssetFile,
  { store, days, folder }: Pick<ReadOptions, "store" | "days" | "folder">,
): Promise<EventInput> {
  const input = await withActiveDeposits(asset, await digestInput(asset), {
    store,
    active: days.manifest.deposits,
    folder,
  });
  return { asset, survey: await surveyInput(asset, input) };
}

/**
 * Reads the events of the days, share by share, in order.
 *
 * @throws {Failure} as `planReading` and `readShare`; or a day has other transfers here than in what is published
 */
export async function readEvents(
  { asset, survey }: EventInput,
  { days, after, published, folder }: ReadOptions,
  use: (share: EventShare) => void,
): Promise<void> {
  const { bytes } = taskSizes(defaultMemory(), 1);
  const labelsAt = labelsOf(survey.labels);
  const counts = new Map<number, number>();
  await whileUnchanged(survey.history, async () => {
    const reading = await planReading(asset, survey, {
      rows: () => mostRows(bytes),
      folder,
      memory: bytes,
      ...(after !== undefined && { since: { lastBlock: after, files: survey.history } }),
    });
    for (const share of reading.shares.keys()) {
      const { history } = await readShare(asset, survey, reading, share);
      const first = firstRowAt(history, days.from);
      countTransfers(history, first, counts);
      use({
        history,
        first,
        addresses: history.addresses,
        labels: labelsAt(history.addresses),
        price: pricesAt(survey.prices, history),
      });
    }
  });
  for (let day = days.from; day < days.end; day += BUCKET_SECONDS.day) {
    const [here, there] = [counts.get(day) ?? 0, published.get(day) ?? 0];
    if (here === there) continue;
    throw new Failure(
      `${asset.path}: ${isoDay(day)} has ${counted(here, "transfer")} in the inputs, but ${counted(there, "transfer")} in what is published: run ${advisedBuild(asset.path)}.`,
    );
  }
}

/** Counts the transfers of each day as `num_transfers` does. */
function countTransfers(history: History, first: number, counts: Map<number, number>): void {
  const { rows, timestamp, from, to, values, valueWords } = history;
  for (let row = first; row < rows; row++) {
    if (from[row] === 0 || to[row] === 0 || from[row] === to[row]) continue;
    if (isZero(values, row * valueWords, valueWords)) continue;
    const day = timestamp[row]! - (timestamp[row]! % BUCKET_SECONDS.day);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
}
