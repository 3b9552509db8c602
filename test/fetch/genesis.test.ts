/** A token of the genesis block: its first balances come with no event, in a block that has no logs, and often no time. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sopranoIn } from "../commands/soprano.ts";
import { scratchFolder } from "../folders.ts";
import { type FakeChain, fakeEconomy, ZERO_ADDRESS } from "./chain/fake-chain.ts";
import { startFakeNode } from "./chain/fake-node.ts";
import { FetchFolder } from "./fetching.ts";

const GENESIS = new Map([
  [`0x${"a1".repeat(20)}`, 900n * 10n ** 18n],
  [`0x${"b2".repeat(20)}`, 100n * 10n ** 18n],
]);
const TABLE = ["address,value", ...[...GENESIS].map((row) => row.join()), ""].join("\n");

/** A chain whose token has these balances in block 0, and transfers of others from block 40 on. */
function economy() {
  const { chain, rows } = fakeEconomy({ blocks: 16_000, transfers: 60, holders: 9, firstBlock: 40 });
  const minted = chain.totalSupply.bind(chain);
  const total = [...GENESIS.values()].reduce((sum, value) => sum + value, 0n);
  chain.balance = (owner) => GENESIS.get(owner);
  chain.totalSupply = (block) => minted(block) + total;
  return { chain, rows };
}

/** Says of block 0 what many chains do. */
function withoutGenesisTime(chain: FakeChain): void {
  const timeOf = chain.timeOf.bind(chain);
  chain.timeOf = (block) => (block === 0 ? 0 : timeOf(block));
}

it("has what init writes for it, which fetch accepts", async () => {
  const { chain } = economy();
  const node = await startFakeNode(chain);
  withoutGenesisTime(chain);
  const out = scratchFolder();
  const table = join(out, "genesis.csv");
  writeFileSync(table, TABLE);
  const rpc = ["--rpc", node.url];
  const made = await sopranoIn(
    {},
    ...["init", chain.token.address, "--yes", "--prices", "none", "--out", out, "--opening", table, ...rpc],
  );
  expect(made).toMatchObject({ status: 0 });
  const path = made.stdout.trim();
  const { source } = JSON.parse(readFileSync(path, "utf8"));
  expect(source).toMatchObject({ firstBlock: 0, openingBalances: "FAKE.opening.csv" });
  const fetched = await sopranoIn({}, "fetch", path, ...rpc);
  expect(fetched).toMatchObject({ status: 0 });
  const { files } = JSON.parse(readFileSync(join(out, "inputs/FAKE/fetch.json"), "utf8"));
  expect(files[0]).toMatchObject({ file: "transfers/2020-01-01.parquet", from: 0 });
});

it("has its opening balances as rows of block 0, before all others", async () => {
  const { chain, rows } = economy();
  const { url } = await startFakeNode(chain);
  const folder = new FetchFolder(chain.token.address, { firstBlock: 0, openingBalances: "opening.csv" });
  writeFileSync(join(folder.path, "opening.csv"), TABLE);
  expect(await folder.fetch([url])).toMatchObject({ status: 0 });
  const opening = [...GENESIS].map(([to, value], logIndex) => {
    return { block: 0, logIndex, time: chain.timeOf(0), from: ZERO_ADDRESS, to, value };
  });
  const end = Date.parse(folder.record.asOf) / 1000;
  expect(await folder.rows()).toEqual([...opening, ...rows.filter(({ time }) => time < end)]);
  // A repair brings the same bytes.
  const before = folder.files();
  const [first] = Object.keys(before);
  writeFileSync(join(folder.inputs, "transfers", first!), "damaged");
  expect(await folder.fetch([url], "--repair")).toMatchObject({ status: 0 });
  expect(folder.files()).toEqual(before);
});
