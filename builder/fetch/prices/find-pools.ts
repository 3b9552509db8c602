/** Finds pools that price a token: those of Uniswap against the chain's main tokens, or those that the user names. */

import type { PricePool, QuoteUsd } from "../../input/asset/source.ts";
import { Failure } from "../../lib/failure.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import { decodeText } from "../chain/text.ts";
import { LEAST_DEPTH, microUsd } from "./hourly.ts";
import { addressOf, callViews, type ViewCall } from "./pools/calls.ts";
import { decimalFraction, type Fraction, priceOf, priceToDouble, product } from "./pools/fixed-point.ts";
import type { PoolShape, Standing } from "./pools/pool.ts";
import { CHAINS, type ChainPools, factoriesOf } from "./pools/pool-chains.ts";
import { POOL_KINDS } from "./pools/pool-kinds.ts";
import { NO_POOL, type PoolOnChain, readDecimals, readPool } from "./pools/venues.ts";

export interface FoundPool extends PricePool {
  /** The quote token's symbol, such as WETH. */
  quote: string;
  /** Value of the quote token's side now, USD. */
  depthUsd: number;
  /** USD per token now. */
  priceUsd: number;
}

/** What the user says of quote tokens, and what the user is told. */
export interface Worths {
  /** Dollars by address, lower-case. */
  quoteUsd?: ReadonlyMap<string, number> | undefined;
  note?(line: string): void;
}

/** What counts as a dollar by its symbol where no table has the chain's stablecoins. Shares in them have other ones. */
const DOLLARS: ReadonlySet<string> = new Set(["USDC", "USDT", "DAI"]);

const MOST_POOLS = 4;
/** A pool with less than this share of the deepest one's depth would hardly weigh. */
const LEAST_SHARE = 0.01;

/**
 * @param addresses what the user names: pools of the token, and where their quote token is not one of the chain's main
 *   tokens, a Chainlink feed of it or its pool against a stablecoin. Without, factories are asked, where the chain's are
 *   known
 * @param chain what is known of the nodes' chain
 * @param worths of the quote tokens of named pools
 * @returns the deepest first, at most four; pools with little to trade with are left out unless they were named
 * @throws {Failure} a named address is neither, or nothing tells what a quote token is worth
 */
export async function findPools(
  nodes: Nodes,
  token: { contract: string; decimals: number },
  addresses: readonly string[] = [],
  chain: ChainPools | undefined = CHAINS[nodes.chainId],
  worths: Worths = {},
): Promise<FoundPool[]> {
  const contract = token.contract.toLowerCase();
  const asked = { contract, decimals: token.decimals };
  if (addresses.length > 0) return deepestFirst(await namedPools(nodes, asked, addresses.map(lower), chain, worths));
  if (!chain) return [];
  const found = await Promise.all(
    (await listedPools(nodes, contract, chain)).map((pool) => measure(nodes, asked, pool)),
  );
  const pools = deepestFirst(found).filter(({ depthUsd }) => depthUsd >= Number(LEAST_DEPTH) / 1e6);
  return pools.filter(({ depthUsd }) => depthUsd >= LEAST_SHARE * pools[0]!.depthUsd).slice(0, MOST_POOLS);
}

const lower = (address: string) => address.toLowerCase();
const deepestFirst = (pools: readonly FoundPool[]) => pools.toSorted((a, b) => b.depthUsd - a.depthUsd);

/** A pool, and what its quote token is. */
interface Candidate {
  address: string;
  pool: PoolOnChain;
  quote: { symbol: string; address: string; quoteUsd: QuoteUsd };
}

/** A pool of a token. */
export interface TokenPool {
  /** Lower-case. */
  address: string;
  kind: PricePool["kind"];
  /** What it is against, such as WETH; absent where nobody has looked. */
  quote?: string;
}

/** All pools of a token against the chain's main tokens, whatever lies in them; none where no factories are known. */
export async function factoryPools(
  nodes: Nodes,
  contract: string,
  chain: ChainPools | undefined = CHAINS[nodes.chainId],
): Promise<TokenPool[]> {
  const pools = chain ? await listedPools(nodes, contract.toLowerCase(), chain) : [];
  return pools.map(({ address, pool, quote }) => ({ address, kind: pool.kind, quote: quote.symbol }));
}

/** The pools that the factories have of a token. */
async function listedPools(nodes: Nodes, contract: string, chain: ChainPools): Promise<Candidate[]> {
  const quotes = quotesOf(chain).filter(({ address }) => address !== contract);
  const asked = quotes.flatMap((quote) => {
    const pair = [contract, quote.address];
    const calls = factoriesOf(chain).flatMap(({ address, view, asks }) =>
      asks.map((ask): ViewCall => ({ to: address, view, parameters: [...pair, ...ask] })),
    );
    return calls.map((call) => ({ quote, call }));
  });
  const answers = await callViews(
    nodes,
    asked.map(({ call }) => call),
  );
  const found = await Promise.all(
    asked.map(async ({ quote }, index) => {
      const address = addressOf(answers[index]![0]);
      const pool = address && (await readPool(nodes, address));
      return pool ? [{ address, pool, quote }] : [];
    }),
  );
  return found.flat();
}

const quotesOf = ({ quotes }: ChainPools) =>
  quotes.map(({ symbol, address, quoteUsd }) => ({
    symbol,
    address: lower(address),
    quoteUsd: typeof quoteUsd === "number" ? quoteUsd : { feed: lower(quoteUsd.feed) },
  }));

/** The pools of the token among the addresses; the others tell what their quote tokens are worth. */
async function namedPools(
  nodes: Nodes,
  token: { contract: string; decimals: number },
  addresses: readonly string[],
  chain: ChainPools | undefined,
  { quoteUsd: given = new Map(), note = () => {} }: Worths,
): Promise<FoundPool[]> {
  // One that is named twice is one.
  const distinct = [...new Set(addresses)];
  const read = await Promise.all(distinct.map(async (address) => ({ address, pool: await readPool(nodes, address) })));
  const isOwn = ({ token0, token1 }: PoolOnChain) => [token0, token1].includes(token.contract);
  const others = read.filter(({ pool }) => !pool || !isOwn(pool));
  const known = chain ? quotesOf(chain) : [];
  const named = new Set<string>();
  /** A token's worth, if a number says it. */
  const constantOf = (address: string, symbol: string): number | undefined => {
    const own = given.get(address);
    if (own !== undefined || chain || !DOLLARS.has(symbol)) return own;
    if (!named.has(address)) {
      note(
        `${symbol} (${address}) counts as 1 USD because of its symbol: no stablecoins are known of chain ${nodes.chainId}. ` +
          "If it is worth something else, say so with --quote-usd.",
      );
    }
    named.add(address);
    return 1;
  };
  const feeds = await feedsAmong(
    nodes,
    others.flatMap(({ address, pool }) => (pool ? [] : [address])),
  );
  const unpriced = new Set<string>();
  const worthOf = async (address: string, symbol: string): Promise<QuoteUsd | undefined> => {
    const constant = constantOf(address, symbol);
    if (constant !== undefined) return constant;
    const quote = known.find((candidate) => candidate.address === address);
    if (quote) return quote.quoteUsd;
    for (const { address: other, pool } of others) {
      if (!pool || ![pool.token0, pool.token1].includes(address)) continue;
      const against = pool.token0 === address ? pool.token1 : pool.token0;
      const listed = known.find((candidate) => candidate.address === against);
      const worth = constantOf(against, await readSymbol(nodes, against)) ?? listed?.quoteUsd;
      if (worth === 1) return { pool: other };
    }
    const titled = feeds.find(({ title }) => isTitleOf(title, symbol));
    if (titled) return { feed: titled.address };
    if (feeds.length !== 1) return undefined;
    // A feed whose title tells nothing is of the token that nothing else prices, if that is one.
    unpriced.add(address);
    if (unpriced.size > 1) {
      throw new Failure(
        `Nothing tells which of ${[...unpriced].join(" and ")} the feed ${feeds[0]!.address} is of: say what one of them ` +
          "is worth with --quote-usd ADDRESS=USD.",
      );
    }
    return { feed: feeds[0]!.address };
  };
  const found: FoundPool[] = [];
  const quotes: string[] = [];
  for (const { address, pool } of read) {
    if (!pool || !isOwn(pool)) continue;
    const quoteToken = pool.token0 === token.contract ? pool.token1 : pool.token0;
    const symbol = await readSymbol(nodes, quoteToken);
    const quoteUsd = await worthOf(quoteToken, symbol);
    if (quoteUsd === undefined) {
      throw new Failure(
        `The pool ${address} is against ${symbol} (${quoteToken}), and nothing tells what that is worth in USD: add the ` +
          `address of a Chainlink feed of it, or of its pool against a stablecoin, to --pools, or say it with --quote-usd ${quoteToken}=USD.`,
      );
    }
    quotes.push(quoteToken);
    found.push(await measure(nodes, token, { address, pool, quote: { symbol, address: quoteToken, quoteUsd } }));
  }
  const used = found.map(({ quoteUsd }) => (typeof quoteUsd === "number" ? "" : Object.values(quoteUsd)[0]));
  const useless = others.find(({ address }) => !used.includes(address));
  if (useless) {
    const what = useless.pool
      ? `a pool of ${useless.pool.token0} and ${useless.pool.token1}, not of ${token.contract}`
      : NO_POOL;
    throw new Failure(`${useless.address} is ${what}; correct --pools.`);
  }
  const all = [...quotes, ...others.flatMap(({ pool }) => (pool ? [pool.token0, pool.token1] : []))];
  const unknown = [...given.keys()].find((address) => !all.includes(address));
  if (unknown !== undefined) {
    throw new Failure(`${unknown} is not the quote token of a pool that --pools names; correct --quote-usd.`);
  }
  return found;
}

/** The feeds among addresses, and what they are of, such as ETH / USD. */
async function feedsAmong(nodes: Nodes, addresses: readonly string[]): Promise<{ address: string; title: string }[]> {
  const found = addresses.map(async (address) => {
    if ((await readAnswer(nodes, address)) === undefined) return [];
    return [{ address, title: (await readText(nodes, address, "description()")) ?? "" }];
  });
  return (await Promise.all(found)).flat();
}

/** Whether a feed is of a token, or of the coin that it wraps. */
const isTitleOf = (title: string, symbol: string) => {
  const [base] = title.split("/");
  return [symbol, symbol.replace(/^W/i, "")].includes(base!.trim());
};

/** A token's symbol, or its address where it has none that can be shown. */
const readSymbol = async (nodes: Nodes, token: string) => (await readText(nodes, token, "symbol()")) ?? token;

/** Characters of a symbol or title that are shown. */
const LONGEST_TEXT = 32;

async function readText(nodes: Nodes, to: string, view: "symbol()" | "description()"): Promise<string | undefined> {
  const [words = []] = await callViews(nodes, [{ to, view }]);
  const text = decodeText(words.map((word) => word.toString(16).padStart(64, "0")).join(""))?.slice(0, LONGEST_TEXT);
  return text !== undefined && /^[\x20-\x7e]+$/.test(text) ? text : undefined;
}

/** A feed's answer now, as a fraction; undefined if the address is not a feed. */
async function readAnswer(nodes: Nodes, feed: string): Promise<Fraction | undefined> {
  const [round = [], [decimals] = []] = await callViews(nodes, [
    { to: feed, view: "latestRoundData()" },
    { to: feed, view: "decimals()" },
  ]);
  const answer = BigInt.asIntN(256, round[1] ?? 0n);
  if (round.length < 5 || answer <= 0n || decimals === undefined || decimals > 77n) return undefined;
  return { numerator: answer, denominator: 10n ** decimals };
}

/** What a pool says now. */
function standingOf({ now }: PoolOnChain, shape: PoolShape): Standing | null {
  const state = POOL_KINDS[shape.kind].open(shape);
  if ("reserves" in now) state.apply({ kind: "reserves", reserve0: now.reserves[0], reserve1: now.reserves[1] }, 0);
  else state.apply({ kind: "price", ...now, amount0: 0n, amount1: 0n }, 0);
  return state.standing;
}

/** Price and depth of a pool now; 0 while it has none, or its quote token's worth is not known. */
async function measure(
  nodes: Nodes,
  { contract, decimals }: { contract: string; decimals: number },
  { address, pool, quote }: Candidate,
): Promise<FoundPool> {
  const quoteDecimals = await readDecimals(nodes, quote.address, "The quote token");
  const { kind } = pool;
  const standing = standingOf(pool, { kind, isToken0: pool.token0 === contract, decimals, quoteDecimals });
  const usd = await usdNow(nodes, quote.quoteUsd, quote.address, quoteDecimals);
  const found = { address, kind, quoteUsd: quote.quoteUsd, quote: quote.symbol };
  if (!standing || !usd) return { ...found, depthUsd: 0, priceUsd: 0 };
  const depth =
    "reserves" in pool.now ? standing.depth : await noMoreThanHeld(nodes, standing.depth, quote.address, address);
  return {
    ...found,
    depthUsd: Number(microUsd(depth, usd, quoteDecimals)) / 1e6,
    priceUsd: priceToDouble(priceOf(product(standing.price, usd)), 1n),
  };
}

/** A virtual reserve, or what the pool holds if that is less: a narrow position makes the reserve large with little money. */
async function noMoreThanHeld(nodes: Nodes, virtual: bigint, token: string, pool: string): Promise<bigint> {
  const [[held = virtual] = []] = await callViews(nodes, [
    { to: token, view: "balanceOf(address)", parameters: [pool] },
  ]);
  return held < virtual ? held : virtual;
}

async function usdNow(nodes: Nodes, quote: QuoteUsd, token: string, decimals: number): Promise<Fraction | undefined> {
  if (typeof quote === "number") return decimalFraction(quote);
  if ("feed" in quote) return readAnswer(nodes, quote.feed);
  const pool = await readPool(nodes, quote.pool);
  if (!pool) return undefined;
  const isToken0 = pool.token0 === token;
  const quoteDecimals = await readDecimals(nodes, isToken0 ? pool.token1 : pool.token0, "The stablecoin");
  return standingOf(pool, { kind: pool.kind, isToken0, decimals, quoteDecimals })?.price;
}
