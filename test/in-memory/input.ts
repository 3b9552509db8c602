/** An asset's input in memory: all transfers as one share, in the columns that the engine replays. */

import { dirname } from "node:path";
import type { Groups, History, Prices } from "../../builder/engine/history/history.ts";
import type { AssetFile } from "../../builder/input/asset/asset.ts";
import { digestInput } from "../../builder/input/digest-input.ts";
import { type JoinedInput, joinShares } from "../../builder/input/join-shares.ts";
import { type AddressLabels, labelsOf } from "../../builder/input/labels/address-labels.ts";
import { surveyInput } from "../../builder/input/survey.ts";
import { planReading } from "../../builder/input/transfers/plan-reading.ts";
import { readShare } from "../../builder/input/transfers/read-share.ts";
import { ADDRESS_BYTES } from "../../builder/lib/widths.ts";
import { balanceEdges } from "../../data-schema/asset.ts";
import { prepareTimeline, type Timeline } from "./timeline.ts";

export interface Input extends Pick<JoinedInput, "build" | "asOf" | "report" | "knownFiles"> {
  history: History;
  /** Empty without price files, which makes every price 0. */
  prices: Prices;
  labels: AddressLabels;
  /** The label of each address of the history. */
  groups: Groups;
}

/**
 * @param threads DuckDB's
 * @throws {Failure} names the file, row and column, or the key of ASSET.json, of the first error
 */
export async function readInput(asset: AssetFile, { threads = 1 } = {}): Promise<Input> {
  const survey = await surveyInput(asset, await digestInput(asset), { threads });
  const reading = await planReading(asset, survey, { rows: (all) => all, folder: dirname(asset.path), memory: 0 });
  const read = await readShare(asset, survey, reading, 0, { threads });
  const { history } = read;
  const addresses = history.addresses.length / ADDRESS_BYTES - 1;
  const { build, asOf, report, knownFiles } = joinShares(asset, survey, reading, [read], { addresses });
  const { prices, labels } = survey;
  const groups = labelsOf(labels)(history.addresses);
  return { build, asOf, report, knownFiles, history, prices, labels, groups };
}

export function timelineOf({ maxSupply, decimals }: AssetFile, { history, prices, groups, asOf }: Input): Timeline {
  return prepareTimeline(history, prices, groups, { decimals, balanceEdges: balanceEdges(maxSupply, decimals), asOf });
}
