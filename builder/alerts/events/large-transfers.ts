/** The transfers of each day for which a rule fires. Pure. Source: docs/alerts.md#transfers. */

import { addressText } from "../../../data-schema/holders.ts";
import { BUCKET_SECONDS } from "../../../data-schema/registry.ts";
import { type History, isZero, TokenUnit } from "../../engine/history.ts";
import type { LabelColumns } from "../../input/labels/address-labels.ts";
import type { TransfersTerms } from "../event-rules.ts";
import { type Addressed, partyOf } from "./parties.ts";

/** A rule fires for so many transfers of a day, the largest: a floor that is too low must not flood a receiver. */
export const MOST_A_DAY = 100;

/** Events in order, of which those from row `first` on are of the days that are looked at. */
export interface EventShare extends Addressed {
  history: Omit<History, "addresses">;
  first: number;
  /** USD per token at each event; 0 before the first price. */
  price: Float64Array;
}

export interface LargeTransfer {
  /** Unix seconds. */
  t: number;
  block: number;
  logIndex: number;
  tokens: number;
  /** USD per token; 0 if there was none yet. */
  price: number;
  /** `0x…`; the zero address of a mint or burn. */
  from: string;
  to: string;
}

const isBefore = (a: LargeTransfer, b: LargeTransfer) => a.block - b.block || a.logIndex - b.logIndex;

/** Collects the transfers of a rule. What it finds does not depend on how events are cut into shares. */
export class LargeTransfers {
  readonly #terms: TransfersTerms;
  readonly #from: number;
  readonly #unit: TokenUnit;
  readonly #sides: readonly [from: ReturnType<typeof partyOf>, to: ReturnType<typeof partyOf>];
  /** By the start of the day. */
  readonly #days = new Map<number, { count: number; kept: LargeTransfer[] }>();

  /**
   * @param from start of the first day, Unix seconds
   * @param lists the addresses of own cohorts, by name
   */
  constructor(terms: TransfersTerms, from: number, decimals: number, lists: ReadonlyMap<string, LabelColumns>) {
    this.#terms = terms;
    this.#from = from;
    this.#unit = new TokenUnit(decimals);
    this.#sides = [partyOf(terms.from, lists), partyOf(terms.to, lists)];
  }

  add(share: EventShare): void {
    const { history, price } = share;
    const { rows, timestamp, from, to, values, valueWords, block, logIndex } = history;
    const { amount, of } = this.#terms.atLeast;
    const [isFrom, isTo] = this.#sides.map((side) => side(share));
    for (let row = share.first; row < rows; row++) {
      const t = timestamp[row]!;
      // The engine counts neither of them.
      if (t < this.#from || from[row] === to[row] || isZero(values, row * valueWords, valueWords)) continue;
      const tokens = this.#unit.tokens(values, row * valueWords, valueWords);
      if ((of === "tokens" ? tokens : tokens * price[row]!) < amount) continue;
      if (!isFrom!(from[row]!) || !isTo!(to[row]!)) continue;
      const sides = { from: addressText(share.addresses, from[row]!), to: addressText(share.addresses, to[row]!) };
      this.#keep({ t, block: block[row]!, logIndex: logIndex[row]!, tokens, price: price[row]!, ...sides });
    }
  }

  #keep(transfer: LargeTransfer): void {
    const start = transfer.t - (transfer.t % BUCKET_SECONDS.day);
    const day = this.#days.get(start) ?? { count: 0, kept: [] };
    this.#days.set(start, day);
    day.count++;
    day.kept.push(transfer);
    if (day.kept.length >= 2 * MOST_A_DAY) day.kept = this.#largest(day.kept);
  }

  #largest(transfers: readonly LargeTransfer[]): LargeTransfer[] {
    const { of } = this.#terms.atLeast;
    const size = ({ tokens, price }: LargeTransfer) => (of === "tokens" ? tokens : tokens * price);
    return transfers.toSorted((a, b) => size(b) - size(a) || isBefore(a, b)).slice(0, MOST_A_DAY);
  }

  /** In the order of blocks, with the days that have more than fire. */
  found(): { transfers: LargeTransfer[]; crowded: { day: number; count: number }[] } {
    const days = [...this.#days];
    return {
      transfers: days.flatMap(([, { kept }]) => this.#largest(kept)).sort(isBefore),
      crowded: days.flatMap(([day, { count }]) => (count > MOST_A_DAY ? [{ day, count }] : [])),
    };
  }
}
