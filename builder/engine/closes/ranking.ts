/** Holders by their balance, which changes: exact, and in an order that does not depend on how they came. */

/** A holder and its balance, raw. */
export interface Holding {
  holder: number;
  group: number;
  balance: bigint;
}

/** The group of users, as the kernel numbers it. */
const USERS = 0;

/** Some holders by their balance. */
export class Ranking {
  readonly all = new SortedHoldings();
  readonly users = new SortedHoldings();
  readonly #holdings = new Map<number, Holding>();

  /** @param balance 0 if the holder is to be left out */
  change({ holder, group, balance }: Holding): void {
    const before = this.#holdings.get(holder);
    const after = balance === 0n ? undefined : { holder, group, balance };
    if (after) this.#holdings.set(holder, after);
    else this.#holdings.delete(holder);
    this.all.replace(before, after);
    if ((before ?? after)?.group === USERS) this.users.replace(before, after);
  }
}

/** More changes than this are sorted together. */
const MANY_CHANGES = 256;

/** Holdings in falling order of their balances. */
class SortedHoldings {
  #sorted: Holding[] = [];
  #removed = new Set<Holding>();
  #added = new Set<Holding>();

  replace(before: Holding | undefined, after: Holding | undefined): void {
    // What has been added since the order was restored is in no place yet.
    if (before && !this.#added.delete(before)) this.#removed.add(before);
    if (after) this.#added.add(after);
  }

  first(count: number): Holding[] {
    this.#restoreOrder();
    return this.#sorted.slice(0, count);
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

  #restoreOrder(): void {
    if (this.#removed.size + this.#added.size > MANY_CHANGES) {
      const kept = this.#sorted.filter((holding) => !this.#removed.has(holding));
      this.#sorted = [...kept, ...this.#added].sort(byBalance);
    } else {
      for (const holding of this.#removed) this.#sorted.splice(this.#placeOf(holding), 1);
      for (const holding of this.#added) this.#sorted.splice(this.#placeOf(holding), 0, holding);
    }
    this.#removed.clear();
    this.#added.clear();
  }

  /** The first place that does not come before a holding. */
  #placeOf(holding: Holding): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (byBalance(this.#sorted[middle]!, holding) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Equal balances in the order of holders, so that each has its place. */
const byBalance = (a: Holding, b: Holding) =>
  a.balance > b.balance ? -1 : a.balance < b.balance ? 1 : a.holder - b.holder;
