/** Publishes the largest transfers of each day, an object a calendar month. Months that have ended stay as they are. */

import { decodeLargeTransfers, type KeptTransfer, transferAt } from "../../../data-schema/holders.ts";
import { largeTransfersKey, namePart, type PublishedTransfers } from "../../../data-schema/stored.ts";
import { isoMonth, joinBytes } from "../../../data-schema/text.ts";
import { newBuckets, type Outline, wordCount } from "../../engine/history.ts";
import { CannotResume } from "../../lib/failure.ts";
import type { Publication } from "../../published/publish/publication.ts";
import { DIGESTS, digestPieces } from "../../store/pieces.ts";
import { readChecked } from "../checkpoint/previous.ts";
import type { StageFolder } from "../folder/folder.ts";
import type { RunFacts } from "../left/facts.ts";
import type { StagePlan } from "../left/stage-plan.ts";
import { encodeLargeTransfers, readLargeTransfers } from "../stages/large-transfers.ts";

type Months = PublishedTransfers["largest"];

/**
 * @returns what the manifest says of them
 * @throws {CannotResume} the object of the open month is missing or damaged
 */
export async function publishLargeTransfers(
  { asset: { symbol, decimals }, resume }: StagePlan,
  folder: StageFolder,
  runs: readonly RunFacts[],
  publication: Publication,
  outline: Outline,
): Promise<Months> {
  const before = resume?.manifest.transfers;
  if (resume && !before) throw new CannotResume("the last build has no largest transfers");
  const months = [...(before?.largest ?? [])];
  const days = newBuckets(outline, "day");
  if (!days) return months;
  let open: { name: string; transfers: KeptTransfer[] } | undefined;
  const put = async () => {
    if (open) months.push(await putMonth(publication, symbol, open));
  };
  for await (const { day, transfers } of readLargeTransfers(folder, runs, decimals)) {
    if (day < days.first || day > days.last) continue;
    const name = isoMonth(day);
    if (open?.name !== name) {
      await put();
      const begun = months.at(-1)?.name === name ? months.pop()! : undefined;
      open = { name, transfers: begun ? await readMonth(publication, symbol, begun) : [] };
    }
    open.transfers.push(...transfers);
  }
  await put();
  return months;
}

async function readMonth({ store }: Publication, symbol: string, month: Months[number]): Promise<KeptTransfer[]> {
  const bytes = await readChecked(store, largeTransfersKey(symbol, month.name, month.hash), month.hash);
  const columns = decodeLargeTransfers(bytes);
  return Array.from({ length: columns.rows }, (_, row) => transferAt(columns, row));
}

async function putMonth(
  publication: Publication,
  symbol: string,
  { name, transfers }: { name: string; transfers: readonly KeptTransfer[] },
): Promise<Months[number]> {
  // The largest amount of the month says how many words are needed, however shares are cut.
  const words = Math.max(...transfers.map(({ raw }) => wordCount(raw)));
  const bytes = joinBytes([...encodeLargeTransfers(transfers, words)]);
  const digests = await digestPieces([bytes], DIGESTS);
  const hash = namePart(digests.sha256);
  await publication.putNamed(largeTransfersKey(symbol, name, hash), bytes, digests);
  return { name, hash, size: digests.size };
}
