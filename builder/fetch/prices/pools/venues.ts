/** What the chain knows of the pools and feeds that ASSET.json names: tokens, decimals, a feed's aggregators. */

import type { PricePool, QuoteUsd } from "../../../input/asset/source.ts";
import { Failure } from "../../../lib/failure.ts";
import type { Nodes } from "../../chain/nodes/nodes.ts";
import { addressOf, callViews } from "./calls.ts";
import type { PoolKind, PoolShape, PricedPool, Quote } from "./pool.ts";
import { POOL_KINDS } from "./pool-kinds.ts";

/** A pool as it is on the chain. */
export interface PoolOnChain {
  kind: PoolKind;
  token0: string;
  token1: string;
  /** What its event says when it changes, now. */
  now: { reserves: [bigint, bigint] } | { sqrtPriceX96: bigint; tick: number; liquidity: bigint };
  /** The tick spacing of a pool with concentrated liquidity. */
  tickSpacing?: number;
}

/** Words that `slot0` answers with: Slipstream has no protocol fee in it. */
const SLIPSTREAM_WORDS = 6;

/** What an address is called that is none. */
export const NO_POOL = `not a pool of ${Object.values(POOL_KINDS)
  .map(({ title }) => title)
  .join(", ")}`;

/** What each pool answers, by which its kind is told. */
const VIEWS = [
  "token0()",
  "token1()",
  "getReserves()",
  "stable()",
  "slot0()",
  "liquidity()",
  "tickSpacing()",
  "lmPool()",
] as const;

/**
 * @returns undefined if there is no pool of a known kind at the address
 * @throws {Failure} it is a stable pool, whose price is not the ratio of its reserves
 */
export async function readPool(nodes: Nodes, address: string): Promise<PoolOnChain | undefined> {
  const answers = await callViews(
    nodes,
    VIEWS.map((view) => ({ to: address, view })),
  );
  const said = Object.fromEntries(VIEWS.map((view, index) => [view, answers[index]!])) as Record<
    (typeof VIEWS)[number],
    bigint[]
  >;
  const [token0, token1] = [addressOf(said["token0()"][0]), addressOf(said["token1()"][0])];
  if (!token0 || !token1) return undefined;
  const [reserve0, reserve1] = said["getReserves()"];
  if (reserve0 !== undefined && reserve1 !== undefined) {
    const [isStable] = said["stable()"];
    if (isStable === 1n) {
      throw new Failure(
        `${address} is a stable pool of Aerodrome: its price is not the ratio of its reserves. Name a volatile one.`,
      );
    }
    return {
      kind: isStable === undefined ? "uniswap-v2" : "aerodrome",
      token0,
      token1,
      now: { reserves: [reserve0, reserve1] },
    };
  }
  const slot0 = said["slot0()"];
  if (slot0.length < 2) return undefined;
  const isPancake = said["lmPool()"].length > 0;
  const [sqrtPriceX96, tick] = [slot0[0]!, Number(BigInt.asIntN(256, slot0[1]!))];
  const [spacing] = said["tickSpacing()"];
  return {
    kind: slot0.length === SLIPSTREAM_WORDS ? "slipstream" : isPancake ? "pancakeswap-v3" : "uniswap-v3",
    token0,
    token1,
    now: { sqrtPriceX96, tick, liquidity: said["liquidity()"][0] ?? 0n },
    ...(spacing !== undefined && { tickSpacing: Number(BigInt.asIntN(256, spacing)) }),
  };
}

/** @throws {Failure} the address is not a token with decimals */
export async function readDecimals(nodes: Nodes, token: string, what: string): Promise<number> {
  const [[decimals] = []] = await callViews(nodes, [{ to: token, view: "decimals()" }]);
  if (decimals === undefined || decimals > 77n) throw new Failure(`${what} ${token} has no decimals() from 0 to 77.`);
  return Number(decimals);
}

/**
 * Reads what hourly prices need to know of the pools.
 *
 * @throws {Failure} an address is not what ASSET.json says it is
 */
export async function resolvePools(
  nodes: Nodes,
  token: { contract: string; decimals: number },
  pools: readonly PricePool[],
): Promise<PricedPool[]> {
  return Promise.all(
    pools.map(async ({ address, kind, quoteUsd }) => {
      const pool = await readPool(nodes, address);
      if (pool?.kind !== kind) {
        const found = pool ? `a pool of ${pool.kind}, not of ${kind}` : NO_POOL;
        throw new Failure(`source.prices: ${address} is ${found}; correct it in ASSET.json.`);
      }
      const { isToken0, other } = sideOf(pool, token.contract, `source.prices: the pool ${address}`);
      const shape = { kind, isToken0, decimals: token.decimals, ...spacingOf(pool) };
      const quoteDecimals = await readDecimals(nodes, other, `source.prices: the quote token of the pool ${address},`);
      return { address, ...shape, quoteDecimals, quote: await resolveQuote(nodes, quoteUsd, other, quoteDecimals) };
    }),
  );
}

/** Which side of a pool a token is, and the other token. */
function sideOf(pool: PoolOnChain, token: string, what: string): { isToken0: boolean; other: string } {
  if (pool.token0 === token) return { isToken0: true, other: pool.token1 };
  if (pool.token1 === token) return { isToken0: false, other: pool.token0 };
  throw new Failure(
    `${what} is of the tokens ${pool.token0} and ${pool.token1}, not of ${token}; correct it in ASSET.json.`,
  );
}

/** @param token the quote token, whose worth is asked for */
async function resolveQuote(nodes: Nodes, quote: QuoteUsd, token: string, decimals: number): Promise<Quote> {
  if (typeof quote === "number") return { kind: "constant", usd: quote };
  if ("feed" in quote) {
    const feedDecimals = await readDecimals(nodes, quote.feed, "source.prices: the feed");
    return {
      kind: "feed",
      address: quote.feed,
      aggregators: await aggregatorsOf(nodes, quote.feed),
      decimals: feedDecimals,
    };
  }
  const what = `source.prices: the quote pool ${quote.pool}`;
  const pool = await readPool(nodes, quote.pool);
  if (!pool) throw new Failure(`${what} is ${NO_POOL}; correct it in ASSET.json.`);
  const { isToken0, other } = sideOf(pool, token, what);
  const quoteDecimals = await readDecimals(nodes, other, `${what}: its other token`);
  const shape = { kind: pool.kind, isToken0, decimals, quoteDecimals, ...spacingOf(pool) };
  return { kind: "pool", pool: { address: quote.pool, ...shape } };
}

const spacingOf = ({ tickSpacing }: PoolOnChain): Pick<PoolShape, "tickSpacing"> =>
  tickSpacing === undefined ? {} : { tickSpacing };

/** A proxy of Chainlink has had at most so many aggregators; the number only bounds the calls. */
const MOST_PHASES = 100n;

/**
 * The contracts that have answered for a feed. Users call a proxy, and the aggregator behind it, which emits the answers,
 * is replaced from time to time: all that the proxy has had count, and the last answer stands, whoever gave it.
 */
async function aggregatorsOf(nodes: Nodes, feed: string): Promise<string[]> {
  const [[current] = [], [phases] = []] = await callViews(nodes, [
    { to: feed, view: "aggregator()" },
    { to: feed, view: "phaseId()" },
  ]);
  // An aggregator itself.
  if (addressOf(current) === undefined) return [feed];
  const count = phases !== undefined && phases <= MOST_PHASES ? Number(phases) : 0;
  const earlier = await callViews(
    nodes,
    Array.from({ length: count }, (_, index) => ({
      to: feed,
      view: "phaseAggregators(uint16)",
      parameters: [index + 1],
    })),
  );
  const addresses = [current, ...earlier.map(([word]) => word)].map(addressOf);
  return [...new Set(addresses.filter((address) => address !== undefined))].sort();
}
