/** Lots of random histories, against addresses that keep theirs in a list and sort it for each send. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBigInt, toBigInt } from "../../../builder/engine/history.ts";
import { type BookChanges, LotReplay, type LotRows, type LotTerms } from "../../../builder/engine/lots/replay-lots.ts";
import { type EventChunk, Partition } from "../../../builder/engine/replay.ts";
import { LOT_METHODS, type LotMethod } from "../../../data-schema/registry.ts";

const HOUR = 3600;
const DAY = 86_400;
const START = 1_600_041_600;
const VALUE_WORDS = 4;
const ADDRESSES = 7;
/** The one that is a contract. */
const OTHER = 3;

interface Event {
  t: number;
  price: number;
  from: number;
  to: number;
  value: bigint;
}

interface Lot {
  time: number;
  price: number;
  amount: bigint;
}

/** Which of two lots is sent first. Source: docs/methodology.md §14. */
const ORDERS: Record<LotMethod, (a: Lot, b: Lot) => number> = {
  fifo: (a, b) => a.time - b.time || a.price - b.price,
  lifo: (a, b) => b.time - a.time || b.price - a.price,
  hifo: (a, b) => b.price - a.price || a.time - b.time,
};

interface Outcome {
  /** What each event has taken. */
  pieces: Lot[][];
  /** At each close, by `time price`: what all hold, and what users do. */
  books: Map<string, [bigint, bigint]>[];
  /** What each address has in the end, by time and price. */
  lots: Lot[][];
}

const nameOf = ({ time, price }: Omit<Lot, "amount">) => `${time} ${price}`;

function slow(events: readonly Event[], method: LotMethod, closes: number): Outcome {
  const held: Lot[][] = Array.from({ length: ADDRESSES }, () => []);
  const books: Outcome["books"] = [];
  const closeUntil = (t: number) => {
    while (books.length < closes && START + (books.length + 1) * DAY <= t) {
      const book = new Map<string, [bigint, bigint]>();
      for (const [address, lots] of held.entries()) {
        for (const lot of lots) {
          const sums = book.get(nameOf(lot)) ?? [0n, 0n];
          book.set(nameOf(lot), [sums[0] + lot.amount, sums[1] + (address === OTHER ? 0n : lot.amount)]);
        }
      }
      books.push(book);
    }
  };
  const pieces = events.map(({ t, price, from, to, value }) => {
    closeUntil(t);
    const taken: Lot[] = [];
    if (from === to) return taken;
    let rest = from === 0 ? 0n : value;
    while (rest > 0n) {
      const first = held[from]!.sort(ORDERS[method])[0]!;
      const amount = first.amount < rest ? first.amount : rest;
      taken.push({ ...first, amount });
      first.amount -= amount;
      rest -= amount;
      if (first.amount === 0n) held[from]!.shift();
    }
    if (to !== 0 && value > 0n) {
      const time = Math.floor(t / HOUR) * HOUR;
      const same = held[to]!.find((lot) => lot.time === time && lot.price === price);
      if (same) same.amount += value;
      else held[to]!.push({ time, price, amount: value });
    }
    return taken;
  });
  closeUntil(Number.POSITIVE_INFINITY);
  return { pieces, books, lots: held.map((lots) => lots.sort(ORDERS.fifo)) };
}

/** More than there are. */
const MANY_LOTS = 1_000_000;

const lotsIn = ({ times, prices, amounts, words }: Omit<LotRows, "owners">): Lot[] =>
  Array.from(times, (time, row) => ({ time, price: prices[row]!, amount: toBigInt(amounts, words * row, words) }));

/** Replays all partitions, restoring all after some events from what they had. */
function fast(
  events: readonly Event[],
  method: LotMethod,
  closes: number,
  partitions: number,
  stops: number[],
): Outcome {
  const outcome: Outcome = {
    pieces: events.map(() => []),
    books: Array.from({ length: closes }, () => new Map()),
    lots: Array.from({ length: ADDRESSES }, () => []),
  };
  for (let index = 0; index < partitions; index++) {
    const partition = new Partition(index, partitions);
    const book = new Map<string, [bigint, bigint]>();
    let closed = 0;
    const add = (to: typeof book, { words, ...changes }: BookChanges) => {
      for (const [row, time] of changes.times.entries()) {
        const name = nameOf({ time, price: changes.prices[row]! });
        const before = to.get(name) ?? [0n, 0n];
        const sums = [0, 1].map((of) => {
          const change = BigInt.asIntN(32 * words, toBigInt(changes.amounts, words * (2 * row + of), words));
          return before[of]! + change;
        });
        to.set(name, sums as [bigint, bigint]);
      }
    };
    const onClose = (changes: BookChanges) => {
      add(book, changes);
      const whole = outcome.books[closed++]!;
      for (const [name, sums] of book) {
        const before = whole.get(name) ?? [0n, 0n];
        if (sums[0] > 0n) whole.set(name, [before[0] + sums[0], before[1] + sums[1]]);
      }
    };
    /** @param until days that close, of all */
    const begin = (until: number) => {
      const terms: LotTerms = {
        method,
        addresses: ADDRESSES,
        decimals: 0,
        balanceWords: VALUE_WORDS,
        valueWords: VALUE_WORDS,
        firstClose: START + (closed + 1) * DAY,
        closes: until - closed,
      };
      const begun = new LotReplay(partition, terms, onClose);
      if (partition.includes(OTHER)) begun.setOther(OTHER);
      return begun;
    };
    let kept: LotRows | undefined;
    let done = 0;
    for (const stop of [...stops, events.length]) {
      const next = events[stop];
      const replay = begin(next ? Math.floor((next.t - START) / DAY) : closes);
      if (kept) {
        const restored: typeof book = new Map();
        add(restored, replay.restore(kept));
        const held = [...book].filter(([, [all]]) => all > 0n);
        expect(restored).toEqual(new Map(held));
      }
      const pieces = replay.replay(chunkOf(events.slice(done, stop)));
      for (const [row, lot] of lotsIn(pieces).entries()) outcome.pieces[done + pieces.events[row]!]!.push(lot);
      replay.end();
      const holders = Uint32Array.from({ length: Math.ceil((ADDRESSES - index) / partitions) }, (_, holder) => holder);
      [kept] = replay.lotsOf(holders, MANY_LOTS);
      done = stop;
    }
    if (!kept) continue;
    const { owners, ...rows } = kept;
    for (const [row, lot] of lotsIn(rows).entries()) outcome.lots[partition.addressOf(owners[row]!)]!.push(lot);
  }
  return outcome;
}

function chunkOf(events: readonly Event[]): EventChunk {
  const values = new Uint32Array(VALUE_WORDS * events.length);
  for (const [row, { value }] of events.entries()) fromBigInt(value, values, VALUE_WORDS * row, VALUE_WORDS);
  return {
    from: Uint32Array.from(events, ({ from }) => from),
    to: Uint32Array.from(events, ({ to }) => to),
    timestamp: Float64Array.from(events, ({ t }) => t),
    price: Float64Array.from(events, ({ price }) => price),
    values,
  };
}

/** Where a replay is stopped: only between hours, as checkpoints are. */
const stopsOf = (events: readonly Event[], at: readonly number[]) =>
  [...new Set(at.map((share) => Math.floor(share * events.length)))]
    .sort((a, b) => a - b)
    .filter((stop) => stop > 0 && Math.floor(events[stop - 1]!.t / DAY) < Math.floor(events[stop]!.t / DAY));

const step = fc.record({
  wait: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: DAY })),
  price: fc.constantFrom(1, 2, 2, 3, 0.5),
  from: fc.nat(ADDRESSES - 1),
  to: fc.nat(ADDRESSES - 1),
  share: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  minted: fc.oneof(fc.bigInt(0n, 9n), fc.bigInt(0n, 2n ** 120n)),
});

/** A history that no balance forbids: a price is that of its second. */
function historyOf(steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]): Event[] {
  const balances = new Array<bigint>(ADDRESSES).fill(0n);
  let [t, price] = [START, 1];
  return steps.map((one) => {
    if (one.wait > 0) [t, price] = [t + one.wait, one.price];
    const { from, to } = one;
    const value =
      from === 0
        ? one.minted
        : one.share === 1
          ? balances[from]!
          : (BigInt(Math.floor(one.share * 1e6)) * balances[from]!) / 1_000_000n;
    if (from !== to) {
      if (from !== 0) balances[from]! -= value;
      if (to !== 0) balances[to]! += value;
    }
    return { t, price, from, to, value };
  });
}

describe.each(LOT_METHODS)("%s", (method) => {
  it("takes pieces in its order, and keeps the book of all keys, however partitions and nights cut the history", () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 200 }),
        fc.constantFrom(1, 2, 4),
        fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { maxLength: 3 }),
        (steps, partitions, at) => {
          const events = historyOf(steps);
          const closes = Math.floor((events.at(-1)!.t - START) / DAY) + 2;
          const found = fast(events, method, closes, partitions, stopsOf(events, at));
          expect(found).toEqual(slow(events, method, closes));
        },
      ),
      { numRuns: 200 },
    );
  });
});
