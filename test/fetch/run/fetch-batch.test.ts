/** Nights of several assets: what they ask of the chain together, and of their own; and one that fails. */

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { FetchReport } from "../../../builder/fetch/run/fetch-report.ts";
import type { Fetched } from "../../../builder/input/fetched/fetched.ts";
import { sopranoIn } from "../../commands/soprano.ts";
import { scratchFolder } from "../../folders.ts";
import { type FakeChain, fakeEconomy } from "../chain/fake-chain.ts";
import { FakeNode } from "../chain/fake-node.ts";
import { startProxy } from "../chain/proxy.ts";

const DAY = 24;

/** Days of hourly blocks with transfers, into March; those after them have none. */
const economy = () => fakeEconomy({ blocks: DAY * 65, transfers: 600, interval: 3600, confirmations: 5 });

async function startNode(chain: FakeChain): Promise<FakeNode> {
  const node = await new FakeNode(chain).start();
  onTestFinished(() => node.stop());
  return node;
}

/** Assets of one contract, under several symbols. */
function assetsOf(contract: string, count: number): { folder: string; files: string[] } {
  const folder = scratchFolder();
  const files = Array.from({ length: count }, (_, i) => {
    const file = join(folder, `T${i}.json`);
    const source = { chainId: 1, firstBlock: 100, events: "erc20", labels: "none" };
    const asset = { symbol: `T${i}`, name: "Fake", chain: "ethereum", contract, decimals: 18, maxSupply: "1000000" };
    writeFileSync(file, JSON.stringify({ ...asset, source }));
    return file;
  });
  return { folder, files };
}

const recordOf = (folder: string, symbol: string): Fetched =>
  JSON.parse(readFileSync(join(folder, "inputs", symbol, "fetch.json"), "utf8"));

const fetchAll = (url: string, files: readonly string[], ...more: string[]) =>
  sopranoIn({ SOPRANO_RPC_URL: url }, "fetch", ...files, ...more);

const ofMethod = (node: FakeNode, name: string) => node.asked.filter(({ method }) => method === name).length;

it("a quiet night takes three requests of each asset's own, and those of the chain once", async () => {
  const counts: number[] = [];
  for (const count of [2, 9]) {
    const { chain } = economy();
    const node = await startNode(chain);
    const { folder, files } = assetsOf(chain.token.address, count);
    expect(await fetchAll(node.url, files)).toMatchObject({ status: 0 });
    for (let night = 0; night < 2; night++) {
      chain.head += DAY;
      node.asked.length = 0;
      if (night === 0) expect(await fetchAll(node.url, files)).toMatchObject({ status: 0 });
    }
    const report = join(folder, "report.json");
    const outcome = await fetchAll(node.url, files, "--report", report);
    expect(outcome.status).toBe(0);
    // The logs up to the last final block, the balances of all holders, and the supply.
    expect(ofMethod(node, "eth_getLogs")).toBe(count);
    const calls = ofMethod(node, "eth_call");
    expect(calls).toBeLessThanOrEqual(2 * count);
    // Supplies that are asked for at the same time share a request.
    expect(calls).toBeGreaterThan(count);
    counts.push(node.asked.length - count - calls);
    const { assets }: FetchReport = JSON.parse(readFileSync(report, "utf8"));
    expect(assets.map(({ symbol }) => symbol)).toEqual(files.map((_, i) => `T${i}`));
    const spent = assets.reduce((sum, { requests }) => sum + requests, 0);
    expect(spent).toBeLessThanOrEqual(node.asked.length);
    for (const { requests, bytes } of assets) {
      expect(requests).toBeGreaterThanOrEqual(2);
      expect(bytes).toBeGreaterThan(0);
    }
    for (const { symbol } of assets) expect(recordOf(folder, symbol!).check).toMatchObject({ status: "passed" });
  }
  const [few, many] = counts;
  expect(many).toBe(few);
  expect(few).toBeLessThan(20);
});

it("one that fails holds up none, and nights are those of a fetch of each alone", async () => {
  const { chain } = economy();
  const node = await startNode(chain);
  const { folder, files } = assetsOf(chain.token.address, 4);
  expect(await fetchAll(node.url, files)).toMatchObject({ status: 0 });
  chain.head += DAY;
  appendFileSync(join(folder, "inputs", "T1", "contracts.csv"), "0x\n");
  const outcome = await fetchAll(node.url, files);
  expect(outcome.status).toBe(1);
  expect(outcome.stdout.trim().split("\n").sort()).toEqual(
    ["T0", "T2", "T3"].map((symbol) => `${symbol} --as-of ${recordOf(folder, symbol).asOf}`),
  );
  expect(outcome.stderr).toContain("soprano: T1 failed: ");
  expect(outcome.stderr).toContain("1 of 4 assets were not fetched (T1)");
  const alone = assetsOf(chain.token.address, 1);
  expect(await fetchAll(node.url, alone.files)).toMatchObject({ status: 0 });
  const digests = (record: Fetched) => record.files.map(({ file, sha256 }) => [file, sha256]);
  const [last] = digests(recordOf(alone.folder, "T0")).slice(-1);
  for (const symbol of ["T0", "T2", "T3"]) expect(digests(recordOf(folder, symbol)).at(-1)).toEqual(last);
});

it("a node that fails now and then changes nothing", async () => {
  const { chain } = economy();
  const node = await startNode(chain);
  const { folder, files } = assetsOf(chain.token.address, 12);
  expect(await fetchAll(node.url, files)).toMatchObject({ status: 0 });
  chain.head += DAY;
  const proxy = await startProxy(node.url, {
    faults: ["500", "dropped before", "JSON cut short"],
    share: 0.05,
    seed: 1,
  });
  expect(await fetchAll(proxy.url, files)).toMatchObject({ status: 0 });
  expect(proxy.asked.filter(({ fault }) => fault).length).toBeGreaterThan(0);
  const files0 = recordOf(folder, "T0").files;
  for (let i = 1; i < files.length; i++) expect(recordOf(folder, `T${i}`).files).toEqual(files0);
});

it("balances that were kept wrong do not fail the check: the files decide", async () => {
  const { chain } = economy();
  const node = await startNode(chain);
  const { folder, files } = assetsOf(chain.token.address, 1);
  expect(await fetchAll(node.url, files)).toMatchObject({ status: 0 });
  // A ledger of the same files, and well-formed: only the chain tells that it is wrong.
  const { saveLedger } = await import("../../../builder/fetch/check/ledgers/saved-ledger.ts");
  const { Ledger } = await import("../../../builder/fetch/check/ledgers/ledger.ts");
  await saveLedger(join(folder, "inputs", "T0"), recordOf(folder, "T0").files, new Ledger());
  chain.head += DAY;
  expect(await fetchAll(node.url, files)).toMatchObject({ status: 0 });
  expect(recordOf(folder, "T0").check).toMatchObject({ status: "passed" });
});
