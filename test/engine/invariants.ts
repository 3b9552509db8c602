/**
 * What must hold of every token's series, whoever computed them. Source: methodology §8, by its numbers; "in doubles
 * compare relative to the larger operands, not to their small difference".
 */

import { AGE_COHORTS, BALANCE_COHORTS, VALUE_RANGES } from "../../data-schema/cohorts.ts";
import { EXCHANGE_SELECTORS } from "../../data-schema/exchanges.ts";
import { METRICS, type Metric, seriesOf } from "../../data-schema/metrics.ts";
import { TRANSFER_SAMPLES } from "../../data-schema/samples.ts";
import { CANCELLATION, cancellationScale } from "../reference/compare.ts";
import {
  type Account,
  ranges,
  receive,
  replayOrder,
  type SeriesByKey,
  send,
  stepFunction,
  type Token,
  tokens,
  ZERO_ADDRESS,
} from "../reference/reference.ts";

export interface Invariant {
  name: string;
  /** One readable line for each place where it does not hold. */
  violations: (series: SeriesByKey, token: Token) => string[];
}

const DAY = 86_400;
const HOUR = 3_600;
const RESOLUTIONS = ["day", "hour", "block"];

const metrics: readonly Metric[] = METRICS;
const sums = metrics.filter(({ shape }) => shape === "sum");
const withSelector = (metric: Metric, selector: string) => seriesOf(metric).includes(selector);
/** State metrics over `total`, `users`, `sc`, `cex` and the parts of `users`. */
const cohortStates = sums.filter((metric) => metric.kind === "state" && withSelector(metric, "sc"));
/** Flow sums over `total`, `users` and the parts of `users`. */
const senderFlows = sums.filter((metric) => metric.kind === "flow" && withSelector(metric, "users"));
/** Every sum over the parts of `users`. */
const partitioned = sums.filter((metric) => withSelector(metric, BALANCE_COHORTS[0]));

export const INVARIANTS: Invariant[] = [
  {
    name: "1. total = users + cex + sc for every additive state metric",
    violations: (series) =>
      cohortStates.flatMap((metric) =>
        disagreements(
          `total and its groups: ${metric.name}`,
          columnOf(series, metric.name, "day", ["total"]),
          columnOf(series, metric.name, "day", ["users", "cex", "sc"]),
          slackOf(series, metric.name, "day", "total"),
        ),
      ),
  },
  {
    name: "1. value ranges = balance cohorts = users, for state metrics and sender-side flows",
    violations: (series) =>
      [...cohortStates, ...senderFlows].flatMap((metric) =>
        RESOLUTIONS.flatMap((resolution) =>
          [VALUE_RANGES, BALANCE_COHORTS].flatMap((family) =>
            disagreements(
              `users and ${family[0]} …: ${metric.name}|${resolution}`,
              columnOf(series, metric.name, resolution, ["users"]),
              columnOf(series, metric.name, resolution, family),
              slackOf(series, metric.name, resolution, "users"),
            ),
          ),
        ),
      ),
  },
  {
    name: "1. value ranges = balance cohorts ≥ ages, for every sum over the parts of users",
    violations: (series) =>
      partitioned.flatMap((metric) =>
        RESOLUTIONS.flatMap((resolution) => {
          const values = columnOf(series, metric.name, resolution, VALUE_RANGES);
          const balances = columnOf(series, metric.name, resolution, BALANCE_COHORTS);
          const ages = columnOf(series, metric.name, resolution, AGE_COHORTS);
          const slack = slackOf(series, metric.name, resolution, "users");
          const what = `${metric.name}|${resolution}`;
          return [
            ...disagreements(`value ranges and balance cohorts: ${what}`, values, balances, slack),
            ...excesses(`ages and value ranges: ${what}`, ages, values, slack),
          ];
        }),
      ),
  },
  {
    name: "2. supply(total) = minted − burned",
    violations: (series, token) =>
      disagreements(
        "supply and minted − burned",
        columnOf(series, "supply", "day", ["total"]),
        new Map(daysOf(token).map(({ start, supply }) => [start, supply])),
      ),
  },
  {
    name: "3. Δ realised_cap = realised profit − loss + minted dollars − burned cost, but for the break-even band",
    violations: (series, token) => {
      const cap = columnOf(series, "realised_cap", "day", ["total"]);
      const profit = columnOf(series, "realised_profit", "day", ["total"]);
      const loss = columnOf(series, "realised_loss", "day", ["total"]);
      const slack = slackOf(series, "realised_profit", "day", "total");
      return daysOf(token).flatMap(({ start, mintedUsd, burnedCost, breakEven }) =>
        imbalance(
          `realised_cap on ${iso(start)}`,
          [at(cap, start), at(loss, start), burnedCost],
          [at(cap, start - DAY), at(profit, start), mintedUsd, breakEven],
          at(slack, start),
        ),
      );
    },
  },
  {
    name: "4. Δ cex_reserve = cex_inflow − cex_outflow",
    violations: (series, token) =>
      EXCHANGE_SELECTORS.flatMap((exchange) => {
        const reserve = columnOf(series, "cex_reserve", "day", [exchange]);
        const inflow = columnOf(series, "cex_inflow", "day", [exchange]);
        const outflow = columnOf(series, "cex_outflow", "day", [exchange]);
        return completeDays(token).flatMap((day) =>
          imbalance(
            `cex_reserve of ${exchange} on ${iso(day)}`,
            [at(reserve, day), at(outflow, day)],
            [at(reserve, day - DAY), at(inflow, day)],
          ),
        );
      }),
  },
  {
    name: "5. moved_coins_cost_basis = moved_coins_realised_price · volume",
    violations: (series) =>
      seriesOf(metricNamed("volume")).flatMap((cohort) =>
        RESOLUTIONS.flatMap((resolution) => {
          const price = columnOf(series, "moved_coins_realised_price", resolution, [cohort]);
          const volume = columnOf(series, "volume", resolution, [cohort]);
          return disagreements(
            `cost basis and realised price · volume: ${resolution}|${cohort}`,
            columnOf(series, "moved_coins_cost_basis", resolution, [cohort]),
            new Map([...volume].map(([place, v]) => [place, at(price, place) * v])),
          );
        }),
      ),
  },
  {
    name: "6. realised_profit_asset + realised_loss_asset ≤ volume",
    violations: (series) =>
      seriesOf(metricNamed("volume")).flatMap((cohort) =>
        RESOLUTIONS.flatMap((resolution) => {
          const profit = columnOf(series, "realised_profit_asset", resolution, [cohort]);
          const loss = columnOf(series, "realised_loss_asset", resolution, [cohort]);
          const moved = new Map(placesOf(profit, loss).map((place) => [place, at(profit, place) + at(loss, place)]));
          return excesses(
            `coins in profit and loss: ${resolution}|${cohort}`,
            moved,
            columnOf(series, "volume", resolution, [cohort]),
          );
        }),
      ),
  },
  {
    name: "6. num_transfers(all) = the sum over the samples",
    violations: (series) =>
      RESOLUTIONS.flatMap((resolution) =>
        disagreements(
          `num_transfers and its samples: ${resolution}`,
          columnOf(series, "num_transfers", resolution, ["all"]),
          columnOf(
            series,
            "num_transfers",
            resolution,
            TRANSFER_SAMPLES.filter((sample) => sample !== "all"),
          ),
        ),
      ),
  },
  {
    name: "7. hours add up to their day, blocks to their hour",
    violations: (series, { asOf }) =>
      sums
        .filter(({ kind }) => kind === "flow")
        .flatMap((metric) =>
          seriesOf(metric).flatMap((selector) =>
            [
              { coarse: "day", fine: "hour", length: DAY },
              { coarse: "hour", fine: "block", length: HOUR },
            ].flatMap(({ coarse, fine, length }) =>
              disagreements(
                `${fine}s in their ${coarse}: ${metric.name}|${selector}`,
                columnOf(series, metric.name, coarse, [selector]),
                gathered(series.get(`${metric.name}|${fine}|${selector}`) ?? [], length, asOf),
                slackOf(series, metric.name, coarse, selector),
              ),
            ),
          ),
        ),
  },
  {
    name: "8. market_cap − realised_cap = unrealised profit − loss, but for the break-even band",
    violations: (series) =>
      seriesOf(metricNamed("market_cap")).flatMap((cohort) => {
        const column = (metric: string) => columnOf(series, metric, "day", [cohort]);
        const [market, realised] = [column("market_cap"), column("realised_cap")];
        const [profit, loss] = [column("unrealised_profit"), column("unrealised_loss")];
        // A holding in the band is off by 1e-9 of its larger side at the most.
        return placesOf(market, realised, profit, loss).flatMap((day) =>
          imbalance(
            `market_cap of ${cohort} on ${iso(day)}`,
            [at(market, day), at(loss, day)],
            [at(realised, day), at(profit, day)],
          ),
        );
      }),
  },
];

/** Values by place: the start of a bucket, or a block number. */
type Column = Map<number, number>;

/** The values of several selectors of a metric, added up. */
function columnOf(series: SeriesByKey, metric: string, resolution: string, selectors: readonly string[]): Column {
  const column: Column = new Map();
  for (const selector of selectors) {
    for (const { t, v, block } of series.get(`${metric}|${resolution}|${selector}`) ?? []) {
      column.set(block ?? t, at(column, block ?? t) + v);
    }
  }
  return column;
}

/** By how much two right values of a metric may differ because P − a cancels; empty for most metrics. */
function slackOf(series: SeriesByKey, metric: string, resolution: string, selector: string): Column {
  const scale = columnOf(series, cancellationScale(metric) ?? "", resolution, [selector]);
  return new Map([...scale].map(([place, v]) => [place, CANCELLATION * v]));
}

/** Points added up by longer buckets, of those that are complete. */
function gathered(points: { t: number; v: number }[], length: number, asOf: number): Column {
  const column: Column = new Map();
  for (const { t, v } of points) {
    const start = Math.floor(t / length) * length;
    if (start + length <= asOf) column.set(start, at(column, start) + v);
  }
  return column;
}

/** Sums hold no zeros. */
function at(column: Column, place: number): number {
  return column.get(place) ?? 0;
}

function placesOf(...columns: Column[]): number[] {
  return [...new Set(columns.flatMap((column) => [...column.keys()]))];
}

function disagreements(what: string, a: Column, b: Column, slack: Column = new Map()): string[] {
  return placesOf(a, b).flatMap((place) =>
    imbalance(`${what} at ${place}`, [at(a, place)], [at(b, place)], at(slack, place)),
  );
}

function excesses(what: string, smaller: Column, larger: Column, slack: Column = new Map()): string[] {
  return placesOf(smaller, larger)
    .filter((place) => at(smaller, place) > at(larger, place) * (1 + 1e-9) + at(slack, place))
    .map((place) => `${what} at ${place}: ${at(smaller, place)} > ${at(larger, place)}`);
}

/** Whether the two sides add up to the same, to within 2e-9 of the largest operand, and the slack. */
function imbalance(what: string, left: number[], right: number[], slack = 0): string[] {
  const difference = total(left) - total(right);
  const largest = Math.max(...left.map(Math.abs), ...right.map(Math.abs));
  return Math.abs(difference) <= 2e-9 * largest + slack ? [] : [`${what}: ${left.join(" + ")} ≠ ${right.join(" + ")}`];
}

function total(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function metricNamed(name: string): Metric {
  return metrics.find((metric) => metric.name === name)!;
}

function iso(time: number): string {
  return new Date(time * 1000).toISOString();
}

/** Starts of the days that are published. */
function completeDays(token: Token): number[] {
  const { day } = ranges(token);
  return day === null ? [] : Array.from({ length: (day.last - day.first) / DAY + 1 }, (_, i) => day.first + i * DAY);
}

/** What happened on a day to supply and cost that no series says. */
interface DayTotals {
  start: number;
  /** Minted less burned up to the day's close, tokens. */
  supply: number;
  /** Σ x·P of the day's mints. */
  mintedUsd: number;
  /** Σ x·a of the day's burns. */
  burnedCost: number;
  /** Σ x·(P − a) of the day's transfers at break-even: too small for profit and loss, yet there. */
  breakEven: number;
}

/** Replays balances and cost bases, a published day an entry. */
function daysOf(token: Token): DayTotals[] {
  const price = stepFunction(token.prices);
  const accounts = new Map<string, Account>();
  const accountOf = (address: string) => {
    const account = accounts.get(address) ?? { q: 0n, a: 0, h: 0 };
    accounts.set(address, account);
    return account;
  };
  const events = replayOrder(token).filter(({ from, to, value }) => value > 0n && from !== to);
  let supply = 0n;
  let next = 0;
  return completeDays(token).map((start) => {
    const day = { start, supply: 0, mintedUsd: 0, burnedCost: 0, breakEven: 0 };
    for (; next < events.length && events[next].timestamp < start + DAY; next++) {
      const { from, to, value, timestamp } = events[next];
      const P = price.at(timestamp);
      const x = tokens(value, token.decimals);
      if (from === ZERO_ADDRESS) {
        supply += value;
        day.mintedUsd += x * P;
      } else {
        const { a } = accountOf(from);
        if (to === ZERO_ADDRESS) day.burnedCost += x * a;
        else if (Math.abs(P - a) <= 1e-9 * Math.max(P, a)) day.breakEven += x * (P - a);
        send(accountOf(from), value);
      }
      if (to === ZERO_ADDRESS) supply -= value;
      else receive(accountOf(to), value, timestamp, P);
    }
    return { ...day, supply: tokens(supply, token.decimals) };
  });
}
