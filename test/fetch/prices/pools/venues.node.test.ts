import { describe, expect, onTestFinished, test } from "vitest";
import { openNodes } from "../../../../builder/fetch/chain/nodes/open-nodes.ts";
import { resolvePools } from "../../../../builder/fetch/prices/pools/venues.ts";
import type { PricePool } from "../../../../builder/input/asset/source.ts";
import { hasAnvil, startAnvil } from "../../chain/anvil.ts";
import { creation, encode } from "../../chain/contracts.ts";
import { createPair, createPool, deployFeed, deployToken, deployUniswap, isFirst } from "../../chain/pools.ts";

describe.runIf(hasAnvil)("pools and feeds of ASSET.json", () => {
  test("are completed from the chain, or refused by what is there instead", async () => {
    const anvil = await startAnvil();
    const uniswap = await deployUniswap(anvil);
    const token = await deployToken(anvil, "Token", "TOK", 8);
    const ether = await deployToken(anvil, "Ether", "WETH");
    const dollar = await deployToken(anvil, "Dollar", "USDC", 6);
    const { feed, aggregator } = await deployFeed(anvil);
    const successor = await anvil.deploy(creation("Aggregator", 8));
    await anvil.send({ to: feed, data: encode("Feed", "replace", successor) });
    await anvil.mine();
    const pair = await createPair(anvil, uniswap, token, ether);
    const pool = await createPool(anvil, uniswap, token, dollar, { sqrtPriceX96: 2n ** 96n });
    const quotePool = await createPool(anvil, uniswap, ether, dollar, { sqrtPriceX96: 2n ** 96n });
    const nodes = await openNodes([anvil.url]);
    onTestFinished(() => nodes.close());
    const resolve = (...pools: PricePool[]) => resolvePools(nodes, { contract: token, decimals: 8 }, pools);

    const v2 = { address: pair, kind: "uniswap-v2" as const };
    const v3 = { address: pool, kind: "uniswap-v3" as const };
    const shape = { ...v2, isToken0: isFirst(token, ether), decimals: 8, quoteDecimals: 18 };
    expect(
      await resolve({ ...v2, quoteUsd: { feed } }, { ...v2, quoteUsd: { feed: aggregator } }, { ...v3, quoteUsd: 0.5 }),
    ).toEqual([
      { ...shape, quote: { kind: "feed", address: feed, aggregators: [aggregator, successor].sort(), decimals: 8 } },
      { ...shape, quote: { kind: "feed", address: aggregator, aggregators: [aggregator], decimals: 8 } },
      {
        ...v3,
        isToken0: isFirst(token, dollar),
        decimals: 8,
        quoteDecimals: 6,
        tickSpacing: 60,
        quote: { kind: "constant", usd: 0.5 },
      },
    ]);
    const ofPool = {
      address: quotePool,
      kind: "uniswap-v3",
      isToken0: isFirst(ether, dollar),
      decimals: 18,
      quoteDecimals: 6,
      tickSpacing: 60,
    };
    expect(await resolve({ ...v2, quoteUsd: { pool: quotePool } })).toEqual([
      { ...shape, quote: { kind: "pool", pool: ofPool } },
    ]);

    const nobody = `0x${"5".repeat(40)}`;
    const refusals: [PricePool, string][] = [
      [{ ...v2, kind: "uniswap-v3", quoteUsd: 1 }, `source.prices: ${pair} is a pool of uniswap-v2, not of uniswap-v3`],
      [{ ...v3, kind: "uniswap-v2", quoteUsd: 1 }, `source.prices: ${pool} is a pool of uniswap-v3, not of uniswap-v2`],
      [{ ...v2, address: nobody, quoteUsd: 1 }, `source.prices: ${nobody} is not a pool of Uniswap v2, Uniswap v3`],
      [{ ...v2, address: token, quoteUsd: 1 }, `source.prices: ${token} is not a pool of Uniswap v2, Uniswap v3`],
      [{ ...v3, address: quotePool, quoteUsd: 1 }, `source.prices: the pool ${quotePool} is of the tokens`],
      [{ ...v2, quoteUsd: { feed: nobody } }, `source.prices: the feed ${nobody} has no decimals() from 0 to 77`],
      [
        { ...v2, quoteUsd: { pool: token } },
        `source.prices: the quote pool ${token} is not a pool of Uniswap v2, Uniswap v3`,
      ],
      [{ ...v2, quoteUsd: { pool } }, `source.prices: the quote pool ${pool} is of the tokens`],
    ];
    for (const [named, sentence] of refusals) await expect(resolve(named)).rejects.toThrow(sentence);
  }, 60_000);
});
