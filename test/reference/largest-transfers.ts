/** What docs/methodology.md §13 defines, as plainly as it states it: the largest transfers of a day. */

import { replayOrder, stepFunction, type Token, type Transfer, tokens, ZERO_ADDRESS } from "./reference.ts";

const DAY = 86_400;

export interface ReferenceTransfer extends Transfer {
  tokens: number;
  dollars: number;
}

/** @param day since 1970-01-01 @param count at most so many */
export function referenceTransfers(token: Token, day: number, count = 20): ReferenceTransfer[] {
  const price = stepFunction(token.prices);
  const ofDay = replayOrder(token).filter(
    ({ from, to, value, timestamp }) =>
      Math.floor(timestamp / DAY) === day && value > 0n && from !== to && from !== ZERO_ADDRESS && to !== ZERO_ADDRESS,
  );
  return ofDay
    .map((transfer) => {
      const moved = tokens(transfer.value, token.decimals);
      return { ...transfer, tokens: moved, dollars: moved * price.at(transfer.timestamp) };
    })
    .sort((a, b) => {
      if (a.dollars !== b.dollars) return b.dollars > a.dollars ? 1 : -1;
      if (a.dollars === 0 && a.value !== b.value) return b.value > a.value ? 1 : -1;
      return a.block - b.block || a.logIndex - b.logIndex;
    })
    .slice(0, count);
}
