/** Balances of several tokens that are asked for at once: those of each by itself, in fewer requests, whatever the nodes can do. */

import { expect, it, onTestFinished } from "vitest";
import { openNodes } from "../../../../builder/fetch/chain/nodes/open-nodes.ts";
import { readBalances, StateUnavailable } from "../../../../builder/fetch/chain/scan/scan.ts";
import { fakeEconomies } from "../fake-chain.ts";
import { type FakeNodeOptions, startFakeNode } from "../fake-node.ts";
import { EAGER } from "../patience.ts";

const { chain, tokens } = fakeEconomies(9, { blocks: 400, transfers: 300, holders: 40 });
const BLOCK = 300;
const HOLDERS = [...new Set(tokens.flatMap((token) => holdersOf(token)))].slice(0, 60);
const BYTES = Buffer.from(HOLDERS.map((holder) => holder.slice(2)).join(""), "hex");
const [blocked] = HOLDERS as [string];

function holdersOf(token: string): string[] {
  const { start, end } = chain.logsOf(0, chain.head);
  const own = Array.from({ length: end - start }, (_, i) => chain.log(start + i)).filter(
    (log) => log.address === token,
  );
  return own.map(({ topics }) => `0x${topics[2]!.slice(26)}`);
}

const expected = (token: string) => HOLDERS.map((holder) => chain.balanceOf(holder, BLOCK, token));

async function open(options: FakeNodeOptions) {
  const node = await startFakeNode(chain, options);
  const nodes = await openNodes([node.url], { patience: EAGER });
  onTestFinished(() => nodes.close());
  /** Reads balances of all tokens at once; how many requests that took. */
  const readAll = async (block = BLOCK) => {
    const before = node.requests;
    const balances = await Promise.all(tokens.map((token) => readBalances(nodes, token, BYTES, block)));
    return { balances, requests: node.requests - before };
  };
  return { node, nodes, readAll };
}

it("go into one request, and the block's header into another", async () => {
  const { readAll } = await open({});
  expect(await readAll()).toEqual({ balances: tokens.map(expected), requests: 2 });
});

it("are unknown where balanceOf reverts", async () => {
  const { readAll } = await open({ blocked: new Set([blocked]) });
  const right = tokens.map((token) => [undefined, ...expected(token).slice(1)]);
  expect((await readAll()).balances).toEqual(right);
});

/** Digits of the data of a question after so many balances: an address, a length, a selector and a word each. */
const digitsOf = (balances: number) => 2 + 2 * 58 * balances;

it("go into as many requests as a node's gas needs, which is learned once", async () => {
  const { readAll } = await open({ maxDigits: digitsOf(3 * HOLDERS.length), creations: false });
  expect((await readAll()).balances).toEqual(tokens.map(expected));
  const { balances, requests } = await readAll();
  expect(balances).toEqual(tokens.map(expected));
  // Nine tokens do not fit, nor do four or five: two do, and the last one is by itself. Headers are asked for twice.
  expect(requests).toBeLessThanOrEqual(7);
});

it.each<[string, FakeNodeOptions]>([
  ["has no overrides", { overrides: false }],
  ["runs no scanners", { overrides: false, creations: false }],
  ["takes the calls of one token alone", { maxDigits: digitsOf(1.5 * HOLDERS.length) }],
])("are those of each where a node %s", async (_, options) => {
  const { readAll } = await open(options);
  expect((await readAll()).balances).toEqual(tokens.map(expected));
  const { balances, requests } = await readAll();
  expect(balances).toEqual(tokens.map(expected));
  // What it can't do is not tried again.
  expect(requests).toBeLessThanOrEqual(2 * tokens.length);
});

it("one token that takes all gas costs the others a few requests", async () => {
  const poisoned = tokens[4]!.slice(2);
  const { node, readAll } = await open({});
  const answer = node.answer.bind(node);
  node.answer = (body) =>
    body.includes(poisoned) && body.length > 10_000
      ? JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(body).id, error: { code: -32000, message: "out of gas" } })
      : answer(body);
  expect((await readAll()).balances).toEqual(tokens.map(expected));
  expect((await readAll()).requests).toBeLessThan(40);
});

it("say for all that no node has the state", async () => {
  const { nodes } = await open({ states: 50 });
  const all = await Promise.allSettled(tokens.map((token) => readBalances(nodes, token, BYTES, BLOCK)));
  for (const one of all) expect(one).toMatchObject({ status: "rejected", reason: expect.any(StateUnavailable) });
});
