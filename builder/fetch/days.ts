/** Which days a fetch brings, and the files they go to. */

import { join } from "node:path";
import { Failure } from "../lib/failure.ts";
import { type PlannedFile, planFiles } from "./boundaries.ts";
import { type Block, finalizedBlock, readBlock } from "./chain/blocks.ts";
import { DAY_SECONDS, days, firstPeriods, isoDay, isoTime, startOfDay } from "./periods.ts";
import type { Work } from "./work.ts";

/** What a run will fetch. */
export interface Plan {
  /** The first block of the whole asset. */
  first: Block;
  /** The last one before `asOf`. */
  last: Block;
  /** Midnight after the last day, Unix seconds. */
  asOf: number;
  /** New files; none if there is nothing new. */
  planned: PlannedFile[];
}

/**
 * Plans up to the last day that is complete and final, or an earlier one that the user names.
 *
 * @throws {Failure} that day, or the asset's first block, is not final yet
 */
export async function planDays(work: Work): Promise<Plan> {
  const { asset, folder, fetched, nodes, source, confirmations, until, facts } = work;
  const final = await finalizedBlock(nodes, confirmations);
  const asOf = chooseAsOf(final, until);
  const isNotFinal = (day: string) =>
    new Failure(`${asset.path}: its first block, ${source.firstBlock}, ${day}. Run this again a day later.`);
  if (source.firstBlock > final.number) throw isNotFinal("is not final yet");
  const first = await facts.get("first", () => readBlock(nodes, source.firstBlock));
  if (until !== undefined && first.time >= asOf) {
    throw new Failure(
      `${asset.path}: its first block, ${source.firstBlock}, is of ${isoTime(first.time)}, after --until ${isoDay(until)}.`,
    );
  }
  if (first.time >= asOf) throw isNotFinal(`is of ${isoTime(first.time)}, and no day since is complete and final`);
  const complete = fetched ? Date.parse(fetched.asOf) / 1000 : undefined;
  if (fetched && complete !== undefined && asOf <= complete) {
    return { first, last: await readBlock(nodes, fetched.files.at(-1)!.to), asOf: complete, planned: [] };
  }
  const start = fetched ? await readBlock(nodes, fetched.files.at(-1)!.to + 1) : first;
  const periods = complete === undefined ? firstPeriods(first.time, asOf) : days(complete, asOf);
  const identity = `chain ${source.chainId}, from block ${source.firstBlock}`;
  const planned = await planFiles(nodes, periods, { first: start, last: final }, join(folder, ".part"), identity);
  return { first, last: await readBlock(nodes, planned.at(-1)!.to), asOf, planned };
}

/** Midnight after the last day to fetch. */
function chooseAsOf(final: Block, until: number | undefined): number {
  const latest = startOfDay(final.time);
  const wanted = until === undefined ? latest : until + DAY_SECONDS;
  if (wanted <= latest) return wanted;
  throw new Failure(
    `--until ${isoDay(until!)} is not complete and final yet: the last final block, ${final.number}, is of ` +
      `${isoTime(final.time)}. The last day that can be fetched is ${isoDay(latest - DAY_SECONDS)}.`,
  );
}
