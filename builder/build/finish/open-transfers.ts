/** Publishes the transfers of the week and the month that a build leaves open: the next one's medians are of them, too. */

import { openAsBlob } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "../../../data-schema/stored.ts";
import { type DayTransfers, openFrom, type TransferDay } from "../../engine/calendar.ts";
import type { Publication } from "../../published/publish/publication.ts";
import { DIGESTS, digestPieces } from "../../store/pieces.ts";
import type { StageFolder } from "../folder/folder.ts";
import { encodeTransfers } from "../stages/transfers.ts";

/** The table, as it is in the store. */
const OPEN_TRANSFERS = "transfers-open.parquet";

/**
 * @param days with transfers that the build has
 * @param time of the checkpoint, Unix seconds
 * @returns what the manifest says of them; undefined if there are none
 */
export async function publishOpenTransfers(
  folder: StageFolder,
  days: Iterable<TransferDay>,
  time: number,
  publication: Publication,
): Promise<NonNullable<Manifest["checkpoint"]>["transfers"]> {
  const from = openFrom(time);
  const open = [...days].filter(({ day }) => day >= from && day < time);
  if (open.length === 0) return undefined;
  const pieces = function* (): Generator<DayTransfers> {
    for (const { day, ...of } of open) for (const { tokens, price } of of.pieces()) yield { day, tokens, price };
  };
  await folder.write(OPEN_TRANSFERS, encodeTransfers(pieces(), "ZSTD"));
  await folder.copy(OPEN_TRANSFERS);
  const content = await openAsBlob(join(folder.scratch, OPEN_TRANSFERS));
  const digests = await digestPieces(content.stream() as AsyncIterable<Uint8Array>, DIGESTS);
  return publication.putOpenTransfers(content, digests);
}
