/** Answers that a node cuts at a limit without an error. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchingLogs, prepareFilter } from "../../../../builder/fetch/chain/logs/check-page.ts";
import { BadPage, type BlockRange, type RawLog } from "../../../../builder/fetch/chain/logs/pages.ts";
import { type Answerer, type LogQuestion, wholeLogs } from "../../../../builder/fetch/chain/logs/whole-logs.ts";
import { AnswerLimit } from "../../../../builder/fetch/chain/nodes/answer-limit.ts";
import { NodeError } from "../../../../builder/fetch/chain/rpc/failures.ts";
import { hashOf, hex, TRANSFER, word } from "../../logs.ts";

const CONTRACTS = [0xc0, 0xc1, 0xc2].map((byte) => `0x${byte.toString(16).repeat(20)}`);
const OTHER_EVENT = `0x${word(7n)}`;

interface Place {
  block: number;
  contract: number;
  isTransfer: boolean;
}

const logsOf = (places: readonly Place[]): RawLog[] =>
  [...places]
    .sort((a, b) => a.block - b.block)
    .map(({ block, contract, isTransfer }, index) => ({
      address: CONTRACTS[contract]!,
      topics: [isTransfer ? TRANSFER : OTHER_EVENT],
      data: "0x",
      blockNumber: hex(block),
      blockHash: hashOf(block),
      logIndex: hex(index),
    }));

const FILTER = { address: CONTRACTS, topics: [[TRANSFER, OTHER_EVENT]] };
type Cut = (logs: RawLog[]) => RawLog[];

/** A node over logs that does something to each answer. */
function nodeOver(logs: readonly RawLog[], change: Cut, hasReceipts = true) {
  const asked: LogQuestion[] = [];
  const of = ({ filter, range }: LogQuestion) =>
    matchingLogs([{ logs }], prepareFilter(filter)).filter(
      ({ blockNumber }) => Number(blockNumber) >= range.from && Number(blockNumber) <= range.to,
    ) as RawLog[];
  const node: Answerer = {
    limit: new AnswerLimit(),
    async logs(question) {
      asked.push(question);
      return change(of(question));
    },
    async logsOfReceipts(question) {
      return hasReceipts ? of(question) : undefined;
    },
  };
  return { node, asked };
}

/** Reads a range as pages are read: a page that was cut, or can't be right, in halves. */
async function readAll(node: Answerer, range: BlockRange, isRepeated = false): Promise<RawLog[]> {
  try {
    return await wholeLogs(node, { filter: FILTER, range }, { isAlone: false, isRepeated });
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof BadPage) || range.from === range.to) throw error;
    const middle = Math.floor((range.from + range.to) / 2);
    const first = await readAll(node, { ...range, to: middle }, isRepeated);
    return [...first, ...(await readAll(node, { ...range, from: middle + 1 }, isRepeated))];
  }
}

const CUTS: Record<string, (limit: number) => Cut> = {
  "the first": (limit) => (logs) => logs.slice(0, limit),
  "the last": (limit) => (logs) => logs.slice(-limit),
  "some in between": (limit) => (logs) =>
    logs.length <= limit ? logs : [...logs.slice(0, limit >> 1), ...logs.slice(-(limit - (limit >> 1)))],
};

const place = fc.record({ block: fc.integer({ min: 0, max: 60 }), contract: fc.nat(2), isTransfer: fc.boolean() });

describe("logs of a node that cuts answers without an error", () => {
  it("are all there, whichever the limit, what it sends, and where the logs are", async () => {
    const cases = fc.record({
      places: fc.array(place, { maxLength: 300 }),
      limit: fc.integer({ min: 2, max: 200 }),
      cut: fc.constantFrom(...Object.values(CUTS)),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ places, limit, cut }) => {
        const logs = logsOf(places);
        const { node } = nodeOver(logs, cut(limit));
        expect(await readAll(node, { from: 0, to: 60 }, true)).toEqual(logs);
      }),
      { numRuns: 300 },
    );
  });

  it("are found to be cut at first sight where answers are as long as any before", async () => {
    const logs = logsOf(Array.from({ length: 500 }, (_, block) => ({ block, contract: 0, isTransfer: true })));
    for (const limit of [16, 137, 256, 400]) {
      const { node } = nodeOver(logs, (found) => found.slice(0, limit));
      expect(await readAll(node, { from: 0, to: 499 })).toEqual(logs);
      expect(node.limit.isAt(limit)).toBe(true);
      expect(node.limit.target).toBe(limit / 4);
    }
  });

  const inBlock = (count: number) =>
    logsOf(
      Array.from({ length: count }, (_, index) => ({ block: 5, contract: index % 3, isTransfer: index % 2 === 0 })),
    );

  it("of a single block are read by contract and by event", async () => {
    const { node } = nodeOver(inBlock(150), (found) => found.slice(0, 100), false);
    expect(await readAll(node, { from: 5, to: 5 })).toEqual(inBlock(150));
  });

  it("of a single block are those of its receipts", async () => {
    const { node } = nodeOver(inBlock(950), (found) => found.slice(0, 100), true);
    expect(await readAll(node, { from: 0, to: 9 })).toEqual(inBlock(950));
  });

  it("of a single block can't be read where the node is known to cut, and nothing tells the rest", async () => {
    const { node } = nodeOver(inBlock(950), (found) => found.slice(0, 100), false);
    node.limit.isCut(100);
    await expect(readAll(node, { from: 5, to: 5 })).rejects.toThrow(
      "its answers end after 100 logs, and the block may have more",
    );
  });
});

describe("logs of a node that does not cut", () => {
  const logs = logsOf(
    Array.from({ length: 400 }, (_, index) => ({ block: index >> 2, contract: 0, isTransfer: true })),
  );
  const whole = () => nodeOver(logs, (found) => found);
  const read = ({ node }: ReturnType<typeof whole>, count: number, isAlone: boolean) =>
    wholeLogs(node, { filter: FILTER, range: { from: 0, to: count / 4 - 1 } }, { isAlone, isRepeated: false });

  it("are asked for once where the answer is all that is read, unless their number is round", async () => {
    for (const [count, requests] of [
      [4, 1],
      [64, 3],
      [100, 3],
      [104, 1],
      [128, 3],
      [396, 1],
    ] as const) {
      const over = whole();
      expect(await read(over, count, true)).toHaveLength(count);
      expect(over.asked, `${count} logs`).toHaveLength(requests);
    }
  });

  it("are read again while answers get longer, and not once one has been longer", async () => {
    const over = whole();
    for (const count of [40, 80, 160, 400]) await read(over, count, false);
    expect(over.asked).toHaveLength(12);
    for (const count of [396, 300, 256, 200, 128, 100, 64, 16]) await read(over, count, false);
    expect(over.asked).toHaveLength(20);
  });

  it("are read again only a few times where all answers are equally long", async () => {
    const over = whole();
    for (let page = 0; page < 20; page++) await read(over, 400, false);
    expect(over.asked).toHaveLength(20 + 3 * 2);
  });

  it("are not taken for cut because a log was missing once", async () => {
    let answers = 0;
    const { node } = nodeOver(logs, (found) => (answers++ === 0 ? found.slice(1) : found));
    expect(await readAll(node, { from: 0, to: 99 })).toEqual(logs);
    expect(node.limit.isNear(400)).toBe(false);
  });
});
