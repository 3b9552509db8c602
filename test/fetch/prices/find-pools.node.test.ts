import { describe, expect, onTestFinished, test } from "vitest";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { factoryPools, findPools } from "../../../builder/fetch/prices/find-pools.ts";
import { hasAnvil, startAnvil } from "../chain/anvil.ts";
import {
  answerOf,
  createPair,
  createPool,
  deployFeed,
  deployToken,
  deployUniswap,
  isFirst,
  trades,
} from "../chain/pools.ts";
import { tickOf } from "./made-up-pool.ts";

async function chain() {
  const anvil = await startAnvil({ chainId: 31_337 });
  const uniswap = await deployUniswap(anvil);
  const token = await deployToken(anvil, "Token", "TOK");
  const ether = await deployToken(anvil, "Ether", "WETH");
  const dollar = await deployToken(anvil, "Dollar", "USDC", 6);
  const { feed, aggregator } = await deployFeed(anvil);
  await anvil.mine();
  const [pair, thin, quotePair] = [
    await createPair(anvil, uniswap, token, ether),
    await createPair(anvil, uniswap, token, dollar),
    await createPair(anvil, uniswap, ether, dollar),
  ];
  // 1 TOK is 0.25 USD.
  const root = isFirst(token, dollar) ? (2n ** 96n * 5n) / 10n ** 7n : 2n ** 97n * 10n ** 6n;
  const pool = await createPool(anvil, uniswap, token, dollar, { sqrtPriceX96: root });
  const add = (pair: string, a: string, b: string, ofA: bigint, ofB: bigint) =>
    isFirst(a, b) ? trades.addToPair(uniswap, pair, ofA, ofB) : trades.addToPair(uniswap, pair, ofB, ofA);
  await anvil.sendAll([
    answerOf(aggregator, 2_500n * 10n ** 8n),
    add(pair, token, ether, 1_000_000n * 10n ** 18n, 100n * 10n ** 18n),
    add(thin, token, dollar, 1_000n * 10n ** 18n, 250n * 10n ** 6n),
    add(quotePair, ether, dollar, 100n * 10n ** 18n, 240_000n * 10n ** 6n),
    trades.addToPool(uniswap, pool, 10n ** 17n),
  ]);
  await anvil.mine();
  const nodes = await openNodes([anvil.url]);
  onTestFinished(() => nodes.close());
  // 5,000,000 USD of virtual reserve, in a single tick spacing.
  const narrow = await createPool(anvil, uniswap, token, dollar, { fee: 500, sqrtPriceX96: root });
  const lower = Math.floor(tickOf(root) / 10) * 10;
  await anvil.send(trades.addToPool(uniswap, narrow, 10n ** 19n, [lower, lower + 10]));
  await anvil.mine();
  return { nodes, uniswap, token, ether, dollar, feed, pair, thin, quotePair, pool, narrow };
}

describe.runIf(hasAnvil)("pools of a token", () => {
  test("are found by the factories, or as the user names them", async () => {
    const { nodes, uniswap, token, ether, dollar, feed, pair, thin, quotePair, pool, narrow } = await chain();
    const asked = { contract: token, decimals: 18 };
    const known = {
      ...uniswap,
      quotes: [
        { symbol: "WETH", address: ether, quoteUsd: { feed } },
        { symbol: "USDC", address: dollar, quoteUsd: 1 },
      ],
    };
    // All of them count, however little lies in them.
    const quotes = new Map((await factoryPools(nodes, token, known)).map(({ address, quote }) => [address, quote]));
    expect(quotes).toEqual(new Map([[pair, "WETH"], ...[thin, pool, narrow].map((one) => [one, "USDC"] as const)]));
    const found = await findPools(nodes, asked, [], known);
    // The thin pair has 250 USD, and the narrow pool little more than a thousandth of its virtual reserve.
    const others = found.filter(({ address }) => address !== narrow);
    expect(others).toEqual([
      { address: pair, kind: "uniswap-v2", quote: "WETH", quoteUsd: { feed }, depthUsd: 250_000, priceUsd: 0.25 },
      {
        address: pool,
        kind: "uniswap-v3",
        quote: "USDC",
        quoteUsd: 1,
        depthUsd: expect.closeTo(50_000, 0),
        priceUsd: expect.closeTo(0.25, 9),
      },
    ]);
    expect(await findPools(nodes, asked)).toEqual([]);

    const named = await findPools(nodes, asked, [thin, pair.toUpperCase().replace("0X", "0x"), feed]);
    expect(named.map(({ address, quoteUsd }) => ({ address, quoteUsd }))).toEqual([
      { address: pair, quoteUsd: { feed } },
      { address: thin, quoteUsd: 1 },
    ]);
    const beside = await findPools(nodes, asked, [narrow, pair, feed]);
    expect(beside.map(({ address }) => address)).toEqual([pair, narrow]);
    expect(beside[1]!.depthUsd).toBeLessThan(5_000_000 / 1_900);
    const [byPool] = await findPools(nodes, asked, [quotePair, pair]);
    expect(byPool).toMatchObject({ quoteUsd: { pool: quotePair }, depthUsd: 240_000, priceUsd: 0.24 });

    await expect(findPools(nodes, asked, [pair])).rejects.toThrow(/nothing tells what that is worth in USD: add the/);
    await expect(findPools(nodes, asked, [pool, feed])).rejects.toThrow(
      /is not a pool of Uniswap v2, Uniswap v3.* --pools/,
    );
    await expect(findPools(nodes, asked, [pool, quotePair])).rejects.toThrow(/is a pool of 0x\w+ and 0x\w+, not of/);
    await expect(findPools(nodes, asked, [token])).rejects.toThrow(/is not a pool/);
  }, 60_000);
});
