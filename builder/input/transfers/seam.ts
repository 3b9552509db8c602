/** Times must not decrease from one share to the next. Within a share, reading it has checked that. */

import { Failure } from "../../lib/failure.ts";
import type { AssetFile } from "../asset/asset.ts";
import { rowPlace } from "../cells/rules.ts";
import { withDatabase } from "../duckdb/database.ts";
import { assetRow, planTransfers } from "./columns/transfer-columns.ts";
import { decreasingTimeText } from "./rows/events.ts";
import { openShare } from "./shares/open-share.ts";
import type { Files, Reading, RowPlace } from "./shares/share.ts";

/**
 * The failure that reading two shares as one would have thrown.
 *
 * @param last row of a share
 * @param first row of the next share that has rows, earlier than `last`
 */
export async function decreasingTime(
  asset: Pick<AssetFile, "contract">,
  files: Files,
  reading: Reading,
  last: RowPlace,
  first: RowPlace,
): Promise<Failure> {
  return withDatabase(1, async (connection) => {
    // The row is counted from the first of its file that the share has.
    const place = async ({ share, file, row }: RowPlace) => {
      const opened = await openShare(connection, files, reading, share, "transfers");
      const plan = planTransfers(opened.find(({ index }) => index === file)!.table, asset.contract);
      return rowPlace({ file: plan.table.file.name, row: (await assetRow(connection, plan, row)) + 1 });
    };
    return new Failure(decreasingTimeText(last, first, await place(last), await place(first)));
  });
}
