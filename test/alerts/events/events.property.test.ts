/** Large transfers and changed balances of random histories, cut into shares anywhere, compared with a plain loop. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { Holders } from "../../../builder/alerts/events/holder-changes.ts";
import { type EventShare, LargeTransfers, MOST_A_DAY } from "../../../builder/alerts/events/large-transfers.ts";
import { listColumns } from "../../../builder/input/labels/address-labels.ts";
import { EXCHANGE_SELECTORS } from "../../../data-schema/registry/exchanges.ts";

const DAY = 86_400;
const DECIMALS = 1;
const address = (number: number) => `0x${number.toString(16).padStart(2, "0").repeat(20)}`;
const bytes = (numbers: readonly number[]) => Uint8Array.from(numbers.flatMap((number) => new Array(20).fill(number)));

/** By number: nobody, two users, a contract, an address of binance, a deposit address of it, and one of kraken. */
const BINANCE = 2 + EXCHANGE_SELECTORS.indexOf("binance") - 1;
const LABELS = [0, 0, 0, 1, BINANCE, BINANCE | 0x40, 2 + EXCHANGE_SELECTORS.indexOf("kraken") - 1];
const TEAM = [2, 4];
/** Whom each party means, by number. */
const MEANT: Record<string, number[]> = {
  users: [1, 2],
  sc: [3],
  cex: [4, 5, 6],
  binance: [4, 5],
  kraken: [6],
  other: [],
  "@team": TEAM,
  [address(5)]: [5],
};

interface Event {
  t: number;
  from: number;
  to: number;
  value: bigint;
  price: number;
}

const number = fc.integer({ min: 0, max: LABELS.length - 1 });
const event = fc.record({
  step: fc.constantFrom(0, 1, 3600, DAY / 2, 3 * DAY),
  from: number,
  to: number,
  value: fc.oneof(fc.bigInt({ min: 0n, max: 60n }), fc.bigInt({ min: 0n, max: 2n ** 70n })),
  price: fc.constantFrom(0, 0.5, 2),
});
const history = fc.array(event, { maxLength: 60 }).map((steps) => {
  let t = 10 * DAY;
  return steps.map(({ step, ...rest }): Event => {
    t += step;
    return { t, ...rest };
  });
});

/** Events as shares: those of each, with numbers of their own for the addresses that they have. */
function sharesOf(events: readonly Event[], cuts: readonly number[], from: number): EventShare[] {
  const ends = [...cuts.map((cut) => cut % (events.length + 1)).sort((a, b) => a - b), events.length];
  return ends.map((end, at) => {
    const start = at === 0 ? 0 : ends[at - 1]!;
    const own = events.slice(start, end);
    const known = [0, ...new Set(own.flatMap((one) => [one.from, one.to]).filter((one) => one !== 0))];
    const words = 3;
    const values = own.flatMap(({ value }) => [0n, 32n, 64n].map((shift) => Number((value >> shift) & 0xffff_ffffn)));
    return {
      first: own.filter(({ t }) => t < from).length,
      addresses: bytes(known),
      labels: Uint8Array.from(known, (one) => LABELS[one]!),
      price: Float64Array.from(own, ({ price }) => price),
      history: {
        rows: own.length,
        block: Float64Array.from(own, (_, row) => 100 + start + row),
        logIndex: Uint32Array.from(own, (_, row) => (start + row) % 7),
        timestamp: Float64Array.from(own, ({ t }) => t),
        from: Uint32Array.from(own, (one) => known.indexOf(one.from)),
        to: Uint32Array.from(own, (one) => known.indexOf(one.to)),
        valueWords: words,
        values: Uint32Array.from(values),
      },
    };
  });
}

const dayOf = (t: number) => t - (t % DAY);
const cuts = fc.array(fc.nat(), { maxLength: 3 });
const first = fc.integer({ min: 9, max: 16 }).map((day) => day * DAY);

it("finds each large transfer of the days", () => {
  const party = fc.option(fc.constantFrom(...Object.keys(MEANT)), { nil: undefined });
  const [from, to] = [fc.oneof(party, fc.constant("mint")), fc.oneof(party, fc.constant("burn"))];
  const atLeast = fc.record({
    amount: fc.constantFrom(0.1, 1, 2.5, 6, 1e9),
    of: fc.constantFrom("tokens" as const, "dollars" as const),
  });
  fc.assert(
    fc.property(history, cuts, first, atLeast, from, to, (events, cuts, day, atLeast, from, to) => {
      const large = new LargeTransfers(
        { atLeast, from, to },
        day,
        DECIMALS,
        new Map([["@team", listColumns(bytes(TEAM))]]),
      );
      for (const share of sharesOf(events, cuts, 0)) large.add(share);
      const isMeant = (party: string | undefined, one: number) =>
        party === undefined || (MEANT[party] ?? [0]).includes(one);
      const expected: number[] = [];
      for (const [row, event] of events.entries()) {
        const tokens = Number(event.value) / 10 ** DECIMALS;
        const size = atLeast.of === "tokens" ? tokens : tokens * event.price;
        if (event.t < day || event.value === 0n || event.from === event.to || size < atLeast.amount) continue;
        if (isMeant(from, event.from) && isMeant(to, event.to)) expected.push(100 + row);
      }
      const { transfers, crowded } = large.found();
      expect(transfers.map(({ block }) => block)).toEqual(expected);
      expect(crowded).toEqual([]);
      for (const { block, from, to, t } of transfers) {
        const event = events[block - 100]!;
        expect([from, to, t]).toEqual([address(event.from), address(event.to), event.t]);
      }
    }),
  );
});

it("finds each day on which a balance has changed by the share", () => {
  const share = fc.constantFrom([5n, 100n], [1n, 2n], [3n, 1n], [1n, 1n]);
  const whose = fc.constantFrom(1, 2, 5);
  fc.assert(
    fc.property(history, cuts, first, share, whose, (events, cuts, day, [numerator, denominator], whose) => {
      // What is held before all of it, so that nobody sends what it lacks.
      const opening = 2n ** 76n;
      const balances = new Map<number, bigint>();
      let balance = opening;
      for (const { t, from, to, value } of events) {
        if (from === whose) balance -= value;
        if (to === whose) balance += value;
        balances.set(dayOf(t), balance);
      }
      const expected: { t: number; balance: bigint; before: bigint }[] = [];
      let before = opening;
      for (const [t, after] of balances) {
        const change = after > before ? after - before : before - after;
        const isLarge = change > 0n && change * denominator! >= numerator! * before;
        if (t >= day && isLarge) expected.push({ t, balance: after, before });
        before = after;
      }
      const holders = new Holders([address(1), address(2), address(5)]);
      for (const one of sharesOf(events, cuts, day)) holders.add(one);
      const terms = { address: address(whose), share: { numerator: numerator!, denominator: denominator! } };
      expect(holders.changes(terms, day, balance)).toEqual(expected);
    }),
  );
});

it("fires from nothing, and to nothing", () => {
  const holders = new Holders([address(1)]);
  const event = (day: number, from: number, to: number): Event => ({ t: day * DAY, from, to, value: 5n, price: 0 });
  for (const share of sharesOf([event(1, 2, 1), event(3, 1, 2)], [], 0)) holders.add(share);
  const terms = { address: address(1), share: { numerator: 1n, denominator: 1n } };
  expect(holders.changes(terms, 0, 0n)).toEqual([
    { t: DAY, balance: 5n, before: 0n },
    { t: 3 * DAY, balance: 0n, before: 5n },
  ]);
});

it("keeps the largest of a day that has too many", () => {
  const many = Array.from({ length: 5 * MOST_A_DAY }, (_, row): Event => {
    // Each size comes five times; of equal ones the first count.
    return { t: 10 * DAY + row, from: 1, to: 2, value: BigInt(1 + ((row * 7) % MOST_A_DAY)), price: 1 };
  });
  const found = (cuts: number[]) => {
    const terms = { atLeast: { amount: 0.1, of: "tokens" as const }, from: undefined, to: undefined };
    const large = new LargeTransfers(terms, 0, DECIMALS, new Map());
    for (const share of sharesOf(many, cuts, 0)) large.add(share);
    return large.found();
  };
  const { transfers, crowded } = found([]);
  expect(crowded).toEqual([{ day: 10 * DAY, count: 5 * MOST_A_DAY }]);
  expect(transfers).toHaveLength(MOST_A_DAY);
  expect(Math.min(...transfers.map(({ tokens }) => tokens))).toBe((MOST_A_DAY - 19) / 10);
  expect(transfers.map(({ block }) => block)).toEqual(transfers.map(({ block }) => block).sort((a, b) => a - b));
  expect(found([7, 130, 333]).transfers).toEqual(transfers);
});
