/**
 * The engine over a history that is in memory, which tests compare with the slow reference, and benches measure. A build
 * runs the same steps over files: builder/build/stages.
 */

import { refuseOverdrafts } from "../../builder/build/guards/refusals.ts";
import { nextCheckpoint } from "../../builder/engine/calendar/next-checkpoint.ts";
import { type BlockPeriodRows, blockPeriods, type Period } from "../../builder/engine/calendar/object-periods.ts";
import { priceSeries } from "../../builder/engine/calendar/price-series.ts";
import { dayStates } from "../../builder/engine/calendar/states.ts";
import { calendarFlows, calendarStates, collectDays } from "../../builder/engine/calendar/weeks-and-months.ts";
import { closesOf, keepEach, roundCloses } from "../../builder/engine/closes/closes.ts";
import { SUM_ROWS } from "../../builder/engine/flow-sums.ts";
import {
  BlockFlows,
  countBlocks,
  type DayBlocks,
  type DayFlows,
  HourAndDayFlows,
  type MetricSeries,
  type TimeRange,
} from "../../builder/engine/flows.ts";
import { checkSupply } from "../../builder/engine/replay/check-supply.ts";
import { Partition, wordsInUse } from "../../builder/engine/replay/replay.ts";
import {
  CALENDAR_RESOLUTIONS,
  nextYearStart,
  type Resolution,
  yearStart,
} from "../../data-schema/registry/resolutions.ts";
import { allocateHolders, type Holders, type WholeCheckpoint } from "./checkpoint.ts";
import { type PartitionReplay, replayPartition } from "./replay.ts";
import type { Timeline } from "./timeline.ts";

/** What the engine leaves besides the series. */
export interface Ended {
  /** Undefined while no day is complete. */
  checkpoint: WholeCheckpoint | undefined;
  blockPeriods: Period[];
  /** The number of addresses with a balance. */
  holders: number;
}

export interface EngineOptions {
  /** A power of two; the series do not depend on it. */
  partitions?: number;
  /** Whether to compute the block series. */
  blocks?: boolean;
  /** The limits of `blockPeriods`. */
  limits?: BlockPeriodRows;
}

/**
 * Computes every series lazily, one time range after another. A timeline with a checkpoint yields the points since.
 *
 * @throws {Failure} a transfer or burn exceeds its sender's balance
 */
export function* allSeries(
  timeline: Timeline,
  { partitions = 1, blocks = true, limits }: EngineOptions = {},
): Generator<[Resolution, MetricSeries], Ended> {
  const replays = Array.from({ length: partitions }, (_, index) => replayPartition(timeline, index, partitions));
  refuseOverdrafts(replays.flatMap(({ overdraft }) => overdraft ?? []));
  checkSupply(timeline, replays);
  const years: DayFlows[] = [];
  for (const year of yearsOf(timeline)) {
    const flows = new HourAndDayFlows(timeline, timeline.groups, year);
    if (flows.needsCounts) flows.count(timeline);
    flows.add(timeline);
    const { hour, day, addends } = flows.end();
    yield ["hour", hour];
    years.push({ day: [...day], addends: [...addends] });
    yield ["day", years.at(-1)!.day];
  }
  for (const resolution of ["day", "hour"] as const) yield [resolution, priceSeries(timeline, resolution)];
  const days = collectDays(years);
  const closes = keepEach((name) => replays.map(({ closes }) => closes[name]).reduce(closesOf(name).merge));
  const states = [...dayStates(timeline, roundCloses(closes, timeline), days)];
  yield ["day", states];
  for (const resolution of CALENDAR_RESOLUTIONS) {
    yield [resolution, calendarStates(resolution, states)];
    yield [resolution, calendarFlows(timeline, resolution, days)];
    yield [resolution, priceSeries(timeline, resolution)];
  }
  const counts = countBlocks(timeline);
  const periods = blockPeriods(timeline, counts, limits);
  if (blocks) for (const period of periods) yield ["block", blockFlows(timeline, period, counts)];
  const checkpoint = nextCheckpoint(timeline, days, counts, limits);
  return {
    checkpoint: checkpoint && { ...checkpoint, holders: holdersAtLastClose(timeline, replays) },
    blockPeriods: periods,
    holders: replays.reduce((sum, { holders }) => sum + holders, 0),
  };
}

function blockFlows(timeline: Timeline, period: TimeRange, days: readonly DayBlocks[]): MetricSeries {
  const used = days
    .filter(({ day }) => day >= period.from && day < period.to)
    .reduce((sums, { rows }) => sums.map((sum, row) => sum + rows[row]!), new Array<number>(SUM_ROWS).fill(0));
  const flows = new BlockFlows(timeline.groups, period, used);
  flows.add(timeline);
  return flows.end();
}

/** The calendar years with events; after a checkpoint, from its year on. */
function yearsOf({ checkpoint, totals: { first, last } }: Timeline): TimeRange[] {
  const years: TimeRange[] = [];
  if (!first || !last) return years;
  for (let from = yearStart(checkpoint?.time ?? first.t); from <= last.t; from = nextYearStart(from)) {
    years.push({ from, to: nextYearStart(from) });
  }
  return years;
}

function holdersAtLastClose(
  { history: { addresses }, checkpoint }: Timeline,
  replays: readonly PartitionReplay[],
): Holders {
  const partitions = replays.flatMap(({ holdersAtLastClose }) => holdersAtLastClose ?? []);
  if (partitions.length === 0 && checkpoint) return checkpoint.holders;
  const words = Math.max(1, ...partitions.map(wordsInUse));
  const active = partitions.map(({ lastEvents }) =>
    [...lastEvents.keys()].filter((holder) => lastEvents[holder]! >= 0),
  );
  const holders = allocateHolders(
    active.reduce((sum, { length }) => sum + length, 0),
    words,
  );
  let at = 0;
  for (const [
    index,
    { ids, balances, basis, purchaseTime, firstEvents, lastEvents, lastDeposits, ...own },
  ] of partitions.entries()) {
    const partition = new Partition(index, replays.length);
    const places = new Map(Array.from(ids, (id, i) => [id, i]));
    for (const holder of active[index]!) {
      const id = partition.addressOf(holder);
      holders.addresses.set(addresses.subarray(20 * id, 20 * id + 20), 20 * at);
      holders.firstEvent[at] = firstEvents[holder]!;
      holders.lastEvent[at] = lastEvents[holder]!;
      holders.lastDeposit[at] = lastDeposits[holder]!;
      for (const name of ["realised", "sent", "receipts", "sends"] as const) holders[name][at] = own[name][holder]!;
      const i = places.get(id);
      if (i !== undefined) {
        holders.basis[at] = basis[i]!;
        holders.purchaseTime[at] = purchaseTime[i]!;
        const used = Math.min(words, own.words);
        holders.balances.set(balances.subarray(i * own.words, i * own.words + used), at * words);
      }
      at++;
    }
  }
  return holders;
}
