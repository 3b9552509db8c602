/** How far a fetch goes, and the files that it brings. */

import { join } from "node:path";
import { DAY_SECONDS, HOUR_SECONDS, isoDay, isoHour, isoTime } from "../../../data-schema/text.ts";
import { fetchedBlocks, fetchedEnd } from "../../input/fetched/fetched.ts";
import { Failure } from "../../lib/failure.ts";
import { type Block, finalizedBlock, readBlock, readFirstBlock } from "../chain/blocks.ts";
import {
  arePlannedOnChain,
  boundariesIdentity,
  forgetBoundaries,
  keptBlockAfter,
  type PlannedFile,
  planFiles,
} from "../times/boundaries.ts";
import {
  days,
  type FetchedPeriod,
  firstPeriods,
  hours,
  periodOf,
  startOfDay,
  startOfHour,
} from "../times/file-periods.ts";
import type { AssetFetch, Until } from "./work.ts";

/** What a run will fetch. */
export interface FetchPlan {
  /** The first block of the whole asset. */
  first: Block;
  /** The last one before `asOf`. */
  last: Block;
  /** The end of the last day or hour, Unix seconds. */
  asOf: number;
  /** New files; none if there is nothing new. */
  planned: PlannedFile[];
  /** Whether the running day that the last fetch has left is complete now: its hours become a day's file. */
  endsDay: boolean;
}

/**
 * Plans up to the last day, or hour, that is complete and final, or an earlier one that the user names.
 *
 * @throws {Failure} that time, or the asset's first block, is not final yet
 */
export async function planFetch(work: AssetFetch): Promise<FetchPlan> {
  const { asset, folder, fetched, nodes, source, confirmations, until, facts } = work;
  const final = await finalizedBlock(nodes, confirmations);
  const unit = work.hours ? HOUR : DAY;
  const asOf = chooseAsOf(final, until, unit);
  const isNotFinal = (what: string) =>
    new Failure(`${asset.path}: its first block, ${source.firstBlock}, ${what}. Run this again ${unit.later}.`);
  if (source.firstBlock > final.number) throw isNotFinal("is not final yet");
  const first = await facts.get("first", () => readFirstBlock(nodes, source.firstBlock));
  if (until !== undefined && first.time >= asOf) {
    throw new Failure(
      `${asset.path}: leave --until out, or name a later time: its first block, ${source.firstBlock}, is of ` +
        `${isoTime(first.time)}, after --until ${until.text}.`,
    );
  }
  if (first.time >= asOf) {
    throw isNotFinal(`is of ${isoTime(first.time)}, and no ${unit.name} since is complete and final`);
  }
  refuseEarlier(work, final, asOf);
  const complete = fetched && Date.parse(fetched.asOf) / 1000;
  if (fetched && complete !== undefined && asOf <= complete) {
    const last = await readBlock(nodes, fetchedBlocks(fetched).to);
    return { first, last, asOf: complete, planned: [], endsDay: false };
  }
  const endsDay = fetched?.hours !== undefined && startOfDay(asOf) > startOfDay(complete!);
  const before = fetched && (endsDay ? fetched.files.at(-1) : fetchedEnd(fetched));
  const identity = boundariesIdentity(source);
  const cache = join(folder, ".part");
  const kept = before && (await keptBlockAfter(cache, identity, before));
  const start = kept ?? (before ? await readBlock(nodes, before.to + 1) : first);
  const range = { first: start, last: final };
  const plan = () => planFiles(nodes, periodsOf(work, first, asOf), range, cache, identity);
  let planned = await plan();
  if (!(await arePlannedOnChain(nodes, planned, final))) {
    await forgetBoundaries(cache);
    planned = await plan();
  }
  return { first, last: await readBlock(nodes, planned.at(-1)!.to), asOf, planned, endsDay };
}

/** Days that are complete, then the hours of the running one. Files that are fetched again keep their periods. */
function periodsOf({ fetched, replaced }: AssetFetch, first: Block, asOf: number): FetchedPeriod[] {
  const today = startOfDay(asOf);
  const complete = fetched ? Date.parse(fetched.asOf) / 1000 : startOfHour(first.time);
  // The hours of an asset's first day may become a month.
  const isFirst = !fetched || fetched.files.length === 0;
  const again = replaced.map(({ file }) => periodOf(file));
  const next = again.at(-1)?.end ?? startOfDay(complete);
  const ended = isFirst ? firstPeriods(first.time, today) : [...again, ...days(next, today)];
  return [...ended, ...hours(Math.max(complete, today), asOf)];
}

/** @throws {Failure} a repair would leave less than there was */
function refuseEarlier({ asset, recorded, fetched, until }: AssetFetch, final: Block, asOf: number): void {
  // What stays ends earlier where something is fetched again.
  if (!recorded || fetched?.asOf === recorded.asOf || asOf >= Date.parse(recorded.asOf) / 1000) return;
  const why = until
    ? `--until ${until.text} ends before. Leave --until out.`
    : `the last final block, ${final.number}, is of ${isoTime(final.time)}. Run this again later, or give another node with --rpc.`;
  throw new Failure(`${asset.path}: a repair goes up to ${recorded.asOf}, as the fetch before, but ${why}`);
}

interface Unit {
  name: string;
  later: string;
  seconds: number;
  text(seconds: number): string;
}

const DAY: Unit = { name: "day", later: "a day later", seconds: DAY_SECONDS, text: isoDay };
const HOUR: Unit = { name: "hour", later: "an hour later", seconds: HOUR_SECONDS, text: isoHour };

/** The end of the last day or hour to fetch. */
function chooseAsOf(final: Block, until: Until | undefined, { name, seconds, text }: Unit): number {
  const latest = Math.floor(final.time / seconds) * seconds;
  const wanted = until?.end ?? latest;
  if (wanted <= latest) return wanted;
  throw new Failure(
    `--until ${until!.text} is not complete and final yet: the last final block, ${final.number}, is of ` +
      `${isoTime(final.time)}. The last ${name} that can be fetched is ${text(latest - seconds)}.`,
  );
}
