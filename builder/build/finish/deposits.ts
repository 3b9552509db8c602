/** What a manifest says of deposit addresses; the table itself goes into the store, for the next build. */

import type { PublishedDeposits } from "../../../data-schema/stored.ts";
import { type DayInflow, depositedShare } from "../../engine/deposits.ts";
import type { Publication } from "../../published/publish/publication.ts";
import type { StageFolder } from "../folder/folder.ts";
import { DEPOSIT_TABLE, type StagePlan } from "../left/stage-plan.ts";

/**
 * @param inflow of the last days that are complete; undefined if it is not known
 * @param asOf of the build, Unix seconds
 * @returns undefined for an asset without deposit addresses
 */
export async function publishDeposits(
  { survey, deposits: inUse }: StagePlan,
  folder: StageFolder,
  publication: Publication,
  inflow: readonly DayInflow[] | undefined,
  asOf: number,
): Promise<PublishedDeposits | undefined> {
  const { deposits } = survey.labels;
  if (!deposits) return undefined;
  const inflowShare = inflow && depositedShare(inflow);
  return {
    ...(inUse && {
      asOf: inUse.asOf ?? new Date(asOf * 1000).toISOString(),
      table: await publication.putDeposits(Buffer.from((await folder.readText(DEPOSIT_TABLE)) ?? "")),
    }),
    exchanges: deposits.exchanges,
    ...(inflowShare !== undefined && { inflowShare }),
  };
}
