/**
 * Random token histories that seek edge values: fast-check arbitraries of tokens for the reference and the fast engine.
 *
 * A history is generated as a plan: a list of choices such as "send the amount that lifts the receiver to exactly T" or
 * "wait until a second before holder 2 is a week old". `execute` applies the plan to a model of all balances, so every
 * history is consistent, and a failing plan shrinks to a short one.
 */

import fc from "fast-check";
import { type Account, balanceUnit, receive, send, type Token, type Transfer, ZERO_ADDRESS } from "./reference.ts";

const HOUR = 3_600;
const DAY = 86_400;

// ── Addresses ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Few addresses, so that they interact; hex digits in mixed case, because case must not matter. */
const addressOf = (index: number) => `0x${"aB".repeat(19)}${index.toString(16).padStart(2, "0")}`;
const ADDRESSES = Array.from({ length: 13 }, (_, index) => addressOf(index));

/** The first four are users; then come contracts, named exchanges (one with two addresses), and all cases of `other`. */
const EXCHANGES: Record<string, string> = {
  [addressOf(6)]: "binance",
  [addressOf(7)]: "binance",
  [addressOf(8)]: "yobit.net",
  [addressOf(9)]: "other",
  [addressOf(10)]: "no-such-exchange",
  [addressOf(11)]: "all",
  // Both an exchange and a contract.
  [addressOf(12).toLowerCase()]: "kraken",
};
/** Tables of deposit addresses. */
const DEPOSITS: Record<string, string>[] = [
  {},
  // A user's.
  { [addressOf(3)]: "binance" },
  // A user's, a contract's, and one that the list of exchanges names: there it keeps its exchange.
  { [addressOf(2).toLowerCase()]: "yobit.net", [addressOf(4)]: "other", [addressOf(6)]: "kraken" },
];
const CONTRACTS = [addressOf(4), addressOf(5).toUpperCase().replace("0X", "0x"), addressOf(12), addressOf(9)];

// ── The plan ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** One raw unit or one second before an edge, exactly on it, or after it. */
const edgeOffset = fc.constantFrom(-1, 0, 1);

/** An index into the current holders, which wraps around, or into the addresses. Favours users, who have the most cohorts. */
const who = fc.oneof(fc.nat(3), fc.nat(ADDRESSES.length - 1));

type Border = "hour" | "day" | "month" | "year";

/** How long until the next event. */
const wait = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("seconds" as const), seconds: fc.constant(0) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("seconds" as const),
      seconds: fc.constantFrom(1, 12, 1_800, HOUR - 1, HOUR, 5 * HOUR, DAY - 1, DAY, DAY + 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("border" as const),
      border: fc.constantFrom<Border[]>("hour", "hour", "day", "day", "day", "month", "year"),
      offset: edgeOffset,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("age" as const),
      who,
      days: fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom(1, 7, 30) },
        { weight: 2, arbitrary: fc.constantFrom(90, 180, 365) },
        { weight: 1, arbitrary: fc.constantFrom(730, 1095, 1825, 2555, 3650) },
      ),
      offset: edgeOffset,
    }),
  },
);

const VALUE_EDGES_USD = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const SAMPLE_EDGES_USD = [
  100, 1_000, 10_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 7_500_000, 10_000_000,
  15_000_000, 20_000_000,
];

const usd = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("usd" as const),
      usd: fc.constantFrom(0, 0.0001, 0.1, 0.5, 1, 2, 3, 10, 99.99, 2_500, 64_000, 1 / 3),
    }),
  },
  // Near a holder's purchase price: equal, within the break-even band of 1e-9, and outside it. The factors are irregular
  // on purpose: averages of such prices must not fall exactly on the edge of the band, where rounding decides.
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("break-even" as const),
      who,
      factor: fc.constantFrom(1, 1 + 7.319e-10, 1 - 7.319e-10, 1 + 1.3779e-9, 1 - 1.3779e-9, 1.5, 0.5),
    }),
  },
  // The price at which a holder's balance is worth an edge, as nearly as a double can represent it.
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("worth" as const), who, usd: fc.constantFrom(...VALUE_EDGES_USD) }),
  },
);

/** A price observation at the event's time, or at the last border before it, or a second before either. */
const observationOf = (usd: Choices["usd"]) =>
  fc.record({
    at: fc.constantFrom<("event" | Border)[]>("event", "event", "hour", "day"),
    offset: fc.constantFrom(0, 0, -1),
    usd,
  });
const observation = observationOf(usd);

const side = fc.constantFrom<("sender" | "receiver")[]>("sender", "receiver");

const amount = fc.oneof(
  // Sixteenths of what the sender has.
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("share" as const), of16: fc.oneof(fc.constant(16), fc.nat(15)) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("whole" as const), tokens: fc.integer({ min: 1, max: 200 }) }),
  },
  // All but a number of raw units, or that number.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("all but" as const), raw: fc.constantFrom(0n, 1n, 2n) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("raw" as const), raw: fc.constantFrom(1n, 2n, 3n, 10n) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("raw" as const), raw: fc.bigInt(1n, 2n ** 256n - 1n) }) },
  // The amount that the receiver has: averages fall half way, purchase times on half seconds.
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("double" as const) }) },
  // Leaves one side with 10^n · T.
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("balance edge" as const), side, n: fc.nat(6), offset: edgeOffset }),
  },
  // Leaves one side with an amount of dollars.
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("value edge" as const),
      side,
      usd: fc.constantFrom(...VALUE_EDGES_USD),
      offset: edgeOffset,
    }),
  },
  // Sends an amount of dollars.
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("sample edge" as const),
      usd: fc.constantFrom(...SAMPLE_EDGES_USD),
      offset: edgeOffset,
    }),
  },
);

/** `void` goes from the zero address to itself, `empty` moves a value of 0. */
type EventKind = "transfer" | "mint" | "burn" | "self" | "void" | "empty";

/** What a step draws from. */
interface Choices {
  wait: fc.Arbitrary<Value<typeof wait>>;
  usd: fc.Arbitrary<Value<typeof usd>>;
  kind: fc.Arbitrary<EventKind>;
  amount: fc.Arbitrary<Value<typeof amount>>;
}

const stepOf = ({ wait, usd, kind, amount }: Choices) =>
  fc.record({
    wait,
    observations: fc.array(observationOf(usd), { maxLength: 2, size: "max" }),
    /** A new block even if no time passes. */
    newBlock: fc.boolean(),
    /** Leaves room for events of other contracts. */
    gap: fc.constantFrom(1, 1, 5),
    kind,
    from: who,
    to: who,
    amount,
  });

const step = stepOf({
  wait,
  usd,
  amount,
  kind: fc.constantFrom<EventKind[]>(
    "transfer",
    "transfer",
    "transfer",
    "transfer",
    "mint",
    "mint",
    "burn",
    "self",
    "void",
    "empty",
  ),
});

/** Everything or next to nothing, of coins that are worth nothing or more than all money, at the edge of a bucket. */
const extremeStep = stepOf({
  wait: fc.oneof(
    { weight: 3, arbitrary: fc.constant({ kind: "seconds" as const, seconds: 0 }) },
    fc.record({
      kind: fc.constant("border" as const),
      border: fc.constantFrom<Border[]>("hour", "day", "day", "month", "year"),
      offset: edgeOffset,
    }),
  ),
  usd: fc.record({
    kind: fc.constant("usd" as const),
    // Averages of far smaller ones, and their products, would lose digits for want of exponents.
    usd: fc.constantFrom(0, 1e-150, 1e-100, 1e-18, 1e-9, 1, 1e9, 1e18, 1e100),
  }),
  kind: fc.constantFrom<EventKind[]>("mint", "mint", "burn", "burn", "transfer", "transfer", "transfer", "self"),
  amount: fc.oneof(
    fc.constant({ kind: "share" as const, of16: 16 }),
    fc.record({
      kind: fc.constant("raw" as const),
      raw: fc.constantFrom(1n, 2n ** 53n + 1n, 2n ** 128n - 1n, 2n ** 255n),
    }),
    fc.record({ kind: fc.constant("all but" as const), raw: fc.constantFrom(0n, 1n) }),
    fc.constant({ kind: "double" as const }),
  ),
});

const setting = fc.record({
  decimals: fc.oneof(fc.constantFrom(0, 6, 18, 18, 77), fc.nat(77)),
  // T is 1e-2, 1, then 1 and 2 on either side of a rounding edge, 0.6, 1 rounded up from 0.95, far below one raw unit, and
  // far above.
  maxSupply: fc.constantFrom(
    "21000000",
    "2100000000",
    "3149999999.999",
    "3150000000",
    "1250000000",
    "1995000000",
    "0.001",
    "7",
    "1000000000000000000000000000000",
  ),
  /** The time before the first event: an ordinary day, the eve of a leap day and of a new year, and a new year. */
  start: fc.constantFrom(
    "2019-06-04T09:13:27Z",
    "2020-02-28T23:59:59Z",
    "2020-12-31T23:00:00Z",
    "2016-01-01T00:00:00Z",
  ),
  labelZeroAddress: fc.boolean(),
  deposits: fc.constantFrom(...DEPOSITS),
  asOf: fc.oneof(
    fc.record({ kind: fc.constant("after" as const), seconds: fc.constantFrom(1, 100, HOUR, DAY, 8 * DAY) }),
    fc.record({
      kind: fc.constant("border" as const),
      border: fc.constantFrom<Border[]>("hour", "day", "month"),
      offset: edgeOffset,
    }),
    // At an event: a later build will use it and those after it.
    fc.record({ kind: fc.constant("event" as const), index: fc.nat(), offset: fc.constantFrom(0, 1) }),
  ),
  /** Prices after the last event, which only the close of a day uses. */
  lastPrices: fc.array(observation, { maxLength: 1 }),
});

type Plan = { setting: Value<typeof setting>; steps: Value<typeof step>[] };
type Value<T> = T extends fc.Arbitrary<infer V> ? V : never;

/** Tokens with up to `events` events. */
export function histories(events = 40): fc.Arbitrary<Token> {
  return historiesOf(step, events);
}

/** Tokens of extremes: the whole supply or one raw unit, minted and burned in one block, at prices from 0 to 1e100. */
export function extremes(events = 30): fc.Arbitrary<Token> {
  return historiesOf(extremeStep, events);
}

const historiesOf = (ofStep: typeof step, events: number) =>
  fc.record({ setting, steps: fc.array(ofStep, { minLength: 1, maxLength: events, size: "max" }) }).map(execute);

// ── Executing a plan ───────────────────────────────────────────────────────────────────────────────────────────────

/** A supply has at most 256 bits, because the token's contract must be able to count it. */
const LARGEST = 2n ** 256n - 1n;

/** More than that is refused. */
const MOST_PRICE = 1e100;

function execute({ setting, steps }: Plan): Token {
  const { decimals, maxSupply } = setting;
  const unit = balanceUnit(maxSupply);
  const accounts = new Map<string, Account>(ADDRESSES.map((address) => [address, { q: 0n, a: 0, h: 0 }]));
  const prices = new Map<number, number>();
  const transfers: Transfer[] = [];
  let time = Date.parse(setting.start) / 1000;
  let block = 1_000;
  let logIndex = 0;
  let price = 0;
  let supply = 0n;

  const holders = () => ADDRESSES.filter((address) => accounts.get(address)!.q > 0n);
  const holder = (index: number): string | undefined => holders()[index % holders().length];

  function observe({ at, offset, usd }: Value<typeof observation>, now: number): void {
    const observed = (at === "event" ? now : borderBefore(now, at)) + offset;
    // A price must not change those of earlier events.
    if (observed <= (transfers.at(-1)?.timestamp ?? 0) || observed < (lastOf(prices)?.[0] ?? 0)) return;
    price = Math.min(MOST_PRICE, priceOf(usd));
    prices.set(observed, price);
  }

  function priceOf(choice: Value<typeof usd>): number {
    if (choice.kind === "usd") return choice.usd;
    const account = accounts.get(holder(choice.who) ?? addressOf(0))!;
    if (choice.kind === "break-even") return account.a * choice.factor;
    return account.q === 0n ? 1 : choice.usd / Number(`${account.q}e-${decimals}`);
  }

  function moment({ wait }: Value<typeof step>): number {
    if (wait.kind === "seconds") return time + wait.seconds;
    if (wait.kind === "border") return borderAfter(time, wait.border) + wait.offset;
    const account = accounts.get(holder(wait.who) ?? addressOf(0))!;
    return Math.max(time, Math.floor(account.h + 0.5) + wait.days * DAY + wait.offset);
  }

  /** The raw units to move, given the amount available. */
  function rawOf(choice: Value<typeof amount>, available: bigint, sender: Account, receiver: Account): bigint {
    const worth = (usd: number) => (price === 0 ? available : wholeUnits(usd / price, decimals));
    const reach = (side: "sender" | "receiver", balance: bigint) =>
      side === "sender" ? sender.q - balance : balance - receiver.q;
    switch (choice.kind) {
      case "share":
        return (available * BigInt(choice.of16)) / 16n;
      case "whole":
        return BigInt(choice.tokens) * 10n ** BigInt(decimals);
      case "all but":
        return available - choice.raw;
      case "raw":
        return choice.raw;
      case "double":
        return receiver.q;
      case "balance edge": {
        const edge = (10n ** BigInt(choice.n + decimals) * unit.numerator) / unit.denominator;
        return reach(choice.side, edge + BigInt(choice.offset));
      }
      case "value edge":
        return reach(choice.side, worth(choice.usd) + BigInt(choice.offset));
      case "sample edge":
        return worth(choice.usd) + BigInt(choice.offset);
    }
  }

  for (const planned of steps) {
    const now = Math.max(time, moment(planned));
    for (const seen of planned.observations) observe(seen, now);
    const passed = now > time;
    time = now;
    if (passed || planned.newBlock) {
      block += planned.gap;
      logIndex = 0;
    }
    logIndex += planned.gap;

    const spender = holder(planned.from);
    const kind = spender === undefined ? "mint" : planned.kind;
    const from = kind === "mint" || kind === "void" ? ZERO_ADDRESS : spender!;
    const to = kind === "burn" || kind === "void" ? ZERO_ADDRESS : kind === "self" ? from : addressOf(planned.to);
    const sender = accounts.get(from) ?? { q: 0n, a: 0, h: 0 };
    const receiver = accounts.get(to) ?? { q: 0n, a: 0, h: 0 };
    const available = kind === "mint" ? LARGEST - supply : sender.q;
    let value = kind === "empty" ? 0n : clamp(rawOf(planned.amount, available, sender, receiver), available);
    if (collapsesAverage(receiver, price)) value = clamp(value, receiver.q * 1_000n);
    transfers.push({ block, logIndex, timestamp: time, from, to, value });
    if (value === 0n || from === to) continue;
    if (from === ZERO_ADDRESS) supply += value;
    else send(sender, value);
    if (to === ZERO_ADDRESS) supply -= value;
    else receive(receiver, value, time, price);
  }

  const asOf = asOfOf(setting.asOf, transfers);
  for (const last of setting.lastPrices) observe(last, Math.max(asOf, time + 1));
  const zeroAddress = setting.labelZeroAddress;
  return {
    decimals,
    maxSupply,
    asOf,
    transfers,
    prices: [...prices],
    exchanges: zeroAddress ? { ...EXCHANGES, [ZERO_ADDRESS]: "gemini" } : EXCHANGES,
    deposits: setting.deposits,
    contracts: zeroAddress ? [...CONTRACTS, ZERO_ADDRESS] : CONTRACTS,
  };
}

/**
 * Whether receiving at this price can lower the average price by orders of magnitude. Then a + (P − a) · x / (q + x)
 * cancels, and two correct implementations differ in every digit; so a plan receives at most 1,000 times the balance.
 */
function collapsesAverage(receiver: Account, price: number): boolean {
  return receiver.q > 0n && price < receiver.a / 1_000;
}

function clamp(value: bigint, available: bigint): bigint {
  if (value < 0n) return available / 2n;
  return value < available ? value : available;
}

/** A number of tokens in raw units, exact in decimal digits, rounded down. */
function wholeUnits(tokens: number, decimals: number): bigint {
  const [digits = "", exponent] = tokens.toExponential().split("e");
  const [whole = "", fraction = ""] = digits.split(".");
  const shift = Number(exponent) - fraction.length + decimals;
  const units = BigInt(whole + fraction);
  return shift >= 0 ? units * 10n ** BigInt(shift) : units / 10n ** BigInt(-shift);
}

function asOfOf(choice: Value<typeof setting>["asOf"], transfers: Transfer[]): number {
  const first = transfers[0]!.timestamp;
  const last = transfers.at(-1)!.timestamp;
  const chosen =
    choice.kind === "after"
      ? last + choice.seconds
      : choice.kind === "border"
        ? borderAfter(last, choice.border) + choice.offset
        : transfers[choice.index % transfers.length]!.timestamp + choice.offset;
  return Math.max(chosen, first + 1);
}

function borderBefore(time: number, border: Border): number {
  if (border === "hour") return Math.floor(time / HOUR) * HOUR;
  if (border === "day") return Math.floor(time / DAY) * DAY;
  const date = new Date(time * 1000);
  return Date.UTC(date.getUTCFullYear(), border === "month" ? date.getUTCMonth() : 0) / 1000;
}

/** The first border after the time. */
function borderAfter(time: number, border: Border): number {
  if (border === "hour" || border === "day") return borderBefore(time, border) + (border === "hour" ? HOUR : DAY);
  const date = new Date(time * 1000);
  return border === "month"
    ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000
    : Date.UTC(date.getUTCFullYear() + 1, 0) / 1000;
}

function lastOf<K, V>(map: Map<K, V>): [K, V] | undefined {
  return [...map].at(-1);
}
