import { expect, it, onTestFinished } from "vitest";
import { finalizedBlock } from "../../../builder/fetch/chain/blocks.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { readToken } from "../../../builder/fetch/init/token-contract.ts";
import { fakeEconomy, word } from "../chain/fake-chain.ts";
import { type FakeNodeOptions, startFakeNode } from "../chain/fake-node.ts";
import { EAGER } from "../chain/patience.ts";

const { chain } = fakeEconomy({ blocks: 300, transfers: 50 });

async function read(...options: FakeNodeOptions[]) {
  const started = await Promise.all(options.map((one) => startFakeNode(chain, one)));
  const nodes = await openNodes(
    started.map(({ url }) => url),
    { patience: EAGER },
  );
  onTestFinished(() => nodes.close());
  const { contract: _, ...token } = await readToken(nodes, chain.token.address, await finalizedBlock(nodes));
  return { token, hosts: nodes.hosts };
}

const saying = (selector: string, value: string): FakeNodeOptions => ({
  lies: { call: (_, data, right) => (data.startsWith(selector) ? value : right) },
});

it.each([
  ["decimals", saying("0x313ce567", `0x${word(6)}`), "decimals() of"],
  ["the supply", saying("0x18160ddd", `0x${word(1)}`), "totalSupply() of"],
  ["the symbol", saying("0x95d89b41", `0x${Buffer.from("OTHER").toString("hex").padEnd(64, "0")}`), "symbol() of"],
  ["the code", { lies: { code: () => "0x" } }, "the code of"],
])("%s that one node alone says is not believed", async (_, wrong, what) => {
  const { token } = await read({});
  expect((await read(wrong, {}, {})).token).toEqual(token);
  expect((await read({}, {}, wrong)).token).toEqual(token);
  await expect(read({}, wrong)).rejects.toThrow(`The nodes contradict each other: ${what} ${chain.token.address}`);
});
