/** After a repair, the inputs are those of a node that was right all along, and what was right before has not changed. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startText } from "../../builder/build/finish/finished.ts";
import { build } from "../../builder/build/run/build.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { type FakeChain, type Row, ZERO_ADDRESS } from "./chain/fake-chain.ts";
import { startFakeNode } from "./chain/fake-node.ts";
import { type History, Market } from "./chain/market.ts";
import { FetchFolder } from "./fetching.ts";

/** Blocks: one an hour, from 2020-01-01 on. */
const DAY = 24;

/** January and February, and some days of March. */
const BEGIN = 60 * DAY;
const market = new Market({ blocks: 66 * DAY });
const { rows, trades } = market.history;

const folderOf = () => new FetchFolder(market.token.address, market.source);
const table = ({ inputs }: FetchFolder, name: string) => readFileSync(join(inputs, name), "utf8").trimEnd().split("\n");
const pricesOf = (folder: FetchFolder) => table(folder, "prices.csv");
/** Addresses of contracts, in any order: when each was first seen depends on when it was fetched. */
const contractsOf = (folder: FetchFolder) =>
  table(folder, "contracts.csv")
    .map((line) => line.slice(0, 42))
    .sort();

/** Fetches with each chain in turn, up to a block. */
async function nights(folder: FetchFolder, chain: FakeChain, heads: readonly number[], ...args: string[]) {
  const { url } = await startFakeNode(chain);
  for (const head of heads) {
    chain.head = head;
    expect(await folder.fetch([url], ...args)).toMatchObject({ status: 0 });
  }
}

/** The inputs of a node that is right. */
async function honest(chain: FakeChain, heads: readonly number[], ...args: string[]): Promise<FetchFolder> {
  const folder = folderOf();
  await nights(folder, chain, heads, ...args);
  return folder;
}

/** But for what says that there was a repair. */
function expectSame(folder: FetchFolder, other: FetchFolder): void {
  expect(folder.files()).toEqual(other.files());
  expect(pricesOf(folder)).toEqual(pricesOf(other));
  expect(contractsOf(folder)).toEqual(contractsOf(other));
  const { check: _, prices, tables: _tables, repaired: _repaired, ...record } = folder.record;
  const { check: _check, prices: right, tables, ...expected } = other.record;
  expect(record).toEqual(expected);
  expect(prices).toEqual(right);
}

/** What is final after some days of March, and hours of the next. */
const march = (days: number, hours = 0) => BEGIN + days * DAY + hours;
const night = (days: number) => march(days, 3);
/** Without what happened in some blocks. */
const without = (from: number, to: number, of: (keyof History)[] = ["rows", "trades"]): History => {
  const isThere = ({ block }: { block: number }) => block < from || block > to;
  return {
    rows: of.includes("rows") ? rows.filter(isThere) : rows,
    trades: of.includes("trades") ? trades.filter(isThere) : trades,
  };
};
/** What a replica that had stopped knew of 2 March. */
const stale = () => market.chain(0, without(march(1, 9), march(3)));

it("after a night of a stale replica, --repair mends transfers, prices, contracts and the states that proofs begin with", async () => {
  const folder = folderOf();
  const store = new MemoryStore();
  await nights(folder, market.chain(0), [night(1)]);
  const before = { files: folder.files(), prices: pricesOf(folder) };
  await nights(folder, stale(), [night(2)]);
  await build(folder.asset, store, { threads: 1, progress: silentProgress() });

  const chain = market.chain(night(3));
  const { url } = await startFakeNode(chain);
  const refused = await folder.fetch([url]);
  expect(refused.stderr).toMatch(/transfers\/2020-03-02\.parquet is wrong\. Run soprano fetch with --repair/);
  const repaired = await folder.fetch([url], "--repair");
  expect(repaired.status, repaired.stderr).toBe(0);
  expect(repaired.stderr).toMatch(
    /Prices: of [\d,]+ hours that were computed again, \d+ hours differ: 2020-03-02T1\S+ \(/,
  );

  expectSame(folder, await honest(market.chain(0), [1, 2, 3].map(night)));
  expect(folder.files()).toMatchObject(before.files);
  expect(pricesOf(folder).slice(0, before.prices.length)).toEqual(before.prices);
  const { start } = await build(folder.asset, store, { threads: 1, progress: silentProgress() });
  expect(startText(start)).toMatch(/^full build: prices before 2020-03-\d\d have changed/);
});

it.each([
  { when: "the next night", head: night(3) },
  { when: "the same night", head: night(2) },
])("prices alone that were wrong are refused and repaired $when", async ({ head }) => {
  const folder = folderOf();
  await nights(folder, market.chain(0, without(march(1, 9), march(2, 12), ["trades"])), [1, 2].map(night));
  const chain = market.chain(head);
  const { url } = await startFakeNode(chain);
  const before = pricesOf(folder);
  if (head > night(2)) {
    const refused = await folder.fetch([url]);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/hours differ: 2020-03-02T\S+ \(.* Run soprano fetch with --repair/);
    expect(pricesOf(folder)).toEqual(before);
  }
  const { status, stderr } = await folder.fetch([url], "--repair");
  expect(status, stderr).toBe(0);
  expect(stderr).toMatch(/hours differ: .* They are replaced; the next build is a full one\./);
  expectSame(folder, await honest(market.chain(0), [...new Set([night(1), night(2), head])]));
  expect((await folder.fetch([url])).stderr).toContain("nothing new");
});

it("states that were wrong without a wrong price are replaced without --repair", async () => {
  // The last trades of the day, one of which the node left out, leave the price as it was.
  const [last] = trades.filter(({ block }) => block >= march(2)).map(({ block }) => block);
  const late = [1, 2].map((hours) => market.trade(march(2) - hours, 5));
  const same = { rows, trades: [...trades.filter(({ block }) => block < march(1, 20)), ...late.reverse()] };
  const lacking = { rows, trades: same.trades.slice(0, -1) };
  expect(last).toBeGreaterThan(0);
  const folder = folderOf();
  await nights(folder, market.chain(0, lacking), [1, 2].map(night));
  const before = pricesOf(folder);
  const { url } = await startFakeNode(market.chain(night(3), same));
  const { status, stderr } = await folder.fetch([url]);
  expect(status, stderr).toBe(0);
  expect(stderr).toMatch(/Prices: all [\d,]+ hours were computed again, and none differs/);
  expect(pricesOf(folder).slice(0, before.length)).toEqual(before);
});

/** Who had moved anything before a block. */
const moved = (before: number) =>
  new Set(rows.filter(({ block }) => block < before).flatMap(({ from, to }) => [from, to]));

/** Another chain from a block on: other transfers, to contracts among others, and other prices. */
function forked(head: number, from: number): FakeChain {
  const mint = (block: number) => {
    const to = `0x${block.toString(16).padStart(40, "f")}`;
    if (block % 3 === 0) market.contracts.add(to);
    return { block, logIndex: 0, time: 0, from: ZERO_ADDRESS, to, value: 5n };
  };
  const after = Array.from({ length: 66 * DAY - from }, (_, i) => from + i);
  const chain = market.chain(head, {
    rows: [...rows.filter(({ block }) => block < from), ...after.map(mint)],
    trades: [...trades.filter(({ block }) => block < from), ...after.map((block) => market.trade(block, 3))],
  });
  chain.forkFrom(from);
  return chain;
}

it.each<[string, number, number[], number, string[]]>([
  ["of the last day", march(1, 5), [night(1), night(2)], night(2), []],
  ["of a month", 40 * DAY, [night(1), night(2)], night(3), []],
  ["of all files", 2 * DAY, [night(1)], night(1), []],
  ["of the running day", march(1, 5), [night(1), march(1, 9)], march(1, 9), ["--hours"]],
  ["of the running day and the last", march(0, 9), [night(1), march(1, 9)], march(1, 9), ["--hours"]],
])("a reorganisation %s is refused, and --repair keeps what came before", async (_, from, heads, head, args) => {
  const folder = folderOf();
  await nights(folder, market.chain(0), heads, ...args);
  const { files, hours } = folder.record;
  const start = [...files, ...(hours ? [hours] : [])].findLast((file) => file.from <= from)!.from;
  const day = new Date(Date.UTC(2020, 0, 1) + start * 3_600_000).toISOString().slice(0, 10);
  const before = { files: folder.files(), prices: pricesOf(folder), contracts: table(folder, "contracts.csv") };
  // An address that gets its code later stays a user.
  const isUser = ({ to, block }: Row) => block < start && !market.contracts.has(to) && to !== ZERO_ADDRESS;
  const { to: user } = rows.find(isUser) ?? { to: "" };
  market.contracts.add(user);

  const chain = forked(head, from);
  const { url } = await startFakeNode(chain);
  const refused = await folder.fetch([url], ...args);
  expect(refused.status).toBe(1);
  expect(refused.stderr).toMatch(/a reorganisation\..* run soprano fetch with --repair/);
  expect(folder.files()).toEqual(before.files);
  const repaired = await folder.fetch([url], "--repair");
  expect(repaired.status, repaired.stderr).toBe(0);
  market.contracts.delete(user);
  const right = await honest(forked(0, from), [...heads.filter((one) => one < head), head], ...args);
  expectSame(folder, right);
  const seenBefore = before.contracts.filter((line) => moved(start).has(line.slice(0, 42)));
  expect(table(folder, "contracts.csv")).toEqual(expect.arrayContaining(seenBefore));
  const earlier = before.prices.filter((row) => row.slice(0, 10) < day);
  expect(pricesOf(folder)).toEqual(expect.arrayContaining(earlier));
  expect((await folder.fetch([url], ...args)).status).toBe(0);
});
