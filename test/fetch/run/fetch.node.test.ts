import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { shippedKinds } from "../../../builder/input/labels/shipped-kinds.ts";
import { sha256Hex } from "../../../builder/store/stored-content.ts";
import { DAY_SECONDS } from "../../../data-schema/text.ts";
import { sopranoIn } from "../../commands/soprano.ts";
import { type FakeChain, fakeEconomy } from "../chain/fake-chain.ts";
import { FakeNode, type FakeNodeOptions } from "../chain/fake-node.ts";
import { startPortal } from "../chain/portal-server.ts";
import { FetchFolder } from "../fetching.ts";

/** 80 days of blocks, one every hour; the last final one is of 2020-03-21, 00:00. */
const HOURS = 24 * 80;
const economy = () => fakeEconomy({ blocks: HOURS, transfers: 3_000, interval: 3600, confirmations: 0 });

async function node(chain: FakeChain, options: FakeNodeOptions = {}): Promise<FakeNode> {
  const started = await new FakeNode(chain, options).start();
  onTestFinished(() => started.stop());
  return started;
}

describe("soprano fetch", () => {
  it("writes months, then days, and prints the time up to which they are complete", async () => {
    const { chain, rows } = economy();
    const { url } = await node(chain);
    const folder = new FetchFolder(chain.token.address);
    const outcome = await folder.fetch([url], "--check", "none");
    expect(outcome).toMatchObject({ status: 0, stdout: "FAKE --as-of 2020-03-21T00:00:00Z\n" });
    const { record } = folder;
    const names = record.files.map(({ file }) => file.slice("transfers/".length, -".parquet".length));
    expect(names).toEqual([
      ...["2020-01", "2020-02"],
      ...Array.from({ length: 20 }, (_, day) => `2020-03-${String(day + 1).padStart(2, "0")}`),
    ]);
    expect(record).toMatchObject({
      schema: 2,
      chainId: 1,
      contract: chain.token.address,
      asOf: "2020-03-21T00:00:00Z",
    });
    expect(record.files[0]).toMatchObject({
      from: 100,
      to: 31 * 24 - 1,
      lastHash: chain.hashOf(31 * 24 - 1),
      source: "rpc",
    });
    expect(record.files.at(-1)).toMatchObject({ from: 79 * 24, to: HOURS - 1, lastHash: chain.hashOf(HOURS - 1) });
    expect(await folder.rows()).toEqual(rows.filter(({ block }) => block < HOURS));
  });

  it("adds a file a day the next night, and leaves the others as they are", async () => {
    const { chain, rows } = economy();
    chain.head = 24 * 60;
    const { url } = await node(chain);
    const folder = new FetchFolder(chain.token.address);
    await folder.fetch([url], "--check", "none");
    const before = folder.files();
    chain.head = 24 * 63 + 5;
    const second = await node(chain);
    expect(await folder.fetch([second.url], "--check", "none")).toMatchObject({
      status: 0,
      stdout: "FAKE --as-of 2020-03-04T00:00:00Z\n",
    });
    const after = folder.files();
    expect(Object.keys(after)).toEqual([
      ...Object.keys(before),
      "2020-03-01.parquet",
      "2020-03-02.parquet",
      "2020-03-03.parquet",
    ]);
    for (const [name, bytes] of Object.entries(before)) expect(after[name]!.equals(bytes)).toBe(true);
    expect(Math.min(...second.ranges.map(({ from }) => from))).toBe(24 * 60);
    expect(await folder.rows()).toEqual(rows.filter(({ block }) => block < 24 * 63));
    const third = await folder.fetch([url], "--check", "none");
    expect(third).toMatchObject({ status: 0, stdout: "FAKE --as-of 2020-03-04T00:00:00Z\n" });
    expect(third.stderr).toContain("nothing new");
  });

  it("writes the same bytes, whatever the nodes take and however days were split", async () => {
    const { chain, rows } = economy();
    const limits: FakeNodeOptions[] = [
      {},
      { maxBlocks: 10 },
      { maxLogs: 40 },
      { timestamps: "missing" },
      { timestamps: "zero", batches: 3 },
    ];
    const nodes = await Promise.all(limits.map((options) => node(chain, options)));
    const fetched = async (urls: string[]) => {
      const folder = new FetchFolder(chain.token.address);
      expect(await folder.fetch(urls, "--check", "none")).toMatchObject({ status: 0 });
      expect(await folder.rows()).toEqual(rows.filter(({ block }) => block < HOURS));
      return folder.files();
    };
    const expected = await fetched([nodes[0]!.url]);
    for (const { url } of nodes.slice(1)) expect(await fetched([url])).toEqual(expected);
    expect(await fetched(nodes.map(({ url }) => url))).toEqual(expected);
  });

  it.each(["decimal", "an hour late", "one a page"] as const)(
    "takes times from headers where those of logs are wrong: %s",
    async (timestamps) => {
      const { chain, rows } = economy();
      const [wrong, right] = [await node(chain, { timestamps }), await node(chain)];
      for (const urls of [[wrong.url], [wrong.url, right.url]]) {
        const folder = new FetchFolder(chain.token.address);
        const outcome = await folder.fetch(urls, "--check", "none");
        expect([outcome.status, outcome.stderr]).toEqual([0, expect.any(String)]);
        expect(await folder.rows()).toEqual(rows.filter(({ block }) => block < HOURS));
        if (timestamps !== "decimal" && urls.length === 1) {
          expect(outcome.stderr).toMatch(
            /Logs of 127\.0\.0\.1:\d+ have wrong times: those of block \d+ say 2020-\S+, its header 2020-/,
          );
        }
      }
    },
  );

  it("writes the same bytes from the portal, and says where they are from", async () => {
    const { chain, rows } = economy();
    const { url } = await node(chain);
    const portal = await startPortal(chain, { dataset: "ethereum-mainnet", last: chain.head });
    const [fromNode, fromPortal] = [new FetchFolder(chain.token.address), new FetchFolder(chain.token.address)];
    expect(await fromNode.fetch([url])).toMatchObject({ status: 0 });
    const variables = { SOPRANO_PORTAL_URL: portal.url, SOPRANO_RPC_URL: url };
    const outcome = await sopranoIn(variables, "fetch", fromPortal.asset, "--source", "portal");
    expect([outcome.status, outcome.stderr]).toEqual([0, expect.any(String)]);
    expect(portal.queries.length).toBeGreaterThan(0);
    expect(await fromPortal.rows()).toEqual(rows.filter(({ block }) => block < HOURS));
    expect(fromPortal.files()).toEqual(fromNode.files());
    expect(new Set(fromPortal.record.files.map(({ source }) => source))).toEqual(new Set(["portal"]));
  });

  it("has files for months and days without blocks or transfers", async () => {
    // A block every 40 days: some months have none.
    const { chain, rows } = fakeEconomy({
      blocks: 12,
      firstBlock: 2,
      transfers: 30,
      interval: 40 * DAY_SECONDS,
      confirmations: 0,
    });
    const { url } = await node(chain);
    const folder = new FetchFolder(chain.token.address, { firstBlock: 2 });
    expect(await folder.fetch([url], "--check", "none")).toMatchObject({ status: 0 });
    const { files, asOf } = folder.record;
    expect(await folder.rows()).toEqual(rows.filter(({ time }) => time < Date.parse(asOf) / 1000));
    expect(files.filter(({ from, to }) => to < from).length).toBeGreaterThan(0);
    for (const [index, { from }] of files.entries()) if (index > 0) expect(from).toBe(files[index - 1]!.to + 1);
  });

  it("stops at the day that --until names, and refuses one that is not final", async () => {
    const { chain } = economy();
    const { url } = await node(chain);
    const folder = new FetchFolder(chain.token.address);
    const early = await folder.fetch([url], "--check", "none", "--until", "2020-03-21");
    expect(early.status).toBe(1);
    expect(early.stderr).toMatch(
      /--until 2020-03-21 is not complete and final yet.*The last day that can be fetched is 2020-03-20\.$/m,
    );
    expect(await folder.fetch([url], "--check", "none", "--until", "2020-02-10")).toMatchObject({
      status: 0,
      stdout: "FAKE --as-of 2020-02-11T00:00:00Z\n",
    });
    expect(folder.record.files).toHaveLength(11);
    expect((await folder.fetch([url], "--until", "2020-13-01")).status).toBe(2);
    expect((await folder.fetch([url], "--until", "2019-12-31")).stderr).toMatch(
      /its first block, \d+, is of .*, after --until 2019-12-31\.$/m,
    );
  });

  it("refuses a pair that can't have prices before it fetches anything", async () => {
    const { chain } = economy();
    const { url } = await node(chain);
    const folder = new FetchFolder(chain.token.address, { prices: { binance: "FAKEEUR" } });
    const { status, stderr } = await folder.fetch([url]);
    expect(status).toBe(1);
    expect(stderr).toContain("FAKEEUR is not quoted in a dollar stablecoin");
    expect(stderr).not.toContain("fetch transfers");
  });

  it("begins with opening balances", async () => {
    const { chain, rows } = economy();
    const { url } = await node(chain);
    const folder = new FetchFolder(chain.token.address, { openingBalances: "opening.csv" });
    const [one, two] = [`0x${"aa".repeat(20)}`, `0x${"BB".repeat(20)}`];
    writeFileSync(join(folder.path, "opening.csv"), `address,value\n${one},5\n${two},${2n ** 255n}\n`);
    expect(await folder.fetch([url], "--check", "none", "--until", "2020-01-20")).toMatchObject({ status: 0 });
    const zero = `0x${"00".repeat(20)}`;
    const common = { block: 99, time: chain.timeOf(100), from: zero };
    expect(await folder.rows()).toEqual([
      { ...common, logIndex: 0, to: one, value: 5n },
      { ...common, logIndex: 1, to: two.toLowerCase(), value: 2n ** 255n },
      ...rows.filter(({ block }) => block < 24 * 20),
    ]);
  });

  it("refuses a reorganisation of what was final, by name, and changes nothing", async () => {
    const { chain } = economy();
    chain.head = 24 * 60;
    const { url } = await node(chain);
    const folder = new FetchFolder(chain.token.address);
    await folder.fetch([url], "--check", "none");
    const [before, record] = [folder.files(), folder.record];
    const lastHash = chain.hashOf(24 * 60 - 1);
    chain.head = 24 * 62;
    chain.forkFrom(24 * 59 + 3);
    const outcome = await folder.fetch([url], "--check", "none");
    expect(outcome.status).toBe(1);
    expect(outcome.stderr).toContain(
      `transfers/2020-02.parquet ends with block ${24 * 60 - 1}, whose hash was ${lastHash}`,
    );
    expect(outcome.stderr).toContain(`says ${chain.hashOf(24 * 60 - 1)}`);
    expect(folder.files()).toEqual(before);
    expect(folder.record).toEqual(record);
  });

  it.each<[string, (folder: FetchFolder) => void, RegExp]>([
    [
      "is missing",
      ({ inputs }) => rmSync(join(inputs, "transfers/2020-01.parquet")),
      /2020-01\.parquet is missing: .*--repair/,
    ],
    [
      "has changed",
      ({ inputs, record }) =>
        writeFileSync(join(inputs, "transfers/2020-02.parquet"), Buffer.alloc(record.files[1]!.bytes)),
      /2020-02\.parquet has changed since it was fetched: .*--repair/,
    ],
    [
      "has another size",
      ({ inputs }) => writeFileSync(join(inputs, "transfers/2020-01.parquet"), ""),
      /has changed since/,
    ],
    [
      "of contracts is missing",
      ({ inputs }) => rmSync(join(inputs, "contracts.csv")),
      /contracts\.csv is missing: restore it, or run `soprano fetch \S+ --recheck contracts`/,
    ],
    [
      "was fetched for another contract",
      ({ inputs, record }) =>
        writeFileSync(join(inputs, "fetch.json"), JSON.stringify({ ...record, contract: `0x${"99".repeat(20)}` })),
      /"contract" is 0x.*, but .* was fetched for 0x9999/,
    ],
  ])("refuses to go on if a file %s", async (_, change, message) => {
    const { chain } = economy();
    chain.head = 24 * 60;
    const { url } = await node(chain);
    const folder = new FetchFolder(chain.token.address);
    await folder.fetch([url], "--check", "none");
    change(folder);
    chain.head = 24 * 62;
    const outcome = await folder.fetch([url], "--check", "none");
    expect(outcome.status).toBe(1);
    expect(outcome.stderr).toMatch(message);
    expect(outcome.stderr).not.toContain("fetch transfers");
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ["another chain", { chainId: 5 }, /"chainId" is 5, but 127\.0\.0\.1:\d+ is a node of chain 1\./],
    [
      "a first block of today",
      { firstBlock: HOURS },
      /its first block, 1920, is of 2020-03-21.* Run this again a day later\./,
    ],
    [
      "an opening balance that is not a number",
      { openingBalances: "bad.csv" },
      /bad\.csv, row 1, column value: "1e18" is not/,
    ],
  ])("refuses %s in a sentence", async (_, source, message) => {
    const { chain } = economy();
    const { url } = await node(chain);
    const folder = new FetchFolder(chain.token.address, source);
    writeFileSync(join(folder.path, "bad.csv"), `address,value\n0x${"aa".repeat(20)},1e18\n`);
    const outcome = await folder.fetch([url], "--check", "none");
    expect(outcome).toMatchObject({ status: 1, stdout: "" });
    expect(outcome.stderr).toMatch(message);
    expect(folder.hasRecord).toBe(false);
  });

  it("refuses an asset that another process fetches", async () => {
    const { chain } = economy();
    const { url } = await node(chain);
    const folder = new FetchFolder(chain.token.address);
    mkdirSync(join(folder.inputs, ".part"), { recursive: true });
    writeFileSync(join(folder.inputs, ".part", "lock"), "1 another-machine 0.5\n");
    const outcome = await folder.fetch([url], "--check", "none");
    expect(outcome.stderr).toMatch(/Another soprano fetch \(process 1 on another-machine\) is fetching this asset/);
    expect(outcome.status).toBe(1);
  });

  it("says what is wrong with a file before it asks a node", async () => {
    // Nothing listens there: a fetch that connected would say so.
    const url = "http://127.0.0.1:1";
    const folder = new FetchFolder(`0x${"01".repeat(20)}`);
    const missing = join(folder.path, "NOTHERE.json");
    expect((await sopranoIn({ SOPRANO_RPC_URL: url }, "fetch", missing)).stderr).toMatch(/NOTHERE\.json .*\n$/);
    const { source, ...withoutSource } = JSON.parse(readFileSync(folder.asset, "utf8"));
    writeFileSync(folder.asset, JSON.stringify({ ...withoutSource, transfers: "*.csv" }));
    expect(await folder.fetch([url])).toMatchObject({
      status: 1,
      stderr: `soprano: ${folder.asset} has no "source", so there is nothing to fetch. soprano init writes asset files that have one.\n`,
    });
  });

  it("fetches the other assets if one fails, and writes a report", async () => {
    const { chain } = economy();
    const { url } = await node(chain);
    const [good, bad] = [
      new FetchFolder(chain.token.address, {}, { symbol: "FAKE" }),
      new FetchFolder(chain.token.address, { chainId: 7 }, { symbol: "BAD" }),
    ];
    const report = join(good.path, "report.json");
    const outcome = await good.fetch([url], bad.asset, "--check", "none", "--report", report);
    expect(outcome.status).toBe(1);
    expect(outcome.stdout).toBe("FAKE --as-of 2020-03-21T00:00:00Z\n");
    expect(outcome.stderr).toMatch(/1 of 2 assets were not fetched \(BAD\)/);
    const { default: written } = await import(report, { with: { type: "json" } });
    expect(written).toMatchObject({
      counts: { fetched: 1, unchanged: 0, failed: 1 },
      assets: [
        { file: good.asset, symbol: "FAKE", status: "fetched", asOf: "2020-03-21T00:00:00Z", rows: expect.any(Number) },
        { file: bad.asset, symbol: "BAD", status: "failed", error: expect.stringContaining('"chainId" is 7') },
      ],
    });
    expect(written.assets[0].requests).toBeGreaterThan(0);
  });
});

describe("soprano fetch with the check", () => {
  const node = async (chain: FakeChain, options: FakeNodeOptions = {}) => {
    const started = await new FakeNode(chain, options).start();
    onTestFinished(() => started.stop());
    return started;
  };

  it("records what it compared, and compares again the next night", async () => {
    const { chain } = fakeEconomy({ blocks: 24 * 40, transfers: 1_000, interval: 3600, confirmations: 0 });
    chain.head = 24 * 35 + 7;
    const { url } = await node(chain);
    const folder = new FetchFolder(chain.token.address);
    expect(await folder.fetch([url])).toMatchObject({ status: 0 });
    const { check } = folder.record;
    expect(check).toMatchObject({ status: "passed", block: 24 * 35 + 7, hash: chain.hashOf(24 * 35 + 7) });
    expect(check!.of).toBe(check!.holders);
    chain.head = 24 * 36;
    const second = await folder.fetch([url]);
    expect(second.stderr).toMatch(/balances of \d+ of \d+ holders equal the chain's at block 864/);
    expect(folder.record.check).toMatchObject({ status: "passed", block: 864 });
  });

  it("is not said to be of files that came without it, but stays failed", async () => {
    const { chain } = fakeEconomy({ blocks: 24 * 40, transfers: 1_000, interval: 3600, confirmations: 0 });
    chain.head = 24 * 35 + 7;
    const { url } = await node(chain);
    const folder = new FetchFolder(chain.token.address);
    await folder.fetch([url]);
    const { check } = folder.record;
    expect(await folder.fetch([url], "--check", "none")).toMatchObject({ status: 0 });
    expect(folder.record.check).toEqual(check);
    chain.head = 24 * 36;
    const unchecked = await folder.fetch([url], "--check", "none");
    expect(unchecked).toMatchObject({ status: 0 });
    expect(unchecked.stderr).toContain(
      "Balances were not compared with the chain: the next fetch without --check none",
    );
    expect(folder.record).toMatchObject({ asOf: "2020-02-06T00:00:00Z" });
    expect(folder.record.check).toBeUndefined();
    await folder.fetch([url]);
    expect(folder.record.check).toMatchObject({ status: "passed", block: 24 * 36 });
    const omitting = await node(chain, { omits: new Set([970]) });
    chain.head = 24 * 40;
    expect(await folder.fetch([omitting.url])).toMatchObject({ status: 1 });
    expect(await folder.fetch([url], "--check", "none")).toMatchObject({ status: 0 });
    expect(folder.record).toMatchObject({ asOf: "2020-02-10T00:00:00Z", check: { status: "failed" } });
  });

  it("puts nothing into place if a node left out a log, and mends it from another", async () => {
    const { chain, rows } = fakeEconomy({ blocks: 24 * 40, transfers: 1_000, interval: 3600, confirmations: 0 });
    const [omitting, whole] = [await node(chain, { omits: new Set([700]) }), await node(chain)];
    const folder = new FetchFolder(chain.token.address);
    const alone = await folder.fetch([omitting.url]);
    expect(alone.status).toBe(1);
    expect(folder.record).toMatchObject({ files: [], check: { status: "failed" } });
    expect(Object.keys(folder.files())).toEqual([]);
    const both = await folder.fetch([omitting.url, whole.url]);
    const told = new RegExp(`Block ${rows[700]!.block}: .* left out 1 transfer`);
    expect([both.status, both.stderr]).toEqual([0, expect.stringMatching(told)]);
    expect(await folder.rows()).toEqual(rows.filter(({ block }) => block < 24 * 40));
    expect(folder.record.check!.status).toBe("passed");
    // The labels are those of the holders that have code.
    const parties = new Set((await folder.rows()).flatMap(({ from, to }) => [from, to]));
    const labels = readFileSync(join(folder.inputs, "contracts.csv"), "utf8");
    const expected = [...parties].filter((address) => chain.hasCode(address)).sort();
    expect(labels).toBe(["address,seen", ...expected.map((address) => `${address},2020-02-09`), ""].join("\n"));
  });

  it("places the kinds of contracts once, where a cohort is shipped, and refuses a table that was edited", async () => {
    const { chain } = economy();
    chain.head = 24 * 60;
    const { url } = await node(chain);
    const folder = new FetchFolder(chain.token.address, {}, { cohorts: { dex: "shipped", team: "team.csv" } });
    const path = join(folder.inputs, "kinds.csv");
    expect(await folder.fetch([url])).toMatchObject({ status: 0 });
    const placed = readFileSync(path, "utf8");
    expect(placed).toBe(readFileSync(shippedKinds("ethereum").path, "utf8"));
    expect(folder.record).toMatchObject({
      kinds: "ethereum-2026-11",
      tables: { kinds: sha256Hex(Buffer.from(placed)) },
    });
    writeFileSync(path, placed.replace("dex", "dix"));
    expect((await folder.fetch([url])).stderr).toMatch(
      /kinds\.csv has changed since soprano fetch wrote it: restore it, or run `soprano fetch \S+ --recheck kinds`.*, which takes today's kinds of contracts\./,
    );
    expect(await folder.fetch([url], "--recheck", "kinds")).toMatchObject({ status: 0 });
    expect(readFileSync(path, "utf8")).toBe(placed);
    rmSync(path);
    expect(await folder.fetch([url], "--repair")).toMatchObject({ status: 0 });
    expect(readFileSync(path, "utf8")).toBe(placed);
  });

  it("says after the first pages that a balance changed without a log", async () => {
    const { chain } = fakeEconomy({ blocks: 24 * 40, transfers: 1_000, interval: 3600, confirmations: 0 });
    const omitting = await node(chain, { omits: new Set([300]) });
    const folder = new FetchFolder(chain.token.address);
    const outcome = await folder.fetch([omitting.url]);
    expect(outcome.status).toBe(1);
    expect(outcome.stderr).toMatch(/rebasing token.* Or 127\.0\.0\.1:\d+ has left one out: add an --rpc URL/);
    expect(Math.max(...omitting.ranges.map(({ to }) => to))).toBeLessThan(600);
    expect(folder.hasRecord).toBe(false);
  });

  it("compares at the end of the files where a node that is behind now answers", async () => {
    const { chain } = fakeEconomy({ blocks: 24 * 40, transfers: 1_000, interval: 3600, confirmations: 0 });
    const ahead = await node(chain);
    const folder = new FetchFolder(chain.token.address);
    // Each look at what is final is a minute after the one before, which is not remembered for so long. Two are before the check.
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    let looks = 0;
    const behind = () => {
      vi.setSystemTime(Date.now() + 60_000);
      return looks++ < 2 ? 0 : 30;
    };
    Object.defineProperty(chain, "confirmations", { get: behind });
    expect(await folder.fetch([ahead.url])).toMatchObject({ status: 0 });
    expect(folder.record.check).toMatchObject({ status: "passed", block: 24 * 40 - 1 });
  });

  it("leaves out few holders for which balanceOf fails, and refuses many", async () => {
    const { chain, rows } = fakeEconomy({ blocks: 24 * 40, transfers: 1_000, interval: 3600, confirmations: 0 });
    const holders = [...new Set(rows.slice(0, 300).map(({ to }) => to))].filter(
      (to) => chain.balanceOf(to, chain.head) > 0n,
    );
    const [few, many] = [new Set(holders.slice(0, 2)), new Set(holders.slice(0, 40))];
    const folder = new FetchFolder(chain.token.address);
    const refused = await folder.fetch([(await node(chain, { blocked: many })).url]);
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/balanceOf fails for 0x[0-9a-f]{40} on/),
    ]);
    const outcome = await folder.fetch([(await node(chain, { blocked: few })).url]);
    expect([outcome.status, outcome.stderr]).toEqual([0, expect.stringMatching(/balanceOf fails for .* not compared/)]);
    const { status, holders: compared, of } = folder.record.check!;
    expect([status, of - compared]).toEqual(["passed", 2]);
  });

  it("blames nothing else where totalSupply fails", async () => {
    const { chain } = fakeEconomy({ blocks: 24 * 40, transfers: 1_000, interval: 3600, confirmations: 0 });
    const { url } = await node(chain, { noSupply: true });
    const { status, stderr } = await new FetchFolder(chain.token.address).fetch([url]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/All balances that were compared are right, but/)]);
    expect(stderr).toContain("The contract's totalSupply can't be read.");
  });

  it("refuses nodes of two forks before anything is fetched", async () => {
    const economies = [0, 1].map(() =>
      fakeEconomy({ blocks: 24 * 40, transfers: 1_000, interval: 3600, confirmations: 0 }),
    );
    const [one, other] = economies.map(({ chain }) => chain) as [FakeChain, FakeChain];
    other.forkFrom(500);
    const nodes = [await node(one), await node(other)];
    const { status, stderr } = await new FetchFolder(one.token.address).fetch(nodes.map(({ url }) => url));
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/The nodes have different blocks 959: 127.*another fork/),
    ]);
    expect(nodes.flatMap(({ ranges }) => ranges)).toEqual([]);
  });

  it("asks again for a totalSupply that is null for a moment", async () => {
    const { chain } = fakeEconomy({ blocks: 24 * 40, transfers: 1_000, interval: 3600, confirmations: 0 });
    const { url } = await node(chain, { nullSupplies: 2 });
    const folder = new FetchFolder(chain.token.address);
    expect(await folder.fetch([url])).toMatchObject({ status: 0 });
    expect(folder.record.check!.status).toBe("passed");
  });

  it("names an older file that is wrong, and replaces it with --repair", async () => {
    const { chain, rows } = fakeEconomy({ blocks: 24 * 40, transfers: 1_000, interval: 3600, confirmations: 0 });
    chain.head = 24 * 38;
    const omitting = await node(chain, { omits: new Set([200]) });
    const folder = new FetchFolder(chain.token.address);
    await folder.fetch([omitting.url], "--check", "none");
    chain.head = 24 * 40;
    const whole = await node(chain);
    const before = folder.files();
    const refused = await folder.fetch([whole.url]);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/transfers\/2020-01\.parquet is wrong\. Run soprano fetch with --repair/);
    expect(folder.files()).toEqual(before);
    expect(folder.record.check!.status).toBe("failed");
    expect(await folder.fetch([whole.url], "--repair")).toMatchObject({ status: 0 });
    expect(await folder.rows()).toEqual(rows.filter(({ block }) => block < 24 * 40));
    expect(Object.keys(folder.files())).toHaveLength(10);
    expect(folder.record.check!.status).toBe("passed");
  });

  it("fetches missing and changed files again with --repair, as they were", async () => {
    const { chain } = fakeEconomy({ blocks: 24 * 40, transfers: 1_000, interval: 3600, confirmations: 0 });
    const { url } = await node(chain);
    const folder = new FetchFolder(chain.token.address);
    await folder.fetch([url]);
    const before = folder.files();
    rmSync(join(folder.inputs, "transfers/2020-01.parquet"));
    writeFileSync(join(folder.inputs, "transfers/2020-02-03.parquet"), "changed");
    const planned = await folder.fetch([url], "--repair", "--dry-run");
    expect(planned.stderr).toContain("transfers/2020-01.parquet would be fetched again.");
    expect(planned.stderr).toContain("transfers/2020-02-03.parquet would be fetched again.");
    const repaired = await folder.fetch([url], "--repair", "--check", "none");
    expect(repaired).toMatchObject({ status: 0 });
    expect(repaired.stderr).toContain("FAKE: transfers/2020-01.parquet, transfers/2020-02-03.parquet fetched again, ");
    expect(folder.files()).toEqual(before);
  });
});
