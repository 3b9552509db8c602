/** Holders by their balance, which changes: exact, and in an order that does not depend on how they came. */

/** A holder and its balance, raw, from one change to the next. */
export class Holding {
  /** Numbered in ascending order of the addresses. */
  readonly holder: number;
  readonly group: number;
  readonly balance: bigint;
  /** About `balance`: comparing doubles takes a tenth of the time. */
  readonly size: number;
  /** Whether the holder has something else, or nothing, since. */
  isReplaced = false;
  /** For whoever goes through the largest: the last day on which it was one of them, and whether that is written down. */
  day = -1;
  isWritten = false;

  constructor(holder: number, group: number, balance: bigint) {
    this.holder = holder;
    this.group = group;
    this.balance = balance;
    this.size = Number(balance);
  }
}

/** The group of users, as the kernel numbers it. */
const USERS = 0;

/** Some holders by their balance. */
export class Ranking {
  readonly all = new SortedHoldings();
  readonly users = new SortedHoldings();
  readonly #holdings = new Map<number, Holding>();

  /** @param balance 0 if the holder is to be left out */
  change(holder: number, group: number, balance: bigint): void {
    const before = this.#holdings.get(holder);
    const after = balance === 0n ? undefined : new Holding(holder, group, balance);
    if (after) this.#holdings.set(holder, after);
    else this.#holdings.delete(holder);
    if (before) before.isReplaced = true;
    this.all.replace(before, after);
    if ((before ?? after)?.group === USERS) this.users.replace(before, after);
  }

  /** What a holder has now. */
  holding(holder: number): Holding | undefined {
    return this.#holdings.get(holder);
  }
}

/** Holdings in falling order of their balances. */
class SortedHoldings {
  #sorted: Holding[] = [];
  /** Holdings that have no place yet, and how many of all have been replaced. */
  #added: Holding[] = [];
  #replaced = 0;

  replace(before: Holding | undefined, after: Holding | undefined): void {
    if (before) this.#replaced++;
    if (after) this.#added.push(after);
  }

  /** The first so many, or all. */
  first(count: number): readonly Holding[] {
    this.#restoreOrder();
    return this.#sorted.length > count ? this.#sorted.slice(0, count) : this.#sorted;
  }

  /** The sums of the first so many, raw. @param counts ascending */
  sums(counts: readonly number[]): bigint[] {
    const holdings = this.first(counts.at(-1)!);
    let sum = 0n;
    let next = 0;
    return counts.map((count) => {
      for (; next < Math.min(count, holdings.length); next++) sum += holdings[next]!.balance;
      return sum;
    });
  }

  /** Goes once through what is in order, and once through what has been added. */
  #restoreOrder(): void {
    if (this.#replaced + this.#added.length === 0) return;
    const added = this.#added.filter(({ isReplaced }) => !isReplaced).sort(byBalance);
    const sorted: Holding[] = [];
    let next = 0;
    for (const holding of this.#sorted) {
      if (holding.isReplaced) continue;
      while (next < added.length && byBalance(added[next]!, holding) < 0) sorted.push(added[next++]!);
      sorted.push(holding);
    }
    while (next < added.length) sorted.push(added[next++]!);
    this.#sorted = sorted;
    this.#added = [];
    this.#replaced = 0;
  }
}

/** Equal balances in ascending order of the addresses. */
function byBalance(a: Holding, b: Holding): number {
  if (a.size !== b.size) return b.size - a.size;
  return a.balance > b.balance ? -1 : a.balance < b.balance ? 1 : a.holder - b.holder;
}
