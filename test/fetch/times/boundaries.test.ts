import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readBlock } from "../../../builder/fetch/chain/blocks.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { planFiles } from "../../../builder/fetch/times/boundaries.ts";
import { firstPeriods } from "../../../builder/fetch/times/file-periods.ts";
import { DAY_SECONDS } from "../../../data-schema/text.ts";
import { type FakeChain, fakeEconomy } from "../chain/fake-chain.ts";
import { FakeNode } from "../chain/fake-node.ts";

async function planned(chain: FakeChain, asOf: number, cache: string, identity = "chain 1") {
  const node = await new FakeNode(chain).start();
  const nodes = await openNodes([node.url]);
  try {
    const [first, last] = [await readBlock(nodes, 100), await readBlock(nodes, chain.head)];
    const before = node.asked.length;
    const files = await planFiles(nodes, firstPeriods(first.time, asOf), { first, last }, cache, identity);
    return { files, asked: node.asked.length - before };
  } finally {
    nodes.close();
    await node.stop();
  }
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "soprano-boundaries-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

describe("planFiles", () => {
  it.each([
    ["every 12 seconds", 12],
    ["every 1,000 seconds", 1_000],
    ["every day, at midnight", DAY_SECONDS],
    ["every eleven days", 11 * DAY_SECONDS],
  ])("finds the blocks of each file, with a block %s", async (_, interval) => {
    const blocks = 100 + Math.ceil((70 * DAY_SECONDS) / interval) + 2;
    const { chain } = fakeEconomy({ blocks, transfers: 0, interval });
    const asOf = Math.floor(chain.timeOf(blocks) / DAY_SECONDS) * DAY_SECONDS;
    const { files } = await planned(chain, asOf, folder());
    let next = 100;
    for (const { from, to, period, lastHash } of files) {
      expect(from).toBe(next);
      expect(lastHash).toBe(chain.hashOf(to));
      for (const block of to < from ? [] : [from, to]) {
        expect(chain.timeOf(block)).toBeGreaterThanOrEqual(period.start);
        expect(chain.timeOf(block)).toBeLessThan(period.end);
      }
      expect(chain.timeOf(to + 1)).toBeGreaterThanOrEqual(period.end);
      next = to + 1;
    }
  });

  it("remembers what it found, for the same chain alone", async () => {
    const { chain } = fakeEconomy({ blocks: 24 * 70, transfers: 0, interval: 3600 });
    const cache = folder();
    const asOf = chain.timeOf(24 * 65);
    const first = await planned(chain, asOf, cache);
    expect(first.asked).toBeGreaterThan(0);
    expect(await planned(chain, asOf, cache)).toEqual({ files: first.files, asked: 0 });
    expect((await planned(chain, asOf, cache, "chain 2")).asked).toBeGreaterThan(0);
    expect(existsSync(join(cache, "boundaries.json"))).toBe(true);
    writeFileSync(join(cache, "boundaries.json"), '{"identity":"chain 1"');
    expect((await planned(chain, asOf, cache)).files).toEqual(first.files);
  });
});
