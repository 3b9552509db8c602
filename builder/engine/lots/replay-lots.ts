/**
 * The lots of one partition of the addresses, by one method: what each send takes of them, and what is held of each key at each
 * day's close. The WebAssembly is assembly/lots/. Source: docs/methodology.md §14.
 */

import { readFileSync } from "node:fs";
import { LOT_METHODS, type LotMethod } from "../../../data-schema/registry.ts";
import { fromBigInt, TokenUnit, toBigInt } from "../history.ts";
import { EngineRefusal } from "../refusal.ts";
import { AGE_STEP_EDGES, type EventChunk, type Partition, REPLAY_ROWS } from "../replay.ts";

/** Lots, column by column. */
export interface LotRows {
  /** Holders, by the numbers of `Partition.holderOf`. */
  owners: Uint32Array;
  /** The start of the hour of purchase, Unix seconds, and the price then, USD per token. */
  times: Float64Array;
  prices: Float64Array;
  /** `words` each, raw, little-endian. */
  amounts: Uint32Array;
  words: number;
}

/** Pieces of lots, in the order of the events that take them, and of each in the order of the method. */
export interface LotPieces extends Omit<LotRows, "owners"> {
  /** The numbers of the events in their chunk. */
  events: Uint32Array;
  /** Whole tokens. */
  tokens: Float64Array;
  /** By the age of the lot and the price that it cost, as engine/classification.ts packs them; of value and balance it has 0. */
  standings: Uint16Array;
}

/** How what is held of some keys has changed since the close before, in no order. */
export interface BookChanges extends Omit<LotRows, "owners" | "amounts"> {
  /** For each key `words` of all addresses, then `words` of users, in two's complement. */
  amounts: Uint32Array;
}

export interface LotTerms {
  method: LotMethod;
  /** How many addresses there are, of all partitions, with the zero address. */
  addresses: number;
  decimals: number;
  /** 32-bit words of a balance, and of a value of an event. */
  balanceWords: number;
  valueWords: number;
  /** The first day that closes, by the Unix seconds of its close, and how many do. */
  firstClose: number;
  closes: number;
}

const compiled = new WebAssembly.Module(readFileSync(new URL("../assembly/lots/lots.wasm", import.meta.url)));

type Column = "from" | "to" | "timestamp" | "price" | "values";
type RowColumn = "rowOwners" | "rowTimes" | "rowPrices" | "rowAmounts" | "rowTokens" | "rowStandings";
type Result = RowColumn | "bookTimes" | "bookPrices" | "bookAmounts";

/** The exports of assembly/lots/lots.ts; columns are addresses in its memory. */
interface LotKernel extends Record<Column | Result | "ageEdges", { value: number }> {
  memory: { buffer: ArrayBuffer };
  setup(...layout: number[]): void;
  setOther(holder: number): void;
  restoreKey(hour: number, price: number): number;
  restoreLot(holder: number, key: number): void;
  endRestoring(): void;
  replay(count: number): number;
  closeRemainingDays(): void;
  tellLotsOf(holder: number): void;
  endTelling(): void;
}

export class LotReplay {
  readonly partition: Partition;
  readonly #kernel: LotKernel;
  /** 32-bit words of an amount, and of a sum of amounts. */
  readonly #words: number;
  readonly #sumWords: number;
  #rows: LotPieces[] = [];
  /** Takes lots that are told; undefined while rows are pieces. */
  #onLots: ((count: number) => void) | undefined;
  #book: BookChanges[] = [];
  #onBook: (changes: BookChanges) => void;

  /**
   * @param onClose called at each close
   * @throws {EngineRefusal} the partition needs more than 4 GB of memory
   */
  constructor(partition: Partition, terms: LotTerms, onClose: (changes: BookChanges) => void) {
    this.partition = partition;
    this.#onBook = onClose;
    // The kernel's limbs are pairs of words.
    this.#words = 2 * Math.ceil(terms.balanceWords / 2);
    this.#sumWords = this.#words + 2;
    const unit = new TokenUnit(terms.decimals);
    this.#kernel = new WebAssembly.Instance(compiled, {
      balance: {
        decimalTokens: (at: number, count: number) =>
          unit.tokens(new Uint32Array(this.#kernel.memory.buffer, at >>> 0, count), 0, count),
      },
      memory: {
        outOfMemory: () => {
          throw new EngineRefusal({ kind: "memory", of: "partition" });
        },
      },
      lots: {
        rowsWritten: (count: number) => {
          if (this.#onLots) this.#onLots(count);
          else this.#rows.push(this.#takeRows(count));
        },
      },
      book: {
        bookRows: (count: number, isLast: number) => {
          this.#book.push(this.#takeBook(count));
          if (!isLast) return;
          const book = this.#book;
          this.#book = [];
          this.#onBook(joinBook(book, this.#sumWords));
        },
      },
    }).exports as unknown as LotKernel;
    this.#kernel.setup(
      Math.ceil((terms.addresses - partition.index) / partition.count),
      partition.index,
      partition.bits,
      REPLAY_ROWS,
      this.#words / 2,
      terms.valueWords,
      unit.power,
      unit.powerRest,
      LOT_METHODS.indexOf(terms.method),
      terms.firstClose,
      terms.closes,
    );
    new Int32Array(this.#kernel.memory.buffer, this.#kernel.ageEdges.value).set(AGE_STEP_EDGES);
  }

  /** Says that an address of the partition is an exchange's or a contract's. */
  setOther(address: number): void {
    this.#kernel.setOther(this.partition.holderOf(address));
  }

  /**
   * Restores the lots of a checkpoint: as `lotsOf` returns them, and before any event.
   *
   * @returns the book of them: the changes from nothing
   */
  restore({ owners, times, prices, amounts, words }: LotRows): BookChanges {
    const onClose = this.#onBook;
    let book: BookChanges | undefined;
    this.#onBook = (restored) => {
      book = restored;
    };
    // Memory that grows leaves views of it behind.
    let into = new Uint32Array(0);
    let key = 0;
    let last: number | undefined;
    // Key by key, so that the book of each can be written at once. Numbers are sorted, as there may be a million lots.
    for (const row of rowNumbers(owners.length).sort((a, b) => times[a]! - times[b]! || prices[a]! - prices[b]!)) {
      const isSame = last !== undefined && times[row] === times[last] && prices[row] === prices[last];
      if (!isSame) key = this.#kernel.restoreKey(times[row]! / 3600, prices[row]!);
      last = row;
      if (into.length === 0) {
        into = new Uint32Array(this.#kernel.memory.buffer, this.#kernel.values.value >>> 0, this.#words);
        into.fill(0);
      }
      for (let word = 0; word < words; word++) into[word] = amounts[words * row + word]!;
      this.#kernel.restoreLot(owners[row]!, key);
    }
    this.#kernel.endRestoring();
    this.#onBook = onClose;
    return book!;
  }

  /**
   * Replays the next events.
   *
   * @returns the pieces of all sends of the partition
   * @throws {Error} an address sends more than it has, which the replay of balances finds before
   */
  replay(events: EventChunk): LotPieces {
    const kernel = this.#kernel;
    // A call may have made the memory larger, and left views of it behind.
    const { buffer } = kernel.memory;
    for (const name of ["from", "to", "values"] as const) {
      new Uint32Array(buffer, kernel[name].value >>> 0, events[name].length).set(events[name]);
    }
    for (const name of ["timestamp", "price"] as const) {
      new Float64Array(buffer, kernel[name].value >>> 0, events[name].length).set(events[name]);
    }
    if (kernel.replay(events.from.length) >= 0) throw new Error("an address sends more lots than it has");
    return this.#takeAll();
  }

  /** Closes the days after the last event. */
  end(): void {
    this.#kernel.closeRemainingDays();
  }

  /**
   * The lots of some holders, by holder in the order given, then by hour and price, ascending: in parts, each of which ends with
   * a holder, and soon after it has so many lots.
   */
  *lotsOf(holders: Uint32Array, lots: number): Generator<LotRows> {
    for (let first = 0, end = 0; first < holders.length; first = end) {
      let count = 0;
      this.#onLots = (told) => {
        count += told;
      };
      while (end < holders.length && count < lots) this.#kernel.tellLotsOf(holders[end++]!);
      this.#kernel.endTelling();
      // They are counted before they are taken: an address may have a million, which have no room twice.
      const rows = emptyLots(count, this.#words);
      let at = 0;
      this.#onLots = (told) => {
        this.#takeLots(rows, at, told);
        at += told;
      };
      for (const holder of holders.subarray(first, end)) this.#kernel.tellLotsOf(holder);
      this.#kernel.endTelling();
      this.#onLots = undefined;
      if (count > 0) yield inOrder(rows);
    }
  }

  #takeAll(): LotPieces {
    const rows = this.#rows;
    this.#rows = [];
    return {
      events: joinColumn(
        Uint32Array,
        rows.map(({ events }) => events),
      ),
      times: joinColumn(
        Float64Array,
        rows.map(({ times }) => times),
      ),
      prices: joinColumn(
        Float64Array,
        rows.map(({ prices }) => prices),
      ),
      amounts: joinColumn(
        Uint32Array,
        rows.map(({ amounts }) => amounts),
      ),
      words: this.#words,
      tokens: joinColumn(
        Float64Array,
        rows.map(({ tokens }) => tokens),
      ),
      standings: joinColumn(
        Uint16Array,
        rows.map(({ standings }) => standings),
      ),
    };
  }

  #takeRows(count: number): LotPieces {
    const { rowOwners, rowTimes, rowPrices, rowAmounts, rowTokens, rowStandings } = this.#kernel;
    return {
      events: this.#copy(Uint32Array, rowOwners, count),
      times: this.#copy(Float64Array, rowTimes, count),
      prices: this.#copy(Float64Array, rowPrices, count),
      amounts: this.#copy(Uint32Array, rowAmounts, this.#words * count),
      words: this.#words,
      tokens: this.#copy(Float64Array, rowTokens, count),
      standings: this.#copy(Uint16Array, rowStandings, count),
    };
  }

  #takeLots({ owners, times, prices, amounts, words }: LotRows, at: number, count: number): void {
    const { rowOwners, rowTimes, rowPrices, rowAmounts } = this.#kernel;
    owners.set(this.#view(Uint32Array, rowOwners, count), at);
    times.set(this.#view(Float64Array, rowTimes, count), at);
    prices.set(this.#view(Float64Array, rowPrices, count), at);
    amounts.set(this.#view(Uint32Array, rowAmounts, words * count), words * at);
  }

  #takeBook(count: number): BookChanges {
    const { bookTimes, bookPrices, bookAmounts } = this.#kernel;
    return {
      times: this.#copy(Float64Array, bookTimes, count),
      prices: this.#copy(Float64Array, bookPrices, count),
      amounts: this.#copy(Uint32Array, bookAmounts, 2 * this.#sumWords * count),
      words: this.#sumWords,
    };
  }

  #copy<A extends Cells>(of: CellsOf<A>, at: { value: number }, count: number): A {
    return this.#view(of, at, count).slice() as A;
  }

  /** Is of no use once the memory grows. */
  #view<A extends Cells>(of: CellsOf<A>, { value: at }: { value: number }, count: number): A {
    return new of(this.#kernel.memory.buffer, at >>> 0, count);
  }
}

type Cells = Uint16Array | Uint32Array | Float64Array;
type CellsOf<A> = new (buffer: ArrayBuffer, at: number, count: number) => A;

const emptyLots = (count: number, words: number): LotRows => ({
  owners: new Uint32Array(count),
  times: new Float64Array(count),
  prices: new Float64Array(count),
  amounts: new Uint32Array(words * count),
  words,
});

const joinBook = (parts: readonly BookChanges[], words: number): BookChanges => ({
  times: joinColumn(
    Float64Array,
    parts.map(({ times }) => times),
  ),
  prices: joinColumn(
    Float64Array,
    parts.map(({ prices }) => prices),
  ),
  amounts: joinColumn(
    Uint32Array,
    parts.map(({ amounts }) => amounts),
  ),
  words,
});

function joinColumn<A extends Cells>(of: new (length: number) => A, parts: readonly A[]): A {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const joined = new of(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function rowNumbers(count: number): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(count);
  for (let row = 0; row < count; row++) numbers[row] = row;
  return numbers;
}

/** Lots, which come holder by holder, by hour and price, too; those of a heap may come in parts. In place, where that is possible. */
function inOrder(rows: LotRows): LotRows {
  const { owners, times, prices, amounts, words } = rows;
  const compare = (a: number, b: number) => times[a]! - times[b]! || prices[a]! - prices[b]!;
  const order = rowNumbers(owners.length);
  let isInOrder = true;
  let count = 0;
  for (let first = 0, end = 0; first < owners.length; first = end) {
    let isSorted = true;
    for (end++; end < owners.length && owners[end] === owners[first]; end++) isSorted &&= compare(end - 1, end) < 0;
    const own = order.subarray(first, end);
    if (!isSorted) own.sort(compare);
    isInOrder &&= isSorted;
    for (const row of own) {
      const last = order[count - 1];
      if (last !== undefined && owners[last] === owners[row] && compare(last, row) === 0) {
        const sum = toBigInt(amounts, words * last, words) + toBigInt(amounts, words * row, words);
        fromBigInt(sum, amounts, words * last, words);
      } else {
        order[count++] = row;
      }
    }
  }
  if (isInOrder) return rows;
  const kept = order.subarray(0, count);
  const room = new ArrayBuffer(amounts.byteLength);
  return {
    owners: arranged(owners, kept, 1, new Uint32Array(room)),
    times: arranged(times, kept, 1, new Float64Array(room)),
    prices: arranged(prices, kept, 1, new Float64Array(room)),
    amounts: arranged(amounts, kept, words, new Uint32Array(room)),
    words,
  };
}

/** The cells of some rows, so many each, in their order. @param room for all cells, which are overwritten */
function arranged<A extends Uint32Array | Float64Array>(cells: A, rows: Uint32Array, aRow: number, room: A): A {
  room.set(cells);
  for (let place = 0; place < rows.length; place++) {
    for (let cell = 0; cell < aRow; cell++) cells[aRow * place + cell] = room[aRow * rows[place]! + cell]!;
  }
  return cells.subarray(0, aRow * rows.length) as A;
}
