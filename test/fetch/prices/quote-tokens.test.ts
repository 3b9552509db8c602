/** What the quote tokens of named pools are worth: by a table of contracts, never by something like a dollar in a symbol. */

import { expect, it, onTestFinished } from "vitest";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { findPools } from "../../../builder/fetch/prices/find-pools.ts";
import type { ChainPools } from "../../../builder/fetch/prices/pools/pool-chains.ts";
import { startFakeNode } from "../chain/fake-node.ts";
import { Market, POOL } from "../chain/market.ts";

const market = new Market({ blocks: 48 });
const SYMBOL = "0x95d89b41";
const TOKEN1 = "0xd21220a7";
const textWord = (text: string) => `0x${Buffer.from(text).toString("hex").padEnd(64, "0")}`;

/** The pool of the market, against a token with a symbol. */
async function poolAgainst(symbol: string, options: { quoteUsd?: [string, number][]; chain?: ChainPools } = {}) {
  const chain = market.chain(48);
  const { views } = chain;
  const token = `0x${views!(POOL, TOKEN1, 0)!.slice(26)}`;
  const own = (to: string, data: string, time: number) =>
    to === token && data === SYMBOL ? textWord(symbol) : views!(to, data, time);
  const { url } = await startFakeNode(Object.assign(chain, { views: own }), { chainId: 424_242 });
  const nodes = await openNodes([url]);
  onTestFinished(() => nodes.close());
  const notes: string[] = [];
  const note = (line: string) => notes.push(line);
  const known = options.chain && {
    ...options.chain,
    quotes: options.chain.quotes.map((one) => ({ ...one, address: one.address || token })),
  };
  const quoteUsd = options.quoteUsd && new Map(options.quoteUsd.map(([address, usd]) => [address || token, usd]));
  const asked = { contract: market.token.address, decimals: 18 };
  const found = findPools(nodes, asked, [POOL], known, { quoteUsd, note });
  return { found, notes, token };
}

const factories = { v2Factory: "", v3Factory: "" };
/** The table of a chain on which the token is a stablecoin, or is not. */
const WITH: ChainPools = { ...factories, quotes: [{ symbol: "USDC", address: "", quoteUsd: 1 }] };
const WITHOUT: ChainPools = {
  ...factories,
  quotes: [{ symbol: "USDC", address: `0x${"c0".repeat(20)}`, quoteUsd: 1 }],
};

it.each(["USDC", "USDT", "DAI"])("counts %s as a dollar on a chain without a table, and says so", async (symbol) => {
  const { found, notes, token } = await poolAgainst(symbol);
  expect(await found).toMatchObject([{ quote: symbol, quoteUsd: 1 }]);
  expect(notes).toEqual([expect.stringContaining(`${symbol} (${token}) counts as 1 USD because of its symbol`)]);
});

it.each(["cUSDC", "sUSDe", "aUSDT", "USDC.e", "USDX", "usdc", "yvDAI", "sDAI", "USD", "BUSD", "stUSD", "USDC-LP"])(
  "does not take %s for a dollar, unless the user says so",
  async (symbol) => {
    const { found, token } = await poolAgainst(symbol);
    await expect(found).rejects.toThrow(`say it with --quote-usd ${token}=USD`);
    const said = await poolAgainst(symbol, { quoteUsd: [["", 0.0221]] });
    const [pool] = await said.found;
    expect(pool).toMatchObject({ quoteUsd: 0.0221 });
    expect(said.notes).toEqual([]);
  },
);

it("goes by the contract where there is a table, whatever the symbol", async () => {
  expect(await (await poolAgainst("Bridged", { chain: WITH })).found).toMatchObject([{ quoteUsd: 1 }]);
  await expect((await poolAgainst("USDC", { chain: WITHOUT })).found).rejects.toThrow(
    "nothing tells what that is worth",
  );
  const said = await poolAgainst("USDC", { chain: WITH, quoteUsd: [["", 2]] });
  expect(await said.found).toMatchObject([{ quoteUsd: 2 }]);
});

it("refuses a worth of what no pool is against", async () => {
  const { found } = await poolAgainst("USDC", { quoteUsd: [[`0x${"ee".repeat(20)}`, 1]] });
  await expect(found).rejects.toThrow(
    /^0xe+ is not the quote token of a pool that --pools names; correct --quote-usd\.$/,
  );
});
