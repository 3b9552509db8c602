/** What each key has used, from Workers Analytics Engine: its SQL API adds up the Worker's data points. */

import * as v from "valibot";
import { type ApiKeyRecord, USAGE_DATASET, USAGE_DOUBLES } from "../../data-schema/access.ts";
import { advised } from "../lib/advised.ts";
import { Failure } from "../lib/failure.ts";
import { alignColumns } from "../lib/terminal/align.ts";
import { answerOf, type Environment, openAccount } from "./cloudflare.ts";

/** Cloudflare keeps data points for three months. */
export const MOST_DAYS = 90;

const DAY_MS = 86_400_000;

/** One key on one day. */
export interface Usage {
  /** UTC, such as 2026-11-22. */
  day: string;
  /** Its id. */
  key: string;
  requests: number;
  points: number;
  bytes: number;
}

const count = v.pipe(v.union([v.number(), v.string()]), v.transform(Number), v.number(), v.minValue(0));
const usageSchema = v.object({
  data: v.array(v.object({ day: v.string(), key: v.string(), requests: count, points: count, bytes: count })),
});

/**
 * The query. A data point stands for `_sample_interval` of them, since Cloudflare samples when there are many.
 *
 * @param since the first day, midnight UTC; milliseconds
 * @param key the id of a key; null for all
 * @throws {Failure} the id is none
 */
export function usageSql(since: number, key: string | null): string {
  // An id is put between quotes.
  if (key !== null && !/^[\w-]+$/.test(key))
    throw new Failure(`It is not the id of a key, as ${advised("keys", "list", "--remote")} shows it.`);
  const sums = USAGE_DOUBLES.map((name, index) => `SUM(_sample_interval * double${index + 1}) AS ${name}`);
  const from = new Date(since).toISOString().slice(0, 19).replace("T", " ");
  return [
    `SELECT formatDateTime(timestamp, '%Y-%m-%d') AS day, index1 AS key, ${sums.join(", ")}`,
    `FROM ${USAGE_DATASET}`,
    `WHERE timestamp >= toDateTime('${from}')${key === null ? "" : ` AND index1 = '${key}'`}`,
    "GROUP BY day, key ORDER BY day, key FORMAT JSON",
  ].join(" ");
}

/**
 * The usage of the last days, today included, by day and key.
 *
 * @param now milliseconds
 * @throws {Failure} a variable is missing, or Cloudflare refuses; nothing has been counted yet
 */
export async function readUsage(
  days: number,
  key: string | null,
  environment: Environment,
  now = Date.now(),
): Promise<Usage[]> {
  // The engine knows no dataset before its first data point.
  const demands = "may read Account Analytics, and that the deployed Worker has answered requests with a key";
  const ask = openAccount(environment, "soprano keys usage", demands);
  const since = (Math.floor(now / DAY_MS) - days + 1) * DAY_MS;
  const body = usageSql(since, key);
  const { found, text } = await ask({ method: "POST", path: "/analytics_engine/sql", body, mediaType: "text/plain" });
  if (!found) {
    throw new Failure(
      "The account has counted nothing yet: check CLOUDFLARE_ACCOUNT_ID, and that the Worker is deployed with the binding USAGE.",
    );
  }
  return answerOf(usageSchema, text).data;
}

/**
 * What is told of one key, by its id or the first digits of it.
 *
 * @throws {Failure} several ids begin so
 */
export function usageOf(usage: readonly Usage[], key: string): Usage[] {
  const found = usage.filter((one) => one.key.startsWith(key.toLowerCase()));
  const ids = new Set(found.map((one) => one.key));
  if (ids.size <= 1 || ids.has(key)) return ids.has(key) ? found.filter((one) => one.key === key) : found;
  throw new Failure(`${ids.size} keys have ids that begin with ${key}: ${[...ids].join(", ")}. Name one of them.`);
}

/** A key is told if a day has more than so many times the requests of its usual day, and no fewer than so many. */
const MUCH = 10;
const LEAST_REQUESTS = 100;
/** Days before, with requests, that make a usual day. */
const LEAST_DAYS = 3;

/**
 * A sentence for each key and day with over ten times what is usual: the median of the key's days before, of those shown.
 *
 * @param since the first day that is told, such as 2026-11-22; all by default
 */
export function unusualUsage(usage: readonly Usage[], records: readonly ApiKeyRecord[], since = ""): string[] {
  const names = new Map(records.map(({ id, name }) => [id, name]));
  return [...Map.groupBy(usage, ({ key }) => key)].flatMap(([key, all]) => {
    const days = all.toSorted((a, b) => (a.day < b.day ? -1 : 1));
    return days.flatMap(({ day, requests }, index) => {
      const before = days.slice(0, index).map((one) => one.requests);
      const usual = before.sort((a, b) => a - b)[before.length >> 1] ?? 0;
      if (day < since || before.length < LEAST_DAYS || requests < LEAST_REQUESTS || requests <= MUCH * usual) return [];
      const who = names.has(key) ? `${key} (${names.get(key)})` : key;
      const text = (n: number) => Math.round(n).toLocaleString("en-US");
      return [`Key ${who} made ${text(requests)} requests on ${day}, over ten times its usual ${text(usual)} a day.`];
    });
  });
}

/** A table by day and key, with the names that keys have; those of keys that are gone are left empty. */
export function formatUsage(usage: readonly Usage[], records: readonly ApiKeyRecord[]): string {
  const names = new Map(records.map(({ id, name }) => [id, name]));
  const rows = usage.map(({ day, key, ...counts }) => [
    ...[day, key],
    ...USAGE_DOUBLES.map((name) => Math.round(counts[name]).toLocaleString("en-US")),
    names.get(key) ?? "",
  ]);
  const counted = USAGE_DOUBLES.map((_, index) => index + 2);
  return alignColumns([["day", "id", ...USAGE_DOUBLES, "name"], ...rows], counted);
}
