/** What the chain knows of the pools and feeds that ASSET.json names: tokens, decimals, a feed's aggregators. */

import type { Nodes } from "../../chain/nodes.ts";
import { Failure } from "../../failure.ts";
import type { PricePool, QuoteUsd } from "../../input/source.ts";
import { addressOf, callViews, type ViewCall } from "./calls.ts";
import type { PoolKind, PoolShape, PricedPool, Quote } from "./pool.ts";

/** A pool as it is on the chain. */
export interface PoolOnChain {
  kind: PoolKind;
  token0: string;
  token1: string;
  /** What its event says when it changes, now. */
  now: { reserves: [bigint, bigint] } | { sqrtPriceX96: bigint; tick: number; liquidity: bigint };
  /** Of concentrated liquidity. */
  tickSpacing?: number;
}

/** @returns undefined if there is no pool of Uniswap v2 or v3 at the address */
export async function readPool(nodes: Nodes, address: string): Promise<PoolOnChain | undefined> {
  const views: ViewCall["view"][] = [
    "token0()",
    "token1()",
    "getReserves()",
    "slot0()",
    "liquidity()",
    "tickSpacing()",
  ];
  const answers = await callViews(
    nodes,
    views.map((view) => ({ to: address, view })),
  );
  const [token0, token1] = [addressOf(answers[0]![0]), addressOf(answers[1]![0])];
  const [, , reserves, slot0, liquidity, spacing] = answers;
  if (!token0 || !token1) return undefined;
  if (reserves!.length >= 2)
    return { kind: "uniswap-v2", token0, token1, now: { reserves: [reserves![0]!, reserves![1]!] } };
  if (slot0!.length < 2) return undefined;
  const [sqrtPriceX96, tick] = [slot0![0]!, Number(BigInt.asIntN(256, slot0![1]!))];
  const tickSpacing = spacing![0] === undefined ? {} : { tickSpacing: Number(spacing![0]) };
  return {
    kind: "uniswap-v3",
    token0,
    token1,
    ...tickSpacing,
    now: { sqrtPriceX96, tick, liquidity: liquidity![0] ?? 0n },
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
        const found = pool ? `a pool of ${pool.kind}, not of ${kind}` : "not a pool of Uniswap v2 or v3";
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
export function sideOf(pool: PoolOnChain, token: string, what: string): { isToken0: boolean; other: string } {
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
  if (!pool) throw new Failure(`${what} is not a pool of Uniswap v2 or v3; correct it in ASSET.json.`);
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
