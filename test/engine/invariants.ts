/**
 * What must hold of every token's series, by the numbers of docs/methodology.md §8, whichever implementation computed
 * them. Doubles are compared relative to the larger operands, not to their small difference.
 */

import type { Series } from "../../builder/engine/series.ts";
import { CANCELLATION, cancellationScale, EQUATIONS } from "../../builder/published/verify/rules/equations.ts";
import { BucketSums } from "../../builder/published/verify/rules/nesting.ts";
import type { SeriesByMetric } from "../../builder/published/verify/rules/series-columns.ts";
import { daysBetween, solve, violationText } from "../../builder/published/verify/rules/solve.ts";
import { compareWithDays } from "../../builder/published/verify/rules/weeks-from-days.ts";
import { divisionOf } from "../../data-schema/registry/divisions.ts";
import {
  addsUp,
  METRICS,
  type Metric,
  type MetricName,
  selectorIn,
  seriesOf,
} from "../../data-schema/registry/metrics.ts";
import {
  bucketFinder,
  CALENDAR_RESOLUTIONS,
  RESOLUTIONS,
  type Resolution,
} from "../../data-schema/registry/resolutions.ts";
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

/** Works something out once for each object: the rules below ask for the same again and again. */
function once<Key extends WeakKey, Value>(workOut: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? workOut(key);
    known.set(key, value);
    return value;
  };
}

const rangesOf = once(ranges);

/** What adds up: parts and what is beside them, and what they are parts of. */
const DIVISIONS = (METRICS as readonly (Metric & { name: MetricName })[]).flatMap((metric) => {
  const selector = selectorIn(metric);
  return (selector?.families ?? []).flatMap((family) => {
    const division = divisionOf(metric, selector!, family);
    if (!division?.adds || division.whole === null) return [];
    const { by, parts, beside, whole } = division;
    return [{ metric: metric.name, by, selectors: [...parts, ...beside], whole }];
  });
});

/** The rules that `soprano verify` checks on published series, and those that need the transfers. */
export const INVARIANTS: Invariant[] = [
  ...[...new Set(EQUATIONS.map(({ rule }) => rule))].map(
    (rule): Invariant => ({
      name: `${rule}. of published series`,
      violations: (series, token) => {
        const { day } = rangesOf(token);
        const highestPrice = Math.max(0, ...token.prices.map(([, usd]) => usd));
        const days = day ? daysBetween(day.first, day.last) : new Float64Array(0);
        return RESOLUTIONS.flatMap((resolution) => {
          const all = seriesAt(series, resolution);
          return EQUATIONS.filter((one) => one.rule === rule && one.resolutions.includes(resolution)).flatMap(
            (equation) => {
              const terms = { highestPrice, days: resolution === "day" ? days : undefined };
              const { violation } = solve(equation, all, terms);
              return violation ? [violationText(equation, resolution, violation)] : [];
            },
          );
        });
      },
    }),
  ),
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
    name: "the parts of a division that adds up are no more than its whole, nor negative",
    violations: (series, token) => {
      const { day } = rangesOf(token);
      if (!day) return [];
      // Arrays by day: maps would take as long as the rest of the property.
      const column = (metric: string, selectors: readonly string[]) => {
        const sums = new Float64Array((day.last - day.first) / DAY + 1);
        for (const selector of selectors) {
          for (const { t, v } of series.get(`${metric}|day|${selector}`) ?? []) sums[(t - day.first) / DAY]! += v;
        }
        return sums;
      };
      return DIVISIONS.flatMap(({ metric, by, selectors, whole }) => {
        const all = column(metric, [whole]);
        const scale = column(cancellationScale(metric) ?? "", [whole]);
        return [...column(metric, selectors).entries()].flatMap(([index, added]) => {
          const limit = all[index]! * (1 + 2e-9) + CANCELLATION * scale[index]!;
          if (added >= 0 && added <= limit) return [];
          return [`${metric} by ${by} on ${iso(day.first + index * DAY)}: ${added} > ${limit}`];
        });
      });
    },
  },
  {
    name: "7. hours add up to their day, blocks to their hour",
    violations: (series, token) => {
      const { day, hour } = rangesOf(token);
      const days = seriesAt(series, "day");
      const hours = seriesAt(series, "hour");
      const blocks = seriesAt(series, "block");
      const always = { from: 0, to: Number.POSITIVE_INFINITY };
      return (METRICS as readonly (Metric & { name: MetricName })[]).filter(addsUp).flatMap(({ name }) => {
        const fromHours = day && new BucketSums(name, { resolution: "day", ...day });
        const fromBlocks = hour && new BucketSums(name, { resolution: "hour", ...hour });
        fromHours?.add(hours.get(name)!.values());
        fromBlocks?.add(blocks.get(name)!.values());
        return [
          ...(fromHours?.compare(days, always, "hours").problems ?? []),
          ...(fromBlocks?.compare(hours, always, "blocks").problems ?? []),
        ];
      });
    },
  },
  {
    name: "15. coin days held and destroyed add up to supply over time",
    violations: (series, token) => {
      const held = columnOf(series, "coin_days_held", "day", ["total"]);
      const destroyed = columnOf(series, "coin_days_destroyed", "day", ["total"]);
      let sum = 0;
      return daysOf(token).flatMap(({ start, supplyDays, moved }) => {
        sum += at(destroyed, start);
        // Purchase times are doubles near 2e9: a microsecond for each token.
        const slack = (1e-6 / DAY) * moved;
        return imbalance(`coin days on ${iso(start)}`, [at(held, start), sum], [supplyDays], slack);
      });
    },
  },
  {
    name: "16. no bucket has more active addresses than a longer one around it, but for cohorts that change",
    violations: (series, token) => {
      const { hour, day, week, month } = rangesOf(token);
      const pairs = [
        ["hour", "day", day, hour],
        ["day", "week", week, day],
        ["day", "month", month, day],
      ] as const;
      return pairs.flatMap(([short, long, complete]) =>
        ["active_addresses", "active_senders", "active_receivers"].flatMap((metric) =>
          ["total", "users", "sc", "cex"].flatMap((cohort) => {
            const longer = columnOf(series, metric, long, [cohort]);
            const startOf = bucketFinder(long);
            return [...columnOf(series, metric, short, [cohort])].flatMap(([t, v]) => {
              const start = startOf(t);
              if (!complete || start > complete.last || v <= at(longer, start)) return [];
              return [`${metric}(${cohort}): ${v} in the ${short} ${iso(t)}, ${at(longer, start)} in its ${long}`];
            });
          }),
        ),
      );
    },
  },
  {
    name: "10. weeks and months follow from days",
    violations: (series, token) =>
      CALENDAR_RESOLUTIONS.flatMap((resolution) => {
        const complete = rangesOf(token)[resolution];
        if (!complete) return [];
        return compareWithDays(resolution, seriesAt(series, resolution), seriesAt(series, "day"), complete).problems;
      }),
  },
];

const published = new WeakMap<SeriesByKey, Map<Resolution, SeriesByMetric>>();

/** The series of a resolution in their published form, converted once. */
function seriesAt(series: SeriesByKey, resolution: Resolution): SeriesByMetric {
  const known = published.get(series) ?? new Map<Resolution, SeriesByMetric>();
  published.set(series, known);
  const made = known.get(resolution) ?? publishedForm(series, resolution);
  known.set(resolution, made);
  return made;
}

function publishedForm(series: SeriesByKey, resolution: Resolution): SeriesByMetric {
  return new Map(
    METRICS.map((metric) => [
      metric.name,
      new Map(
        seriesOf(metric).flatMap((selector): [string, Series][] => {
          const name = selectorIn(metric) === null ? "-" : selector;
          const points = series.get(`${metric.name}|${resolution}|${name}`) ?? [];
          if (points.length === 0) return [];
          const column = (of: (point: (typeof points)[number]) => number) => Float64Array.from(points, of);
          const block = resolution === "block" ? { block: column(({ block }) => block!) } : {};
          return [[selector, { selector, t: column(({ t }) => t), v: column(({ v }) => v), ...block }]];
        }),
      ),
    ]),
  );
}

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

/** How much two correct values of a metric may differ because P − a cancels; empty for most metrics. */
function slackOf(series: SeriesByKey, metric: string, resolution: string, selector: string): Column {
  const scale = columnOf(series, cancellationScale(metric) ?? "", resolution, [selector]);
  return new Map([...scale].map(([place, v]) => [place, CANCELLATION * v]));
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

/** Whether the two sides add up to the same, to within 2e-9 of the largest operand, and the slack. */
function imbalance(what: string, left: number[], right: number[], slack = 0): string[] {
  const difference = total(left) - total(right);
  const largest = Math.max(...left.map(Math.abs), ...right.map(Math.abs));
  return Math.abs(difference) <= 2e-9 * largest + slack ? [] : [`${what}: ${left.join(" + ")} ≠ ${right.join(" + ")}`];
}

function total(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function iso(time: number): string {
  return new Date(time * 1000).toISOString();
}

/** Starts of the days that are published. */
function completeDays(token: Token): number[] {
  const { day } = rangesOf(token);
  return day === null ? [] : Array.from({ length: (day.last - day.first) / DAY + 1 }, (_, i) => day.first + i * DAY);
}

/** Changes of supply and cost on a day that no series contains. */
interface DayTotals {
  start: number;
  /** Minted − burned up to the day's close, tokens. */
  supply: number;
  /** Σ x·P of the day's mints. */
  mintedUsd: number;
  /** Σ x·a of the day's burns. */
  burnedCost: number;
  /** Σ x·(P − a) of the day's transfers at break-even, which profit and loss leave out. */
  breakEven: number;
  /** ∫ supply dt up to the day's close, in token-days. */
  supplyDays: number;
  /** Tokens of all events so far, and those that are held at the close. */
  moved: number;
}

/** Replays balances and cost bases; an entry for each published day. */
const daysOf = once((token: Token): DayTotals[] => {
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
  let [supplyDays, since, moved] = [0, 0, 0];
  const pass = (time: number) => {
    supplyDays += (tokens(supply, token.decimals) * (time - since)) / DAY;
    since = time;
  };
  return completeDays(token).map((start) => {
    const day = { start, supply: 0, mintedUsd: 0, burnedCost: 0, breakEven: 0, supplyDays: 0, moved: 0 };
    for (; next < events.length && events[next]!.timestamp < start + DAY; next++) {
      const { from, to, value, timestamp } = events[next]!;
      const P = price.at(timestamp);
      const x = tokens(value, token.decimals);
      pass(timestamp);
      moved += x;
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
    pass(start + DAY);
    const held = tokens(supply, token.decimals);
    return { ...day, supply: held, supplyDays, moved: moved + held };
  });
});
