import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../builder/demo/simulate/random.ts";
import { finalizedBlock, firstBlocksAt, readBlock, readBlocks } from "../../../builder/fetch/chain/blocks.ts";
import type { Nodes } from "../../../builder/fetch/chain/nodes/nodes.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { fakeEconomy, word } from "./fake-chain.ts";
import { type FakeNodeOptions, startFakeNode } from "./fake-node.ts";
import { EAGER } from "./patience.ts";
import { startServer } from "./rpc-server.ts";

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
    const numbers = Array.from({ length: 150 }, (_, i) => (i * 7919) % 20_000);
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

/** A chain whose blocks have these times, and nothing else; counts the headers that are asked for. */
async function withTimes(times: ArrayLike<number>) {
  const hash = (number: number) => `0x${word(number + 1)}`;
  const asked: number[] = [];
  const url = await startServer(({ method, params }) => {
    if (method === "eth_chainId") return { result: "0x1" };
    const number = Number(params[0]);
    asked.push(number);
    const timestamp = `0x${times[number]!.toString(16)}`;
    return { result: { number: params[0], hash: hash(number), parentHash: hash(number - 1), timestamp } };
  });
  const nodes = await openNodes([url], { patience: EAGER });
  const [first, last] = [await readBlock(nodes, 0), await readBlock(nodes, times.length - 1)];
  asked.length = 0;
  return { nodes, asked, range: { first, last } };
}

describe("the first block at or after a time", () => {
  it("is the one that a look at every block finds, whatever the spacing", async () => {
    const gaps = fc.array(fc.oneof(fc.constantFrom(0, 0, 1, 12), fc.nat(3), fc.nat(100_000)), {
      minLength: 1,
      maxLength: 300,
    });
    await fc.assert(
      fc.asyncProperty(
        gaps,
        fc.array(fc.nat(10_000), { maxLength: 12 }),
        fc.nat(2 ** 31),
        async (steps, shares, genesis) => {
          const times = [genesis];
          for (const gap of steps) times.push(times.at(-1)! + gap);
          const span = times.at(-1)! - genesis + 4;
          const wanted = shares.map((share) => genesis - 2 + Math.floor((share / 10_000) * span));
          const { nodes, range } = await withTimes(times);
          const found = await firstBlocksAt(nodes, wanted, range);
          nodes.close();
          expect(found.map((block) => block?.number)).toEqual(
            wanted.map((time) => {
              const number = times.findIndex((at) => at >= time);
              return number < 0 ? undefined : number;
            }),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it("takes few headers on chains like the large ones", async () => {
    const random = new Random(7, 7);
    const below = (limit: number) => Math.floor((random.uint32() / 2 ** 32) * limit);
    // Proof of work with a difficulty that drifts, then slots of 12 seconds of which some are missed.
    const count = 2_000_000;
    const times = new Float64Array(count);
    for (let block = 1; block < count; block++) {
      const drift = 13 + 3 * Math.sin(block / 150_000);
      const gap =
        block < count / 2
          ? 1 + Math.floor(-Math.log(1 - random.uint32() / 2 ** 32) * drift)
          : below(200) === 0
            ? 24
            : 12;
      times[block] = times[block - 1]! + gap;
    }
    const { nodes, asked, range } = await withTimes(times);
    const months = Array.from({ length: 10 }, (_, index) => Math.floor((times[count - 1]! * (index + 0.5)) / 10));
    const found = await firstBlocksAt(nodes, months, range);
    expect(
      found.every(
        (block, index) => times[block!.number]! >= months[index]! && times[block!.number - 1]! < months[index]!,
      ),
    ).toBe(true);
    expect(asked.length / months.length).toBeLessThan(12);
    asked.length = 0;
    await firstBlocksAt(nodes, [times[count - 1]! - 40_000], range);
    expect(asked.length).toBeLessThan(16);
  });
});
