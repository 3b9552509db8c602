/** What a run asks of a chain only once, against a node that notes what it is asked. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { checkSameChain, finalizedBlock, readBlock, readBlocks } from "../../../../builder/fetch/chain/blocks.ts";
import type { Nodes } from "../../../../builder/fetch/chain/nodes/nodes.ts";
import { openNodes } from "../../../../builder/fetch/chain/nodes/open-nodes.ts";
import { type FakeChain, fakeEconomy } from "../fake-chain.ts";
import { FakeNode } from "../fake-node.ts";

let chain: FakeChain;
let node: FakeNode;
let nodes: Nodes;

beforeEach(async () => {
  ({ chain } = fakeEconomy({ blocks: 1_000, transfers: 0 }));
  node = await new FakeNode(chain).start();
  nodes = await openNodes([node.url]);
  node.asked.length = 0;
});

afterEach(async () => {
  vi.useRealTimers();
  nodes.close();
  await node.stop();
});

const asked = () => node.asked.splice(0).map(({ params }) => params[0]);
const hex = (number: number) => `0x${number.toString(16)}`;

describe("headers", () => {
  it("of final blocks are asked for once, also by two at the same time", async () => {
    await finalizedBlock(nodes);
    asked();
    const [one, two] = await Promise.all([readBlocks(nodes, [1, 2, 2]), readBlocks(nodes, [2, 3])]);
    expect(one.map(({ number }) => number)).toEqual([1, 2, 2]);
    expect(two.map(({ hash }) => hash)).toEqual([chain.hashOf(2), chain.hashOf(3)]);
    expect(asked().sort()).toEqual([1, 2, 3].map(hex));
    expect((await readBlock(nodes, 3)).hash).toBe(chain.hashOf(3));
    expect(asked()).toEqual([]);
  });

  it("of others are asked for again", async () => {
    const final = await finalizedBlock(nodes);
    asked();
    for (let look = 0; look < 2; look++) await readBlock(nodes, final.number + 1);
    expect(asked()).toEqual([hex(final.number + 1), hex(final.number + 1)]);
  });

  it("that could not be read are asked for again", async () => {
    await finalizedBlock(nodes);
    const nothing = vi.spyOn(nodes, "ask").mockRejectedValueOnce(new Error("the node is away"));
    await expect(readBlock(nodes, 7)).rejects.toThrow("the node is away");
    nothing.mockRestore();
    expect((await readBlock(nodes, 7)).number).toBe(7);
  });
});

describe("the final block", () => {
  it("is looked up again after half a minute, or when that is asked for", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const first = await finalizedBlock(nodes);
    expect(await finalizedBlock(nodes)).toEqual(first);
    expect(asked()).toEqual(["finalized"]);
    await finalizedBlock(nodes, undefined, 0, true);
    expect(asked()).toEqual(["finalized"]);
    vi.setSystemTime(Date.now() + 31_000);
    await finalizedBlock(nodes);
    expect(asked()).toEqual(["finalized"]);
  });

  it("stays final for nodes that are behind", async () => {
    const { number } = await finalizedBlock(nodes);
    expect((await finalizedBlock(nodes, undefined, number + 3)).number).toBe(number + 3);
  });
});

it("nodes are compared at a block once", async () => {
  const other = await new FakeNode(chain).start();
  const both = await openNodes([node.url, other.url]);
  asked();
  for (let look = 0; look < 2; look++) await checkSameChain(both, 500);
  expect(asked()).toEqual([hex(500)]);
  both.close();
  await other.stop();
});

it("a node's last block is asked for once by all who want to know, and whoever stops ends nobody else's waiting", async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  let reads = 0;
  const read = () => {
    reads++;
    return promise;
  };
  const stop = new AbortController();
  const { signal } = new AbortController();
  const stopped = nodes.known.head(0, read, stop.signal);
  const going = nodes.known.head(0, read, signal);
  stop.abort(new Error("stopped"));
  await expect(stopped).rejects.toThrow("stopped");
  resolve(77);
  await going;
  expect([reads, nodes.known.heads.get(0)]).toEqual([1, 77]);
});

it("who wants to know the same in one turn gets one answer, and whoever asks later a new one", async () => {
  const answers: PromiseWithResolvers<number>[] = [];
  const ask = () => {
    answers.push(Promise.withResolvers<number>());
    return answers.at(-1)!.promise;
  };
  const [one, same, other] = ["a", "a", "b"].map((key) => nodes.known.inOneTurn(key, ask));
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  // The first answer is still on its way, and may be older than this question.
  const later = nodes.known.inOneTurn("a", ask);
  await vi.waitFor(() => expect(answers).toHaveLength(3));
  for (const [i, { resolve }] of answers.entries()) resolve(i);
  expect(await Promise.all([one, same, other, later])).toEqual([0, 0, 1, 2]);
});
