/** Deposit addresses, slowly and obviously: each rule in turn, over all events of an address. */

import { EXCHANGE_SELECTORS } from "../../data-schema/registry/exchanges.ts";
import { replayOrder, type Token, type Transfer, ZERO_ADDRESS } from "./reference.ts";

export interface ReferenceDeposit {
  address: string;
  exchange: string;
  since: number;
  sends: number;
  /** Raw. */
  sent: bigint;
}

/** The table of a token, in the order of addresses. */
export function referenceDeposits(token: Token): ReferenceDeposit[] {
  const events = replayOrder(token).filter(({ value, from, to }) => value > 0n && from !== to);
  const exchanges = new Map(
    Object.entries(token.exchanges).map(([address, name]) => [
      address.toLowerCase(),
      name !== "all" && EXCHANGE_SELECTORS.some((selector) => selector === name) ? name : "other",
    ]),
  );
  const contracts = new Set(token.contracts.map((address) => address.toLowerCase()));
  const sides = events.flatMap((event) => [event.from, event.to].map((address) => ({ address, event })));
  const byAddress = Map.groupBy(sides, ({ address }) => address);
  return [...byAddress.keys()].sort().flatMap((address) => {
    if (exchanges.has(address) || address === ZERO_ADDRESS) return [];
    const own = byAddress.get(address)!.map(({ event }) => event);
    const sends = own.filter(({ from }) => from === address);
    const receipts = own.filter(({ to }) => to === address);
    const exchange = sends[0] && exchanges.get(sends[0].to);
    if (exchange === undefined) return [];
    const fits =
      sends.every(({ to }) => exchanges.get(to) === exchange) &&
      (exchange !== "other" || new Set(sends.map(({ to }) => to)).size === 1) &&
      sends.every((send) => balanceAfter(address, own, send) * 1000n <= send.value) &&
      sends.every((send) => {
        const last = own.slice(0, own.indexOf(send)).findLast(({ to }) => to === address);
        return last !== undefined && send.timestamp - last.timestamp <= 86_400;
      }) &&
      receipts.every(({ from }) => from !== ZERO_ADDRESS && exchanges.get(from) !== exchange) &&
      receipts.every(({ from }) => exchanges.has(from) || !contracts.has(from));
    if (!fits) return [];
    const sent = sends.reduce((sum, { value }) => sum + value, 0n);
    return [{ address, exchange, since: own[0]!.timestamp, sends: sends.length, sent }];
  });
}

function balanceAfter(address: string, own: readonly Transfer[], last: Transfer): bigint {
  return own
    .slice(0, own.indexOf(last) + 1)
    .reduce((balance, { to, value }) => (to === address ? balance + value : balance - value), 0n);
}
