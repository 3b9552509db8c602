/** Reorganisations deeper than the confirmations: blocks that were final have been replaced by others with other transfers. */

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FakeChain, Row } from "./chain/fake-chain.ts";
import { type FakeNode, startFakeNode } from "./chain/fake-node.ts";
import { forkedChain } from "./chain/forked-chain.ts";
import { FetchFolder } from "./fetching.ts";

const FORKED_FROM = 800;
/** Forty days, a block an hour. */
const OPTIONS = { blocks: 24 * 40, transfers: 400, interval: 3600, confirmations: 10 };

/** Does something once the node has been asked for the logs of a block. */
function atBlock(node: FakeNode, block: number, happens: () => void): void {
  let hasHappened = false;
  const get = () => {
    if (!hasHappened && node.ranges.at(-1)!.to >= block) {
      hasHappened = true;
      happens();
    }
    return 0;
  };
  Object.defineProperty(node.options, "prunedBefore", { get, configurable: true });
}

async function expectRows(folder: FetchFolder, rows: readonly Row[]) {
  expect(await folder.rows()).toEqual(rows.filter(({ time }) => time < Date.parse(folder.record.asOf) / 1000));
}

const lastHashes = (folder: FetchFolder, chain: FakeChain) =>
  folder.record.files.map(({ to, lastHash }) => lastHash === chain.hashOf(to));

describe("blocks that have been replaced", () => {
  it.each([
    ["with the blocks at which days begin", false],
    ["without them", true],
  ])("after a fetch was broken off, are in no file: pages are kept %s", async (_, areForgotten) => {
    const { chain, rows, replace } = forkedChain(OPTIONS, FORKED_FROM);
    const node = await startFakeNode(chain, { maxBlocks: 40 });
    const folder = new FetchFolder(chain.token.address);
    // Files end at block 935: wherever pages begin, two of them end after this one.
    atBlock(node, 895, () => {
      Object.defineProperty(node.options, "prunedBefore", { value: 1e6, configurable: true, writable: true });
    });
    expect((await folder.fetch([node.url], "--check", "none")).status).toBe(1);
    const kept = readdirSync(join(folder.inputs, ".part", "transfers"));
    expect(kept.some((name) => Number(name.slice(0, 16)) > FORKED_FROM)).toBe(true);
    node.options.prunedBefore = 0;
    const asked = node.ranges.length;
    replace();
    if (areForgotten) rmSync(join(folder.inputs, ".part", "boundaries.json"));
    const { status, stderr } = await folder.fetch([node.url], "--check", "none");
    expect(status, stderr).toBe(0);
    await expectRows(folder, rows);
    expect(lastHashes(folder, chain)).not.toContain(false);
    // Pages of the month before are kept.
    const first = Math.min(...node.ranges.slice(asked).map(({ from }) => from));
    expect(first).toBeGreaterThan(24 * 31 - 2);
  });

  it("while a fetch runs, end it; the next one fetches what is concerned", async () => {
    const { chain, rows, replace } = forkedChain(OPTIONS, FORKED_FROM);
    const node = await startFakeNode(chain, { maxBlocks: 40 });
    const folder = new FetchFolder(chain.token.address);
    atBlock(node, 880, replace);
    const { status, stderr } = await folder.fetch([node.url], "--check", "none");
    expect(status).toBe(1);
    expect(stderr).toMatch(/block \d+ had the hash 0x[0-9a-f]{64} when it was fetched, and has 0x[0-9a-f]{64} now\. /);
    expect(folder.hasRecord).toBe(false);
    expect(await folder.fetch([node.url], "--check", "none")).toMatchObject({ status: 0 });
    await expectRows(folder, rows);
    expect(lastHashes(folder, chain)).not.toContain(false);
  });
});
