/** What the transfers say of a table of deposit addresses: how much each exchange receives through it. */

import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { addDays, type DayInflow, depositedShare, inflowByDay, lastDays } from "../../engine/deposits.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import { labelsOf } from "../../input/labels/address-labels.ts";
import { countByExchange } from "../../input/labels/deposit-table.ts";
import type { Survey } from "../../input/survey.ts";
import { planReading } from "../../input/transfers/plan-reading.ts";
import { readShare } from "../../input/transfers/read-share.ts";
import { whileUnchanged } from "../../input/while-unchanged.ts";
import { collectIfLarge } from "../../lib/garbage.ts";
import { mostRows, taskSizes } from "../plan/sizes.ts";
import type { DetectionOptions } from "./detect.ts";

export interface DepositFigures {
  /** Deposit addresses by exchange. */
  exchanges: Record<string, number>;
  /** Shares of the exchange inflow that arrived at them: of the whole history, and of its last `COVERAGE_DAYS` days. */
  share: number | undefined;
  lastShare: number | undefined;
}

/**
 * @param survey with the labels of the deposit addresses
 * @throws {Failure} as `readShare`
 */
export async function depositFigures(
  asset: AssetFile,
  survey: Survey,
  { folder, memory, threads }: DetectionOptions,
): Promise<DepositFigures> {
  const { bytes } = taskSizes(memory, 1);
  const labelsAt = labelsOf(survey.labels);
  const days: DayInflow[] = [];
  let last = 0;
  await whileUnchanged(survey.history, async () => {
    const reading = await planReading(asset, survey, { rows: () => mostRows(bytes), folder, memory: bytes, threads });
    for (const share of reading.shares.keys()) {
      const { history } = await readShare(asset, survey, reading, share, { threads });
      const { addresses, rows, timestamp } = history;
      days.push(...inflowByDay(history, labelsAt(addresses)));
      last = Math.max(last, rows > 0 ? timestamp[rows - 1]! : 0);
      collectIfLarge();
    }
  });
  const end = asset.asOf ?? last + 1;
  const complete = end - (end % BUCKET_SECONDS.day);
  const all = addDays(days);
  return {
    exchanges: countByExchange(survey.labels.label),
    share: depositedShare(all),
    lastShare: depositedShare(lastDays(all, complete)),
  };
}
