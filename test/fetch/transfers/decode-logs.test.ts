import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BadPage, type RawLog } from "../../../builder/fetch/chain/logs/pages.ts";
import { decodeLogs, transferFilter } from "../../../builder/fetch/transfers/decode-logs.ts";
import { EVENT_SHAPES } from "../../../builder/fetch/transfers/event-shapes.ts";
import { packColumns, unpackColumns } from "../../../builder/fetch/transfers/fetched-columns.ts";
import { Failure } from "../../../builder/lib/failure.ts";
import { ALICE, BOB, CONTRACT, hashOf, hex, type Row, rowsOf, TRANSFER, transferLog, word, ZERO } from "../logs.ts";

const ROW: Row = { block: 100, logIndex: 3, time: 1_600_000_000, from: ALICE, to: BOB, value: 5n };
const ERC20 = { contract: CONTRACT, events: "erc20" } as const;

/** The one row of a log; without its place, which is ROW's. */
function decoded(fields: Partial<RawLog>, source: Parameters<typeof decodeLogs>[1] = ERC20): Partial<Row> {
  const [row] = rowsOf(decodeLogs([transferLog(ROW, fields)], source).columns);
  return { from: row!.from, to: row!.to, value: row!.value };
}

const topicOf = (signature: string) =>
  Object.values(EVENT_SHAPES)
    .flat()
    .find((shape) => shape.signature.startsWith(`${signature}(`))!.topic0;

describe("decodeLogs", () => {
  it("reads any transfers exactly, in both forms", () => {
    const address = fc.bigInt({ min: 0n, max: 2n ** 160n - 1n }).map((value) => `0x${word(value).slice(24)}`);
    const cells = fc.record({
      from: address,
      to: address,
      value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      gap: fc.nat(3),
      isUpper: fc.boolean(),
      isPlain: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(cells, { maxLength: 30 }), fc.nat(2 ** 40), (list, first) => {
        let block = first;
        const rows = list.map(({ from, to, value, gap }, index) => {
          block += gap;
          return { block, logIndex: index, time: 1_500_000_000 + block - first, from, to, value };
        });
        const logs = rows.map((row, index) => {
          const { isUpper, isPlain } = list[index]!;
          const digits = (text: string) => (isUpper ? text.toUpperCase() : text);
          return isPlain
            ? transferLog(row, {
                topics: [TRANSFER],
                data: `0x${digits(word(row.from) + word(row.to) + word(row.value))}`,
              })
            : transferLog(row, { data: `0x${digits(word(row.value))}` });
        });
        const { columns, blocks } = decodeLogs(logs, ERC20);
        expect(rowsOf(columns)).toEqual(rows);
        expect(rowsOf(unpackColumns(packColumns(columns)))).toEqual(rows);
        expect(blocks.map(({ number }) => number)).toEqual([...new Set(rows.map((row) => row.block))]);
        for (const { number, firstRow, hash } of blocks) {
          expect(firstRow).toBe(rows.findIndex((row) => row.block === number));
          expect(hash).toBe(hashOf(number));
        }
      }),
    );
  });

  it("reads WETH9's Deposit and Withdrawal as mint and burn", () => {
    const weth = { contract: CONTRACT, events: "weth9" } as const;
    const topics = (name: string) => [topicOf(name), `0x${word(ALICE)}`];
    expect(decoded({ topics: topics("Deposit") }, weth)).toEqual({ from: ZERO, to: ALICE, value: 5n });
    expect(decoded({ topics: topics("Withdrawal") }, weth)).toEqual({ from: ALICE, to: ZERO, value: 5n });
    expect(decoded({}, weth)).toEqual({ from: ALICE, to: BOB, value: 5n });
  });

  it("reads Issue and Redeem as the balance of the owner at their block, and DestroyedBlackFunds as a burn", () => {
    const owners = [
      { fromBlock: 1, address: ALICE },
      { fromBlock: 100, address: BOB },
      { fromBlock: 101, address: CONTRACT },
    ];
    const tether = { contract: CONTRACT, events: "issue-redeem", owners } as const;
    expect(decoded({ topics: [topicOf("Issue")] }, tether)).toEqual({ from: ZERO, to: BOB, value: 5n });
    expect(decoded({ topics: [topicOf("Redeem")] }, tether)).toEqual({ from: BOB, to: ZERO, value: 5n });
    const destroyed = { topics: [topicOf("DestroyedBlackFunds")], data: `0x${word(ALICE)}${word(7n)}` };
    expect(decoded(destroyed, tether)).toEqual({ from: ALICE, to: ZERO, value: 7n });
    const unknown = { ...tether, owners: [{ fromBlock: 101, address: ALICE }] };
    expect(() => decoded({ topics: [topicOf("Issue")] }, unknown)).toThrow(
      /log 3 of block 100 moves the balance of the contract's owner.* Add the owner to "owners"/,
    );
  });

  it.each<[string, string[], RegExp]>([
    ["ERC-721", [`0x${word(ALICE)}`, `0x${word(BOB)}`, `0x${word(1n)}`], /log 3 of block 100, .*ERC-721/],
    ["one indexed address", [`0x${word(ALICE)}`], /log 3 of block 100, .*ambiguous/],
    ["five topics", ["0x0", "0x0", "0x0", "0x0"], /it has 4 indexed parameters/],
  ])("refuses the contract in a sentence: %s", (_, topics, message) => {
    const decode = () => decoded({ topics: [TRANSFER, ...topics] });
    expect(decode).toThrow(Failure);
    expect(decode).toThrow(message);
    expect(decode).toThrow(CONTRACT);
  });

  it.each<[string, Partial<RawLog>]>([
    ["data that is cut off", { data: `0x${word(5n).slice(2)}` }],
    ["no data", { data: "0x" }],
    ["too much data", { data: `0x${word(5n)}00` }],
    ["an address topic with dirty upper bytes", { topics: [TRANSFER, `0x${word(2n ** 160n)}`, `0x${word(BOB)}`] }],
    ["a short topic", { topics: [TRANSFER, `0x${word(ALICE)}`, `0x${word(BOB).slice(0, 62)}`] }],
    ["characters that are no digits", { data: `0x${"g".repeat(64)}` }],
    ["characters far from digits", { data: `0x${"日".repeat(64)}` }],
    ["another event", { topics: [topicOf("Issue"), `0x${word(ALICE)}`, `0x${word(BOB)}`] }],
  ])("has another node asked: %s", (_, fields) => {
    expect(() => decoded(fields)).toThrow(BadPage);
  });

  it.each<[string, Partial<RawLog>]>([
    ["two hashes for one block", { blockHash: hashOf(99) }],
    ["blocks out of order", { blockNumber: hex(99) }],
  ])("has another node asked: %s", (_, fields) => {
    const logs = [transferLog(ROW), transferLog({ ...ROW, logIndex: 4 }, fields)];
    expect(() => decodeLogs(logs, ERC20)).toThrow(BadPage);
  });

  it.each<[string, Partial<RawLog>]>([
    ["two times for one block", { blockTimestamp: hex(5) }],
    ["a time for only one log of a block", { blockTimestamp: "0x0" }],
  ])("leaves the time open: %s", (_, fields) => {
    const logs = [transferLog(ROW), transferLog({ ...ROW, logIndex: 4 }, fields), transferLog({ ...ROW, logIndex: 5 })];
    const { columns, blocks } = decodeLogs(logs, ERC20);
    expect(blocks.map(({ firstRow }) => columns.time[firstRow])).toEqual([0]);
  });
});

it("asks for the topics of the kind's events", () => {
  expect(transferFilter(ERC20)).toEqual({ address: CONTRACT, topics: [TRANSFER] });
  expect(transferFilter({ contract: CONTRACT, events: "weth9" }).topics).toEqual([
    EVENT_SHAPES.weth9.map((shape) => shape.topic0),
  ]);
});
