/** What docs/methodology.md §12 defines, as plainly as it states it: what is known of each address, and the largest of each day. */

import {
  type Account,
  receive,
  replayOrder,
  send,
  stepFunction,
  type Token,
  tokens,
  ZERO_ADDRESS,
} from "./reference.ts";

const DAY = 86_400;

export interface ReferenceHolder extends Account {
  address: string;
  realised: number;
  /** The sum of the larger operands of the addends of `realised`. */
  larger: number;
  received: number;
  sent: number;
  receipts: number;
  sends: number;
  firstSeen: number;
  lastActive: number;
}

/** "Every address that has ever held the token", by address, over its events before a time. */
export function referenceHolders(token: Token, before: number): ReferenceHolder[] {
  const holders = new Map<string, ReferenceHolder>();
  const price = stepFunction(token.prices);
  const of = (address: string, time: number): ReferenceHolder => {
    const fresh = { q: 0n, a: 0, h: 0, realised: 0, larger: 0, received: 0, sent: 0, receipts: 0, sends: 0 };
    const holder = holders.get(address) ?? { address, ...fresh, firstSeen: time, lastActive: time };
    holders.set(address, holder);
    holder.lastActive = time;
    return holder;
  };
  for (const { from, to, value, timestamp } of replayOrder(token)) {
    if (timestamp >= before || value === 0n || from === to) continue;
    const [x, P] = [tokens(value, token.decimals), price.at(timestamp)];
    if (from !== ZERO_ADDRESS) {
      const sender = of(from, timestamp);
      // "Σ x·(P(t) − a) over its sends (transfers and burns)": a is that before the send.
      sender.realised += x * (P - sender.a);
      sender.larger += x * Math.max(P, sender.a);
      sender.sent += x;
      sender.sends++;
      send(sender, value);
    }
    if (to !== ZERO_ADDRESS) {
      const receiver = of(to, timestamp);
      receiver.received += x;
      receiver.receipts++;
      receive(receiver, value, timestamp, P);
    }
  }
  return [...holders.values()].sort(byAddress);
}

const byAddress = (a: { address: string }, b: { address: string }) => (a.address < b.address ? -1 : 1);

/** "The 1,000 addresses with the largest balances at that day's close, largest first, equal balances by address ascending." */
export function referenceLargest(token: Token, day: number, count = 1_000): { address: string; q: bigint }[] {
  return referenceHolders(token, (day + 1) * DAY)
    .filter(({ q }) => q > 0n)
    .sort((a, b) => (a.q > b.q ? -1 : a.q < b.q ? 1 : byAddress(a, b)))
    .slice(0, count)
    .map(({ address, q }) => ({ address, q }));
}
