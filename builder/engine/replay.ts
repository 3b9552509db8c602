/**
 * The replay: every event in order, and the classification of all holders at each day's close. It writes the
 * classifications of each event's sender and receiver to the timeline, for the flows, and returns the holdings.
 * Source: docs/methodology.md §3, §4 and §7.
 *
 * The balance and cost of an address depend on its own events alone. So the addresses are divided into partitions, and
 * each is replayed on its own by the WebAssembly of kernel/. Sums over addresses are exact (holdings.ts), so they do not
 * depend on the number of partitions.
 */

import { AGE_EDGES_SECONDS, VALUE_RANGE_EDGES_USD } from "../../data-schema/cohorts.ts";
import { EXCHANGE_SELECTORS } from "../../data-schema/exchanges.ts";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { fromBigInt, TokenUnit, toBigInt, wordCount } from "./amounts.ts";
import type { Holders } from "./checkpoint.ts";
import { type ExactHoldings, HoldingsWriter } from "./holdings.ts";
import { closePrice } from "./prices.ts";
import { instantiateReplay, type ReplayKernel } from "./replay-kernel.ts";
import { overflowFailure } from "./series.ts";
import { newBuckets, type Timeline } from "./timeline.ts";

export const MAX_PARTITIONS = 16;

/** The number of partitions for a number of threads: a power of two, see `Partition`. */
export function partitionCount(threads: number): number {
  return Math.min(MAX_PARTITIONS, 2 ** Math.ceil(Math.log2(threads)));
}

/** The addresses whose last bits are those of `index`; their other bits number the holders of the partition. */
class Partition {
  readonly index: number;
  readonly count: number;
  readonly bits: number;

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
}

/** A transfer or burn of more than its sender has. */
export interface Overdraft {
  row: number;
  /** The sender's exact balance, raw. */
  balance: bigint;
}

/** The addresses of a partition that have a balance: columns as of `Holders`, with indexes of addresses. */
export interface PartitionHolders {
  /** Indexes into the history's addresses. */
  ids: Uint32Array;
  words: number;
  balances: Uint32Array;
  basis: Float64Array;
  purchaseTime: Float64Array;
}

export interface PartitionReplay {
  /** At the close of each new day (`newBuckets`). */
  holdings: ExactHoldings;
  /** At the close of the last of these days; undefined when there is none. */
  holdersAtLastClose: PartitionHolders | undefined;
  /** The number of addresses with a balance at the end. */
  holders: number;
  /** The sum of the partition's balances at the end, raw. */
  supply: bigint;
  /** The partition's first overdraft: the events after it were not replayed. */
  overdraft: Overdraft | undefined;
}

/** Events copied to the kernel at a time: a chunk fits the cache of a core. */
const CHUNK_ROWS = 16_384;

/**
 * Replays the partition of that index.
 *
 * @throws {Failure} the partition needs more than 4 GB of memory, or a holder's cost exceeds the range of a double
 */
export function replayPartition(timeline: Timeline, index: number, count: number): PartitionReplay {
  const partition = new Partition(index, count);
  const unit = new TokenUnit(timeline.parameters.decimals);
  // The kernel's limbs are pairs of words.
  const words = 2 * Math.ceil(timeline.balanceWords / 2);
  const closePrices = pricesAtCloses(timeline);
  const writer = new HoldingsWriter(words);
  let closes = 0;
  let holdersAtLastClose: PartitionHolders | undefined;
  const kernel = instantiateReplay(unit, (lowest, highest) => {
    writer.closeDay(new Uint32Array(kernel.memory.buffer, kernel.closingSums.value), lowest, highest);
    if (++closes === closePrices.length) holdersAtLastClose = readHolders(kernel, partition, words);
  });
  setUp(kernel, timeline, partition, words, unit, closePrices);
  const overdraft = replayEvents(kernel, timeline, partition, words);
  if (!overdraft) kernel.closeRemainingDays();
  if (kernel.hasOverflowed.value) throw overflowFailure("realised_cap");
  kernel.sumBalances();
  const supply = new Uint32Array(kernel.memory.buffer, kernel.closingSums.value, words + 1);
  return {
    holdings: writer.finish(),
    holdersAtLastClose,
    holders: kernel.listHolders(),
    supply: toBigInt(supply, 0, words + 1),
    overdraft,
  };
}

/** USD per token at the close of each new day (`newBuckets`). */
function pricesAtCloses(timeline: Timeline): number[] {
  const days = newBuckets(timeline, "day");
  const length = days ? (days.last - days.first) / BUCKET_SECONDS.day + 1 : 0;
  return Array.from({ length }, (_, day) => closePrice(timeline.prices, days!.first + (day + 1) * BUCKET_SECONDS.day));
}

function setUp(
  kernel: ReplayKernel,
  timeline: Timeline,
  partition: Partition,
  words: number,
  unit: TokenUnit,
  closePrices: readonly number[],
): void {
  const { history, groups, checkpoint } = timeline;
  const addresses = history.addresses.length / 20;
  kernel.setup(
    Math.ceil((addresses - partition.index) / partition.count),
    partition.index,
    partition.bits,
    CHUNK_ROWS,
    words / 2,
    history.valueWords,
    unit.power,
    unit.powerRest,
    EXCHANGE_SELECTORS.length - 1,
    closePrices.length,
    (newBuckets(timeline, "day")?.first ?? 0) + BUCKET_SECONDS.day,
  );
  new Float64Array(kernel.memory.buffer, kernel.closePrices.value).set(closePrices);
  writeEdges(kernel, timeline.parameters.balanceEdges, unit, words);
  for (let id = partition.index; id < addresses; id += partition.count) {
    if (groups[id] !== 0) kernel.setGroup(partition.holderOf(id), groups[id]!);
  }
  if (checkpoint) restore(kernel, checkpoint.holders, partition);
}

function writeEdges(kernel: ReplayKernel, balanceEdges: readonly bigint[], unit: TokenUnit, words: number): void {
  const { buffer } = kernel.memory;
  new Float64Array(buffer, kernel.valueEdges.value).set(VALUE_RANGE_EDGES_USD.slice(1));
  const noAge = 2 ** 31 - 1;
  new Int32Array(buffer, kernel.ageEdges.value).set([...AGE_EDGES_SECONDS.slice(1), noAge]);
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

/** Restores the partition's share of a checkpoint's holders, which are the addresses from 1 on. */
function restore(kernel: ReplayKernel, holders: Holders, partition: Partition): void {
  const { words, balances, basis, purchaseTime } = holders;
  const memory = new Uint32Array(kernel.memory.buffer);
  for (let id = partition.index || partition.count; id <= basis.length; id += partition.count) {
    const [holder, at] = [partition.holderOf(id), id - 1];
    memory.set(balances.subarray(at * words, (at + 1) * words), kernel.balanceOf(holder) >>> 2);
    kernel.restore(holder, basis[at]!, purchaseTime[at]!);
  }
}

/** Replays the events chunk by chunk and writes the results to the timeline, up to the first overdraft. */
function replayEvents(
  kernel: ReplayKernel,
  timeline: Timeline,
  partition: Partition,
  words: number,
): Overdraft | undefined {
  const { history, rows } = timeline;
  const { valueWords } = history;
  const { buffer } = kernel.memory;
  const chunk = {
    from: new Uint32Array(buffer, kernel.from.value, CHUNK_ROWS),
    to: new Uint32Array(buffer, kernel.to.value, CHUNK_ROWS),
    timestamp: new Float64Array(buffer, kernel.timestamp.value, CHUNK_ROWS),
    price: new Float64Array(buffer, kernel.price.value, CHUNK_ROWS),
    values: new Uint32Array(buffer, kernel.values.value, CHUNK_ROWS * valueWords),
    tokens: new Float64Array(buffer, kernel.tokens.value, CHUNK_ROWS),
    basis: new Float64Array(buffer, kernel.basis.value, CHUNK_ROWS),
    senderClassification: new Uint16Array(buffer, kernel.senderClassification.value, CHUNK_ROWS),
    receiverClassification: new Uint16Array(buffer, kernel.receiverClassification.value, CHUNK_ROWS),
  };
  for (let begin = 0; begin < rows; begin += CHUNK_ROWS) {
    const end = Math.min(rows, begin + CHUNK_ROWS);
    chunk.from.set(history.from.subarray(begin, end));
    chunk.to.set(history.to.subarray(begin, end));
    chunk.timestamp.set(history.timestamp.subarray(begin, end));
    chunk.values.set(history.values.subarray(begin * valueWords, end * valueWords));
    chunk.price.set(timeline.price.subarray(begin, end));
    chunk.tokens.fill(0);
    const failed = kernel.replay(end - begin);
    if (failed >= 0) {
      const sender = partition.holderOf(chunk.from[failed]!);
      const balance = new Uint32Array(buffer, kernel.balanceOf(sender) >>> 0, words);
      return { row: begin + failed, balance: toBigInt(balance, 0, words) };
    }
    copyResults(chunk, timeline, begin, end, partition);
  }
  return undefined;
}

type Results = Record<"tokens" | "basis", Float64Array> &
  Record<"senderClassification" | "receiverClassification", Uint16Array>;
type Chunk = Results & Record<"from" | "to", Uint32Array>;

/** Copies the rows [begin, end): of each event, the partition knows its own side only. */
function copyResults(chunk: Chunk, timeline: Results, begin: number, end: number, partition: Partition): void {
  if (partition.count === 1) {
    for (const name of ["tokens", "basis", "senderClassification", "receiverClassification"] as const) {
      timeline[name].set(chunk[name].subarray(0, end - begin), begin);
    }
    return;
  }
  for (let i = 0, row = begin; row < end; i++, row++) {
    if (chunk.tokens[i] === 0) continue;
    timeline.tokens[row] = chunk.tokens[i]!;
    if (partition.includes(chunk.from[i]!)) {
      timeline.basis[row] = chunk.basis[i]!;
      timeline.senderClassification[row] = chunk.senderClassification[i]!;
    }
    if (partition.includes(chunk.to[i]!)) timeline.receiverClassification[row] = chunk.receiverClassification[i]!;
  }
}

function readHolders(kernel: ReplayKernel, partition: Partition, words: number): PartitionHolders {
  const count = kernel.listHolders();
  const memory = new Uint32Array(kernel.memory.buffer);
  const listed = new Uint32Array(kernel.memory.buffer, kernel.holderList.value, count);
  const balances = new Uint32Array(words * count);
  listed.forEach((holder, i) => {
    const at = kernel.balanceOf(holder) >>> 2;
    balances.set(memory.subarray(at, at + words), i * words);
  });
  return {
    ids: listed.map((holder) => partition.addressOf(holder)),
    words,
    balances,
    basis: Float64Array.from(listed, (holder) => kernel.basisOf(holder)),
    purchaseTime: Float64Array.from(listed, (holder) => kernel.purchaseTimeOf(holder)),
  };
}
