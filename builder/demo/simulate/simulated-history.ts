/** The history of the token from the first mint to the end: the events of its contract, in order. */

import { SIMULATED_EXCHANGES } from "./accounts.ts";
import { behave, reward } from "./behaviours.ts";
import { Economy } from "./economy.ts";
import { MAX_SUPPLY, planGrants } from "./grants.ts";
import { type Market, simulateMarket } from "./market.ts";
import { startOf, type TokenParameters } from "./parameters.ts";
import { Random, STREAMS } from "./random.ts";
import { blocks, spread } from "./schedule.ts";

/** A Transfer event of the contract. */
export interface TransferEvent {
  block: number;
  logIndex: number;
  /** Unix seconds of the block. */
  timestamp: number;
  /** Accounts by index; 0 is the zero address. */
  from: number;
  to: number;
  /** The amount, as in ledger.ts. */
  high: number;
  low: number;
}

/** What is minted to the exchanges, in proportion to their business, and to the pool at the start: shares of the maximal supply. */
const EXCHANGE_SUPPLY = 0.04;
const POOL_SUPPLY = 0.015;
/** Share of an exchange's first tokens in its hot wallets. */
const HOT_SHARE = 0.25;

/** Log indices of a block's first transfer, and the gap to the next, are below these. */
const FIRST_LOG_INDEX = 200;
const LOG_INDEX_GAP = 7;

export class TokenHistory {
  readonly market: Market;
  readonly economy: Economy;
  readonly #parameters: TokenParameters;

  constructor(parameters: TokenParameters) {
    this.#parameters = parameters;
    this.market = simulateMarket(parameters.days * 24, new Random(parameters.seed, STREAMS.market));
    this.economy = new Economy(parameters);
  }

  /** All events, once. Always yields the same object, with other values. */
  *events(): Generator<TransferEvent> {
    const { economy, market } = this;
    const { seed, transfers, asOf } = this.#parameters;
    const random = new Random(seed, STREAMS.schedule);
    const start = startOf(this.#parameters);
    const first = firstMints(economy);
    const { grants, wallets } = planGrants(transfers, random);
    const { capacity, next } = economy.accounts;
    const arrivals = (capacity - next - wallets) / (transfers - first.length - grants.length);
    /** The accounts of wallets that have had a grant. */
    const opened: number[] = [];
    let granted = 0;

    const compose = (elapsed: number, left: number): void => {
      if (first.length > 0) {
        const { to, tokens } = first.pop()!;
        return void economy.mint(to, tokens);
      }
      // The last transfers go to those who are still missing.
      if (left <= capacity - economy.accounts.next) return void reward(economy, economy.newcomer());
      const grant = grants[granted];
      if (grant && grant.at <= elapsed) {
        granted++;
        if (opened[grant.wallet] === undefined) {
          economy.expectArrivals(1);
          opened[grant.wallet] = economy.newcomer(false);
        }
        return void economy.mint(opened[grant.wallet]!, grant.tokens);
      }
      economy.expectArrivals(arrivals);
      if (!economy.followUp()) behave(economy);
    };

    const event: TransferEvent = { block: 0, logIndex: 0, timestamp: 0, from: 0, to: 0, high: 0, low: 0 };
    let left = transfers;
    for (const block of blocks(start, spread(transfers, start, first.length, market.activity, random), random)) {
      const { timestamp, hour } = block;
      economy.now = timestamp;
      economy.heat = market.heat[hour]!;
      event.timestamp = timestamp;
      event.block = block.block;
      event.logIndex = random.below(FIRST_LOG_INDEX);
      const elapsed = (timestamp - start) / (asOf - start);
      for (let count = 0; count < block.transfers; count++) {
        compose(elapsed, left--);
        economy.settle();
        event.logIndex += 1 + random.below(LOG_INDEX_GAP);
        event.from = economy.from;
        event.to = economy.to;
        event.high = economy.high;
        event.low = economy.low;
        yield event;
      }
    }
  }
}

/** The mints to institutions, the last one first. */
function firstMints({ exchanges, pool }: Economy): { to: number; tokens: number }[] {
  const business = SIMULATED_EXCHANGES.reduce((sum, { business }) => sum + business, 0);
  return exchanges
    .flatMap(({ position, hot, cold }) => {
      const tokens = (MAX_SUPPLY * EXCHANGE_SUPPLY * SIMULATED_EXCHANGES[position]!.business) / business;
      return [
        { to: cold, tokens: tokens * (1 - HOT_SHARE) },
        ...hot.map((to) => ({ to, tokens: (tokens * HOT_SHARE) / hot.length })),
      ];
    })
    .concat({ to: pool, tokens: MAX_SUPPLY * POOL_SUPPLY });
}
