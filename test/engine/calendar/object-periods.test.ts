/** Where block periods are cut. Source: docs/formats.md#periods. */

import { expect, it } from "vitest";
import { blockPeriods, openBlocksAt } from "../../../builder/engine/calendar/object-periods.ts";
import { countBlocks, type DayBlocks } from "../../../builder/engine/flows.ts";
import { BLOCK_PERIOD_ROWS } from "../../../data-schema/registry/resolutions.ts";
import { replayPartition } from "../../in-memory/replay.ts";
import { prepareTimeline, type Timeline } from "../../in-memory/timeline.ts";
import { ZERO_ADDRESS } from "../../reference/reference.ts";
import { toEngineInput } from "../engine-input.ts";

const [ALICE, BOB] = ["0xa".padEnd(42, "0"), "0xb".padEnd(42, "0")] as const;
const seconds = (iso: string) => Date.parse(`${iso}Z`) / 1000;

/** A token that is minted and then sent once in each block, at these times. */
function timelineOf(times: readonly string[], asOf: string) {
  const transfers = times.map((time, i) => ({
    block: 100 + i,
    logIndex: 0,
    timestamp: seconds(time),
    value: i === 0 ? 1000n : 1n,
    ...(i === 0 ? { from: ZERO_ADDRESS, to: ALICE } : { from: ALICE, to: BOB }),
  }));
  const { history, prices, groups, parameters } = toEngineInput({
    transfers,
    prices: [],
    decimals: 0,
    maxSupply: "1000",
    exchanges: {},
    contracts: [],
    asOf: seconds(asOf),
  });
  const timeline = prepareTimeline(history, prices, groups, parameters);
  replayPartition(timeline, 0, 1);
  return timeline;
}

const LIMITS = { full: 2, crowded: 4 };

function blocksOf<T>(times: readonly string[], asOf: string, use: (timeline: Timeline, days: DayBlocks[]) => T): T {
  const timeline = timelineOf(times, asOf);
  return use(timeline, countBlocks(timeline));
}

const cut = (times: readonly string[], asOf: string) =>
  blocksOf(times, asOf, (timeline, days) => blockPeriods(timeline, days, LIMITS)).map(({ name, from, to }) =>
    [name, ...[from, to].map((time) => new Date(time * 1000).toISOString().slice(0, 10))].join(" "),
  );

/** Four blocks. The mint counts: addresses receive tokens in each. */
const MARCH = ["2024-03-01T12:00:00", "2024-03-10T10:00:00", "2024-03-10T11:00:00", "2024-03-10T12:00:00"];

it("ends a period with the first month that has enough rows", () => {
  expect(cut(["2024-03-01T12:00:00", "2024-04-02T00:00:00", "2024-05-01T00:00:00"], "2024-06-01T00:00:00")).toEqual([
    "2024-03 2024-03-01 2024-05-01",
    "2024-05 2024-05-01 2024-06-01",
  ]);
});

it("ends a crowded period with its day, and names the next one by its first day", () => {
  const times = [...MARCH, "2024-03-20T00:00:00", "2024-03-21T00:00:00", "2024-04-01T00:00:00"];
  expect(cut(times, "2024-05-01T00:00:00")).toEqual([
    "2024-03 2024-03-01 2024-03-11",
    "2024-03-11 2024-03-11 2024-04-01",
    "2024-04 2024-04-01 2024-05-01",
  ]);
});

it("leaves a crowded period open until its day is complete", () => {
  expect(cut(MARCH, "2024-03-10T23:59:59")).toEqual(["2024-03 2024-03-01 2024-04-01"]);
  expect(cut(MARCH, "2024-03-11T00:00:00")).toEqual(["2024-03 2024-03-01 2024-03-11"]);
  const nextDay = seconds("2024-03-11T00:00:00");
  const open = blocksOf(MARCH, "2024-03-12T00:00:00", (timeline, days) =>
    openBlocksAt(timeline, days, nextDay, LIMITS),
  );
  expect(open.from).toBe(nextDay);
});

it("never cuts Ethereum's months: a block each 12 seconds", () => {
  const blocksOfMonth = (31 * 86_400) / 12;
  expect(BLOCK_PERIOD_ROWS.full - 1 + blocksOfMonth).toBeLessThan(BLOCK_PERIOD_ROWS.crowded);
});
