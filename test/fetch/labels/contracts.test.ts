import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { DEFAULT_PATIENCE } from "../../../builder/fetch/chain/nodes/nodes.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { Ledger } from "../../../builder/fetch/check/ledgers/ledger.ts";
import { type ContractsOptions, updateContracts } from "../../../builder/fetch/labels/contracts.ts";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import { scratchFolder } from "../../folders.ts";
import { FakeChain } from "../chain/fake-chain.ts";
import { type FakeNodeOptions, startFakeNode } from "../chain/fake-node.ts";
import { address, columnsOf, type Row, ZERO } from "../check/transfers.ts";

const row = (from: string, to: string, value = 1n): Row => ({ block: 1, logIndex: 0, from, to, value });

/** Night by night over a chain in which some addresses are contracts. */
async function nights(contracts: Iterable<number>, nodeOptions: FakeNodeOptions = {}) {
  const code = new Set(Array.from(contracts, address));
  const token = { address: address(0xffff), name: "T", symbol: "T", decimals: 0 };
  const node = await startFakeNode(new FakeChain({ head: 1_000, token, contracts: code, logs: [] }), nodeOptions);
  const patience = { ...DEFAULT_PATIENCE, firstPauseMs: 1 };
  const nodes = await openNodes([node.url], { requestsPerSecond: 10_000, patience });
  onTestFinished(() => nodes.close());
  const folder = scratchFolder();
  const path = join(folder, "contracts.csv");
  const earlier: Row[] = [];
  return {
    node,
    code,
    path,
    async night(rows: Row[], day: string, more: Partial<ContractsOptions> = {}) {
      const before = [...earlier];
      const updated = await updateContracts({
        nodes,
        folder,
        isFirst: before.length === 0,
        last: 900,
        recheck: false,
        progress: silentProgress(),
        async earlier() {
          const ledger = new Ledger();
          ledger.apply(columnsOf(before));
          return ledger.addresses.pick(ledger.numbers("moved"));
        },
        added: [{ day, transfers: Readable.from([columnsOf(rows)]) }],
        ...more,
      });
      earlier.push(...rows);
      if (updated.csv !== undefined) writeFileSync(path, updated.csv);
      return updated;
    },
    lines: () => readFileSync(path, "utf8").trimEnd().split("\n"),
  };
}

describe("updateContracts", () => {
  it("looks at each address once, when it first moves something", async () => {
    const { night, lines, code } = await nights([1, 3, 9]);
    const first = [row(ZERO, address(9)), row(address(9), address(2)), row(address(2), address(1))];
    // Nothing moves: 3 may have code, but nobody has looked.
    first.push(row(address(3), address(2), 0n), row(address(3), address(3), 5n));
    expect(await night(first, "2026-11-19")).toMatchObject({ looked: 3, added: 2, notices: [] });
    expect(lines()).toEqual(["address,seen", `${address(1)},2026-11-19`, `${address(9)},2026-11-19`]);

    // A user who becomes a contract later stays a user.
    code.add(address(2));
    const second = [row(address(1), address(2)), row(address(2), address(3)), row(address(3), address(4))];
    expect(await night(second, "2026-11-20")).toMatchObject({ looked: 2, added: 1 });
    expect(lines().slice(1)).toEqual([
      `${address(1)},2026-11-19`,
      `${address(9)},2026-11-19`,
      `${address(3)},2026-11-20`,
    ]);

    expect(await night([row(address(4), address(3))], "2026-11-21")).toEqual({
      looked: 0,
      added: 0,
      notices: [],
      csv: undefined,
    });
  });

  it("writes a file without rows for a token without contracts", async () => {
    const { night, lines } = await nights([]);
    await night([], "2026-11-19");
    expect(lines()).toEqual(["address,seen"]);
  });

  it("looks at all again if asked to, and says which labels change", async () => {
    const { night, lines, code } = await nights([1, 5]);
    await night([row(ZERO, address(1)), row(ZERO, address(5)), row(ZERO, address(2))], "2026-11-19");
    expect((await night([], "2026-11-20", { recheck: true })).notices).toEqual([
      "All addresses were looked at again: no label of a contract changes.",
    ]);
    code.delete(address(5));
    code.add(address(2));
    const { looked, notices } = await night([], "2026-11-20", { recheck: true });
    expect(looked).toBe(3);
    expect(notices).toEqual([
      `All addresses were looked at again: 1 contract new: ${address(2)}; 1 contract without code now: ${address(5)}. ` +
        "If one of them held the token before, the next build is a full one.",
    ]);
    expect(lines().slice(1)).toEqual([`${address(1)},2026-11-19`, `${address(2)},2026-11-20`]);
  });

  it("continues at a newer block when a state is gone", async () => {
    const numbers = Array.from({ length: 12_000 }, (_, i) => i + 1);
    const { night, lines, node } = await nights(
      numbers.filter((n) => n % 3 === 0),
      { states: 65 },
    );
    const answer = node.answer.bind(node);
    node.answer = (body) => {
      const result = answer(body);
      if (JSON.parse(body).method === "eth_call" && result.includes('"result"')) node.chain.head = 1_010;
      return result;
    };
    const { looked, added } = await night(
      numbers.map((n) => row(ZERO, address(n))),
      "2026-11-19",
    );
    expect([looked, added]).toEqual([12_000, 4_000]);
    expect(lines().slice(1)).toEqual(numbers.filter((n) => n % 3 === 0).map((n) => `${address(n)},2026-11-19`));
    const blocks = node.asked.filter(({ method }) => method === "eth_call").map(({ params }) => Number(params[1]));
    expect(new Set(blocks)).toEqual(new Set([936, 946]));
  });

  it.each([
    ["cut short", (text: string) => text.slice(0, -5), 3],
    ["with another header", (text: string) => text.replace("seen", "day"), 1],
    ["with a row of somebody else", (text: string) => text.replace(address(1), "0x12"), 2],
  ])("refuses a file %s", async (_, damage, place) => {
    const { night, path } = await nights([1, 2]);
    await night([row(ZERO, address(1)), row(ZERO, address(2))], "2026-11-19");
    writeFileSync(path, damage(readFileSync(path, "utf8")));
    await expect(night([], "2026-11-20")).rejects.toThrow(
      `contracts.csv, row ${place}, was not written by soprano fetch`,
    );
  });

  it("does without a file that is missing only if all are looked at again", async () => {
    const { night, lines, path } = await nights([1]);
    await night([row(ZERO, address(1))], "2026-11-19");
    rmSync(path);
    await expect(night([], "2026-11-20")).rejects.toThrow(/contracts\.csv is missing: restore it, or look at all/);
    await night([], "2026-11-20", { recheck: true });
    expect(lines()).toEqual(["address,seen", `${address(1)},2026-11-20`]);
  });
});
