/** A row of closes.ts: what a replay keeps at each day's close, exactly, so that what partitions have can be merged. */

/** Some closes of one partition, or of several: 32-bit digits, and what is needed to read them, as JSON can hold it. */
export interface ExactCloses {
  digits: Uint32Array;
}

/** A table that the kernel exports, as it is at a close. It overwrites it at the next one. */
export type KernelTable = (name: string) => Uint32Array;

/** What rounding may need beside the sums themselves. */
export interface CloseFacts {
  decimals: number;
  /** Time of the first close, Unix seconds; the others follow a day apart. */
  firstClose: number;
  /** The holdings of the same closes. */
  holdings: ExactCloses;
}

/** The addresses of a partition in ascending order, 20 bytes each, and where among them each holder of the kernel is. */
export interface SortedAddresses {
  bytes: Uint8Array;
  places: Uint32Array;
}

export interface Closes<Exact extends ExactCloses> {
  /** Collects the closes of a partition. @param words 32-bit words of a balance */
  collect(words: number, addresses: SortedAddresses): CloseCollector<Exact>;
  /** Merges what two partitions have kept. */
  merge(one: Exact, other: Exact): Exact;
  /** `width` numbers a day. */
  round(exact: Exact, facts: CloseFacts): Float64Array;
  width: number;
  /** Where in a day the numbers of a selector begin, by family. */
  families: Record<string, (selector: string) => number>;
}

export interface CloseCollector<Exact> {
  /** @param lowest the lowest digit of a cost that has been used so far; lowest > highest before the first cost */
  close(table: KernelTable, lowest: number, highest: number): void;
  finish(): Exact;
}
