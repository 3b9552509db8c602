/** A replay that resumes from a checkpoint gives the bits of one from the start. Source: docs/methodology.md §8. */

import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Period } from "../../builder/engine/calendar/object-periods.ts";
import type { MetricSeries } from "../../builder/engine/flows.ts";
import { bucketRange } from "../../builder/engine/history/outline.ts";
import { timeLimit, tries, untilCovered } from "../effort.ts";
import type { WholeCheckpoint } from "../in-memory/checkpoint.ts";
import { allSeries } from "../in-memory/engine.ts";
import { resumeHistory } from "../in-memory/resume.ts";
import { prepareTimeline } from "../in-memory/timeline.ts";
import { histories } from "../reference/histories.ts";
import type { Token } from "../reference/reference.ts";
import { groupsOf, toEngineInput } from "./engine-input.ts";

/** A block period ends with so many rows: at the end of a month, or of any day. */
const LIMITS = { full: 3, crowded: 5 };

const DAY = 86_400;

/** Points of a series, ascending. */
interface SeriesPoints {
  /** Unix seconds. */
  t: number[];
  v: number[];
  /** Block numbers, at block resolution. */
  block: number[];
}

/** What a build publishes, and what the next one resumes from. */
interface Night {
  /** By `metric|resolution|selector`. */
  series: Map<string, SeriesPoints>;
  blocks: Period[];
  facts: unknown;
  checkpoint?: WholeCheckpoint | undefined;
}

/** Builds up to a time: from the start, or resuming from the night before. */
function build(token: Token, asOf: number, partitions: number, night?: Night): Night {
  const before = night?.checkpoint;
  const since = before?.time ?? Number.NEGATIVE_INFINITY;
  const transfers = token.transfers.filter(({ timestamp }) => timestamp >= since);
  const input = toEngineInput({ ...token, transfers, asOf });
  const history = before ? resumeHistory(input.history, before.holders) : input.history;
  const timeline = prepareTimeline(history, input.prices, groupsOf(token, history), input.parameters, before);
  const series = new Map<string, SeriesPoints>();
  for (const [key, points] of night?.series ?? []) {
    const kept = points.t.filter((t) => t < since).length;
    if (kept > 0)
      series.set(
        key,
        mapColumns(points, (column) => column.slice(0, kept)),
      );
  }
  const add = (resolution: string, metrics: MetricSeries) => {
    for (const [metric, runs] of metrics) {
      for (const { selector, t, v, block = [] } of runs) {
        const key = `${metric}|${resolution}|${selector}`;
        const earlier = series.get(key) ?? { t: [], v: [], block: [] };
        const added = { t: [...t], v: [...v], block: [...block] };
        series.set(
          key,
          mapColumns(earlier, (column, name) => [...column, ...added[name]]),
        );
      }
    }
  };
  const all = allSeries(timeline, { partitions, limits: LIMITS });
  let next = all.next();
  for (; !next.done; next = all.next()) add(...next.value);
  const { checkpoint, blockPeriods, holders } = next.value;

  const full = night?.blocks.filter(({ from }) => before && from < before.openBlocks.from) ?? [];
  return {
    series,
    blocks: [...full, ...blockPeriods],
    facts: {
      totals: timeline.totals,
      holders,
      ranges: [bucketRange(timeline, "day"), bucketRange(timeline, "hour")],
    },
    checkpoint,
  };
}

function mapColumns(points: SeriesPoints, map: (column: number[], name: keyof SeriesPoints) => number[]): SeriesPoints {
  return { t: map(points.t, "t"), v: map(points.v, "v"), block: map(points.block, "block") };
}

/** A checkpoint, equal whatever the order of the holders. */
function inOrder(checkpoint: WholeCheckpoint | undefined) {
  if (!checkpoint) return undefined;
  const { addresses, words, balances, basis, purchaseTime } = checkpoint.holders;
  const holders = Array.from(basis, (price, i) => [
    Buffer.from(addresses.subarray(20 * i, 20 * i + 20)).toString("hex"),
    balances.subarray(i * words, (i + 1) * words).join(),
    price,
    purchaseTime[i],
  ]);
  return { ...checkpoint, holders: [words, ...holders.sort(([a], [b]) => (a! < b! ? -1 : 1))] };
}

/** Times at which builds are made, the first of them from the start; whole days and not. */
const nights = (token: Token) => {
  const first = Math.min(...token.transfers.map(({ timestamp }) => timestamp));
  const days = Math.max(1, Math.floor((token.asOf - first) / DAY));
  const night = fc.record({ day: fc.nat(days), seconds: fc.constantFrom(0, 0, 1, 3_600, 40_000, DAY - 1) });
  return fc
    .array(night, { minLength: 1, maxLength: 6 })
    .map((list) => list.map(({ day, seconds }) => Math.floor(first / DAY) * DAY + day * DAY + seconds))
    .map((times) => [...times.filter((time) => time > first && time < token.asOf).sort((a, b) => a - b), token.asOf]);
};

it(
  "gives the same in any number of nights, whatever the number of partitions",
  async () => {
    const runs = { resumed: 0, full: 0, crowded: 0 };
    const property = fc.property(
      histories().chain((token) => fc.tuple(fc.constant(token), nights(token))),
      fc.array(fc.constantFrom(1, 2, 4), { minLength: 7, maxLength: 7 }),
      ([token, times], partitions) => {
        let night: Night | undefined;
        times.forEach((asOf, i) => {
          night = build(token, asOf, partitions[i]!, night);
          if (i > 0 && night.checkpoint) runs.resumed++;
        });
        const whole = build(token, token.asOf, 1);
        // Vitest's comparison of so many points takes longer than the replay.
        deepStrictEqual(night!.series, whole.series);
        expect(night!.blocks).toEqual(whole.blocks);
        expect(night!.facts).toEqual(whole.facts);
        expect(inOrder(night!.checkpoint)).toEqual(inOrder(whole.checkpoint));
        if (whole.blocks.length > 1) runs.full++;
        if (whole.blocks.some(({ name }) => name.length > "2024-03".length)) runs.crowded++;
      },
    );
    await untilCovered(
      () => fc.assert(property, { numRuns: tries(10) }),
      () => runs.resumed > 25 && runs.full > 2 && runs.crowded > 2,
    );
    expect(runs.resumed).toBeGreaterThan(25);
    expect(runs.full).toBeGreaterThan(2);
    expect(runs.crowded).toBeGreaterThan(2);
  },
  timeLimit(300_000),
);
