/** What init proposes as cohorts: the kinds of contracts that hold the token, by what a node says of their balances. */

import { expect, it, onTestFinished } from "vitest";
import { openNodes } from "../../../../builder/fetch/chain/nodes/open-nodes.ts";
import { chooseKinds, parseKinds } from "../../../../builder/fetch/init/choices/kinds.ts";
import type { Prompt } from "../../../../builder/fetch/init/prompt.ts";
import { readKinds, shippedKinds } from "../../../../builder/input/labels/shipped-kinds.ts";
import type { ContractKind } from "../../../../data-schema/registry/contract-kinds.ts";
import { addressWord, FakeChain, TRANSFER, word, ZERO_ADDRESS } from "../../chain/fake-chain.ts";
import { startFakeNode } from "../../chain/fake-node.ts";

const TOKEN = { address: `0x${"70".repeat(20)}`, name: "T", symbol: "T", decimals: 0 };
const ALICE = `0x${"a1".repeat(20)}`;

const rows = await readKinds(shippedKinds("avalanche").path);
const ofKind = (kind: ContractKind) => rows.filter((row) => row.kind === kind).map(({ address }) => address);

/** A token of Avalanche whose supply of 1,000 some addresses hold. */
async function choose(
  balances: readonly (readonly [address: string, value: number])[],
  { given, answer, chainId = 43_114 }: { given?: ContractKind[]; answer?: string; chainId?: number } = {},
) {
  const logs = balances.map(([to, value], i) => ({
    address: TOKEN.address,
    block: 10 + i,
    logIndex: 0,
    topics: [TRANSFER, `0x${addressWord(ZERO_ADDRESS)}`, `0x${addressWord(to)}`],
    data: `0x${word(value)}`,
  }));
  const node = await startFakeNode(new FakeChain({ head: 1_000, token: TOKEN, logs }), { chainId });
  const nodes = await openNodes([node.url]);
  onTestFinished(() => nodes.close());
  const notes: string[] = [];
  const asked: (string | undefined)[] = [];
  const ask: Prompt = async ({ proposal, parse }) => {
    asked.push(proposal);
    return parse(answer ?? proposal!);
  };
  const note = (line: string) => notes.push(line);
  const options = { nodes, contract: TOKEN.address, confirmations: undefined, totalSupply: 1_000n };
  return { cohorts: await chooseKinds({ ...options, given, ask, note }), notes, asked };
}

it("proposes those that hold the token, with their share of the supply", async () => {
  const { cohorts, notes, asked } = await choose([
    [ALICE, 700],
    [ofKind("dex")[3]!, 150],
    [ofKind("dex")[9]!, 50],
    [ofKind("burn")[0]!, 100],
  ]);
  expect(asked).toEqual(["dex,burn"]);
  expect(cohorts).toEqual({ dex: "shipped", burn: "shipped" });
  expect(notes).toEqual([
    `@dex (pools, routers and order books of decentralised exchanges): 2 of ${ofKind("dex").length} hold 20.00 % of the supply`,
    `@burn (addresses that nobody has a key of): 1 of ${ofKind("burn").length} holds 10.00 % of the supply`,
  ]);
});

it("takes another answer, or none", async () => {
  const balances = [[ofKind("dex")[3]!, 1_000]] as const;
  expect((await choose(balances, { answer: "@lending, dex" })).cohorts).toEqual({ dex: "shipped", lending: "shipped" });
  expect((await choose(balances, { answer: "none" })).cohorts).toBeUndefined();
  await expect(choose(balances, { answer: "dexes" })).rejects.toThrow(
    "Kinds of contracts are dex, lending, bridge, staking, vesting, treasury, multisig, burn, separated by commas, or none; " +
      '"dexes" is none of them.',
  );
});

it("asks nothing where none holds the token, or nothing ships", async () => {
  expect(await choose([[ALICE, 1_000]])).toEqual({ cohorts: undefined, notes: [], asked: [] });
  expect(await choose([[ofKind("dex")[3]!, 5]], { chainId: 424_242 })).toMatchObject({ asked: [], notes: [] });
});

it("looks at nothing where the command line says which", async () => {
  const { cohorts, notes, asked } = await choose([[ofKind("dex")[3]!, 5]], { given: ["staking"] });
  expect({ cohorts, notes, asked }).toEqual({ cohorts: { staking: "shipped" }, notes: [], asked: [] });
  expect((await choose([], { given: [] })).cohorts).toBeUndefined();
});

it("reads names in any order, each once", () => {
  expect(parseKinds(" burn,@dex, dex")).toEqual(["dex", "burn"]);
  expect(parseKinds("none")).toEqual([]);
  expect(() => parseKinds("dex,none")).toThrow('"none" is none of them.');
});
