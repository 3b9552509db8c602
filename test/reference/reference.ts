/**
 * The reference: every series of every metric, computed as slowly and plainly as the methodology states it, with Map
 * and BigInt. It is the oracle for the fast engine and shares no code with it. Section numbers are those of
 * docs/methodology.md; quoted comments are its rules.
 */

/** One Transfer event (§1). */
export interface Transfer {
  block: number;
  logIndex: number;
  /** Unix seconds of the block, UTC. */
  timestamp: number;
  from: string;
  to: string;
  /** Raw units, up to 256 bits. */
  value: bigint;
}

/** Everything on which the numbers depend (§1). */
export interface Token {
  decimals: number;
  /** Whole tokens, a positive decimal number as text. */
  maxSupply: string;
  /** Unix seconds: events at or after it are not used. */
  asOf: number;
  /** In any order; identical repeats count once. */
  transfers: Transfer[];
  /** USD per whole token, in any order. */
  prices: [timestamp: number, usd: number][];
  /** Exchange name of each address of a centralised exchange. */
  exchanges: Record<string, string>;
  /** The table of deposit addresses: the exchange of each. */
  deposits?: Record<string, string>;
  /** Addresses of smart contracts. */
  contracts: string[];
  /** The lists of own cohorts, by selector (§10). */
  lists?: Record<string, readonly string[]>;
}

/** One point of a series. */
export interface Point {
  /** Start of the day or hour, or the block's timestamp; Unix seconds. */
  t: number;
  v: number;
  /** Block number, at block resolution. */
  block?: number;
}

/** Points by `metric|resolution|selector`, `-` for a metric that has no selector. A series without points is absent. */
export type SeriesByKey = Map<string, Point[]>;

const keys: Record<string, Record<string, Record<string, string>>> = {};

/** Each key is made once: most of a long history's time would go into the texts of its keys. */
function keyOf(metric: string, resolution: string, selector: string): string {
  keys[metric] ??= {};
  keys[metric][resolution] ??= {};
  keys[metric][resolution][selector] ??= `${metric}|${resolution}|${selector}`;
  return keys[metric][resolution][selector];
}

export const ZERO_ADDRESS = `0x${"0".repeat(40)}`;
const DAY = 86_400;
const HOUR = 3_600;

// ── §1 Inputs ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** "tokens(raw) = raw / 10^decimals, correctly rounded to a double": the decimal text, read as a number. */
export function tokens(raw: bigint, decimals: number): number {
  return Number(`${raw}e-${decimals}`);
}

/**
 * "Replayed in (block_number, log_index) order; that pair identifies an event: identical repeats count once, differing
 * ones are an error. Addresses are compared without regard to case." "Events with timestamp ≥ as_of are not used."
 */
export function replayOrder(token: Token): Transfer[] {
  const events = new Map<string, Transfer>();
  for (const row of token.transfers) {
    if (row.timestamp >= token.asOf) continue;
    const event = { ...row, from: row.from.toLowerCase(), to: row.to.toLowerCase() };
    const id = `block ${event.block}, log index ${event.logIndex}`;
    const earlier = events.get(id);
    if (earlier !== undefined && text(earlier) !== text(event)) throw new Error(`${id}: two different events`);
    events.set(id, event);
  }
  return [...events.values()].sort((a, b) => a.block - b.block || a.logIndex - b.logIndex);
}

function text(event: Transfer): string {
  return `${event.timestamp} ${event.from} ${event.to} ${event.value}`;
}

/** "A step function: the last observation at or before τ (two prices for one time are an error); 0 before the first." */
export function stepFunction(prices: Token["prices"]): { at(time: number): number; before(time: number): number } {
  const observations = [...prices].sort((a, b) => a[0] - b[0]);
  observations.forEach(([time], i) => {
    if (i > 0 && time === observations[i - 1]![0]) throw new Error(`two prices for ${time}`);
  });
  const last = (holds: (time: number) => boolean) => observations.findLast(([time]) => holds(time))?.[1] ?? 0;
  return {
    at: (time) => last((observed) => observed <= time),
    before: (time) => last((observed) => observed < time),
  };
}

// ── §2 Events ──────────────────────────────────────────────────────────────────────────────────────────────────────

type Kind = "mint" | "burn" | "transfer";

/** "With value 0, or with from = to, an event changes nothing and counts nowhere." */
function kindOf(event: Transfer): Kind | "nothing" {
  if (event.value === 0n || event.from === event.to) return "nothing";
  if (event.from === ZERO_ADDRESS) return "mint";
  if (event.to === ZERO_ADDRESS) return "burn";
  return "transfer";
}

// ── §3 Cost basis ──────────────────────────────────────────────────────────────────────────────────────────────────

/** The state of an address; the letters are the methodology's. */
export interface Account {
  /** Raw balance. */
  q: bigint;
  /** Average purchase price, USD per token. */
  a: number;
  /** Average purchase time, Unix seconds. */
  h: number;
}

/** An address, its labels, and the values derived from its balance. */
interface Holder extends Account {
  group: "users" | "cex" | "sc";
  /** Exchange selector of an address of an exchange. */
  exchange: string | undefined;
  /** Own cohorts, "whatever their kind". */
  own: string[];
  /** tokens(q). */
  n: number;
  /** Balance cohort of q. */
  balanceCohort: string;
  /** Times of its first and its last event, if it has had one. */
  firstEvent: number | undefined;
  lastEvent: number | undefined;
}

/** The account receives x raw units at time t and price P. "An address whose balance is zero starts afresh." */
export function receive(account: Account, x: bigint, t: number, P: number): void {
  if (account.q === 0n) {
    account.a = P;
    account.h = t;
  } else {
    const share = Number(x) / Number(account.q + x);
    account.a += (P - account.a) * share;
    account.h += (t - account.h) * share;
  }
  account.q += x;
}

/** "Sending leaves a and h as they are." */
export function send(account: Account, x: bigint): void {
  account.q -= x;
}

/** A price is so close to an edge of the break-even band that the rounding of a says on which side it is. */
class Undecided extends Error {}

/** How far p − a is above the band, of max(p, a). The rounding of a few receipts is some 1e-15 of that. */
function aboveBand(p: number, a: number): number {
  const above = p - a - 1e-9 * Math.max(p, a);
  if (Math.abs(above) < 1e-14 * Math.max(p, a)) throw new Undecided(`${p} is on the edge of the band around ${a}.`);
  return above;
}

/** "A price p is above a when p − a > 1e-9 · max(p, a)": in profit. */
const isAbove = (p: number, a: number) => aboveBand(p, a) > 0;

/** "Below when a − p > 1e-9 · max(p, a)": in loss. Neither above nor below is at break-even. */
const isBelow = (p: number, a: number) => aboveBand(a, p) > 0;

// ── §4 Address cohorts ─────────────────────────────────────────────────────────────────────────────────────────────

/** Half-open: [low, high). */
type Range = [name: string, low: number, high: number];

/** By tokens(q) · P, USD. */
const VALUE_RANGES: Range[] = [
  ["$0-100", 0, 100],
  ["$100-1k", 100, 1_000],
  ["$1k-10k", 1_000, 10_000],
  ["$10k-100k", 10_000, 100_000],
  ["$100k-1M", 100_000, 1_000_000],
  ["$1M-10M", 1_000_000, 10_000_000],
  ["$10M+", 10_000_000, Infinity],
];

/** By age, seconds. Older: in none. */
const AGES: Range[] = [
  ["<1d", 0, 1 * DAY],
  ["1d-1w", 1 * DAY, 7 * DAY],
  ["1w-1m", 7 * DAY, 30 * DAY],
  ["1m-3m", 30 * DAY, 90 * DAY],
  ["3m-6m", 90 * DAY, 180 * DAY],
  ["6m-1y", 180 * DAY, 365 * DAY],
  ["1y-2y", 365 * DAY, 730 * DAY],
  ["2y-3y", 730 * DAY, 1095 * DAY],
  ["3y-5y", 1095 * DAY, 1825 * DAY],
  ["5y-7y", 1825 * DAY, 2555 * DAY],
  ["7y-10y", 2555 * DAY, 3650 * DAY],
];

/** docs/methodology.md §9: "addresses of users whose age is under 155 days, and 155 days (13,392,000 s) or more". */
const TERMS: Range[] = [
  ["sth", 0, 13_392_000],
  ["lth", 13_392_000, Infinity],
];

/** num_transfers by x·P, USD (§6). */
const SAMPLES: Range[] = [
  ["$0-100", 0, 100],
  ["$100-1k", 100, 1_000],
  ["$1k-10k", 1_000, 10_000],
  ["$10k-50k", 10_000, 50_000],
  ["$50k-100k", 50_000, 100_000],
  ["$100k-250k", 100_000, 250_000],
  ["$250k-500k", 250_000, 500_000],
  ["$500k-1m", 500_000, 1_000_000],
  ["$1m-2.5m", 1_000_000, 2_500_000],
  ["$2.5m-5m", 2_500_000, 5_000_000],
  ["$5m-7.5m", 5_000_000, 7_500_000],
  ["$7.5m-10m", 7_500_000, 10_000_000],
  ["$10m-15m", 10_000_000, 15_000_000],
  ["$15m-20m", 15_000_000, 20_000_000],
  ["$20m+", 20_000_000, Infinity],
];

function rangeOf(ranges: Range[], value: number): string | undefined {
  return ranges.find(([, low, high]) => low <= value && value < high)?.[0];
}

/** A positive rational number. */
interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

/**
 * T in whole tokens: "maxSupply · 0.01 / 21 000 000 rounded (in decimal arithmetic) to one significant decimal digit,
 * half up", exactly.
 */
export function balanceUnit(maxSupply: string): Fraction {
  const [whole, decimals = ""] = maxSupply.split(".");
  const exact = { numerator: BigInt(whole + decimals), denominator: 10n ** BigInt(decimals.length) * 2_100_000_000n };
  // The power of ten of T's first digit: 10^k ≤ T < 10^(k+1).
  let power: Fraction = { numerator: 1n, denominator: 1n };
  const quotient = () => ({
    numerator: exact.numerator * power.denominator,
    denominator: exact.denominator * power.numerator,
  });
  while (quotient().numerator >= 10n * quotient().denominator) power = { ...power, numerator: power.numerator * 10n };
  while (quotient().numerator < quotient().denominator) power = { ...power, denominator: power.denominator * 10n };
  // The digit, plus a half, rounded down.
  const { numerator, denominator } = quotient();
  const digit = (2n * numerator + denominator) / (2n * denominator);
  return { numerator: digit * power.numerator, denominator: power.denominator };
}

/** "balance_cohort_0 is [0, T), balance_cohort_n is [10^(n−1)·T, 10^n·T) for n = 1…6, balance_cohort_7 [10^6·T, ∞)." */
function balanceCohort(q: bigint, unit: Fraction, decimals: number): string {
  const reaches = (n: number) =>
    q * unit.denominator >= 10n ** BigInt(n - 1) * unit.numerator * 10n ** BigInt(decimals);
  return `balance_cohort_${[7, 6, 5, 4, 3, 2, 1].find(reaches) ?? 0}`;
}

/** "τ − round(h) in whole seconds (h rounded to the nearest second, half up)". */
function age(time: number, h: number): number {
  return time - Math.floor(h + 0.5);
}

/** The facts about an address at one instant that §6 and §7 need. */
interface Party {
  group: Holder["group"] | "nobody";
  exchange: string | undefined;
  /** Average purchase price. */
  a: number;
  /** Average purchase time. */
  h: number;
  /** The cohorts of an address in `users`: value range, balance cohort, up to ten years age cohort, and term. */
  cohorts: string[];
  /** Own cohorts. */
  own: string[];
}

/** "The zero address is not a holder": the other side of a mint or a burn is in no cohort. */
const NOBODY: Party = { group: "nobody", exchange: undefined, a: 0, h: 0, cohorts: [], own: [] };

/** The address, classified at a time and a price. */
function partyOf(holder: Holder, time: number, P: number): Party {
  const { group, exchange, own, a, h } = holder;
  if (group !== "users") return { group, exchange, own, a, h, cohorts: [] };
  const held = age(time, h);
  const cohorts = [
    rangeOf(VALUE_RANGES, holder.n * P),
    holder.balanceCohort,
    rangeOf(AGES, held),
    // Rounding h up can make it a second later than now.
    rangeOf(TERMS, Math.max(0, held)),
  ];
  return { group, exchange, own, a, h, cohorts: cohorts.filter((cohort) => cohort !== undefined) };
}

/** The cohorts of an address within each set of selectors that the metrics take; own cohorts are in all of them alike (§10). */
const inSet = {
  /** `total`, `users` and its cohorts. */
  A: (party: Party) => ["total", ...(party.group === "users" ? ["users"] : []), ...party.cohorts, ...party.own],
  /** `total`, `users` and its terms. */
  B: (party: Party) => [
    "total",
    ...(party.group === "users" ? ["users"] : []),
    ...party.cohorts.filter((cohort) => TERMS.some(([term]) => term === cohort)),
    ...party.own,
  ],
  /** `total`, the three groups, and the cohorts of `users`. */
  C: (party: Party) => ["total", party.group, ...party.cohorts, ...party.own],
  /** The cohorts of `users`. */
  D: (party: Party) => [...party.cohorts, ...party.own],
  /** Any counterparty (`total`), and the cohorts of `users`. */
  E: (party: Party) => ["total", ...party.cohorts, ...party.own],
};

const NAMED_EXCHANGES = new Set(
  `ascendex bibox bigone bilaxy binance binance_us bingx bitfinex bitflyer bitget bithumb bitkub bitmart bitpanda bitso
   bitstamp bittrex bitvavo btcturk bybit coinbase coindcx coinex coinhako coinone coinw crypto.com deribit digifinex
   exmo ftx gate.io gemini gopax hitbtc hotbit htx indodax korbit kraken kucoin kuna.io latoken lbank mexc okx paribu
   poloniex upbit whitebit yobit.net`.split(/\s+/),
);

/** "other: exchange addresses whose label is none of the 51 named exchanges, or is `other` itself" (§6). */
function exchangeSelector(label: string): string {
  return NAMED_EXCHANGES.has(label) ? label : "other";
}

// ── §6 Flow metrics ────────────────────────────────────────────────────────────────────────────────────────────────

/** A mint, burn or transfer with its two sides: the sender just before the event, the receiver just after it. */
interface Movement {
  kind: Kind;
  /** Unix seconds. */
  t: number;
  /** Tokens moved. */
  x: number;
  /** USD per token. */
  P: number;
  sender: Party;
  receiver: Party;
  /** Whether the receiver held nothing before. */
  funds: boolean;
  /** Whether the sender holds nothing any more. */
  empties: boolean;
  /** The times of the last events of sender and receiver before this one. */
  before: { sender: number | undefined; receiver: number | undefined };
}

/** One sum: the amount that each matching event of these kinds adds to the series of these selectors. */
interface Flow {
  kinds: Kind[];
  when?: (m: Movement) => boolean;
  selectors: (m: Movement) => string[];
  amount: (m: Movement) => number;
}

const inProfit = ({ P, sender }: Movement) => isAbove(P, sender.a);
const inLoss = ({ P, sender }: Movement) => isBelow(P, sender.a);
const coins = ({ x }: Movement) => x;
const dollars = ({ x, P }: Movement) => x * P;
const cost = ({ x, sender }: Movement) => x * sender.a;

/** From outside the group into it, and the reverse; the zero address of a mint or a burn is outside. */
const enters = (group: "cex" | "sc") => (m: Movement) => m.receiver.group === group && m.sender.group !== group;
const leaves = (group: "cex" | "sc") => (m: Movement) => m.sender.group === group && m.receiver.group !== group;

/** "transfers between two exchanges count for both, inside one exchange for none". */
const enteredExchanges = (m: Movement) => [
  ...(enters("cex")(m) ? ["all"] : []),
  ...(m.receiver.exchange !== undefined && m.receiver.exchange !== m.sender.exchange ? [m.receiver.exchange] : []),
];
const leftExchanges = (m: Movement) => [
  ...(leaves("cex")(m) ? ["all"] : []),
  ...(m.sender.exchange !== undefined && m.sender.exchange !== m.receiver.exchange ? [m.sender.exchange] : []),
];

const setA = (m: Movement) => inSet.A(m.sender);
const setB = (m: Movement) => inSet.B(m.sender);
const transfers: Kind[] = ["transfer"];
const all: Kind[] = ["mint", "burn", "transfer"];

/** "Σ x·(t − h)/86,400; t − h is at least 0." */
const tokenDays = ({ x, t, sender }: Movement) => (x * Math.max(0, t - sender.h)) / DAY;
const one = () => 1;
const single = () => ["-"];

const FLOWS: Record<string, Flow> = {
  coin_days_destroyed: { kinds: ["transfer", "burn"], selectors: setA, amount: tokenDays },
  new_addresses: {
    kinds: ["transfer", "mint"],
    when: ({ before }) => before.receiver === undefined,
    selectors: (m) => inSet.C(m.receiver),
    amount: one,
  },
  addresses_funded: {
    kinds: ["transfer", "mint"],
    when: ({ funds }) => funds,
    selectors: (m) => inSet.C(m.receiver),
    amount: one,
  },
  addresses_emptied: {
    kinds: ["transfer", "burn"],
    when: ({ empties }) => empties,
    selectors: (m) => inSet.C(m.sender),
    amount: one,
  },
  minted: { kinds: ["mint"], selectors: single, amount: coins },
  minted_dollar: { kinds: ["mint"], selectors: single, amount: dollars },
  burned: { kinds: ["burn"], selectors: single, amount: coins },
  burned_dollar: { kinds: ["burn"], selectors: single, amount: dollars },
  volume: { kinds: transfers, selectors: setA, amount: coins },
  volume_dollar: { kinds: transfers, selectors: setA, amount: dollars },
  moved_coins_cost_basis: { kinds: transfers, selectors: setA, amount: cost },
  realised_profit: {
    kinds: transfers,
    when: inProfit,
    selectors: setA,
    amount: ({ x, P, sender }) => x * (P - sender.a),
  },
  realised_loss: { kinds: transfers, when: inLoss, selectors: setA, amount: ({ x, P, sender }) => x * (sender.a - P) },
  realised_profit_asset: { kinds: transfers, when: inProfit, selectors: setA, amount: coins },
  realised_loss_asset: { kinds: transfers, when: inLoss, selectors: setA, amount: coins },
  num_transfers: {
    kinds: transfers,
    selectors: (m) => ["all", rangeOf(SAMPLES, dollars(m)) ?? "none"],
    amount: () => 1,
  },
  outflow_cohort: { kinds: ["transfer", "burn"], selectors: (m) => inSet.D(m.sender), amount: coins },
  outflow_cohort_dollar: { kinds: ["transfer", "burn"], selectors: (m) => inSet.D(m.sender), amount: dollars },
  inflow_cohort: { kinds: ["transfer", "mint"], selectors: (m) => inSet.D(m.receiver), amount: coins },
  inflow_cohort_dollar: { kinds: ["transfer", "mint"], selectors: (m) => inSet.D(m.receiver), amount: dollars },
  cex_inflow: { kinds: all, selectors: enteredExchanges, amount: coins },
  cex_inflow_dollar: { kinds: all, selectors: enteredExchanges, amount: dollars },
  cex_outflow: { kinds: all, selectors: leftExchanges, amount: coins },
  cex_outflow_dollar: { kinds: all, selectors: leftExchanges, amount: dollars },
  cex_inflow_cohort: {
    kinds: transfers,
    when: enters("cex"),
    selectors: (m) => inSet.E(m.sender),
    amount: coins,
  },
  cex_inflow_dollar_cohort: {
    kinds: transfers,
    when: enters("cex"),
    selectors: (m) => inSet.E(m.sender),
    amount: dollars,
  },
  cex_outflow_cohort: {
    kinds: transfers,
    when: leaves("cex"),
    selectors: (m) => inSet.E(m.receiver),
    amount: coins,
  },
  cex_outflow_dollar_cohort: {
    kinds: transfers,
    when: leaves("cex"),
    selectors: (m) => inSet.E(m.receiver),
    amount: dollars,
  },
  sc_inflow: { kinds: transfers, when: enters("sc"), selectors: (m) => inSet.E(m.sender), amount: coins },
  sc_inflow_dollat: { kinds: transfers, when: enters("sc"), selectors: (m) => inSet.E(m.sender), amount: dollars },
  sc_outflow: { kinds: transfers, when: leaves("sc"), selectors: (m) => inSet.E(m.receiver), amount: coins },
  sc_outflow_dollar: { kinds: transfers, when: leaves("sc"), selectors: (m) => inSet.E(m.receiver), amount: dollars },
};

/** "As sopr, over transfers whose sender's age is 3,600 s or more" (docs/methodology.md §9). */
function hasAged({ t, sender }: Movement): boolean {
  return age(t, sender.h) >= 3600;
}

/** Numerators and denominators that are not metrics themselves. */
const OPERANDS: Record<string, Flow> = {
  profit_dollar: { kinds: transfers, when: inProfit, selectors: setB, amount: dollars },
  profit_cost: { kinds: transfers, when: inProfit, selectors: setB, amount: cost },
  loss_dollar: { kinds: transfers, when: inLoss, selectors: setB, amount: dollars },
  loss_cost: { kinds: transfers, when: inLoss, selectors: setB, amount: cost },
  aged_dollar: { kinds: transfers, when: hasAged, selectors: setA, amount: dollars },
  aged_cost: { kinds: transfers, when: hasAged, selectors: setA, amount: cost },
  destroyed: { kinds: ["transfer", "burn"], selectors: setA, amount: coins },
};

/** "A ratio whose denominator is 0 has no point" (§5). */
const RATIOS: Record<string, [numerator: string, denominator: string]> = {
  sopr: ["volume_dollar", "moved_coins_cost_basis"],
  sopr_profit: ["profit_dollar", "profit_cost"],
  sopr_loss: ["loss_dollar", "loss_cost"],
  asopr: ["aged_dollar", "aged_cost"],
  dormancy: ["coin_days_destroyed", "destroyed"],
  moved_coins_realised_price: ["moved_coins_cost_basis", "volume"],
};

// ── §7 State metrics ───────────────────────────────────────────────────────────────────────────────────────────────

function sum(holders: Holder[], amount: (holder: Holder) => number): number {
  let total = 0;
  for (const holder of holders) total += amount(holder);
  return total;
}

/** The addresses of a cohort with q ≠ 0, those of them in profit and in loss, and the close price. */
interface Members {
  holders: Holder[];
  inProfit: Holder[];
  inLoss: Holder[];
  P: number;
  /** Σ n. */
  supply: number;
  /** Σ n·a. */
  realisedCap: number;
  /** "Σ n·(τ − h)/86,400; τ − h is at least 0." */
  coinDaysHeld: number;
  /** The close, Unix seconds. */
  close: number;
}

type State = (members: Members) => number;

const supply: State = (members) => members.supply;
const marketCap: State = ({ P, supply }) => P * supply;

const coinDaysHeld: State = (members) => members.coinDaysHeld;

const COHORT_STATES: Record<string, State> = {
  coin_days_held: coinDaysHeld,
  supply,
  market_cap: marketCap,
  realised_cap: ({ realisedCap }) => realisedCap,
  unrealised_profit: ({ inProfit, P }) => sum(inProfit, ({ n, a }) => n * (P - a)),
  unrealised_loss: ({ inLoss, P }) => sum(inLoss, ({ n, a }) => n * (a - P)),
  supply_profit: ({ inProfit }) => sum(inProfit, ({ n }) => n),
  supply_loss: ({ inLoss }) => sum(inLoss, ({ n }) => n),
  num_addresses: ({ holders }) => holders.length,
  num_addresses_profit: ({ inProfit }) => inProfit.length,
  num_addresses_loss: ({ inLoss }) => inLoss.length,
};

/** "The mean of the middle two where their number is even." */
function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [Math.floor((sorted.length - 1) / 2), Math.ceil((sorted.length - 1) / 2)];
  return (sorted[low]! + sorted[high]!) / 2;
}

/** Ratios: "a ratio whose denominator is 0 has no point". */
const COHORT_RATIOS: Record<string, [numerator: State, denominator: State]> = {
  realised_price: [({ realisedCap }) => realisedCap, supply],
  mean_age: [coinDaysHeld, supply],
  mean_dollar_age: [
    ({ holders, close }) => sum(holders, ({ n, a, h }) => (n * a * Math.max(0, close - h)) / DAY),
    ({ realisedCap }) => realisedCap,
  ],
};

const EXCHANGE_STATES: Record<string, State> = { cex_reserve: supply, cex_reserve_dollar: marketCap };

const CONTRACT_STATES: Record<string, State> = { sc_volume_locked: supply, sc_volume_locked_dollar: marketCap };

// ── §5 Buckets ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** The starts of the first and of the last complete bucket, Unix seconds; null when no bucket is complete. */
type Complete = { first: number; last: number } | null;

/** First and last complete bucket, or block, of a series that runs without gaps; null when there is none. */
export interface Ranges {
  day: Complete;
  hour: Complete;
  week: Complete;
  month: Complete;
  block: { first: { block: number; t: number }; last: { block: number; t: number } } | null;
}

/** "From the bucket of the asset's first mint, burn or transfer to the last complete bucket." */
export function ranges(token: Token): Ranges {
  const counted = replayOrder(token).filter((event) => kindOf(event) !== "nothing");
  const [first, last] = [counted[0], counted.at(-1)];
  if (first === undefined || last === undefined) return { day: null, hour: null, week: null, month: null, block: null };
  const complete = (resolution: BucketResolution): Complete => {
    const startOf = BUCKETS[resolution];
    // A second before the bucket of asOf begins, the last complete one ends.
    const range = { first: startOf(first.timestamp), last: startOf(startOf(token.asOf) - 1) };
    return range.first <= range.last ? range : null;
  };
  return {
    day: complete("day"),
    hour: complete("hour"),
    week: complete("week"),
    month: complete("month"),
    block: { first: { block: first.block, t: first.timestamp }, last: { block: last.block, t: last.timestamp } },
  };
}

function startOf(time: number, length: number): number {
  return Math.floor(time / length) * length;
}

/** "The ISO week, from Monday 00:00 UTC": Monday is day 1, Sunday day 0. */
function mondayOf(time: number): number {
  const day = startOf(time, DAY);
  return day - ((new Date(day * 1000).getUTCDay() + 6) % 7) * DAY;
}

/** "The calendar month in UTC." */
function firstOfMonth(time: number): number {
  const date = new Date(time * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000;
}

type BucketResolution = "day" | "hour" | "week" | "month";

/** Start of the bucket that contains a time. */
const BUCKETS: Record<BucketResolution, (time: number) => number> = {
  day: (time) => startOf(time, DAY),
  hour: (time) => startOf(time, HOUR),
  week: mondayOf,
  month: firstOfMonth,
};

/** The end of the bucket that begins at a time. No month is longer than 31 days, and none shorter than 28. */
function endOf(resolution: BucketResolution, start: number): number {
  if (resolution === "month") return firstOfMonth(start + 31 * DAY);
  return start + { day: DAY, hour: HOUR, week: 7 * DAY }[resolution];
}

/** The sums of one series by start of day or hour, or by block number, in time order. */
type Sums = Map<number, Point>;

/**
 * The price at the close, "the last observation before e (strictly)", of each complete bucket; "a point only where there
 * is a price above 0".
 */
export function prices(token: Token, resolution: BucketResolution): Point[] {
  const price = stepFunction(token.prices);
  const { first, last } = ranges(token)[resolution] ?? { first: Infinity, last: -Infinity };
  const points: Point[] = [];
  for (let start = first; start <= last; start = endOf(resolution, start)) {
    const v = price.before(endOf(resolution, start));
    if (v > 0) points.push({ t: start, v });
  }
  return points;
}

/** What labelled addresses hold and move: docs/formats.md#label-coverage. */
export interface LabelCoverage {
  addresses: number;
  held?: number;
  holders?: number;
  supplyShare?: number;
  volumeShare?: number;
}

/** The coverage of exchanges or of contracts, in exact integers; the shares are the quotients as doubles. */
export function labelCoverage(token: Token, kind: "exchanges" | "contracts"): LabelCoverage {
  const named = [...Object.keys(token.exchanges), ...Object.keys(token.deposits ?? {})];
  const exchanges = new Set(named.map((address) => address.toLowerCase()));
  const contracts = new Set(token.contracts.map((address) => address.toLowerCase()).filter((a) => !exchanges.has(a)));
  const labelled = kind === "exchanges" ? exchanges : contracts;
  labelled.delete(ZERO_ADDRESS);
  const { day } = ranges(token);
  if (day === null) return { addresses: labelled.size };
  const close = day.last + DAY;
  const balances = new Map<string, bigint>();
  let [touching, all] = [0n, 0n];
  for (const event of replayOrder(token)) {
    const { from, to, value, timestamp } = event;
    if (timestamp >= close || kindOf(event) === "nothing") continue;
    balances.set(from, (balances.get(from) ?? 0n) - value);
    balances.set(to, (balances.get(to) ?? 0n) + value);
    if (kindOf(event) !== "transfer" || timestamp < close - 365 * DAY) continue;
    all += value;
    if (labelled.has(from) !== labelled.has(to)) touching += value;
  }
  balances.delete(ZERO_ADDRESS);
  const own = [...balances].filter(([address]) => labelled.has(address)).map(([, balance]) => balance);
  const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, amount) => total + amount, 0n);
  const supply = sum(balances.values());
  return {
    addresses: labelled.size,
    held: own.length,
    holders: own.filter((balance) => balance > 0n).length,
    ...(supply > 0n && { supplyShare: Number(sum(own)) / Number(supply) }),
    ...(all > 0n && { volumeShare: Number(touching) / Number(all) }),
  };
}

// ── §11 Distributions ──────────────────────────────────────────────────────────────────────────────────────────────

/** "e(k) the double nearest to 10^(k/40)": whole powers exactly, others to a few units in the last place. */
const EDGES = new Map(
  Array.from({ length: 2_401 }, (_, i) => i - 1_200).map((k) => [
    k,
    k % 40 === 0 ? Number(`1e${k / 40}`) : 10 ** (k / 40),
  ]),
);

/** By cost: most holders have the same one day after day. */
const costBuckets = new Map<number, string>([[0, "0"]]);

/** "`0`: a = 0; else [e(k), e(k+1)), k from −1,200 to 1,200; what lies outside belongs to the first or the last." */
function costBucket(a: number): string {
  const known = costBuckets.get(a);
  if (known !== undefined) return known;
  let k = -1_200;
  while (k < 1_200 && a >= EDGES.get(k + 1)!) k++;
  costBuckets.set(a, `k${k}`);
  return `k${k}`;
}

/** "Calendar months, UTC." */
function monthOf(time: number): string {
  return new Date(time * 1000).toISOString().slice(0, 7);
}

/** "h, rounded to the nearest second, half up." */
const DISTRIBUTIONS: Record<string, (holder: Holder) => string> = {
  cost_basis: ({ a }) => costBucket(a),
  acquired: ({ h }) => monthOf(Math.floor(h + 0.5)),
  first_seen: ({ firstEvent }) => monthOf(firstEvent!),
};

/**
 * "With the buckets of `cost_basis` ascending, and S their supply: the first bucket at whose end the supply so far is p·S or
 * more. In it, from · (to / from)^((p·S − supply before it) / its supply); 0 in the bucket `0`; the inner edge in the first and
 * last bucket. There is no point where S = 0." Raw units, in hundredths, are compared.
 */
function percentilesOf(members: Holder[]): [metric: string, v: number][] {
  const buckets = Map.groupBy(members, ({ a }) => costBucket(a));
  const numbered = [...buckets].map(([name, holders]) => ({
    k: name === "0" ? Number.NEGATIVE_INFINITY : Number(name.slice(1)),
    supply: holders.reduce((sum, { q }) => sum + q, 0n),
  }));
  const whole = numbered.reduce((sum, { supply }) => sum + supply, 0n);
  if (whole === 0n) return [];
  numbered.sort((a, b) => a.k - b.k);
  return ["05", "10", "25", "50", "75", "90", "95"].map((percent) => {
    const wanted = BigInt(percent) * whole;
    let before = 0n;
    for (const { k, supply } of numbered) {
      if (100n * (before + supply) < wanted) {
        before += supply;
        continue;
      }
      const part = Number(wanted - 100n * before) / Number(100n * supply);
      return [`cost_basis_p${percent}`, costAt(k, part)];
    }
    throw new Error("the last bucket has all of them");
  });
}

function costAt(k: number, part: number): number {
  if (k === Number.NEGATIVE_INFINITY) return 0;
  if (k === -1_200) return EDGES.get(k + 1)!;
  if (k === 1_200) return EDGES.get(k)!;
  return EDGES.get(k)! * (EDGES.get(k + 1)! / EDGES.get(k)!) ** part;
}

/** What `reference` returns; undefined for a history of which doubles do not decide who is in profit. */
export function decidedReference(token: Token): SeriesByKey | undefined {
  try {
    return reference(token);
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

/**
 * Every series of the token: all metrics, selectors and resolutions, save the prices of hours. Sums hold no zeros.
 *
 * @param distributions if given, is filled with `<distribution>|<resolution>|<field>:<selector>:<bucket>`
 */
export function reference(token: Token, distributions?: SeriesByKey): SeriesByKey {
  const price = stepFunction(token.prices);
  const unit = balanceUnit(token.maxSupply);
  const byAddress = (names: Record<string, string> = {}) =>
    new Map(Object.entries(names).map(([address, name]) => [address.toLowerCase(), name]));
  const exchanges = byAddress(token.exchanges);
  /** "An address of `exchanges` keeps that label." */
  const deposits = new Map([...byAddress(token.deposits)].filter(([address]) => !exchanges.has(address)));
  const labels = new Map([...exchanges, ...deposits]);
  const contracts = new Set(token.contracts.map((address) => address.toLowerCase()));
  const { day: days } = ranges(token);

  const holders = new Map<string, Holder>();
  const sums = new Map<string, Sums>();
  const active = new Map<string, Sums>();
  /** The addresses that have been counted in a bucket: by metric, resolution and bucket. */
  const counted = new Map<string, Set<string>>();
  /** The transfers of each day, week and month, in tokens and in USD: by resolution and start. */
  const moved = new Map<string, { x: number; usd: number }[]>();
  const series: SeriesByKey = new Map();

  /** "An address that is both counts as exchange." */
  function holderOf(address: string): Holder {
    const known = holders.get(address);
    if (known !== undefined) return known;
    const label = labels.get(address);
    const holder: Holder = {
      group: label !== undefined ? "cex" : contracts.has(address) ? "sc" : "users",
      exchange: label !== undefined ? exchangeSelector(label) : undefined,
      own: Object.entries(token.lists ?? {}).flatMap(([name, list]) =>
        list.some((listed) => listed.toLowerCase() === address) ? [name] : [],
      ),
      q: 0n,
      n: 0,
      balanceCohort: "balance_cohort_0",
      a: 0,
      h: 0,
      firstEvent: undefined,
      lastEvent: undefined,
    };
    holders.set(address, holder);
    return holder;
  }

  function weigh(holder: Holder): void {
    holder.n = tokens(holder.q, token.decimals);
    holder.balanceCohort = balanceCohort(holder.q, unit, token.decimals);
  }

  /** "A transfer or burn that exceeds the sender's balance is inconsistent input" (§2). */
  function replay(event: Transfer, kind: Kind): Movement {
    const { timestamp: t, value } = event;
    const P = price.at(t);
    let sender = NOBODY;
    let receiver = NOBODY;
    let [funds, empties] = [false, false];
    const before: Movement["before"] = { sender: undefined, receiver: undefined };
    if (kind !== "mint") {
      const holder = holderOf(event.from);
      if (value > holder.q) {
        const { block, logIndex, from } = event;
        throw new Error(`block ${block}, log index ${logIndex}: ${from} holds ${holder.q} and sends ${value}`);
      }
      sender = partyOf(holder, t, P);
      send(holder, value);
      weigh(holder);
      empties = holder.q === 0n;
      before.sender = holder.lastEvent;
      holder.lastEvent = t;
    }
    if (kind !== "burn") {
      const holder = holderOf(event.to);
      funds = holder.q === 0n;
      receive(holder, value, t, P);
      weigh(holder);
      receiver = partyOf(holder, t, P);
      before.receiver = holder.lastEvent;
      holder.firstEvent ??= t;
      holder.lastEvent = t;
    }
    return { kind, t, x: tokens(value, token.decimals), P, sender, receiver, funds, empties, before };
  }

  function add(metric: string, selector: string, event: Transfer, amount: number): void {
    const { block, timestamp } = event;
    const points: [resolution: string, bucket: number, point: Point][] = [
      ["day", startOf(timestamp, DAY), { t: startOf(timestamp, DAY), v: 0 }],
      ["hour", startOf(timestamp, HOUR), { t: startOf(timestamp, HOUR), v: 0 }],
      ["block", block, { t: timestamp, v: 0, block }],
    ];
    for (const [resolution, bucket, empty] of points) {
      const key = keyOf(metric, resolution, selector);
      const buckets = sums.get(key) ?? new Map<number, Point>();
      sums.set(key, buckets);
      const point = buckets.get(bucket) ?? empty;
      buckets.set(bucket, point);
      point.v += amount;
    }
  }

  function append(key: string, point: Point, into = series): void {
    const points = into.get(key);
    if (points) points.push(point);
    else into.set(key, [point]);
  }

  let destroyed = 0;

  /** "All events with timestamp < e; the price is the last observation before e (strictly); ages are taken at e." */
  function close(start: number): void {
    const end = start + DAY;
    const P = price.before(end);
    /** The value of a state at a day's close is also that of the week and of the month that end with the day. */
    const closing = (["day", "week", "month"] as const)
      .map((resolution) => ({ resolution, t: BUCKETS[resolution](start) }))
      .filter(({ resolution, t }) => endOf(resolution, t) === end);
    const appendState = (metric: string, selector: string, v: number) => {
      for (const { resolution, t } of closing) append(keyOf(metric, resolution, selector), { t, v });
    };
    const cohorts = new Map<string, Holder[]>();
    const exchanges = new Map<string, Holder[]>();
    const join = (members: Map<string, Holder[]>, name: string, holder: Holder) => {
      const list = members.get(name);
      if (list === undefined) members.set(name, [holder]);
      else list.push(holder);
    };
    for (const holder of holders.values()) {
      if (holder.q === 0n) continue;
      for (const cohort of inSet.C(partyOf(holder, end, P))) join(cohorts, cohort, holder);
      if (holder.exchange !== undefined) for (const name of ["all", holder.exchange]) join(exchanges, name, holder);
    }
    const publish = (states: Record<string, State>, selector: string, members: Members) => {
      for (const [metric, state] of Object.entries(states)) {
        const v = state(members);
        if (v !== 0) appendState(metric, selector, v);
      }
    };
    const membersOf = (holders: Holder[]): Members => ({
      holders,
      inProfit: holders.filter(({ a }) => isAbove(P, a)),
      inLoss: holders.filter(({ a }) => isBelow(P, a)),
      P,
      supply: sum(holders, ({ n }) => n),
      realisedCap: sum(holders, ({ n, a }) => n * a),
      coinDaysHeld: sum(holders, ({ n, h }) => (n * Math.max(0, end - h)) / DAY),
      close: end,
    });
    let held = 0;
    for (const [cohort, holders] of cohorts) {
      const members = membersOf(holders);
      if (cohort === "total") held = members.coinDaysHeld;
      publish(COHORT_STATES, cohort, members);
      for (const [metric, [numerator, denominator]] of Object.entries(COHORT_RATIOS)) {
        const below = denominator(members);
        if (below !== 0) appendState(metric, cohort, numerator(members) / below);
      }
    }
    // "Over the addresses of total or users that hold the token, divided by a key of the address."
    for (const [distribution, keyOf] of Object.entries(distributions ? DISTRIBUTIONS : {})) {
      for (const group of ["total", "users"]) {
        const buckets = Map.groupBy(cohorts.get(group) ?? [], keyOf);
        for (const [bucket, members] of buckets) {
          const fields = {
            supply: sum(members, ({ n }) => n),
            realised_cap: sum(members, ({ n, a }) => n * a),
            num_addresses: members.length,
          };
          for (const { resolution, t } of closing) {
            for (const [field, v] of Object.entries(fields)) {
              const key = `${distribution}|${resolution}|${field}:${group}:${bucket}`;
              append(key, { t, v }, distributions);
            }
          }
        }
      }
    }
    for (const group of ["total", "users"]) {
      for (const [metric, v] of percentilesOf(cohorts.get(group) ?? [])) appendState(metric, group, v);
    }
    // "Σ n of the 10, 100, 1,000 addresses of the group that hold most (of all, if there are fewer)"; "Σ (n / Σ n)²".
    for (const group of ["total", "users"]) {
      const members = [...(cohorts.get(group) ?? [])].sort((a, b) => (a.q < b.q ? 1 : a.q > b.q ? -1 : 0));
      if (members.length === 0) continue;
      for (const top of [10, 100, 1_000])
        appendState(
          `supply_top_${top}`,
          group,
          sum(members.slice(0, top), ({ n }) => n),
        );
      const all = sum(members, ({ n }) => n);
      appendState(
        "herfindahl",
        group,
        sum(members, ({ n }) => (n / all) ** 2),
      );
    }
    // "D / (D + coin_days_held of total), D the sum of all days' coin_days_destroyed of total up to this one."
    destroyed += sums.get("coin_days_destroyed|day|total")?.get(start)?.v ?? 0;
    const whole = destroyed + held;
    if (whole !== 0) appendState("liveliness", "-", destroyed / whole);
    // "Addresses of the group with an event in the last 7, 30 days: [τ − 604,800, τ), [τ − 2,592,000, τ)."
    for (const window of [7, 30]) {
      const active = [...holders.values()].filter(({ lastEvent }) => lastEvent! >= end - window * DAY);
      const groups = Map.groupBy(
        active.flatMap(({ group, own }) => ["total", group, ...own]),
        (name) => name,
      );
      for (const [name, { length }] of groups) appendState(`active_addresses_${window}d`, name, length);
    }
    for (const [exchange, holders] of exchanges) publish(EXCHANGE_STATES, exchange, membersOf(holders));
    publish(CONTRACT_STATES, "-", membersOf(cohorts.get("sc") ?? []));
  }

  /**
   * "Each counts once a bucket, in the cohorts that it was in at its first event of the bucket: as a sender just before it,
   * as a receiver just after it. Hours, days, weeks and months each count anew."
   */
  function countActive({ timestamp }: Transfer, { sender, receiver, before }: Movement): void {
    for (const [resolution, bucketOf] of Object.entries(BUCKETS)) {
      const t = bucketOf(timestamp);
      for (const [party, last] of [[sender, before.sender] as const, [receiver, before.receiver] as const]) {
        if (party === NOBODY || (last !== undefined && last >= t)) continue;
        for (const cohort of inSet.C(party)) {
          const key = `active_addresses|${resolution}|${cohort}`;
          const buckets = active.get(key) ?? new Map<number, Point>();
          active.set(key, buckets);
          const point = buckets.get(t) ?? { t, v: 0 };
          buckets.set(t, point);
          point.v++;
        }
      }
    }
  }

  /**
   * `deposit_addresses`: "deposit addresses that received". `cex_depositors`: "addresses outside exchanges that sent to an
   * exchange by a transfer". An address counts once in a day, a week and a month.
   */
  function countDeposits({ timestamp, from, to }: Transfer, { kind, sender, receiver }: Movement): void {
    if (kind !== "burn" && deposits.has(to)) countOnce("deposit_addresses", to, timestamp);
    if (kind === "transfer" && sender.group !== "cex" && receiver.group === "cex") {
      countOnce("cex_depositors", from, timestamp);
    }
  }

  /**
   * "Addresses that sent (transfers and burns), that received (transfers and mints): each once a bucket, in the cohorts that it
   * was in at its first such event of the bucket."
   */
  function countSides({ timestamp, from, to }: Transfer, { kind, sender, receiver }: Movement): void {
    if (kind !== "mint") countFirst("active_senders", from, sender, timestamp);
    if (kind !== "burn") countFirst("active_receivers", to, receiver, timestamp);
  }

  function countFirst(metric: string, address: string, party: Party, timestamp: number): void {
    for (const [resolution, bucketOf] of Object.entries(BUCKETS)) {
      const t = bucketOf(timestamp);
      const bucket = `${metric}|${resolution}|${t}`;
      const addresses = counted.get(bucket) ?? new Set();
      if (addresses.has(address)) continue;
      counted.set(bucket, addresses.add(address));
      for (const cohort of inSet.C(party)) {
        const key = `${metric}|${resolution}|${cohort}`;
        const points = active.get(key) ?? new Map<number, Point>();
        active.set(key, points.set(t, { t, v: (points.get(t)?.v ?? 0) + 1 }));
      }
    }
  }

  /** "The median of x, and of x·P, over the bucket's transfers; day, week and month, each of all its transfers." */
  function keepTransfer({ timestamp }: Transfer, { kind, x, P }: Movement): void {
    if (kind !== "transfer") return;
    for (const resolution of ["day", "week", "month"] as const) {
      const bucket = `${resolution}|${BUCKETS[resolution](timestamp)}`;
      const transfers = moved.get(bucket) ?? [];
      moved.set(bucket, transfers);
      transfers.push({ x, usd: x * P });
    }
  }

  function countOnce(metric: string, address: string, timestamp: number): void {
    for (const resolution of ["day", "week", "month"] as const) {
      const t = BUCKETS[resolution](timestamp);
      const bucket = `${metric}|${resolution}|${t}`;
      const addresses = counted.get(bucket) ?? new Set();
      counted.set(bucket, addresses.add(address));
      const key = `${metric}|${resolution}|-`;
      active.set(key, (active.get(key) ?? new Map<number, Point>()).set(t, { t, v: addresses.size }));
    }
  }

  const flows = Object.entries({ ...FLOWS, ...OPERANDS });
  let open = days?.first ?? Infinity;
  const lastDay = days?.last ?? -Infinity;
  for (const event of replayOrder(token)) {
    for (; open <= lastDay && open + DAY <= event.timestamp; open += DAY) close(open);
    const kind = kindOf(event);
    if (kind === "nothing") continue;
    const movement = replay(event, kind);
    countActive(event, movement);
    countDeposits(event, movement);
    countSides(event, movement);
    keepTransfer(event, movement);
    for (const [metric, flow] of flows) {
      if (!flow.kinds.includes(kind) || flow.when?.(movement) === false) continue;
      for (const selector of flow.selectors(movement)) add(metric, selector, event, flow.amount(movement));
    }
  }
  for (; open <= lastDay; open += DAY) close(open);

  /** "The sum of the bucket's days, added up in the order of days, from 0 (days before the first event are 0)." */
  for (const [key, points] of [...sums]) {
    const [metric, resolution, selector] = key.split("|");
    if (resolution !== "day") continue;
    for (const longer of ["week", "month"] as const) {
      const buckets: Sums = new Map();
      for (const { t, v } of points.values()) {
        const start = BUCKETS[longer](t);
        const bucket = buckets.get(start) ?? { t: start, v: 0 };
        buckets.set(start, bucket);
        bucket.v += v;
      }
      sums.set(`${metric}|${longer}|${selector}`, buckets);
    }
  }

  for (const resolution of ["day", "week", "month"] as const) {
    const points = prices(token, resolution);
    if (points.length > 0) series.set(`price|${resolution}|-`, points);
  }

  /** "A day or hour is published only when its end ≤ as_of; blocks are published up to as_of" (§1). */
  const isComplete = (resolution: string, { t }: Point) =>
    resolution === "block" || endOf(resolution as BucketResolution, t) <= token.asOf;

  for (const [key, points] of [...sums, ...active]) {
    const [metric = "", resolution = ""] = key.split("|");
    if (metric in OPERANDS) continue;
    for (const point of points.values()) if (point.v !== 0 && isComplete(resolution, point)) append(key, point);
  }
  for (const [bucket, transfers] of moved) {
    const [resolution = "", start] = bucket.split("|");
    const t = Number(start);
    if (!isComplete(resolution, { t, v: 0 })) continue;
    append(`median_transfer|${resolution}|-`, { t, v: median(transfers.map(({ x }) => x)) });
    append(`median_transfer_dollar|${resolution}|-`, { t, v: median(transfers.map(({ usd }) => usd)) });
  }
  for (const [metric, [numerator, denominator]] of Object.entries(RATIOS)) {
    for (const [key, points] of sums) {
      const [operand, resolution = "", selector] = key.split("|");
      if (operand !== denominator) continue;
      const numerators = sums.get(`${numerator}|${resolution}|${selector}`);
      for (const [bucket, below] of points) {
        if (below.v === 0 || !isComplete(resolution, below)) continue;
        const v = (numerators?.get(bucket)?.v ?? 0) / below.v;
        append(`${metric}|${resolution}|${selector}`, { ...below, v });
      }
    }
  }
  return series;
}
