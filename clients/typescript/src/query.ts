/** What GET /v3/series takes, so precisely that what it would refuse does not compile. */

import type { LotSelector, Metrics } from "./metrics.ts";
import type { components, operations } from "./openapi.ts";

export type Metric = keyof Metrics;
/** Selectors that at least one of the metrics has. */
export type Selector<M extends Metric = Metric> = Metrics[M]["selector"];
/** Resolutions that all of the metrics have. */
export type Resolution<M extends Metric = Metric> = {
  [R in Metrics[Metric]["resolution"]]: [M] extends [MetricAt<R>] ? R : never;
}[Metrics[Metric]["resolution"]];
type MetricAt<R> = { [M in Metric]: R extends Metrics[M]["resolution"] ? M : never }[Metric];

type Given = operations["v3_series"]["parameters"]["query"];
export type Format = NonNullable<Given["f"]>;
/** How times are written: `iso` as text, UTC without an offset; `unix` as seconds. */
export type TimeForm = NonNullable<Given["time"]>;

type OneOrMore<T> = T | readonly T[];
type Own = "a" | "m" | "x" | "c" | "r" | "last" | "sb" | "ub" | "time" | "f";

/** All selectors but own cohorts and lots; or these, too. */
type Every<M extends Metric> = "*" | readonly ["*", ...Extract<Selector<M>, `@${string}` | LotSelector>[]];

/** The query of a table: `{ a: "ARIA", m: ["supply", "price"], c: "*", s: "-30d" }`. */
export interface TableQuery<M extends Metric = Metric, T extends TimeForm = TimeForm> extends Omit<Given, Own> {
  a: OneOrMore<string>;
  m: OneOrMore<M>;
  c?: OneOrMore<Selector<M>> | Every<M>;
  r?: Resolution<M>;
  last?: number;
  sb?: number;
  ub?: number;
  time?: T;
  x?: never;
}

/**
 * The query of a table with formulas: `{ a: "ARIA", x: "sma(sopr:lth, 7)" }`. Several are separated by semicolons, and may
 * have names: `week=sma(sopr, 7)`.
 */
export interface FormulaQuery<M extends Metric = Metric, T extends TimeForm = TimeForm>
  extends Omit<TableQuery<M, T>, "m" | "r" | "x"> {
  x: string;
  m?: OneOrMore<M>;
  r?: Given["r"];
}

type Time<T extends TimeForm> = T extends "unix" ? number : string;

type AnySeries = components["schemas"]["TableSeries"];
/** A series of a metric, or of a formula that has a name. */
export type Series = AnySeries & Required<Pick<AnySeries, "metric" | "selector">>;
/** The same, or what a formula of the query makes: it has `name` and `formula`. */
export type FormulaSeries = AnySeries;

/** Several series on one time line. */
export type Table<T extends TimeForm = "iso", S extends FormulaSeries = Series> = Omit<
  components["schemas"]["Table"],
  "t" | "series"
> & { t: Time<T>[]; series: S[] };

/** A row of a table; its series are named `<asset>:<metric>:<selector>`, and formulas `<asset>:<name>`. */
export interface Row<T extends TimeForm = "iso"> {
  t: Time<T>;
  /** At block resolution only. */
  block?: number;
  [series: `${string}:${string}`]: number | null;
}

type HoldersGiven = operations["v3_holders"]["parameters"]["query"];
interface Page {
  limit?: number;
  offset?: number;
}
/** A list of addresses: `{ a: "ARIA", sort: "unrealised_profit", order: "asc", limit: 10 }`. */
export type HoldersQuery = Omit<HoldersGiven, "at" | "f" | keyof Page> & Page & { at?: never };
/** The largest addresses at a day's close: `{ a: "ARIA", at: "2025-03-01" }`. */
export type LargestQuery = Pick<HoldersGiven, "a"> & Page & { at: string };

type Listed<H> = Omit<components["schemas"]["Holders"], "holders"> & { holders: H[] };
/** Addresses as they are now. */
export type Holders = Listed<components["schemas"]["Holder"]>;
/** The largest at a day's close. */
export type Largest = Listed<components["schemas"]["LargeHolder"]>;
/** An address in each asset that it has ever held. */
export type Address = components["schemas"]["Address"];

/** The days of large transfers: `{ a: "ARIA", s: "-6d" }`. */
export type TransfersQuery = Omit<operations["v3_largest_transfers"]["parameters"]["query"], "f">;
/** The largest transfers of each day. */
export type Transfers = components["schemas"]["Transfers"];
/** The calendar of an asset. */
export type Events = components["schemas"]["Events"];

type MetricOf<Operation> = Operation extends `v1_${infer M extends Metric}` ? M : never;
export type V1Metric = MetricOf<keyof operations>;
/** The query of a metric of version 1. */
export type PointQuery<M extends V1Metric> = Omit<operations[`v1_${M}`]["parameters"]["query"], "f">;
export type Point = components["schemas"]["Point"];
