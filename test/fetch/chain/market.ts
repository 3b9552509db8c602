/**
 * A made-up chain with a token and a pool of it, hour by hour. Whole chains that lack some logs stand for nodes whose answers
 * are wrong in the same way: logs, balances and pools fit together, and hashes are the same.
 */

import type { PriceEvent } from "../../../builder/fetch/prices/pools/pool-events.ts";
import { encodeChange, sync } from "../prices/histories.ts";
import { viewsOf } from "../prices/pool-views.ts";
import { addressWord, FakeChain, type FakeLog, fakeEconomy, type Row, TRANSFER, word } from "./fake-chain.ts";

const HOUR = 3600;
export const POOL = `0x${"a1".repeat(20)}`;
const DOLLAR = `0x${"d0".repeat(20)}`;
/** Logs of the pool come after those of the token. */
const POOL_LOG = 500;
const FINAL_BELOW = 2;

/** What happened: transfers, and what the pool's trades left. */
export interface History {
  rows: readonly Row[];
  trades: readonly PriceEvent[];
}

export interface MarketOptions {
  /** Blocks, one an hour, from 2020-01-01 on. */
  blocks: number;
  transfers?: number;
  firstBlock?: number;
}

export class Market {
  readonly token: FakeChain["token"];
  readonly contracts: Set<string>;
  readonly history: History;
  readonly #timeOf: (block: number) => number;

  constructor({ blocks, transfers = blocks / 2, firstBlock = 30 }: MarketOptions) {
    const { chain, rows } = fakeEconomy({ blocks, transfers, firstBlock, interval: HOUR, holders: 2 * transfers });
    this.token = chain.token;
    this.contracts = new Set([...chain.contracts, POOL, DOLLAR]);
    this.#timeOf = (block) => chain.timeOf(block);
    const trades = Array.from({ length: (blocks - firstBlock) / 3 }, (_, i) =>
      this.trade(firstBlock + 3 * i, 2 + (i % 7) / 10),
    );
    this.history = { rows, trades };
  }

  /** A trade that leaves a price, in dollars. */
  trade(block: number, usd: number): PriceEvent {
    const tokens = 10n ** 24n;
    const dollars = (BigInt(Math.round(usd * 1e6)) * tokens) / 10n ** 18n;
    return { ...sync(POOL, this.#timeOf(block), tokens, dollars), block, logIndex: POOL_LOG };
  }

  /** The chain on which this happened. */
  chain(head: number, { rows, trades }: History = this.history): FakeChain {
    const transfer = ({ block, logIndex, from, to, value }: Row): FakeLog => ({
      block,
      logIndex,
      address: this.token.address,
      topics: [TRANSFER, `0x${addressWord(from)}`, `0x${addressWord(to)}`],
      data: `0x${word(value)}`,
    });
    const trade = (event: PriceEvent): FakeLog => {
      const { address, block, logIndex } = event;
      return { block, logIndex, address, ...encodeChange(event) };
    };
    const logs = [...rows.map(transfer), ...trades.map(trade)].sort(
      (a, b) => a.block - b.block || a.logIndex - b.logIndex,
    );
    const { token, contracts } = this;
    return new FakeChain({
      interval: HOUR,
      confirmations: FINAL_BELOW,
      head,
      token,
      contracts,
      views: this.#views(trades),
      logs,
    });
  }

  #views(trades: readonly PriceEvent[]) {
    const views = viewsOf(trades);
    const constants: Record<string, Record<string, string>> = {
      [POOL]: { "0x0dfe1681": addressWord(this.token.address), "0xd21220a7": addressWord(DOLLAR) },
      [DOLLAR]: { "0x313ce567": word(6) },
    };
    return (address: string, calldata: string, time: number): string | undefined => {
      const constant = constants[address]?.[calldata];
      return constant ? `0x${constant}` : views(address, calldata, time);
    };
  }

  /** What `source` of an ASSET.json says of it. */
  get source() {
    const prices = { pools: [{ address: POOL, kind: "uniswap-v2", quoteUsd: 1 }] };
    return { firstBlock: this.history.rows[0]!.block, prices };
  }
}
