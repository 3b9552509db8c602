/** Pages of the journal → files of transfers. */

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FetchedFile } from "../../input/fetched/fetched.ts";
import type { BlockRange } from "../chain/logs/pages.ts";
import { writeFailure } from "../kept/durable.ts";
import type { Journal } from "../kept/journal.ts";
import type { PlannedFile } from "../times/boundaries.ts";
import { firstRowFrom, sliceColumns, type TransferColumns, unpackColumns } from "./fetched-columns.ts";
import { writeTransferFile } from "./transfer-file.ts";

/** The transfers of a range, in order. */
export async function* journalTransfers(journal: Journal, range: BlockRange): AsyncGenerator<TransferColumns> {
  // The journal may lose a page that turns out damaged.
  for (const page of [...journal.pages]) {
    if (page.to < range.from || page.from > range.to) continue;
    const columns = unpackColumns(await journal.get(page));
    const isWithin = page.from >= range.from && page.to <= range.to;
    yield isWithin
      ? columns
      : sliceColumns(columns, firstRowFrom(columns, range.from), firstRowFrom(columns, range.to + 1));
  }
}

/**
 * Writes a file of transfers below a folder.
 *
 * @param transfers the file's rows, in order
 * @returns its entry in fetch.json
 */
export async function assembleFile(
  folder: string,
  { file, from, to, lastHash }: Pick<PlannedFile, "file" | "from" | "to" | "lastHash">,
  transfers: AsyncIterable<TransferColumns>,
  source: FetchedFile["source"],
): Promise<FetchedFile> {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true }).catch((error) => {
    throw writeFailure(path, error);
  });
  const written = await writeTransferFile(path, transfers);
  return { file, from, to, lastHash, ...written, source };
}
