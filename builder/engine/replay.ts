/**
 * The replay: every event in order, with a look at all holders at each day's close. It leaves each event's sender and
 * receiver standing in the timeline, for the flows, and returns what was held. Source: methodology §3, §4 "When is an
 * address classified?" and §7.
 *
 * An address's balance and cost depend on its own events alone. So addresses are dealt out to parts, and each part is
 * replayed on its own, by the WebAssembly of kernel/. Sums over addresses are exact (holdings.ts): they do not depend
 * on how many parts there are.
 */

import { readFileSync } from "node:fs";
import { AGE_EDGES_SECONDS, VALUE_RANGE_EDGES_USD } from "../../data-schema/cohorts.ts";
import { EXCHANGE_SELECTORS } from "../../data-schema/exchanges.ts";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { Failure } from "../failure.ts";
import { fromBigInt, TokenUnit, toBigInt, wordsOf } from "./amounts.ts";
import type { Holders } from "./checkpoint.ts";
import { type ExactHoldings, HoldingsWriter } from "./holdings.ts";
import { tooLarge } from "./points.ts";
import { closePrice } from "./prices.ts";
import { replayedDays, type Timeline } from "./timeline.ts";

/** The most parts there can be. */
export const MOST_PARTS = 16;

/** Parts for a number of threads: a power of two, so that the last bits of an address's number tell its part. */
export function partsFor(threads: number): number {
  return Math.min(MOST_PARTS, 2 ** Math.ceil(Math.log2(threads)));
}

/** A transfer or burn of more than its sender has. */
export interface Overdraft {
  row: number;
  /** The sender's exact balance, raw. */
  balance: bigint;
}

/** Some of the addresses that hold something, and what; as `Holders`, with their numbers. */
export interface PartHolders {
  numbers: Uint32Array;
  words: number;
  balances: Uint32Array;
  basis: Float64Array;
  since: Float64Array;
}

export interface PartReplay {
  /** At the close of each day of `replayedDays`. */
  holdings: ExactHoldings;
  /** At the close of the last of them; undefined when there is none. */
  closing?: PartHolders;
  /** How many hold something at the end. */
  holders: number;
  /** The sum of the part's balances at the end, raw. */
  supply: bigint;
  /** The part's first overdraft: the rest was not replayed. */
  overdraft?: Overdraft;
}

/** Events copied to the kernel at a time: they stay in a core's cache. */
const CHUNK_ROWS = 16_384;

const compiled = new WebAssembly.Module(readFileSync(new URL("kernel/replay.wasm", import.meta.url)));

/** What kernel/replay.ts exports; the addresses of its columns and tables are globals. */
interface Kernel extends Record<ColumnName | TableName | "row" | "moving" | "isTooLarge", { value: number }> {
  memory: { buffer: ArrayBuffer };
  setup(...layout: number[]): void;
  setGroup(holder: number, group: number): void;
  restore(holder: number, basis: number, since: number): void;
  balanceOf(holder: number): number;
  basisOf(holder: number): number;
  sinceOf(holder: number): number;
  listHolders(): number;
  replay(count: number): number;
  finish(): void;
  sumBalances(): void;
}
type ColumnName =
  | "from"
  | "to"
  | "timestamp"
  | "price"
  | "tokens"
  | "values"
  | "basis"
  | "sender"
  | "receiver"
  | "closePrices";
type TableName = "valueEdges" | "ageEdges" | "balanceEdges" | "balanceEdgeTokens";

export function replayPart(timeline: Timeline, part: number, parts: number): PartReplay {
  const { history, rows, balanceWords } = timeline;
  const unit = new TokenUnit(timeline.terms.decimals);
  // The kernel's limbs are pairs of words.
  const words = 2 * Math.ceil(balanceWords / 2);
  const partBits = Math.log2(parts);
  const days = replayedDays(timeline);
  const writer = new HoldingsWriter(words);
  const closes = days ? (days.last - days.first) / BUCKET_SECONDS.day + 1 : 0;
  let closed = 0;
  let closing: PartHolders | undefined;
  const kernel = new WebAssembly.Instance(compiled, {
    balance: {
      decimalTokens: (at, count) => unit.tokens(new Uint32Array(kernel.memory.buffer, at >>> 0, count), 0, count),
    },
    memory: {
      outOfMemory: () => {
        throw new Failure(
          "A thread's share of the addresses takes more than 4 GB of memory: build with more --threads.",
        );
      },
    },
    replay: {
      dayClosed: (lowest, highest) => {
        writer.closeDay(new Uint32Array(kernel.memory.buffer, kernel.row.value), lowest, highest);
        if (++closed === closes) closing = readHolders(kernel, words, (holder) => (holder << partBits) | part);
      },
    },
  }).exports as unknown as Kernel;

  const addresses = history.addresses.length / 20;
  const firstClose = days ? days.first + BUCKET_SECONDS.day : 0;
  kernel.setup(
    Math.ceil((addresses - part) / parts),
    part,
    partBits,
    CHUNK_ROWS,
    words / 2,
    history.valueWords,
    unit.power,
    unit.powerRest,
    EXCHANGE_SELECTORS.length - 1,
    closes,
    firstClose,
  );
  const { buffer } = kernel.memory;
  writeEdges(kernel, timeline.terms.balanceEdges, unit, words);
  new Float64Array(buffer, kernel.closePrices.value, closes).set(
    Float64Array.from({ length: closes }, (_, day) =>
      closePrice(timeline.prices, firstClose + day * BUCKET_SECONDS.day),
    ),
  );
  for (let id = part; id < addresses; id += parts) {
    if (timeline.groups[id] !== 0) kernel.setGroup(id >>> partBits, timeline.groups[id]);
  }
  if (timeline.before) restore(kernel, timeline.before.holders, part, parts);

  const floats = (column: ColumnName) => new Float64Array(buffer, kernel[column].value, CHUNK_ROWS);
  const chunk = {
    from: new Uint32Array(buffer, kernel.from.value, CHUNK_ROWS),
    to: new Uint32Array(buffer, kernel.to.value, CHUNK_ROWS),
    timestamp: floats("timestamp"),
    price: floats("price"),
    tokens: floats("tokens"),
    values: new Uint32Array(buffer, kernel.values.value, CHUNK_ROWS * history.valueWords),
    basis: floats("basis"),
    sender: new Uint16Array(buffer, kernel.sender.value, CHUNK_ROWS),
    receiver: new Uint16Array(buffer, kernel.receiver.value, CHUNK_ROWS),
  };
  let overdraft: Overdraft | undefined;
  for (let begin = 0; begin < rows && !overdraft; begin += CHUNK_ROWS) {
    const end = Math.min(rows, begin + CHUNK_ROWS);
    chunk.from.set(history.from.subarray(begin, end));
    chunk.to.set(history.to.subarray(begin, end));
    chunk.timestamp.set(history.timestamp.subarray(begin, end));
    chunk.values.set(history.values.subarray(begin * history.valueWords, end * history.valueWords));
    chunk.price.set(timeline.price.subarray(begin, end));
    chunk.tokens.fill(0);
    const failed = kernel.replay(end - begin);
    if (failed >= 0) {
      const balance = new Uint32Array(buffer, kernel.balanceOf(chunk.from[failed] >>> partBits) >>> 0, words);
      overdraft = { row: begin + failed, balance: toBigInt(balance, 0, words) };
    }
    if (parts === 1) {
      for (const name of ["tokens", "basis", "sender", "receiver"] as const) {
        timeline[name].set(chunk[name].subarray(0, end - begin), begin);
      }
      continue;
    }
    // Of the other events, and of the other side of these, another part knows.
    const isMine = (address: number) => (address & (parts - 1)) === part;
    for (let i = 0, row = begin; row < end; i++, row++) {
      if (chunk.tokens[i] === 0) continue;
      timeline.tokens[row] = chunk.tokens[i];
      if (isMine(chunk.from[i])) {
        timeline.basis[row] = chunk.basis[i];
        timeline.sender[row] = chunk.sender[i];
      }
      if (isMine(chunk.to[i])) timeline.receiver[row] = chunk.receiver[i];
    }
  }
  if (!overdraft) kernel.finish();
  if (kernel.isTooLarge.value) throw tooLarge("realised_cap");
  kernel.sumBalances();
  const supply = toBigInt(new Uint32Array(kernel.memory.buffer, kernel.row.value, words + 1), 0, words + 1);
  return {
    holdings: writer.finish(),
    ...(closing ? { closing } : {}),
    holders: kernel.listHolders(),
    supply,
    ...(overdraft ? { overdraft } : {}),
  };
}

/** Puts the part's share of a checkpoint's holders back; they are the addresses from 1 on. */
function restore(kernel: Kernel, { words, balances, basis, since }: Holders, part: number, parts: number): void {
  const memory = new Uint32Array(kernel.memory.buffer);
  const partBits = Math.log2(parts);
  for (let number = part === 0 ? parts : part; number <= basis.length; number += parts) {
    const [holder, at] = [number >>> partBits, number - 1];
    memory.set(balances.subarray(at * words, (at + 1) * words), kernel.balanceOf(holder) >>> 2);
    kernel.restore(holder, basis[at], since[at]);
  }
}

function readHolders(kernel: Kernel, words: number, numberOf: (holder: number) => number): PartHolders {
  const count = kernel.listHolders();
  const memory = new Uint32Array(kernel.memory.buffer);
  const listed = memory.subarray(kernel.moving.value >>> 2, (kernel.moving.value >>> 2) + count);
  const balances = new Uint32Array(words * count);
  listed.forEach((holder, i) => {
    const at = kernel.balanceOf(holder) >>> 2;
    balances.set(memory.subarray(at, at + words), i * words);
  });
  return {
    numbers: listed.map(numberOf),
    words,
    balances,
    basis: Float64Array.from(listed, (holder) => kernel.basisOf(holder)),
    since: Float64Array.from(listed, (holder) => kernel.sinceOf(holder)),
  };
}

function writeEdges(kernel: Kernel, balanceEdges: readonly bigint[], unit: TokenUnit, words: number): void {
  const { buffer } = kernel.memory;
  new Float64Array(buffer, kernel.valueEdges.value).set(VALUE_RANGE_EDGES_USD.slice(1));
  const noAge = 2 ** 31 - 1;
  new Int32Array(buffer, kernel.ageEdges.value).set([...AGE_EDGES_SECONDS.slice(1), noAge]);
  const exact = new Uint32Array(buffer, kernel.balanceEdges.value, words * balanceEdges.length);
  const tokens = new Float64Array(buffer, kernel.balanceEdgeTokens.value, balanceEdges.length + 1);
  tokens.fill(Number.POSITIVE_INFINITY);
  balanceEdges.forEach((edge, n) => {
    // Balances have no more bits than was ever minted: some edges may be out of reach.
    if (wordsOf(edge) > words) return;
    fromBigInt(edge, exact, n * words, words);
    tokens[n] = unit.tokens(exact, n * words, words);
  });
}
