/** Publishes what serves holders beside the checkpoint: the lists, and the largest of each day. Source: docs/formats.md#holders. */

import { createReadStream, openAsBlob } from "node:fs";
import { join } from "node:path";
import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import {
  HOLDERS_FORMAT,
  holderListsKey,
  type IndexPlace,
  type Manifest,
  namePart,
  type PublishedHolders,
} from "../../../data-schema/stored.ts";
import type { ExactCloses, Kept } from "../../engine/closes.ts";
import { bucketRange, type Outline } from "../../engine/history.ts";
import type { Publication } from "../../published/publish/publication.ts";
import { DIGESTS, digestPieces } from "../../store/pieces.ts";
import { CheckpointFile, checkpointEnd } from "../checkpoint/checkpoint-file.ts";
import { CHECKPOINT_BEFORE } from "../checkpoint/previous.ts";
import type { StageFolder } from "../folder/folder.ts";
import { HOLDER_LISTS, HOLDERS, writeTableAndLists } from "../holders/table-and-lists.ts";
import type { StagePlan } from "../left/stage-plan.ts";
import { readHolders } from "../stages/holders.ts";
import { publishLargest } from "./publish-largest.ts";

/**
 * @param index where that of the checkpoint's table is
 * @throws {CannotResume} the largest of the open month can't be read
 */
export async function publishHolders(
  plan: StagePlan,
  folder: StageFolder,
  publication: Publication,
  outline: Outline,
  closes: Kept<ExactCloses>,
  index: IndexPlace,
): Promise<PublishedHolders> {
  const { written, holders, price, lists } = await readHolders(folder, plan);
  const { largest, supply } = await publishLargest(plan, publication, outline, closes);
  return {
    format: HOLDERS_FORMAT,
    time: bucketRange(outline, "day")!.last + BUCKET_SECONDS.day,
    price,
    supply: String(supply),
    addresses: written.rows,
    holders,
    ...cohortsOf(plan),
    index,
    ...(lists && { lists: await publishLists(plan, folder, publication, lists) }),
    largest,
  };
}

/** What the manifest says of the holders of the last build, once their rows name the own cohorts of this one. */
export async function renameCohorts(
  plan: StagePlan,
  folder: StageFolder,
  publication: Publication,
  { holders: before, checkpoint }: Pick<Manifest, "holders" | "checkpoint">,
): Promise<Pick<Manifest, "checkpoint" | "holders">> {
  if (!before) return {};
  const file = new CheckpointFile((await folder.table(CHECKPOINT_BEFORE)).path);
  const all = { batches: file.rows(), rows: before.addresses, words: file.words, close: before.time };
  const facts = await writeTableAndLists(folder, plan, all);
  const { end, index } = checkpointEnd(file, facts);
  const content = new Blob([await openAsBlob(join(folder.scratch, HOLDERS)), ...(end as Uint8Array<ArrayBuffer>[])]);
  const digests = await digestPieces(content.stream(), DIGESTS);
  const { cohorts: _, ...others } = before;
  return {
    // Its own bytes are others, what lies beside it is the same.
    checkpoint: { ...checkpoint, ...(await publication.putCheckpoint(content, digests)) },
    holders: {
      ...others,
      ...cohortsOf(plan),
      index,
      ...(facts.lists && { lists: await publishLists(plan, folder, publication, facts.lists) }),
    },
  };
}

/** The own cohorts, in the order of their bits; nothing without. */
function cohortsOf({ survey: { lists } }: StagePlan): Pick<PublishedHolders, "cohorts"> {
  return lists.length > 0 ? { cohorts: lists.map(({ cohort }) => cohort) } : {};
}

/** Puts the lists into the store, from the folder. */
async function publishLists(
  { asset: { symbol } }: StagePlan,
  folder: StageFolder,
  publication: Publication,
  index: IndexPlace,
): Promise<NonNullable<PublishedHolders["lists"]>> {
  await folder.copy(HOLDER_LISTS);
  const path = join(folder.scratch, HOLDER_LISTS);
  const digests = await digestPieces(createReadStream(path), DIGESTS);
  const hash = namePart(digests.sha256);
  await publication.putNamed(holderListsKey(symbol, hash), await openAsBlob(path), digests);
  return { hash, size: digests.size, index };
}
