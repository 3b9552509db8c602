import { describe, expect, it } from "vitest";
import type { Block } from "../../../builder/fetch/chain/blocks.ts";
import { BadPage, type RawLog } from "../../../builder/fetch/chain/logs/pages.ts";
import { decodeLogs } from "../../../builder/fetch/transfers/decode-logs.ts";
import { completeTimes } from "../../../builder/fetch/transfers/times.ts";
import { ALICE, BOB, CONTRACT, hashOf, hex, transferLog } from "../logs.ts";

const BOUNDS = { least: 1_000, greatest: 2_000 };

/** The chain: block 10 at 1,010, two logs each in blocks 10, 11 and 13. */
const BLOCKS = [10, 11, 13];
const trueTime = (block: number) => 1_000 + block;

/** Completes a page whose logs have these times, and says which headers it read. */
async function complete(times: (number | undefined)[], headers: Partial<Block> = {}) {
  const logs = BLOCKS.flatMap((block, index) => {
    const time = times[index];
    return [0, 1].map((logIndex): RawLog => {
      const log = transferLog({ block, logIndex, time: time ?? 0, from: ALICE, to: BOB, value: 1n });
      const { blockTimestamp, ...without } = log;
      return time === undefined ? without : { ...without, blockTimestamp: blockTimestamp! };
    });
  });
  const asked: number[][] = [];
  const columns = await completeTimes(decodeLogs(logs, { contract: CONTRACT, events: "erc20" }), BOUNDS, {
    async read(numbers) {
      asked.push([...numbers]);
      return numbers.map((number) => ({
        number,
        hash: hashOf(number),
        parentHash: hashOf(number - 1),
        time: trueTime(number),
        ...headers,
      }));
    },
  });
  return { times: [...columns.time], asked };
}

const TRUE_TIMES = BLOCKS.flatMap((block) => [trueTime(block), trueTime(block)]);

describe("completeTimes", () => {
  it.each<[string, (number | undefined)[], number[][]]>([
    ["all there", [1_010, 1_011, 1_013], []],
    ["all missing", [undefined, undefined, undefined], [[10, 11, 13]]],
    ["0", [1_010, 0, 1_013], [[11]]],
    ["before the bounds", [999, 1_011, 1_013], [[10]]],
    ["after the bounds", [1_010, 1_011, 2_001], [[13]]],
    ["missing and 0", [undefined, 1_011, 0], [[10, 13]]],
    ["decreasing", [1_020, 1_011, 1_013], [[10, 11, 13]]],
    ["missing, the rest decreasing", [undefined, 1_900, 1_013], [[10], [10, 11, 13]]],
  ])("reads just the headers it needs: times %s", async (_, times, asked) => {
    expect(await complete(times)).toEqual({ times: TRUE_TIMES, asked });
  });

  it("takes equal times of blocks", async () => {
    expect((await complete([1_010, 1_010, 1_010])).asked).toEqual([]);
  });

  it.each<[string, Partial<Block>]>([
    ["of another chain of blocks", { hash: hashOf(99) }],
    ["with a time out of bounds", { time: 3_000 }],
    ["without a time", { time: 0 }],
  ])("has another node asked if a header is %s", async (_, header) => {
    await expect(complete([undefined, 1_011, 1_013], header)).rejects.toThrow(BadPage);
  });

  it("has another node asked if also the headers' times decrease", async () => {
    const page = decodeLogs(
      BLOCKS.map((block) =>
        transferLog({ block, logIndex: 0, time: 0, from: ALICE, to: BOB, value: 1n }, { blockTimestamp: hex(0) }),
      ),
      { contract: CONTRACT, events: "erc20" },
    );
    const read = (numbers: readonly number[]) =>
      Promise.resolve(
        numbers.map((number) => ({ number, hash: hashOf(number), parentHash: "", time: 1_500 - number })),
      );
    await expect(completeTimes(page, BOUNDS, { read })).rejects.toThrow(/block 11 is before/);
  });
});
