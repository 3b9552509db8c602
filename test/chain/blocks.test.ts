import { describe, expect, it } from "vitest";
import { finalizedBlock, readBlock, readBlocks } from "../../builder/chain/blocks.ts";
import { type Nodes, openNodes } from "../../builder/chain/nodes.ts";
import { fakeEconomy } from "./fake-chain.ts";
import { type FakeNodeOptions, startFakeNode } from "./fake-node.ts";
import { EAGER } from "./patience.ts";

const { chain } = fakeEconomy({ seed: 1, blocks: 20_000, transfers: 50, holders: 5 });

async function open(...options: FakeNodeOptions[]): Promise<Nodes> {
  const fakes = await Promise.all(options.map((each) => startFakeNode(chain, each)));
  return openNodes(
    fakes.map(({ url }) => url),
    { patience: EAGER },
  );
}

describe("blocks", () => {
  it("are read in batches as large as the nodes take, or one by one", async () => {
    const numbers = Array.from({ length: 700 }, (_, i) => (i * 7919) % 20_000);
    for (const batches of [undefined, 30, 0]) {
      const nodes = await open(batches === undefined ? {} : { batches });
      const blocks = await readBlocks(nodes, numbers);
      expect(blocks.map(({ number, hash, time }) => [number, hash, time])).toEqual(
        numbers.map((number) => [number, chain.hashOf(number), chain.timeOf(number)]),
      );
      expect(blocks.every(({ parentHash, number }) => number === 0 || parentHash === chain.hashOf(number - 1))).toBe(
        true,
      );
    }
  });

  it("are asked of another node where one does not have them", async () => {
    const nodes = await open({ behind: 15_000 }, {});
    expect((await readBlock(nodes, 19_999)).hash).toBe(chain.hashOf(19_999));
    expect(await readBlocks(nodes, [1, 19_999])).toHaveLength(2);
  });

  it("are final by tag, or by the blocks above them", async () => {
    const nodes = await open({ behind: 10 }, {});
    expect((await finalizedBlock(nodes)).number).toBe(chain.finalized);
    expect((await finalizedBlock(nodes, 100)).number).toBe(chain.head - 100);
    const without = await open({ finality: false });
    await expect(finalizedBlock(without)).rejects.toThrow("Use --confirmations N");
  });
});
