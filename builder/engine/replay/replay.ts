/**
 * The replay: every event in order, and the classification of all holders at each day's close. Of each event it returns
 * what the flows need, and at the end the holdings. Source: docs/methodology.md §3, §4 and §7.
 *
 * The balance and cost of an address depend on its own events alone. So the addresses are divided into partitions, and
 * each is replayed on its own by the WebAssembly of assembly/. Sums over addresses are exact (closes/holdings.ts), so they do not
 * depend on the number of partitions.
 */

import { readFileSync } from "node:fs";
import {
  AGE_EDGES_SECONDS,
  BUCKET_SECONDS,
  costEdge,
  EXCHANGE_SELECTORS,
  LAST_STEP,
  TERM_EDGE_SECONDS,
  VALUE_RANGE_EDGES_USD,
} from "../../../data-schema/registry.ts";
import type { CloseCollector, ExactCloses, KernelTable, SortedAddresses } from "../closes/close.ts";
import { closesOf, type Kept, keepEach } from "../closes/closes.ts";
import { ChangeLog, type YearOfChanges } from "../distributions/change-log.ts";
import { fromBigInt, TokenUnit, toBigInt, wordCount } from "../history/amounts.ts";
import type { Standings } from "../history/history.ts";
import { monthsOf, newBuckets, type Outline } from "../history/outline.ts";
import { closePrice } from "../history/prices.ts";
import { EngineRefusal } from "../refusal.ts";

/**
 * The addresses of a partition, among numbers for all: those whose last bits are those of `index`. Their other bits
 * number the holders. 0 is the zero address, which is never a holder. All that the partition knows of an address of another
 * one is whether it is an exchange's.
 */
export class Partition {
  readonly index: number;
  readonly count: number;
  readonly bits: number;

  /** @param count a power of two */
  constructor(index: number, count: number) {
    this.index = index;
    this.count = count;
    this.bits = Math.log2(count);
  }

  includes(address: number): boolean {
    return (address & (this.count - 1)) === this.index;
  }

  holderOf(address: number): number {
    return address >>> this.bits;
  }

  addressOf(holder: number): number {
    return (holder << this.bits) | this.index;
  }

  /** Stands for any address of another partition. */
  otherAddress(isExchange: boolean): number {
    return (Number(isExchange) << this.bits) | (this.index ^ 1);
  }
}

/** What the addresses of a partition hold at some time. */
export interface HoldersOfPartition {
  /** The numbers of the addresses with a balance, ascending. */
  ids: Uint32Array;
  words: number;
  /** `words` each, raw, little-endian. */
  balances: Uint32Array;
  /** Average purchase price, USD per token, and time, Unix seconds. */
  basis: Float64Array;
  purchaseTime: Float64Array;
  /**
   * Times of the first event of each address that `Partition.holderOf` numbers, of its last send and of its last receipt, Unix
   * seconds; the last two are negative without one.
   */
  firstEvents: Float64Array;
  lastSends: Float64Array;
  lastReceipts: Float64Array;
  /** Day of the last deposit of each of them, since 1970-01-01; 0 without one. */
  lastDeposits: Uint32Array;
  /**
   * What each of them has done since its first event: the profit that its sends have realised, USD, the tokens sent, and how
   * often it has received and sent. All 0 in a replay of a list.
   */
  realised: Float64Array;
  sent: Float64Array;
  receipts: Uint32Array;
  sends: Uint32Array;
}

/** What is restored of an address beside its balance and average price. Times are in Unix seconds; the rest as `HoldersOfPartition` says. */
export interface RestoredAddress {
  purchase: number;
  firstEvent: number;
  lastSend: number;
  lastReceipt: number;
  lastDeposit: number;
  realised: number;
  sent: number;
  receipts: number;
  sends: number;
}

/** Events, at most `REPLAY_ROWS`: views of columns, one item each; `values` has the outline's `valueWords`. */
export interface EventChunk {
  from: Uint32Array;
  to: Uint32Array;
  timestamp: Float64Array;
  price: Float64Array;
  values: Uint32Array;
}

/** Events replayed at a time: a chunk fits the cache of a core. */
export const REPLAY_ROWS = 16_384;

/** What is left of a partition at the end. */
export interface PartitionEnd {
  /** What is kept at the close of each new day (`newBuckets`). */
  closes: Kept<ExactCloses>;
  /** How the buckets of distributions have changed from close to close, by calendar year of the days; none of a list. */
  changes: YearOfChanges[];
  /** The number of addresses with a balance. */
  holders: number;
  /** The sum of the balances, raw. */
  supply: bigint;
}

const compiled = new WebAssembly.Module(readFileSync(new URL("../assembly/replay.wasm", import.meta.url)));

/** The exports of assembly/replay.ts; columns, tables and lists are addresses in its memory. */
interface ReplayKernel extends Record<ColumnName | TableName | "hasOverflowed", { value: number }> {
  memory: { buffer: ArrayBuffer };
  setup(...layout: number[]): void;
  setGroup(holder: number, label: number): void;
  restore(
    holder: number,
    basis: number,
    purchaseTime: number,
    firstEvent: number,
    lastSend: number,
    lastReceipt: number,
    lastDeposit: number,
  ): void;
  balanceOf(holder: number): number;
  listHolders(): number;
  replay(count: number): number;
  closeRemainingDays(): void;
  sumBalances(): void;
}
type InputColumn = "from" | "to" | "timestamp" | "price" | "values" | "closePrices" | "monthStarts";
type ColumnName = InputColumn | "tokens" | "basis" | "since" | "sender" | "receiver" | "firsts";
type EdgeTable = "costEdges" | "valueEdges" | "ageEdges" | "balanceEdges" | "balanceEdgeTokens";
/** The rows of closes/ read others, by name. */
type TableName = EdgeTable | "closingSums" | "holderList" | "sentAndReceived";

/**
 * @param onClose called when a day has closed: `closingSums` holds cost digits from `lowest` to `highest`
 * @throws {EngineRefusal} from `setup` and `sumBalances`: the partition needs more than 4 GB of memory
 */
function instantiateReplay(unit: TokenUnit, onClose: (lowest: number, highest: number) => void): ReplayKernel {
  const kernel = new WebAssembly.Instance(compiled, {
    balance: {
      decimalTokens: (at, count) => unit.tokens(new Uint32Array(kernel.memory.buffer, at >>> 0, count), 0, count),
    },
    memory: {
      outOfMemory: () => {
        throw new EngineRefusal({ kind: "memory", of: "partition" });
      },
    },
    replay: { dayClosed: onClose },
  }).exports as unknown as ReplayKernel;
  return kernel;
}

/** The tables that the kernel exports, by name. */
const kernelTable =
  (kernel: ReplayKernel): KernelTable =>
  (name) =>
    new Uint32Array(kernel.memory.buffer, (kernel as unknown as Record<string, { value: number }>)[name]!.value);

type SentColumns = Pick<HoldersOfPartition, "realised" | "sent" | "receipts" | "sends">;

const zeros = (rows: number): SentColumns => ({
  realised: new Float64Array(rows),
  sent: new Float64Array(rows),
  receipts: new Uint32Array(rows),
  sends: new Uint32Array(rows),
});

/** The kernel's table of what each address has sent and received: assembly/sent-and-received.ts says how it is laid out. */
class SentAndReceived {
  readonly #rows: number;
  readonly #doubles: Float64Array;
  readonly #counts: Uint32Array;

  constructor(buffer: ArrayBuffer, at: number, rows: number) {
    this.#rows = rows;
    this.#doubles = new Float64Array(buffer, at >>> 0, 4 * rows);
    this.#counts = new Uint32Array(buffer, at >>> 0, 8 * rows);
  }

  set(row: number, { realised, sent, receipts, sends }: Pick<RestoredAddress, keyof SentColumns>): void {
    this.#doubles[4 * row] = realised;
    this.#doubles[4 * row + 1] = sent;
    this.#counts[8 * row + 4] = receipts;
    this.#counts[8 * row + 5] = sends;
  }

  columns(): SentColumns {
    const columns = zeros(this.#rows);
    for (let row = 0; row < this.#rows; row++) {
      columns.realised[row] = this.#doubles[4 * row]!;
      columns.sent[row] = this.#doubles[4 * row + 1]!;
      columns.receipts[row] = this.#counts[8 * row + 4]!;
      columns.sends[row] = this.#counts[8 * row + 5]!;
    }
    return columns;
  }
}

/** Bytes of a record before its balance, and where its numbers are among them: assembly/replay.ts says what they are. */
const BALANCE = 48;
const RECORD = { basis: 0, purchaseTime: 8, lastDeposit: 30, lastSend: 32, lastReceipt: 36, firstEvent: 40 } as const;

/** The kernel's records of addresses, read without a call for each. */
class Records {
  readonly #doubles: Float64Array;
  readonly #words: Uint32Array;
  readonly #halves: Uint16Array;
  readonly #first: number;
  readonly #bytes: number;

  constructor({ memory, balanceOf }: ReplayKernel) {
    this.#doubles = new Float64Array(memory.buffer);
    this.#words = new Uint32Array(memory.buffer);
    this.#halves = new Uint16Array(memory.buffer);
    this.#first = (balanceOf(0) >>> 0) - BALANCE;
    this.#bytes = (balanceOf(1) - balanceOf(0)) >>> 0;
  }

  /** A number of each of some addresses. */
  pick(name: "basis" | "purchaseTime", holders: Uint32Array): Float64Array {
    const [doubles, first, step] = [this.#doubles, (this.#first + RECORD[name]) / 8, this.#bytes / 8];
    const picked = new Float64Array(holders.length);
    for (let i = 0; i < picked.length; i++) picked[i] = doubles[first + step * holders[i]!]!;
    return picked;
  }

  /** The balances of some addresses. @param words 32-bit words of each */
  balances(holders: Uint32Array, words: number): Uint32Array {
    const [memory, first, step] = [this.#words, (this.#first + BALANCE) / 4, this.#bytes / 4];
    const balances = new Uint32Array(words * holders.length);
    for (let i = 0, into = 0; i < holders.length; i++) {
      const at = first + step * holders[i]!;
      for (let word = 0; word < words; word++) balances[into++] = memory[at + word]!;
    }
    return balances;
  }

  /** Times and days of the first so many addresses. */
  times(rows: number): Pick<HoldersOfPartition, "firstEvents" | "lastSends" | "lastReceipts" | "lastDeposits"> {
    const [doubles, words, halves] = [this.#doubles, this.#words, this.#halves];
    const firstEvents = new Float64Array(rows);
    const lastSends = new Float64Array(rows);
    const lastReceipts = new Float64Array(rows);
    const lastDeposits = new Uint32Array(rows);
    for (let row = 0, at = this.#first; row < rows; row++, at += this.#bytes) {
      firstEvents[row] = doubles[(at + RECORD.firstEvent) / 8]!;
      // The kernel has 0 for none.
      lastSends[row] = words[(at + RECORD.lastSend) / 4]! - 1;
      lastReceipts[row] = words[(at + RECORD.lastReceipt) / 4]! - 1;
      lastDeposits[row] = halves[(at + RECORD.lastDeposit) / 2]!;
    }
    return { firstEvents, lastSends, lastReceipts, lastDeposits };
  }
}

/** Replays one partition, chunk by chunk. */
export class Replayer {
  readonly partition: Partition;
  readonly #kernel: ReplayKernel;
  /** Addresses, whether they have held anything or not. */
  readonly #holders: number;
  readonly #words: number;
  readonly #valueWords: number;
  readonly #collectors: Kept<CloseCollector<ExactCloses>>;
  readonly #changes: ChangeLog;
  readonly #chunk: EventChunk & Standings;
  #memory = new Uint32Array(0);
  /** Undefined in a replay of a list. */
  readonly #sentAndReceived: SentAndReceived | undefined;

  /**
   * @param addresses how many there are, of all partitions, with the zero address
   * @param sorted those of the partition
   * @param onLastClose called at the close of the last complete day, if there is a new one
   * @throws {EngineRefusal} the partition needs more than 4 GB of memory
   */
  constructor(
    outline: Outline,
    partition: Partition,
    addresses: number,
    sorted: SortedAddresses,
    onLastClose: () => void,
  ) {
    const unit = new TokenUnit(outline.parameters.decimals);
    this.partition = partition;
    // The kernel's limbs are pairs of words.
    this.#words = 2 * Math.ceil(outline.balanceWords / 2);
    this.#valueWords = outline.valueWords;
    this.#collectors = keepEach((name) => closesOf(name).collect(this.#words, sorted));
    const days = newBuckets(outline, "day");
    const isOfAll = outline.whose === "all";
    const length = days ? (days.last - days.first) / BUCKET_SECONDS.day + 1 : 0;
    const months = monthsOf(outline);
    this.#changes = new ChangeLog(days?.first ?? 0);
    let closes = 0;
    const kernel = instantiateReplay(unit, (lowest, highest) => {
      for (const collector of Object.values(this.#collectors)) collector.close(kernelTable(kernel), lowest, highest);
      if (isOfAll) this.#changes.close(kernelTable(kernel));
      if (++closes === length) onLastClose();
    });
    this.#kernel = kernel;
    this.#holders = Math.ceil((addresses - partition.index) / partition.count);
    kernel.setup(
      this.#holders,
      partition.index,
      partition.bits,
      REPLAY_ROWS,
      this.#words / 2,
      this.#valueWords,
      unit.power,
      unit.powerRest,
      EXCHANGE_SELECTORS.length - 1,
      length,
      (days?.first ?? 0) + BUCKET_SECONDS.day,
      months.length,
      Number(isOfAll),
    );
    const { buffer } = kernel.memory;
    const prices = new Float64Array(buffer, kernel.closePrices.value, length);
    for (let day = 0; day < length; day++) {
      prices[day] = closePrice(outline.prices, days!.first + (day + 1) * BUCKET_SECONDS.day);
    }
    new Float64Array(buffer, kernel.monthStarts.value).set(months);
    writeEdges(kernel, outline.parameters.balanceEdges, unit, this.#words);
    if (isOfAll) this.#sentAndReceived = new SentAndReceived(buffer, kernel.sentAndReceived.value, this.#holders);
    const doubles = (name: "timestamp" | "price" | "tokens" | "basis" | "since") =>
      new Float64Array(buffer, kernel[name].value, REPLAY_ROWS);
    const words = (name: "from" | "to") => new Uint32Array(buffer, kernel[name].value, REPLAY_ROWS);
    const halves = (name: "sender" | "receiver" | "firsts") => new Uint16Array(buffer, kernel[name].value, REPLAY_ROWS);
    this.#chunk = {
      from: words("from"),
      to: words("to"),
      timestamp: doubles("timestamp"),
      price: doubles("price"),
      values: new Uint32Array(buffer, kernel.values.value, REPLAY_ROWS * this.#valueWords),
      tokens: doubles("tokens"),
      basis: doubles("basis"),
      since: doubles("since"),
      sender: halves("sender"),
      receiver: halves("receiver"),
      firsts: halves("firsts"),
    };
  }

  /** Sets the label of an address of the partition: its group, and whether it is a deposit address. */
  setLabel(address: number, label: number): void {
    if (label !== 0) this.#kernel.setGroup(this.partition.holderOf(address), label);
  }

  /**
   * Restores an address from a checkpoint.
   *
   * @param balances in which its balance has `words` words from `at` on
   * @param others what is known of it beside those
   */
  restore(
    address: number,
    balances: Uint32Array,
    at: number,
    words: number,
    basis: number,
    others: RestoredAddress,
  ): void {
    const holder = this.partition.holderOf(address);
    const { buffer } = this.#kernel.memory;
    // A view for each address would take longer than all else.
    if (this.#memory.buffer !== buffer) this.#memory = new Uint32Array(buffer);
    const into = this.#kernel.balanceOf(holder) >>> 2;
    for (let word = 0; word < words; word++) this.#memory[into + word] = balances[at + word]!;
    const { purchase, firstEvent, lastSend, lastReceipt, lastDeposit } = others;
    this.#kernel.restore(holder, basis, purchase, firstEvent, lastSend, lastReceipt, lastDeposit);
    this.#sentAndReceived?.set(holder, others);
  }

  /**
   * Replays the next events.
   *
   * @returns their results, which the next call overwrites; of each event the partition knows its own side only. And the
   *   first event that sends more than its sender has, if there is one, with the sender's balance: the replay ends there
   */
  replay(events: EventChunk): { results: Standings; overdraft?: { index: number; balance: bigint } } {
    const chunk = this.#chunk;
    for (const name of ["from", "to", "timestamp", "price", "values"] as const) chunk[name].set(events[name] as never);
    chunk.tokens.fill(0);
    const index = this.#kernel.replay(events.from.length);
    if (index < 0) return { results: chunk };
    const sender = this.#kernel.balanceOf(this.partition.holderOf(chunk.from[index]!));
    const balance = new Uint32Array(this.#kernel.memory.buffer, sender >>> 0, this.#words);
    return { results: chunk, overdraft: { index, balance: toBigInt(balance, 0, this.#words) } };
  }

  /** The holders at this moment. */
  holders(): HoldersOfPartition {
    const kernel = this.#kernel;
    const words = this.#words;
    const listed = new Uint32Array(kernel.memory.buffer, kernel.holderList.value, kernel.listHolders());
    const records = new Records(kernel);
    return {
      ids: listed.map((holder) => this.partition.addressOf(holder)),
      words,
      balances: records.balances(listed, words),
      basis: records.pick("basis", listed),
      purchaseTime: records.pick("purchaseTime", listed),
      ...records.times(this.#holders),
      ...(this.#sentAndReceived?.columns() ?? zeros(this.#holders)),
    };
  }

  /**
   * Closes the days after the last event, unless the replay has ended with an overdraft.
   *
   * @throws {EngineRefusal} a holder's cost exceeds the range of a double
   */
  end(): PartitionEnd {
    this.#kernel.closeRemainingDays();
    if (this.#kernel.hasOverflowed.value) throw new EngineRefusal({ kind: "overflow", metric: "realised_cap" });
    this.#kernel.sumBalances();
    const digits = this.#words + 1;
    const supply = new Uint32Array(this.#kernel.memory.buffer, this.#kernel.closingSums.value, digits);
    return {
      closes: keepEach((name) => this.#collectors[name].finish()),
      changes: this.#changes.years,
      supply: toBigInt(supply, 0, digits),
      holders: this.#kernel.listHolders(),
    };
  }
}

/** The lower edges of the steps of ages but the first: those of age cohorts and that of terms. */
export const AGE_STEP_EDGES = [...AGE_EDGES_SECONDS.slice(1), TERM_EDGE_SECONDS].sort((a, b) => a - b);

/** The lower edges of the buckets of costs but the first two: that of a cost of 0, and the lowest of the others. */
const COST_EDGES = Array.from({ length: 2 * LAST_STEP }, (_, i) => costEdge(i + 1 - LAST_STEP));

function writeEdges(kernel: ReplayKernel, balanceEdges: readonly bigint[], unit: TokenUnit, words: number): void {
  const { buffer } = kernel.memory;
  new Float64Array(buffer, kernel.valueEdges.value).set(VALUE_RANGE_EDGES_USD.slice(1));
  new Int32Array(buffer, kernel.ageEdges.value).set(AGE_STEP_EDGES);
  new Float64Array(buffer, kernel.costEdges.value).set(COST_EDGES);
  const exact = new Uint32Array(buffer, kernel.balanceEdges.value, words * balanceEdges.length);
  const tokens = new Float64Array(buffer, kernel.balanceEdgeTokens.value, balanceEdges.length + 1);
  tokens.fill(Number.POSITIVE_INFINITY);
  for (const [n, edge] of balanceEdges.entries()) {
    // No balance reaches an edge that needs more words.
    if (wordCount(edge) > words) continue;
    fromBigInt(edge, exact, n * words, words);
    tokens[n] = unit.tokens(exact, n * words, words);
  }
}

/** The 32-bit words that the largest balance needs. */
export function wordsInUse({ balances, words }: HoldersOfPartition): number {
  let used = words;
  const isUsed = (word: number) => {
    for (let at = word; at < balances.length; at += words) if (balances[at] !== 0) return true;
    return false;
  };
  while (used > 1 && !isUsed(used - 1)) used--;
  return used;
}
