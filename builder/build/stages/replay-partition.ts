/**
 * Stage `replay`: replays one partition of the addresses, run after run. It leaves what the flows need of each of its
 * events, its share of the holdings at each day's close, and who has held the token by the last of them; and the same of their
 * lots, by each method.
 */

import type { Codec } from "../../../data-schema/parquet.ts";
import { CLOSE_NAMES, type ExactCloses } from "../../engine/closes.ts";
import type { YearOfChanges } from "../../engine/distributions.ts";
import { type Outline, type Overdraft, PriceCursor, toBigInt } from "../../engine/history.ts";
import { type HoldersOfPartition, Replayer, type RestoredAddress, wordsInUse } from "../../engine/replay.ts";
import { RowGroupMemory, type Rows, TableEncoder } from "../../lib/fixed-width-table.ts";
import { collectIfLarge } from "../../lib/garbage.ts";
import type { PartitionFacts } from "../left/facts.ts";
import { chunksOf, type Half, OWN_PARTITION, readHalf } from "../left/halves.ts";
import { toJson } from "../left/json.ts";
import { CHANGES, CLOSE_LAYOUT, EVENT_LAYOUT, halves, STANDINGS } from "../left/layouts.ts";
import { openLeftTable } from "../left/open-table.ts";
import { outlineOfRuns } from "../left/run-outline.ts";
import { lotMethods } from "../left/stage-plan.ts";
import type { StageTask } from "../left/task.ts";
import { replayLots } from "../lots/replay.ts";
import { closingNumbers, encodeClosing } from "./closing.ts";
import { type PartitionAddresses, readAddresses, type Seeds, sortAddresses } from "./partition-addresses.ts";

export async function replayPartition(task: StageTask): Promise<PartitionFacts> {
  const { folder, index, runs } = task;
  const outline = outlineOfRuns(task.plan, runs);
  const addresses = await readAddresses(task);
  const { size } = addresses.table;
  let atClose: HoldersOfPartition | undefined;
  const sorted = sortAddresses(addresses);
  const replayer = new Replayer(outline, OWN_PARTITION, 2 * size, sorted, () => {
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
      const half = await readHalf(task, run, facts, addresses.translations, room);
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
  for (const method of lotMethods(task.plan)) {
    // V8 does not count the memory of kernels, and would keep those of all methods.
    collectIfLarge(0);
    await replayLots(task, outline, method, {
      labels: addresses.labels,
      firstSeeds: addresses.seeds.map(({ first }) => first),
      translations: addresses.translations,
      closing: closingNumbers(sorted, closing),
    });
  }
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
  for (const { begin, chunk } of chunksOf(half, words, valueWords, prices)) {
    const { from, to } = chunk;
    const { results, overdraft } = replayer.replay(chunk);
    if (overdraft) return { index: begin + overdraft.index, balance: overdraft.balance };
    for (let i = 0, at = begin; i < from.length; i++, at++) {
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

const isOwn = (number: number) => OWN_PARTITION.includes(number);

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
