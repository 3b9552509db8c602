/**
 * Fetches from a single node that cuts its answers at a limit and says nothing of it. They are broken off, and blocks that were
 * final are replaced by others before they go on: in the end, the transfers are those of the chain as it is.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { streamTransfers } from "../../builder/fetch/transfers/transfer-file.ts";
import { sopranoIn } from "../commands/soprano.ts";
import { FakeNode } from "../fetch/chain/fake-node.ts";
import { forkedChain } from "../fetch/chain/forked-chain.ts";
import { rowsOf } from "../fetch/logs.ts";
import { type Attack, inFolders } from "./attack.ts";

const one = fc.record({
  chain: fc.record({
    seed: fc.nat(10_000),
    blocks: fc.integer({ min: 2_500, max: 5_000 }),
    interval: fc.integer({ min: 60, max: 1_000 }),
    transfers: fc.integer({ min: 1, max: 1_200 }),
    holders: fc.integer({ min: 2, max: 60 }),
  }),
  /** Where the fork begins, in percent of the chain: below what was final. */
  forkedFrom: fc.integer({ min: 10, max: 95 }),
  /** Requests for logs after which the fetch is broken off. */
  breakAfter: fc.integer({ min: 1, max: 60 }),
  node: fc.record({
    cutsAt: fc.integer({ min: 12, max: 300 }),
    cutsTo: fc.constantFrom("first", "last", "whole blocks"),
    maxBlocks: fc.option(fc.integer({ min: 20, max: 2_000 }), { nil: 1e6 }),
    states: fc.constantFrom(128, 1e6),
  }),
});
type Case = typeof one extends fc.Arbitrary<infer Value> ? Value : never;

export const cutAndReplaced: Attack = {
  name: "cut-and-replaced",
  unit: "fetches",
  open: inFolders(one, attempt),
};

async function attempt({ chain: options, forkedFrom, breakAfter, node: limits }: Case, folder: string) {
  const { chain, rows, replace } = forkedChain(options, 100 + Math.floor(((options.blocks - 100) * forkedFrom) / 100));
  const node = await new FakeNode(chain, { ...limits }).start();
  const path = join(folder, "FAKE.json");
  const source = { chainId: 1, firstBlock: 100, events: "erc20", labels: "none" };
  const token = { symbol: "FAKE", name: "Fake", chain: "ethereum", contract: chain.token.address, decimals: 18 };
  writeFileSync(path, JSON.stringify({ ...token, maxSupply: "1000000", source }));
  const fetch = () => sopranoIn({ SOPRANO_RPC_URL: node.url }, "fetch", path, "--quiet");
  try {
    // The node has no logs any more, which ends the fetch.
    let asked = 0;
    const get = () => (++asked > breakAfter ? 1e9 : 0);
    Object.defineProperty(node.options, "prunedBefore", { get, configurable: true });
    const broken = await fetch();
    if (/complete and final|not final/.test(broken.stderr)) return 0;
    // What is in place is not replaced, but refused.
    if (broken.status !== 0) replace();
    const expected = broken.status === 0 ? undefined : rows;
    Object.defineProperty(node.options, "prunedBefore", { value: 0, configurable: true });
    const outcome = await fetch();
    if (outcome.status !== 0) throw new Error(`A fetch failed: ${outcome.stderr}`);
    if (expected) await compare(expected, join(folder, "inputs", "FAKE"));
    return 2;
  } finally {
    await node.stop();
  }
}

async function compare(rows: Awaited<ReturnType<typeof forkedChain>>["rows"], inputs: string): Promise<void> {
  const { asOf, files } = JSON.parse(readFileSync(join(inputs, "fetch.json"), "utf8"));
  const found = [];
  for (const { file } of files)
    for (const columns of streamTransfers(join(inputs, file))) found.push(...rowsOf(columns));
  const text = (all: typeof rows) =>
    all.map(({ block, logIndex, time, from, to, value }) => [block, logIndex, time, from, to, value].join()).join("\n");
  const expected = rows.filter(({ time }) => time < Date.parse(asOf) / 1000);
  if (text(found) !== text(expected)) throw new Error(`${found.length} rows, not the ${expected.length} of the chain`);
}
