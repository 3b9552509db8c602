/**
 * The reference of lots: every series of one method, computed as slowly and plainly as docs/methodology.md §14 states it. It
 * shares no code with the engine; quoted comments are the rules.
 */

import {
  type Point,
  replayOrder,
  type SeriesByKey,
  stepFunction,
  type Token,
  tokens,
  ZERO_ADDRESS,
} from "./reference.ts";

export type Method = "fifo" | "lifo" | "hifo";

const [HOUR, DAY] = [3_600, 86_400];

interface Lot {
  /** "H = ⌊t / 3600⌋ · 3600", and the price then. */
  H: number;
  P: number;
  /** Raw. */
  q: bigint;
}

/**
 * "fifo the smallest H first; lifo the largest H first; hifo the largest P first. Ties go by price: fifo, by P ascending; lifo, by
 * P descending; hifo, by H ascending."
 */
const FIRST: Record<Method, (a: Lot, b: Lot) => number> = {
  fifo: (a, b) => a.H - b.H || a.P - b.P,
  lifo: (a, b) => b.H - a.H || b.P - a.P,
  hifo: (a, b) => b.P - a.P || a.H - b.H,
};

const AGES: [name: string, days: number][] = [
  ["<1d", 1],
  ["1d-1w", 7],
  ["1w-1m", 30],
  ["1m-3m", 90],
  ["3m-6m", 180],
  ["6m-1y", 365],
  ["1y-2y", 730],
  ["2y-3y", 1095],
  ["3y-5y", 1825],
  ["5y-7y", 2555],
  ["7y-10y", 3650],
];

/** "The cohort of a piece is that of the coin, not of its owner." */
function selectorsOf(method: Method, isUser: boolean, age: number): string[] {
  if (!isUser) return [method];
  const named = AGES.find(([, days]) => age < days * DAY)?.[0];
  const parts = ["users", ...(named === undefined ? [] : [named]), age < 155 * DAY ? "sth" : "lth"];
  return [method, ...parts.map((part) => `${method}.${part}`)];
}

/** "Above when p − a > 1e-9 · max(p, a)": §3 with p for a. */
const sideOf = (price: number, cost: number) => {
  const band = 1e-9 * Math.max(price, cost);
  return price - cost > band ? "profit" : cost - price > band ? "loss" : "even";
};

/** What is added up of pieces: tokens, USD and cost, by whether a transfer was in profit, in loss, an hour old. */
type Sums = Record<string, number>;

const quotient = (above: number, below: number) => (below === 0 ? undefined : above / below);

/** "As in §6 and §11 with p for a, and t − H for the age." */
const FLOWS: Record<string, (s: (name: string) => number) => number | undefined> = {
  volume: (s) => s("x"),
  volume_dollar: (s) => s("usd"),
  moved_coins_cost_basis: (s) => s("cost"),
  moved_coins_realised_price: (s) => quotient(s("cost"), s("x")),
  sopr: (s) => quotient(s("usd"), s("cost")),
  sopr_profit: (s) => quotient(s("profit usd"), s("profit cost")),
  sopr_loss: (s) => quotient(s("loss usd"), s("loss cost")),
  asopr: (s) => quotient(s("aged usd"), s("aged cost")),
  realised_profit: (s) => s("profit gain"),
  realised_loss: (s) => -s("loss gain"),
  realised_profit_asset: (s) => s("profit x"),
  realised_loss_asset: (s) => s("loss x"),
  coin_days_destroyed: (s) => s("days"),
  dormancy: (s) => quotient(s("days"), s("gone")),
};
const RATIOS = ["moved_coins_realised_price", "sopr", "sopr_profit", "sopr_loss", "asopr", "dormancy"];
const STATE_RATIOS = ["realised_price", "mean_age", "mean_dollar_age", "liveliness"];

const startOf = {
  hour: (t: number) => Math.floor(t / HOUR) * HOUR,
  day: (t: number) => Math.floor(t / DAY) * DAY,
  /** Monday. */
  week: (t: number) => Math.floor((t / DAY + 3) / 7) * 7 * DAY - 3 * DAY,
  month: (t: number) => Date.UTC(new Date(t * 1000).getUTCFullYear(), new Date(t * 1000).getUTCMonth()) / 1000,
};
type Resolution = keyof typeof startOf;
/** 40 days after its first day, a month is over. */
const endOf = (resolution: Resolution, start: number) =>
  resolution === "month"
    ? startOf.month(start + 40 * DAY)
    : start + { hour: HOUR, day: DAY, week: 7 * DAY }[resolution];

/** "Of lots, by p and by H": the bucket of prices from 10^(k/40), or the month. */
const BUCKETS: Record<string, (lot: Lot) => string> = {
  cost_basis: ({ P }) => (P === 0 ? "0" : `k${Math.max(-1200, Math.min(1200, Math.floor(40 * Math.log10(P) + 1e-9)))}`),
  acquired: ({ H }) => new Date(H * 1000).toISOString().slice(0, 7),
};

/**
 * @param distributions is filled with points by `distribution|resolution|field:selector:bucket`
 * @returns points by `metric|resolution|selector`
 */
export function lotReference(token: Token, method: Method, distributions?: SeriesByKey): SeriesByKey {
  const price = stepFunction(token.prices);
  const labelled = [...Object.keys(token.exchanges), ...Object.keys(token.deposits ?? {}), ...token.contracts];
  const others = new Set(labelled.map((address) => address.toLowerCase()));
  const held = new Map<string, Lot[]>();
  const flows = new Map<string, { point: Point; sums: Sums }>();
  const series: SeriesByKey = new Map();
  let destroyed = 0;

  function put(metric: string, resolution: string, selector: string, point: Point, into = series): void {
    const key = `${metric}|${resolution}|${selector}`;
    into.set(key, [...(into.get(key) ?? []), point]);
  }

  /** Adds a piece to the sums of its hour, day and block, for each of its selectors. */
  function count(event: { block: number; timestamp: number; kind: string; isUser: boolean }, piece: Lot): void {
    const { block, timestamp: t, kind, isUser } = event;
    const P = price.at(t);
    const x = tokens(piece.q, token.decimals);
    const age = Math.max(0, t - piece.H);
    const side = sideOf(P, piece.P);
    const added: Sums = { gone: x, days: (x * age) / DAY };
    if (kind === "transfer") {
      const [usd, cost] = [x * P, x * piece.P];
      Object.assign(added, { x, usd, cost });
      // "Pieces with t − H of 3,600 s or more."
      if (age >= HOUR) Object.assign(added, { "aged usd": usd, "aged cost": cost });
      Object.assign(added, {
        [`${side} x`]: x,
        [`${side} usd`]: usd,
        [`${side} cost`]: cost,
        [`${side} gain`]: usd - cost,
      });
    }
    const buckets: [string, Point][] = [
      ["hour", { t: startOf.hour(t), v: 0 }],
      ["day", { t: startOf.day(t), v: 0 }],
      ["block", { t, v: 0, block }],
    ];
    for (const selector of selectorsOf(method, isUser, age)) {
      for (const [resolution, point] of buckets) add(resolution, selector, point, added);
    }
  }

  function add(resolution: string, selector: string, point: Point, added: Sums): void {
    const key = `${resolution}|${selector}|${point.block ?? point.t}`;
    const known = flows.get(key) ?? { point, sums: {} };
    flows.set(key, known);
    for (const [name, value] of Object.entries(added)) known.sums[name] = (known.sums[name] ?? 0) + value;
  }

  /** "Over the lots at the close." */
  function close(day: number): void {
    const τ = day + DAY;
    const P = price.before(τ);
    const members = new Map<string, (Lot & { n: number })[]>();
    for (const [address, lots] of held) {
      for (const lot of lots) {
        for (const selector of selectorsOf(method, !others.has(address), Math.max(0, τ - lot.H))) {
          members.set(selector, [...(members.get(selector) ?? []), { ...lot, n: tokens(lot.q, token.decimals) }]);
        }
      }
    }
    destroyed += flows.get(`day|${method}|${day}`)?.sums.days ?? 0;
    for (const [selector, lots] of members) {
      const sum = (of: (lot: Lot & { n: number }) => number, side?: string) =>
        lots.filter((lot) => side === undefined || sideOf(P, lot.P) === side).reduce((all, lot) => all + of(lot), 0);
      const n = sum((lot) => lot.n);
      const cost = sum((lot) => lot.n * lot.P);
      const days = sum((lot) => (lot.n * (τ - lot.H)) / DAY);
      const states: Record<string, number | undefined> = {
        supply: n,
        market_cap: n * P,
        realised_cap: cost,
        realised_price: quotient(cost, n),
        unrealised_profit: sum((lot) => lot.n * (P - lot.P), "profit"),
        unrealised_loss: sum((lot) => lot.n * (lot.P - P), "loss"),
        supply_profit: sum((lot) => lot.n, "profit"),
        supply_loss: sum((lot) => lot.n, "loss"),
        coin_days_held: days,
        mean_age: quotient(days, n),
        mean_dollar_age: quotient(
          sum((lot) => (lot.n * lot.P * (τ - lot.H)) / DAY),
          cost,
        ),
      };
      for (const [metric, v] of Object.entries(states)) state(metric, selector, day, v);
    }
    for (const [name, bucketOf] of Object.entries(distributions ? BUCKETS : {})) {
      for (const selector of [method, `${method}.users`]) {
        for (const [bucket, lots] of Map.groupBy(members.get(selector) ?? [], bucketOf)) {
          const fields = {
            supply: lots.reduce((sum, lot) => sum + lot.n, 0),
            realised_cap: lots.reduce((sum, lot) => sum + lot.n * lot.P, 0),
          };
          for (const [field, v] of Object.entries(fields)) {
            for (const { resolution, t } of closing(day)) {
              put(name, resolution, `${field}:${selector}:${bucket}`, { t, v }, distributions);
            }
          }
        }
      }
    }
    const whole = members.get(method)?.reduce((all, lot) => all + (lot.n * (τ - lot.H)) / DAY, 0) ?? 0;
    state("liveliness", method, day, quotient(destroyed, destroyed + whole));
  }

  function state(metric: string, selector: string, day: number, v: number | undefined): void {
    if (v === undefined || (v === 0 && !STATE_RATIOS.includes(metric))) return;
    for (const { resolution, t } of closing(day)) put(metric, resolution, selector, { t, v });
  }

  /** The buckets that end with a day. */
  const closing = (day: number) =>
    (["day", "week", "month"] as const)
      .map((resolution) => ({ resolution, t: startOf[resolution](day) }))
      .filter(({ resolution, t }) => endOf(resolution, t) === day + DAY);

  let day: number | undefined;
  const closeUntil = (t: number) => {
    for (; day !== undefined && day + DAY <= Math.min(t, token.asOf); day += DAY) close(day);
  };
  for (const event of replayOrder(token)) {
    const { timestamp: t, from, to, value } = event;
    // "An event of value 0 or to itself is none."
    if (value === 0n || from === to) continue;
    closeUntil(t);
    day ??= startOf.day(t);
    // "A send of x takes from lots until x is reached. The last lot is split."
    let rest = from === ZERO_ADDRESS ? 0n : value;
    const kind = to === ZERO_ADDRESS ? "burn" : "transfer";
    while (rest > 0n) {
      const lots = held.get(from)!.sort(FIRST[method]);
      const [lot] = lots;
      const q = lot!.q < rest ? lot!.q : rest;
      count({ ...event, kind, isUser: !others.has(from) }, { ...lot!, q });
      lot!.q -= q;
      rest -= q;
      if (lot!.q === 0n) lots.shift();
    }
    // "A receipt adds to the address's lot of key (H, P), or makes it."
    if (to === ZERO_ADDRESS) continue;
    const [H, P] = [startOf.hour(t), price.at(t)];
    const lots = held.get(to) ?? [];
    held.set(to, lots);
    const same = lots.find((lot) => lot.H === H && lot.P === P);
    if (same) same.q += value;
    else lots.push({ H, P, q: value });
  }
  closeUntil(Number.POSITIVE_INFINITY);

  // Weeks and months are the sums of their days.
  for (const [key, { point, sums }] of [...flows]) {
    const [resolution, selector = ""] = key.split("|");
    if (resolution !== "day") continue;
    for (const longer of ["week", "month"] as const) {
      add(longer, selector, { t: startOf[longer](point.t), v: 0 }, sums);
    }
  }
  for (const [key, { point, sums }] of flows) {
    const [resolution = "", selector = ""] = key.split("|");
    if (resolution !== "block" && endOf(resolution as Resolution, point.t) > token.asOf) continue;
    for (const [metric, flow] of Object.entries(FLOWS)) {
      const v = flow((name) => sums[name] ?? 0);
      if (v === undefined || (v === 0 && !RATIOS.includes(metric))) continue;
      put(metric, resolution, selector, { ...point, v });
    }
  }
  return series;
}
