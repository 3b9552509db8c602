/** The rows of the checkpoint as a file, and the lists of holders as another, from one pass over all addresses. */

import { MOST_LISTED } from "../../../data-schema/stored.ts";
import { closePrice } from "../../engine/history.ts";
import { countLabels } from "../../input/labels/address-labels.ts";
import { encodeRows, type WrittenRows } from "../checkpoint/checkpoint-file.ts";
import type { CheckpointRows } from "../checkpoint/checkpoint-rows.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { HolderFacts } from "../left/facts.ts";
import type { StagePlan } from "../left/stage-plan.ts";
import { HolderLists } from "./holder-lists.ts";
import { ListIndex } from "./list-index.ts";

/** The beginning of the checkpoint's file. */
export const HOLDERS = "holders";
/** The object of the lists. */
export const HOLDER_LISTS = "holder-lists";

interface AllRows {
  /** Every address that has held the token, in ascending order. */
  batches: Iterable<CheckpointRows>;
  /** How many they are, and 32-bit words of each balance. */
  rows: number;
  words: number;
  /** The close of the last complete day, Unix seconds; undefined if there is none. */
  close: number | undefined;
}

/** Writes both. @throws {Failure} the list of an own cohort has changed since the build was planned */
export async function writeTableAndLists(
  folder: StageFolder,
  { survey, asset }: Pick<StagePlan, "survey" | "asset">,
  { batches, rows, words, close }: AllRows,
): Promise<HolderFacts> {
  const index = survey.lists.length > 0 ? await ListIndex.of(survey.lists) : undefined;
  const price = close === undefined ? 0 : closePrice(survey.prices, close);
  const lists = rows > MOST_LISTED ? new HolderLists({ decimals: asset.decimals, price, words }) : undefined;
  const held = countLabels([]);
  function* passing(): Generator<CheckpointRows> {
    for (const batch of batches) {
      countLabels(batch.labels.subarray(0, batch.rows), held);
      if (index) batch.cohorts = index.marksOf(batch.addresses);
      lists?.add(batch);
      yield batch;
    }
  }
  let written: WrittenRows;
  await folder.write(
    HOLDERS,
    (function* () {
      written = yield* encodeRows(words, passing());
    })(),
  );
  if (!lists) return { ...written!, held, price };
  let place: HolderFacts["lists"];
  await folder.write(
    HOLDER_LISTS,
    (function* () {
      place = yield* lists.encode();
    })(),
  );
  return { ...written!, held, price, lists: place! };
}
