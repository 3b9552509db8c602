/**
 * The replay of one shard: every event that touches its addresses, in order, with a look at all holders at each
 * day's close. It leaves each event's sender and receiver standing in the timeline, for the flows, and returns what
 * was held. Source: methodology §3, §4 "When is an address classified?" and §7.
 */

import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { toBigInt } from "./amounts.ts";
import { Holders } from "./holders.ts";
import { addHoldings, DAY_WIDTH } from "./holdings.ts";
import { closePrice } from "./prices.ts";
import { bucketRange, type Timeline } from "./timeline.ts";

const DAY = BUCKET_SECONDS.day;

/** A transfer or burn of more than its sender has. */
export interface Overdraft {
  row: number;
  /** The sender's exact balance, raw. */
  balance: bigint;
}

export interface ShardReplay {
  /** `DAY_WIDTH` numbers (holdings.ts) per day, from the first day to the last complete one. */
  holdings: Float64Array;
  /** The sum of the shard's balances at the end, raw. */
  supply: bigint;
  /** The shard's first overdraft: the rest was not replayed. */
  overdraft?: Overdraft;
}

export function replayShard(timeline: Timeline, shard: number): ShardReplay {
  const { history, groups, terms, shards, tokens, price, basis, sender, receiver } = timeline;
  const { from, to, timestamp, values, valueWords } = history;
  const { position, halves, firstHalf } = shards;

  const ids = shards.addresses.subarray(shards.firstAddress[shard], shards.firstAddress[shard + 1]);
  const holders = new Holders(ids.length, timeline.balanceWords, terms);
  const groupOf = Uint8Array.from(ids, (id) => groups[id]);

  const days = bucketRange(timeline, "day");
  const dayCount = days ? (days.last - days.first) / DAY + 1 : 0;
  const holdings = new Float64Array(dayCount * DAY_WIDTH);
  let closedDays = 0;
  // Only complete days close.
  let close = days ? days.first + DAY : Number.POSITIVE_INFINITY;
  const closeDay = () => {
    addHoldings(holdings, closedDays * DAY_WIDTH, holders, groupOf, close, closePrice(timeline.prices, close));
    closedDays++;
    close = closedDays < dayCount ? close + DAY : Number.POSITIVE_INFINITY;
  };

  for (let i = firstHalf[shard]; i < firstHalf[shard + 1]; i++) {
    const row = halves[i] >>> 1;
    const seconds = timestamp[row];
    while (seconds >= close) closeDay();
    if ((halves[i] & 1) === 0) {
      const holder = position[from[row]];
      sender[row] = holders.standing(holder, seconds, price[row]);
      basis[row] = holders.basis[holder];
      if (!holders.send(holder, values, row * valueWords, valueWords)) {
        const balance = toBigInt(holders.balance, holder * holders.words, holders.words);
        return { holdings, supply: holders.totalBalance(), overdraft: { row, balance } };
      }
    } else {
      const holder = position[to[row]];
      holders.receive(holder, values, row * valueWords, valueWords, tokens[row], price[row], seconds);
      receiver[row] = holders.standing(holder, seconds, price[row]);
    }
  }
  while (closedDays < dayCount) closeDay();
  return { holdings, supply: holders.totalBalance() };
}

/** Adds up the shards' holdings in the order of the shards, into the first. */
export function sumHoldings(shards: readonly Float64Array[]): Float64Array {
  const [total, ...rest] = shards;
  for (const holdings of rest) {
    for (let i = 0; i < total.length; i++) total[i] += holdings[i];
  }
  return total;
}
