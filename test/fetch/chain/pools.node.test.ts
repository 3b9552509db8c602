import { describe, expect, it } from "vitest";
import { hasAnvil, startAnvil } from "./anvil.ts";
import { decode, encode } from "./contracts.ts";
import { answerOf, createPair, createPool, deployFeed, deployToken, deployUniswap, isFirst, trades } from "./pools.ts";

const SOMEBODY = `0x${"5".repeat(40)}`;

describe.runIf(hasAnvil)("pools on a chain of anvil", () => {
  it("trade", async () => {
    const anvil = await startAnvil();
    const uniswap = await deployUniswap(anvil);
    const token = await deployToken(anvil, "Token", "TOK");
    const dollar = await deployToken(anvil, "Dollar", "USD", 6);
    const { feed, aggregator } = await deployFeed(anvil);
    await anvil.mine();
    const pair = await createPair(anvil, uniswap, token, dollar);
    const pool = await createPool(anvil, uniswap, token, dollar, { sqrtPriceX96: 2n ** 96n });
    const tokenFirst = isFirst(token, dollar);
    await anvil.sendAll([
      trades.addToPair(uniswap, pair, 10n ** 12n, 10n ** 12n),
      trades.addToPool(uniswap, pool, 10n ** 15n),
      answerOf(aggregator, 2_000n * 10n ** 8n),
    ]);
    await anvil.mine();
    await anvil.sendAll([
      trades.swapPair(uniswap, pair, tokenFirst, 10n ** 9n, SOMEBODY),
      trades.swapPool(uniswap, pool, tokenFirst, 10n ** 9n, SOMEBODY),
    ]);
    await anvil.mine();
    const bought = decode("Token", "balanceOf", await anvil.call(dollar, encode("Token", "balanceOf", SOMEBODY)));
    // Both sell 997,000,000 after the fee: x·y = k.
    const fromPair = (997_000_000n * 10n ** 12n) / (10n ** 12n + 997_000_000n);
    const fromPool = (997_000_000n * 10n ** 15n) / (10n ** 15n + 997_000_000n);
    expect(bought).toBeGreaterThanOrEqual(fromPair + fromPool - 2n);
    expect(bought).toBeLessThanOrEqual(fromPair + fromPool);
    expect(decode("Feed", "latestAnswer", await anvil.call(feed, encode("Feed", "latestAnswer")))).toBe(
      200_000_000_000n,
    );
  });
});
