/** What must not compile, and what must. Never run: the check of types compiles it. */

import type { Client, Format, Metric, Resolution, Selector } from "../../../clients/typescript/src/client.ts";

declare const soprano: Client;

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <_ extends true>() => {};

type Lots = `${"fifo" | "lifo" | "hifo"}${string}`;
is<Equal<Exclude<Selector<"sopr_loss">, Lots>, "total" | "users" | "sth" | "lth" | `@${string}`>>();
is<Equal<Selector<"liveliness">, "total" | `${"fifo" | "lifo" | "hifo"}${"" | ".*"}`>>();
is<Equal<Resolution<"active_addresses">, "day" | "hour" | "week" | "month">>();
is<Equal<Selector<"price">, "total">>();
is<Equal<Resolution<"sopr">, "day" | "hour" | "block" | "week" | "month">>();
is<Equal<Resolution<"supply">, "day" | "week" | "month">>();
is<Equal<Resolution<"sopr" | "price">, "day" | "hour" | "week" | "month">>();

export async function tables() {
  await soprano.series({ a: "ARIA", m: "sopr" });
  await soprano.series({ a: ["ARIA", "DUET"], m: ["supply", "price"], c: "*", r: "week", s: "-30d", u: "2025-03-01" });
  await soprano.series({ a: "ARIA", m: ["sopr_loss", "num_transfers"], c: ["users", "$20m+"], r: "hour", last: 30 });
  await soprano.series({ a: "ARIA", m: "sopr", r: "block", sb: 1, ub: 2 }, { signal: AbortSignal.timeout(1) });

  await soprano.series({ a: "ARIA", m: ["sopr", "supply"], c: ["users", "@team"] });
  await soprano.series({ a: "ARIA", m: "sopr", c: "@*" });
  await soprano.series({ a: "ARIA", m: ["sopr", "mvrv"], c: ["fifo", "lifo.1y-2y", "hifo.*"] });
  await soprano.series({ a: "ARIA", m: "sopr", c: ["*", "@*", "fifo.*"] });
  // @ts-expect-error active_addresses is not computed of lots.
  await soprano.series({ a: "ARIA", m: "active_addresses", c: ["*", "fifo.*"] });
  // @ts-expect-error num_transfers is not computed of lots.
  await soprano.series({ a: "ARIA", m: "num_transfers", c: "fifo" });

  await soprano.series({ a: "ARIA", m: "mvrv", c: "lth", r: "week" });
  const { data } = await soprano.series({ a: "ARIA", x: "sma(sopr, 7)", m: ["price"], c: "total" });
  is<Equal<NonNullable<typeof data>["series"][number]["metric"], Metric | undefined>>();
  // @ts-expect-error mvrv has no hours.
  await soprano.series({ a: "ARIA", m: "mvrv", r: "hour" });
  // @ts-expect-error Neither metrics nor formulas.
  await soprano.series({ a: "ARIA" });

  // @ts-expect-error No such metric.
  await soprano.series({ a: "ARIA", m: "sopra" });
  // @ts-expect-error One of them is no metric.
  await soprano.series({ a: "ARIA", m: ["sopr", "sopra"] });
  // @ts-expect-error No such cohort.
  await soprano.series({ a: "ARIA", m: "sopr", c: "whales" });
  // @ts-expect-error A cohort that sopr_loss lacks.
  await soprano.series({ a: "ARIA", m: "sopr_loss", c: "<1d" });
  // @ts-expect-error A cohort that neither has.
  await soprano.series({ a: "ARIA", m: ["sopr_loss", "price"], c: ["users", "<1d"] });
  // @ts-expect-error * stands for all: it takes no others beside it.
  await soprano.series({ a: "ARIA", m: "sopr", c: ["*", "users"] });
  // @ts-expect-error No such resolution.
  await soprano.series({ a: "ARIA", m: "sopr", r: "year" });
  // @ts-expect-error supply has no hours.
  await soprano.series({ a: "ARIA", m: ["sopr", "supply"], r: "hour" });
  // @ts-expect-error No such parameter.
  await soprano.series({ a: "ARIA", m: "sopr", since: "-30d" });
  // @ts-expect-error No asset.
  await soprano.series({ m: "sopr" });
  // @ts-expect-error series answers JSON; bytes takes a format.
  await soprano.series({ a: "ARIA", m: "sopr", f: "csv" });
  // @ts-expect-error No such format.
  await soprano.bytes({ a: "ARIA", m: "sopr", f: "xlsx" });
}

export async function transfers() {
  const { data } = await soprano.largestTransfers({ a: "ARIA", s: "-6d", u: "2025-03-01" });
  is<Equal<NonNullable<typeof data>["transfers"][number]["to_label"], string | null>>();
  const { data: calendar } = await soprano.events("ARIA");
  is<Equal<NonNullable<typeof calendar>["events"][number]["link"], string | null>>();
  // @ts-expect-error The asset is missing.
  await soprano.largestTransfers({ s: "-6d" });
}

export async function holders() {
  const { data: now } = await soprano.holders({ a: "ARIA", sort: "unrealised_profit", order: "asc", limit: 10 });
  is<Equal<NonNullable<typeof now>["holders"][number]["average_price"], number | null>>();
  const { data: then } = await soprano.holders({ a: "ARIA", at: "2025-03-01", offset: 5 });
  is<Equal<NonNullable<typeof then>["holders"][number]["change_7d"], number | null>>();
  const { data: one } = await soprano.address("0x", { a: ["ARIA", "DUET"] });
  is<Equal<NonNullable<typeof one>["holders"][number]["cohorts"], string[]>>();
  // @ts-expect-error No such column.
  await soprano.holders({ a: "ARIA", sort: "price" });
  // @ts-expect-error The largest at a day are in the order of their balances.
  await soprano.holders({ a: "ARIA", at: "2025-03-01", sort: "balance" });
}

export async function results() {
  const { data, error } = await soprano.series({ a: "ARIA", m: "sopr" });
  // @ts-expect-error There may be no data.
  data.t;
  if (error) {
    is<Equal<typeof data, undefined>>();
    const { status, detail, parameter, allowed = [], suggestion }: typeof error = error;
    is<Equal<[typeof detail, typeof parameter, string[]], [string, string | undefined, typeof allowed]>>();
    // @ts-expect-error No problem has this type.
    if (error.type === "/problems/unknown-cohort") return;
    if (error.type === "/problems/too-many-requests") is<Equal<typeof error.status, 429>>();
    return [status, suggestion];
  }
  is<Equal<typeof data.t, string[]>>();
  is<Equal<(typeof data.series)[number]["v"], (number | null)[]>>();
  const unix = await soprano.rows({ a: "ARIA", m: "sopr", time: "unix" });
  for await (const row of unix.data ?? []) {
    is<Equal<typeof row.t, number>>();
    is<Equal<(typeof row)["ARIA:sopr:total"], number | null>>();
  }
  const format: Format = "arrow";
  const { data: bytes } = await soprano.bytes({ a: "ARIA", m: "sopr", f: format });
  return bytes?.getReader();
}

export async function versions() {
  const { data } = await soprano.GET("/v1/metrics/sopr", { params: { query: { a: "ARIA", c: "<1d", r: "hour" } } });
  is<Equal<typeof data, { t: string; v: number }[] | undefined>>();
  await soprano.GET("/v2/metrics/volume", { params: { query: { a: "ARIA", c: "$10M+" } } });
  await soprano.GET("/v3/metrics/{metric}", { params: { path: { metric: "price" } } });
  const { data: assets } = await soprano.GET("/v3/assets");
  is<Equal<string | undefined, NonNullable<typeof assets>["assets"][number]["symbol"] | undefined>>();
  await soprano.points("num_transfers", { a: "ARIA", t: "$20m+" });

  // @ts-expect-error No such metric.
  await soprano.GET("/v1/metrics/sopra", { params: { query: { a: "ARIA" } } });
  // @ts-expect-error price is in version 3 only.
  await soprano.GET("/v1/metrics/price", { params: { query: { a: "ARIA" } } });
  // @ts-expect-error A cohort that version 2 lacks.
  await soprano.GET("/v2/metrics/volume", { params: { query: { a: "ARIA", c: "users" } } });
  // @ts-expect-error Weeks are in version 3 only.
  await soprano.GET("/v1/metrics/sopr", { params: { query: { a: "ARIA", r: "week" } } });
  // @ts-expect-error GET answers JSON.
  await soprano.GET("/v1/metrics/sopr", { params: { query: { a: "ARIA", f: "csv" } } });
  // @ts-expect-error A sample of another metric.
  await soprano.points("num_transfers", { a: "ARIA", t: "users" });
  // @ts-expect-error supply has no hours.
  await soprano.points("supply", { a: "ARIA", r: "hour" });
}
