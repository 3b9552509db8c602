/** The whole engine in one call and one thread: what the builder does in steps and on several threads. */

import { nextYearStart, type Resolution, yearStart } from "../../data-schema/resolutions.ts";
import { Failure } from "../failure.ts";
import { toBigInt } from "./amounts.ts";
import { blockFlows, hourAndDayFlows, type MetricRuns } from "./flows.ts";
import { FLOW_METRIC_NAMES } from "./formulas.ts";
import type { AssetTerms, Groups, History, Prices } from "./history.ts";
import { roundHoldings, sumHoldings } from "./holdings.ts";
import { blockPeriods } from "./periods.ts";
import { type Overdraft, type PartReplay, replayPart } from "./replay.ts";
import { dayStates } from "./states.ts";
import { type BucketRange, bucketRange, prepareTimeline, type Timeline } from "./timeline.ts";

/** Points of a series, ascending. */
export interface SeriesPoints {
  /** Unix seconds. */
  t: number[];
  v: number[];
  /** Block numbers, at block resolution. */
  block: number[];
}

export interface ComputedSeries {
  /** By `metric|resolution|selector`; series without a point are left out. */
  series: Map<string, SeriesPoints>;
  day: BucketRange | undefined;
  hour: BucketRange | undefined;
}

/**
 * Every series of a history.
 *
 * @param parts how many parts the addresses are dealt out to, a power of two: the series do not depend on it
 * @throws {Failure} a transfer or burn exceeds its sender's balance
 */
export function computeSeries(
  history: History,
  prices: Prices,
  groups: Groups,
  terms: AssetTerms,
  parts = 1,
): ComputedSeries {
  const timeline = prepareTimeline(history, prices, groups, terms);
  const replays = Array.from({ length: parts }, (_, part) => replayPart(timeline, part, parts));
  checkReplays(timeline, replays);
  const holdings = roundHoldings(sumHoldings(replays.map((replay) => replay.holdings)), terms.decimals);

  const series = new Map<string, SeriesPoints>();
  const add = (resolution: Resolution, metrics: MetricRuns) => {
    for (const [metric, runs] of metrics) {
      for (const { selector, t, v, block } of runs) {
        const key = `${metric}|${resolution}|${selector}`;
        const points = series.get(key) ?? { t: [], v: [], block: [] };
        series.set(key, points);
        points.t.push(...t);
        points.v.push(...v);
        points.block.push(...(block ?? []));
      }
    }
  };
  add("day", dayStates(timeline, holdings));
  const { timestamp } = history;
  if (timeline.firstRow < timeline.endRow) {
    const last = timestamp[timeline.endRow - 1];
    for (let from = yearStart(timestamp[timeline.firstRow]); from <= last; from = nextYearStart(from)) {
      const { hour, day } = hourAndDayFlows(timeline, { from, to: nextYearStart(from) }, FLOW_METRIC_NAMES);
      add("hour", hour);
      add("day", day);
    }
  }
  for (const period of blockPeriods(timeline)) add("block", blockFlows(timeline, period, FLOW_METRIC_NAMES));
  return { series, day: bucketRange(timeline, "day"), hour: bucketRange(timeline, "hour") };
}

/**
 * Stops where the events do not add up: at the first transfer or burn, in event order, of more than its sender has.
 *
 * @throws {Failure} naming block, log index, address, balance and value
 * @throws {Error} the balances are not minted − burned to the last unit: the engine is wrong
 */
export function checkReplays(timeline: Timeline, replays: readonly PartReplay[]): void {
  const [first] = replays
    .flatMap(({ overdraft }): Overdraft[] => (overdraft ? [overdraft] : []))
    .sort((a, b) => a.row - b.row);
  if (first) throw overdraftFailure(timeline, first);
  const held = replays.reduce((sum, { supply }) => sum + supply, 0n);
  if (held !== timeline.supply) throw new Error(`balances sum up to ${held}, but the supply is ${timeline.supply}`);
}

function overdraftFailure({ history }: Timeline, { row, balance }: Overdraft): Failure {
  const { block, logIndex, from, addresses, values, valueWords } = history;
  const address = Buffer.from(addresses.subarray(20 * from[row], 20 * from[row] + 20)).toString("hex");
  return new Failure(
    `Block ${block[row]}, log index ${logIndex[row]}: 0x${address} sends ` +
      `${toBigInt(values, row * valueWords, valueWords)} but has ${balance} (raw units): ` +
      "the transfers before it are incomplete, or some are wrong.",
  );
}
