/** Checks that times don't decrease from one share to the next. Within a share, reading it has checked that. */

import { Failure } from "../../failure.ts";
import type { AssetFile } from "../asset.ts";
import { placeText } from "../cells/rules.ts";
import { withDatabase } from "../duckdb/database.ts";
import { decreasingTimeText } from "./events.ts";
import { openFile } from "./open-share.ts";
import { assetRow, planTransfers } from "./plan.ts";
import type { Files, Reading, RowPlace } from "./share.ts";

/**
 * Compares the last row of a share with the first row of the next share that has rows.
 *
 * @returns the failure that reading both as one would have thrown
 */
export async function checkSeam(
  asset: Pick<AssetFile, "contract">,
  files: Files,
  reading: Reading,
  last: RowPlace,
  first: RowPlace,
): Promise<Failure | undefined> {
  if (first.time >= last.time) return undefined;
  return withDatabase(1, async (connection) => {
    const place = async ({ file, row }: RowPlace) => {
      const plan = planTransfers(await openFile(connection, files, reading, file), asset.contract);
      return placeText({ file: plan.table.file.name, row: (await assetRow(connection, plan, row)) + 1 });
    };
    return new Failure(decreasingTimeText(last, first, await place(last), await place(first)));
  });
}
