/** The history of the token from the first mint to the end: the events of its contract, in order. */

import { behave, grant } from "./behaviours.ts";
import { airdrop, initialDistribution, type PlannedTransfer } from "./distribution.ts";
import { Economy } from "./economy.ts";
import { type Market, simulateMarket } from "./market.ts";
import { startOf, type TokenParameters } from "./parameters.ts";
import { Random, STREAMS } from "./random.ts";
import { type Burst, blocks, type Purpose, spread } from "./schedule.ts";

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

/** Hours after the start: the first mint, and the first ordinary transfer. */
const GENESIS_HOUR = 9;
const FIRST_ORDINARY_HOUR = 12;
const GENESIS_PER_BLOCK = 2;
const INVESTORS = { least: 10, most: 60, perAddress: 1 / 100 } as const;

/** When the airdrop comes, as a share of the history; its receivers, and how many of them are newcomers. */
const AIRDROP_AT = 0.3;
const AIRDROP = { most: 10_000, perTransfer: 1 / 100, newcomers: 0.6, newcomersPerAddress: 0.1 } as const;
const AIRDROP_PER_BLOCK = 300;

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
    this.economy = new Economy(parameters.addresses, new Random(parameters.seed, STREAMS.economy));
  }

  /** All events, once. Always yields the same object, with other values. */
  *events(): Generator<TransferEvent> {
    const { economy, market } = this;
    const { seed, transfers, addresses, days, asOf } = this.#parameters;
    const random = new Random(seed, STREAMS.schedule);
    const start = startOf(this.#parameters);

    const { least, most, perAddress } = INVESTORS;
    const investors = Math.max(least, Math.min(most, Math.floor(addresses * perAddress)));
    const distribution = initialDistribution(economy, investors);
    const receivers = Math.min(AIRDROP.most, Math.floor(transfers * AIRDROP.perTransfer));
    const newcomers = Math.floor(Math.min(receivers * AIRDROP.newcomers, addresses * AIRDROP.newcomersPerAddress));
    const airdropHour = Math.floor(days * 24 * AIRDROP_AT);
    const bursts: Burst[] = [
      { purpose: "genesis", hour: GENESIS_HOUR, transfers: distribution.length, transfersPerBlock: GENESIS_PER_BLOCK },
      { purpose: "airdrop", hour: airdropHour, transfers: receivers, transfersPerBlock: AIRDROP_PER_BLOCK },
    ];
    const ordinaryTransfers = transfers - distribution.length - receivers;
    const ordinary = spread(ordinaryTransfers, start, FIRST_ORDINARY_HOUR, market.activity, random);
    const unopened = addresses + 1 - economy.accounts.next;
    const compose: Record<Purpose, () => void> = {
      genesis: planned(economy, distribution.values()),
      airdrop: planned(economy, airdrop(economy, receivers, newcomers)),
      ordinary: unplanned(economy, ordinaryTransfers, unopened - investors - newcomers),
    };

    const event: TransferEvent = { block: 0, logIndex: 0, timestamp: 0, from: 0, to: 0, high: 0, low: 0 };
    for (const block of blocks({ start, ordinary, bursts }, random)) {
      economy.now = block.timestamp;
      economy.elapsed = (block.timestamp - start) / (asOf - start);
      economy.priceUsd = market.usd[block.hour]!;
      economy.regime = market.regime[block.hour]!;
      event.timestamp = block.timestamp;
      if (block.block !== event.block) {
        event.block = block.block;
        event.logIndex = random.below(FIRST_LOG_INDEX);
      }
      for (let count = 0; count < block.transfers; count++) {
        compose[block.purpose]();
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

/** Composes the transfers of a plan, one at a call. Its newcomers add to those of ordinary transfers. */
function planned(economy: Economy, plan: Iterator<PlannedTransfer>): () => void {
  return () => {
    const { from, to, tokens } = plan.next().value;
    if (to === undefined) economy.expectArrivals(1);
    economy.sendRounded(from, to ?? economy.newcomer(), tokens);
  };
}

/**
 * Composes ordinary transfers, one at a call.
 *
 * @param arrivals newcomers that these transfers bring in all; the last transfers go to those who are still missing
 */
function unplanned(economy: Economy, transfers: number, arrivals: number): () => void {
  const { accounts } = economy;
  let left = transfers;
  return () => {
    economy.expectArrivals(arrivals / transfers);
    const missing = accounts.capacity - accounts.next;
    if (left-- <= missing) grant(economy, economy.newcomer());
    else if (!economy.followUp()) behave(economy);
  };
}
