/** Says what a build would do. Source: docs/building.md#incremental-builds. */

import { isoDay } from "../../../data-schema/text.ts";
import { type DayTally, eventsFromFirstToLast, firstPriceTime, tallyDays } from "../../engine/history.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import { readAssetToBuild } from "../../input/fetched/fetched-asset.ts";
import { checkResumes, joinShares, NEW_ROWS_UNREADABLE } from "../../input/join-shares.ts";
import { planReading } from "../../input/transfers/plan-reading.ts";
import { readShare } from "../../input/transfers/read-share.ts";
import type { ShareFacts } from "../../input/transfers/shares/share.ts";
import { Failure, unresumable } from "../../lib/failure.ts";
import { counted } from "../../lib/terminal/amount-text.ts";
import { reasonText } from "../../published/history/cause-text.ts";
import type { ObjectStore } from "../../store/store.ts";
import type { Previous } from "../checkpoint/previous.ts";
import { isDue } from "../deposits/choose.ts";
import { onlyBeside, startText } from "../finish/finished.ts";
import { workFolder } from "../folder/work-folder.ts";
import { judgeSupply, refuseSupply } from "../guards/max-supply.ts";
import { refuseShorter } from "../guards/shorter.ts";
import { isActive } from "../plan/full-or-resume.ts";
import { taskSizes } from "../plan/sizes.ts";
import { defaultMemory } from "../threads/memory.ts";
import type { BuildOptions } from "./build-options.ts";
import { planFor } from "./decide.ts";

type DryRunOptions = Pick<
  BuildOptions,
  "threads" | "asOf" | "full" | "work" | "rehash" | "memory" | "allowSupply" | "allowShorter"
> & {
  /** That a month has ended since the table of deposit addresses was computed. */
  detectsAnew?: true;
};

/**
 * @returns one line: the day from which a build would resume and the events to replay; or why it would be a full build
 * @throws {Failure} the same as a build, up to and including reading
 */
export async function dryRunBuild(assetPath: string, store: ObjectStore, options: DryRunOptions): Promise<string> {
  const folder = workFolder(options.work);
  try {
    return await outcome(await readAssetToBuild(assetPath, options.asOf), store, folder.path, options);
  } finally {
    folder.remove();
  }
}

async function outcome(asset: AssetFile, store: ObjectStore, folder: string, options: DryRunOptions): Promise<string> {
  const planned = await planFor(asset, store, folder, options);
  if ("unchanged" in planned) return unchangedText(planned.unchanged);
  const { survey, plan, published, deposits } = planned;
  if (plan.kind === "full") return `${asset.symbol}: ${startText({ reason: reasonText(plan.causes) })}`;
  const { previous, files, onlyBeside: causes, mostSupply } = plan;
  if (causes.length > 0) return `${asset.symbol}: ${startText(onlyBeside(causes))}`;
  const { time, lastEvent } = previous.checkpoint;
  const { rows, bytes } = taskSizes(options.memory ?? defaultMemory(), 1);
  const reading = await planReading(asset, survey, {
    since: { lastBlock: lastEvent.block, files },
    rows,
    folder,
    memory: bytes,
    threads: options.threads,
  });
  if (reading.reopened !== undefined) return `${asset.symbol}: ${startText({ reason: reading.reopened })}`;
  const days: DayTally[] = [];
  const shares: ShareFacts[] = [];
  try {
    for (const index of reading.shares.keys()) {
      const { history, ...facts } = await readShare(asset, survey, reading, index, { threads: options.threads });
      for (const day of tallyDays(history, firstPriceTime(survey.prices))) days.push(day);
      shares.push(facts);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return `${asset.symbol}: ${startText({ reason: NEW_ROWS_UNREADABLE })}`;
  }
  refuseSupply(
    asset,
    judgeSupply(asset, days, { totals: previous.checkpoint.totals, most: mostSupply }),
    options.allowSupply,
  );
  const input = joinShares(asset, survey, reading, shares, { addresses: 0, lastBefore: lastEvent.t });
  try {
    checkResumes(input, time);
  } catch (error) {
    return `${asset.symbol}: ${startText({ reason: unresumable(error).message })}`;
  }
  if (isDue(deposits, input.asOf)) return outcome(asset, store, folder, { ...options, detectsAnew: true });
  if (published) refuseShorter(asset, input.asOf, days, previous.checkpoint.totals, published);
  if (isActive(previous, input.build)) return unchangedText(previous);
  const from = isoDay(time);
  return `${asset.symbol}: resume from ${from}, ${counted(eventsFromFirstToLast(days), "event")} to replay`;
}

const unchangedText = ({ manifest: { symbol, build } }: Pick<Previous, "manifest">) =>
  `${symbol}: unchanged, build ${build} is active`;
