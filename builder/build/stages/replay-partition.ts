/**
 * Stage `replay`: replays one partition of the addresses, run after run. It leaves what the flows need of each of its
 * events, its share of the holdings at each day's close, and who has held the token by the last of them.
 */

import type { Codec } from "../../../data-schema/parquet.ts";
import { CLOSE_NAMES, type ExactCloses } from "../../engine/closes.ts";
import type { YearOfChanges } from "../../engine/distributions.ts";
import { type Outline, type Overdraft, PriceCursor, toBigInt } from "../../engine/history.ts";
import {
  type HoldersOfPartition,
  Partition,
  REPLAY_ROWS,
  Replayer,
  type RestoredAddress,
  wordsInUse,
} from "../../engine/replay.ts";
import { RowGroupMemory, type Rows, TableEncoder } from "../../lib/fixed-width-table.ts";
import type { PartitionFacts, RunFacts } from "../left/facts.ts";
import { toJson } from "../left/json.ts";
import { CHANGES, CLOSE_LAYOUT, EVENT_LAYOUT, halves, STANDINGS } from "../left/layouts.ts";
import { openLeftTable } from "../left/open-table.ts";
import { outlineOfRuns } from "../left/run-outline.ts";
import type { StageTask } from "../left/task.ts";
import { encodeClosing } from "./closing.ts";
import { FIRST_OWN } from "./map.ts";
import { type PartitionAddresses, readAddresses, type Seeds, sortAddresses } from "./partition-addresses.ts";

type Half = { count: number } & Rows<ReturnType<typeof halves>>;

/** The partition's addresses have even numbers. */
const EVEN = new Partition(0, 2);

/** What the first numbers in `halves` stand for, to the kernel. */
const NOT_OWN = [0, EVEN.otherAddress(false), EVEN.otherAddress(true)];

export async function replayPartition(task: StageTask): Promise<PartitionFacts> {
  const { folder, index, runs } = task;
  const outline = outlineOfRuns(task.plan, runs);
  const addresses = await readAddresses(task);
  const { size } = addresses.table;
  let atClose: HoldersOfPartition | undefined;
  const sorted = sortAddresses(addresses);
  const replayer = new Replayer(outline, EVEN, 2 * size, sorted, () => {
    atClose = replayer.holders();
  });
  for (let number = 1; number < size; number++) replayer.setLabel(2 * number, addresses.labels[number]!);
  for (const seeds of addresses.seeds) restore(replayer, seeds);

  let overdraft: Overdraft | undefined;
  async function* standings(): AsyncGenerator<Uint8Array> {
    const encoder = new TableEncoder(STANDINGS, folder.codec);
    const prices = new PriceCursor(outline.prices);
    const { row: _, ...others } = halves(outline.valueWords);
    const room = new RowGroupMemory(others);
    for (const [run, facts] of runs.entries()) {
      const half = await readHalf(task, run, facts, addresses, room);
      const found = replayRun(replayer, outline, prices, half, facts.words);
      if ("balance" in found) {
        overdraft = await describe(task, run, half, found, addresses);
        return;
      }
      const cut = half.row.findIndex((row) => row >= (facts.days[0]?.rows ?? 0));
      const firstDay = cut < 0 ? half.count : cut;
      yield* encoder.group(firstDay, slice(found, 0, firstDay));
      yield* encoder.group(half.count - firstDay, slice(found, firstDay, half.count));
    }
    yield* encoder.end();
  }
  await folder.write(`standings/${index}.parquet`, standings());
  if (overdraft) return { holders: 0, supply: 0n, addresses: 0, words: 1, wordsInUse: 1, overdraft };

  const { closes, changes, holders, supply } = replayer.end();
  for (const name of CLOSE_NAMES) {
    await folder.write(`${name}/${index}.parquet`, encodeCloses(closes[name], folder.codec));
  }
  if (outline.whose === "all") await folder.write(`changes/${index}.parquet`, encodeChanges(changes, folder.codec));
  const closing = atClose ?? holdersOf(addresses);
  await folder.write(`closing/${index}.parquet`, encodeClosing(addresses, sorted, closing, folder.codec));
  return {
    holders,
    supply,
    addresses: addresses.appearing,
    overdraft,
    words: closing.words,
    wordsInUse: wordsInUse(closing),
  };
}

function restore(replayer: Replayer, { first, count, words, balance, basis, since, ...kept }: Seeds): void {
  const others: RestoredAddress = {
    ...{ purchase: 0, firstEvent: 0, lastSend: 0, lastReceipt: 0, lastDeposit: 0 },
    ...{ realised: 0, sent: 0, receipts: 0, sends: 0 },
  };
  for (let row = 0; row < count; row++) {
    others.purchase = since[row]!;
    others.firstEvent = kept.firstEvent[row]!;
    others.lastSend = kept.lastSend[row]!;
    others.lastReceipt = kept.lastReceipt[row]!;
    others.lastDeposit = kept.lastDeposit[row]!;
    others.realised = kept.realised[row]!;
    others.sent = kept.sent[row]!;
    others.receipts = kept.receipts[row]!;
    others.sends = kept.sends[row]!;
    replayer.restore(2 * (first + row), balance, words * row, words, basis[row]!, others);
  }
}

/** The partition's events of a run, with the numbers that the kernel has of its addresses. */
async function readHalf(
  { folder, index }: StageTask,
  run: number,
  { words }: RunFacts,
  { translations }: PartitionAddresses,
  room: RowGroupMemory<Omit<ReturnType<typeof halves>, "row">>,
): Promise<Half> {
  const file = await openLeftTable(folder, `halves/${run}.parquet`, halves(words), () => [index]);
  // The numbers of events are handed on, the rest is not.
  const half = file.group(index, room.of(file.rowsOf(index)));
  const numbers = translations[run]!;
  for (const side of [half.from, half.to]) {
    for (let i = 0; i < side.length; i++) {
      const number = side[i]!;
      side[i] = number < FIRST_OWN ? NOT_OWN[number]! : 2 * numbers[number - FIRST_OWN]!;
    }
  }
  return half;
}

/** @returns the standings of the events; or the first overdraft */
function replayRun(
  replayer: Replayer,
  { valueWords, whose }: Outline,
  prices: PriceCursor,
  half: Half,
  words: number,
): Rows<typeof STANDINGS> | { index: number; balance: bigint } {
  const { count } = half;
  const standings = {
    row: half.row,
    tokens: new Float64Array(count),
    basis: new Float64Array(count),
    since: new Float64Array(count),
    sender: new Uint16Array(count),
    receiver: new Uint16Array(count),
    firsts: new Uint16Array(count),
  };
  const values = new Uint32Array(REPLAY_ROWS * valueWords);
  const price = new Float64Array(REPLAY_ROWS);
  for (let begin = 0; begin < count; begin += REPLAY_ROWS) {
    const rows = Math.min(REPLAY_ROWS, count - begin);
    for (let i = 0; i < rows; i++) {
      price[i] = prices.at(half.time[begin + i]!);
      // The words above the run's stay zero.
      for (let word = 0; word < words; word++) {
        values[i * valueWords + word] = half.value[(begin + i) * words + word]!;
      }
    }
    const [from, to] = [half.from.subarray(begin, begin + rows), half.to.subarray(begin, begin + rows)];
    const { results, overdraft } = replayer.replay({
      from,
      to,
      timestamp: half.time.subarray(begin, begin + rows),
      price: price.subarray(0, rows),
      values: values.subarray(0, rows * valueWords),
    });
    if (overdraft) return { index: begin + overdraft.index, balance: overdraft.balance };
    for (let i = 0, at = begin; i < rows; i++, at++) {
      const sends = from[i] !== 0 && isOwn(from[i]!);
      // Nobody replays the addresses that are not on a list.
      if (sends || from[i] === 0 || whose === "listed") standings.tokens[at] = results.tokens[i]!;
      if (sends) {
        standings.basis[at] = results.basis[i]!;
        standings.since[at] = results.since[i]!;
        standings.sender[at] = results.sender[i]!;
      }
      if (to[i] !== 0 && isOwn(to[i]!)) standings.receiver[at] = results.receiver[i]!;
      standings.firsts[at] = results.firsts[i]!;
    }
  }
  return standings;
}

const isOwn = (number: number) => (number & 1) === 0;

const slice = (
  { row, tokens, basis, since, sender, receiver, firsts }: Rows<typeof STANDINGS>,
  begin: number,
  end: number,
) => ({
  row: row.subarray(begin, end),
  tokens: tokens.subarray(begin, end),
  basis: basis.subarray(begin, end),
  since: since.subarray(begin, end),
  sender: sender.subarray(begin, end),
  receiver: receiver.subarray(begin, end),
  firsts: firsts.subarray(begin, end),
});

async function describe(
  { folder, runs }: StageTask,
  run: number,
  { row, from, value }: Half,
  { index, balance }: { index: number; balance: bigint },
  { table }: PartitionAddresses,
): Promise<Overdraft> {
  const events = await openLeftTable(folder, `events/${run}.parquet`, EVENT_LAYOUT);
  const { words } = runs[run]!;
  let at = row[index]!;
  let group = 0;
  let rows = events.group(group);
  for (; at >= rows.count; rows = events.group(++group)) at -= rows.count;
  const sender = Buffer.from(table.pick(Uint32Array.of(from[index]! / 2))).toString("hex");
  return {
    block: rows.block[at]!,
    logIndex: rows.logIndex[at]!,
    sender: `0x${sender}`,
    balance,
    value: toBigInt(value, index * words, words),
  };
}

function* encodeCloses({ digits, ...facts }: ExactCloses, codec: Codec): Generator<Uint8Array> {
  const encoder = new TableEncoder(CLOSE_LAYOUT, codec);
  yield* encoder.group(digits.length, { digit: digits });
  yield* encoder.end(toJson(facts));
}

/** What `readChanges` reads. */
function* encodeChanges(years: readonly YearOfChanges[], codec: Codec): Generator<Uint8Array> {
  const encoder = new TableEncoder(CHANGES, codec);
  for (const { words } of years) yield* encoder.group(words.length, { word: words });
  yield* encoder.end(toJson(years.map(({ first, days }) => ({ first, days }))));
}

/** The holders of a checkpoint, if no day has closed since. */
function holdersOf({ seeds, table }: PartitionAddresses): HoldersOfPartition {
  const words = seeds[0]?.words ?? 1;
  const count = seeds.reduce((sum, seed) => sum + seed.count, 0);
  const holders = {
    ids: new Uint32Array(count),
    words,
    balances: new Uint32Array(words * count),
    basis: new Float64Array(count),
    purchaseTime: new Float64Array(count),
    firstEvents: new Float64Array(table.size),
    lastSends: new Float64Array(table.size).fill(-1),
    lastReceipts: new Float64Array(table.size).fill(-1),
    lastDeposits: new Uint32Array(table.size),
    realised: new Float64Array(table.size),
    sent: new Float64Array(table.size),
    receipts: new Uint32Array(table.size),
    sends: new Uint32Array(table.size),
  };
  let at = 0;
  for (const {
    first,
    count,
    balance,
    basis,
    since,
    firstEvent,
    lastSend,
    lastReceipt,
    lastDeposit,
    ...kept
  } of seeds) {
    for (let row = 0; row < count; row++) holders.ids[at + row] = 2 * (first + row);
    holders.balances.set(balance, words * at);
    holders.basis.set(basis, at);
    holders.purchaseTime.set(since, at);
    holders.firstEvents.set(firstEvent, first);
    holders.lastSends.set(lastSend, first);
    holders.lastReceipts.set(lastReceipt, first);
    holders.lastDeposits.set(lastDeposit, first);
    for (const name of ["realised", "sent", "receipts", "sends"] as const) holders[name].set(kept[name], first);
    at += count;
  }
  return holders;
}
