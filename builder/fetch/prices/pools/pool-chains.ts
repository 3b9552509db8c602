/**
 * Factories of pools, and the tokens that others are traded against, on the main chains. Sources: Uniswap's deployments,
 * https://docs.uniswap.org/contracts/v2/reference/smart-contracts/v2-deployments and …/v3/reference/deployments;
 * PancakeSwap's, https://developer.pancakeswap.finance/contracts; Aerodrome's, https://github.com/aerodrome-finance;
 * Chainlink's feeds, https://docs.chain.link/data-feeds/price-feeds/addresses; the issuers' lists of their tokens.
 */

import type { Signature } from "../../chain/selectors.ts";

/** A token with a worth in dollars. */
interface QuoteToken {
  symbol: string;
  address: string;
  /** The dollars that it is worth: 1 for a stablecoin, or what a feed says. */
  quoteUsd: number | { feed: string };
}

/** A factory of pools, and how it is asked for those of two tokens. */
export interface Factory {
  address: string;
  view: Extract<Signature, `get${string}`>;
  /** What follows the two tokens in each call: fees, tick spacings. */
  asks: readonly (readonly number[])[];
}

export interface ChainPools {
  /** Uniswap's. */
  v2Factory: string;
  v3Factory: string;
  /** The factories of other exchanges. */
  factories?: readonly Factory[];
  quotes: readonly QuoteToken[];
}

const V3_FEES = [100, 500, 3_000, 10_000];

/** All factories of a chain. */
export const factoriesOf = ({ v2Factory, v3Factory, factories = [] }: ChainPools): readonly Factory[] => [
  { address: v2Factory, view: "getPair(address,address)", asks: [[]] },
  { address: v3Factory, view: "getPool(address,address,uint24)", asks: V3_FEES.map((fee) => [fee]) },
  ...factories,
];

const stable = (symbol: string, address: string): QuoteToken => ({ symbol, address, quoteUsd: 1 });
const withFeed = (symbol: string, address: string, feed: string): QuoteToken => ({
  symbol,
  address,
  quoteUsd: { feed },
});

/** Checksummed, as a test confirms; by chain id. */
export const CHAINS: Readonly<Record<number, ChainPools>> = {
  // Ethereum
  1: {
    v2Factory: "0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f",
    v3Factory: "0x1F98431c8aD98523631AE4a59f267346ea31F984",
    quotes: [
      withFeed("WETH", "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", "0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419"),
      stable("USDC", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
      stable("USDT", "0xdAC17F958D2ee523a2206206994597C13D831ec7"),
      stable("DAI", "0x6B175474E89094C44Da98b954EedeAC495271d0F"),
    ],
  },
  // Optimism
  10: {
    v2Factory: "0x0c3c1c532F1e39EdF36BE9Fe0bE1410313E074Bf",
    v3Factory: "0x1F98431c8aD98523631AE4a59f267346ea31F984",
    quotes: [
      withFeed("WETH", "0x4200000000000000000000000000000000000006", "0x13e3Ee699D1909E989722E753853AE30b17e08c5"),
      stable("USDC", "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"),
      stable("USDC.e", "0x7F5c764cBc14f9669B88837ca1490cCa17c31607"),
      stable("USDT", "0x94b008aA00579c1307B0EF2c499aD98a8ce58e58"),
    ],
  },
  // BNB Smart Chain
  56: {
    v2Factory: "0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6",
    v3Factory: "0xdB1d10011AD0Ff90774D0C6Bb92e5C5c8b4461F7",
    factories: [
      // PancakeSwap v2 and v3.
      { address: "0xcA143Ce32Fe78f1f7019d7d551a6402fC5350c73", view: "getPair(address,address)", asks: [[]] },
      {
        address: "0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865",
        view: "getPool(address,address,uint24)",
        asks: [[100], [500], [2_500], [10_000]],
      },
    ],
    quotes: [
      withFeed("WBNB", "0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c", "0x0567F2323251f0Aab15c8dFb1967E4e8A7D42aeE"),
      stable("USDT", "0x55d398326f99059fF775485246999027B3197955"),
      stable("USDC", "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d"),
      stable("BUSD", "0xe9e7CEA3DedcA5984780Bafc599bD69ADd087D56"),
    ],
  },
  // Polygon
  137: {
    v2Factory: "0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C",
    v3Factory: "0x1F98431c8aD98523631AE4a59f267346ea31F984",
    quotes: [
      withFeed("WETH", "0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619", "0xF9680D99D6C9589e2a93a78A04A279e509205945"),
      stable("USDC", "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"),
      stable("USDC.e", "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174"),
      stable("USDT", "0xc2132D05D31c914a87C6611C10748AEb04B58e8F"),
    ],
  },
  // Base
  8453: {
    v2Factory: "0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6",
    v3Factory: "0x33128a8fC17869897dcE68Ed026d694621f6FDfD",
    factories: [
      // Aerodrome's volatile pools, and Slipstream.
      { address: "0x420DD381b31aEf6683db6B902084cB0FFECe40Da", view: "getPool(address,address,bool)", asks: [[0]] },
      {
        address: "0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A",
        view: "getPool(address,address,int24)",
        asks: [[1], [50], [100], [200], [2_000]],
      },
    ],
    quotes: [
      withFeed("WETH", "0x4200000000000000000000000000000000000006", "0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70"),
      stable("USDC", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
      stable("USDT", "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2"),
    ],
  },
  // Arbitrum One
  42161: {
    v2Factory: "0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9",
    v3Factory: "0x1F98431c8aD98523631AE4a59f267346ea31F984",
    quotes: [
      withFeed("WETH", "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1", "0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612"),
      stable("USDC", "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"),
      stable("USDC.e", "0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8"),
      stable("USDT", "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9"),
    ],
  },
};
