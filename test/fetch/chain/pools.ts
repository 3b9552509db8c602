/** Uniswap's own contracts on a chain of anvil, and trades with them. The tokens are `Token`s, which anybody may mint. */

import type { Anvil } from "./anvil.ts";
import { creation, decode, encode } from "./contracts.ts";

export interface Uniswap {
  v2Factory: string;
  v3Factory: string;
  /** Trades with any pool. */
  router: string;
}

/** Sends the creations: they are there once a block is mined. */
export async function deployUniswap(anvil: Anvil): Promise<Uniswap> {
  return {
    v2Factory: await anvil.deploy(creation("UniswapV2Factory", anvil.accounts[0])),
    v3Factory: await anvil.deploy(creation("UniswapV3Factory")),
    router: await anvil.deploy(creation("Router")),
  };
}

/** Sends the creation of a token. */
export function deployToken(anvil: Anvil, name: string, symbol: string, decimals = 18): Promise<string> {
  return anvil.deploy(creation("Token", name, symbol, decimals));
}

/** Whether a token is a pool's token0: the one with the lower address. */
export const isFirst = (token: string, other: string): boolean => BigInt(token) < BigInt(other);

/** Mines a block with a Uniswap v2 pair of two tokens. */
export async function createPair(anvil: Anvil, { v2Factory }: Uniswap, a: string, b: string): Promise<string> {
  await anvil.send({ to: v2Factory, data: encode("UniswapV2Factory", "createPair", a, b) });
  await anvil.mine();
  const answer = await anvil.call(v2Factory, encode("UniswapV2Factory", "getPair", a, b));
  return (decode("UniswapV2Factory", "getPair", answer) as string).toLowerCase();
}

/**
 * Mines two blocks with a Uniswap v3 pool of two tokens.
 *
 * @param fee in millionths: 500, 3000 or 10000
 * @param sqrtPriceX96 √(token1 / token0, both in raw units) × 2^96
 */
export async function createPool(
  anvil: Anvil,
  { v3Factory }: Uniswap,
  a: string,
  b: string,
  { fee = 3_000, sqrtPriceX96 }: { fee?: number; sqrtPriceX96: bigint },
): Promise<string> {
  await anvil.send({ to: v3Factory, data: encode("UniswapV3Factory", "createPool", a, b, fee) });
  await anvil.mine();
  const answer = await anvil.call(v3Factory, encode("UniswapV3Factory", "getPool", a, b, fee));
  const pool = (decode("UniswapV3Factory", "getPool", answer) as string).toLowerCase();
  await anvil.send({ to: pool, data: encode("UniswapV3Pool", "initialize", sqrtPriceX96) });
  await anvil.mine();
  return pool;
}

/** Ticks of a v3 pool's whole range, for the fee 3000. */
const WHOLE_RANGE = [-887_220, 887_220] as const;

/** What the router is asked, as transactions for `anvil.send`. Amounts are raw units of the token that is sold. */
export const trades = {
  addToPair: ({ router }: Uniswap, pair: string, amount0: bigint, amount1: bigint) => ({
    to: router,
    data: encode("Router", "addToPair", pair, amount0, amount1),
  }),
  swapPair: ({ router }: Uniswap, pair: string, zeroForOne: boolean, amount: bigint, to: string) => ({
    to: router,
    data: encode("Router", "swapPair", pair, zeroForOne, amount, to),
  }),
  addToPool: (
    { router }: Uniswap,
    pool: string,
    liquidity: bigint,
    [lower, upper]: readonly number[] = WHOLE_RANGE,
  ) => ({
    to: router,
    data: encode("Router", "addToPool", pool, lower, upper, liquidity),
  }),
  removeFromPool: (
    { router }: Uniswap,
    pool: string,
    liquidity: bigint,
    [lower, upper]: readonly number[] = WHOLE_RANGE,
  ) => ({
    to: router,
    data: encode("Router", "removeFromPool", pool, lower, upper, liquidity),
  }),
  swapPool: ({ router }: Uniswap, pool: string, zeroForOne: boolean, amount: bigint, to: string) => ({
    to: router,
    data: encode("Router", "swapPool", pool, zeroForOne, amount, to),
  }),
};

/** A Chainlink feed and the aggregator behind it, which emits the answers. */
export async function deployFeed(anvil: Anvil, decimals = 8): Promise<{ feed: string; aggregator: string }> {
  const aggregator = await anvil.deploy(creation("Aggregator", decimals));
  return { feed: await anvil.deploy(creation("Feed", aggregator)), aggregator };
}

/** A feed's next answer, as a transaction for `anvil.send`. */
export const answerOf = (aggregator: string, answer: bigint) => ({
  to: aggregator,
  data: encode("Aggregator", "answer", answer),
});
