/**
 * The metrics that SQL can express, by DuckDB from the same files: day series of volumes, flows, supply, reserves and
 * holders. `sql.ts ASSET.json THREADS ROUNDS` first checks that SQL and the engine give the same figures.
 */

import { dirname } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type AssetFile, readAsset } from "../../builder/input/asset/asset.ts";
import { allSeries } from "../../test/in-memory/engine.ts";
import { readInput, timelineOf } from "../../test/in-memory/input.ts";
import { medianFigures, timed } from "../lib/rounds.ts";

export type SqlFigures = Record<"seconds" | "series", number>;

/** The name of each column of the query, `metric|selector`. */
const SERIES = [
  "volume|total",
  "volume_dollar|total",
  "num_transfers|all",
  "cex_inflow|all",
  "cex_inflow_dollar|all",
  "cex_outflow|all",
  "cex_outflow_dollar|all",
  "supply|total",
  "cex_reserve|all",
  "num_addresses|total",
] as const;

const ZERO = `0x${"0".repeat(40)}`;

/**
 * One row per day with an event, one column per series; the rows leave out idle days. Amounts are added up as doubles, as
 * in the engine; balances, which decide who is a holder, as exact integers.
 */
function query(asset: AssetFile): string {
  const folder = dirname(asset.path);
  const tokens = (value: string) => `(${value})::DOUBLE / 1e${asset.decimals}`;
  return `
    WITH prices AS (SELECT "timestamp"::BIGINT AS at, price_usd FROM read_csv('${folder}/prices.csv')),
    cex AS (SELECT DISTINCT address FROM read_csv('${folder}/exchanges.csv')),
    events AS (
      SELECT epoch(block_timestamp)::BIGINT AS at, from_address AS sender, to_address AS receiver, value::HUGEINT AS raw
      FROM read_parquet('${folder}/transfers-*.parquet')
      WHERE token_address = '${asset.contract}' AND epoch(block_timestamp) < ${asset.asOf}
        AND from_address <> to_address AND value <> '0'
    ),
    priced AS (
      SELECT events.at // 86400 AS day, ${tokens("raw")} AS x, raw, x * coalesce(price_usd, 0) AS usd, sender, receiver,
        sender = '${ZERO}' AS mint, receiver = '${ZERO}' AS burn,
        sender IN (FROM cex) AS from_cex, receiver IN (FROM cex) AS to_cex
      FROM events ASOF LEFT JOIN prices ON events.at >= prices.at
    ),
    flows AS (
      SELECT day,
        sum(x) FILTER (NOT mint AND NOT burn) AS volume,
        sum(usd) FILTER (NOT mint AND NOT burn) AS volume_dollar,
        count(*) FILTER (NOT mint AND NOT burn) AS num_transfers,
        sum(x) FILTER (to_cex AND NOT from_cex) AS cex_inflow,
        sum(usd) FILTER (to_cex AND NOT from_cex) AS cex_inflow_dollar,
        sum(x) FILTER (from_cex AND NOT to_cex) AS cex_outflow,
        sum(usd) FILTER (from_cex AND NOT to_cex) AS cex_outflow_dollar,
        sum(raw) FILTER (mint) AS minted,
        sum(raw) FILTER (burn) AS burned,
        sum(CASE WHEN to_cex AND NOT from_cex THEN raw WHEN from_cex AND NOT to_cex THEN -raw END) AS reserved
      FROM priced GROUP BY day
    ),
    changes AS (
      SELECT day, address, sum(change) AS change FROM (
        SELECT day, sender AS address, -raw AS change FROM priced WHERE NOT mint
        UNION ALL SELECT day, receiver, raw FROM priced WHERE NOT burn
      ) GROUP BY day, address
    ),
    balances AS (
      SELECT day, change, sum(change) OVER (PARTITION BY address ORDER BY day) AS balance FROM changes
    ),
    holders AS (
      SELECT day, count(*) FILTER (balance <> 0 AND balance = change) - count(*) FILTER (balance = 0 AND change <> 0) AS added
      FROM balances GROUP BY day
    )
    SELECT day * 86400 AS t, volume, volume_dollar, num_transfers, cex_inflow, cex_inflow_dollar, cex_outflow, cex_outflow_dollar,
      ${tokens("sum(coalesce(minted, 0) - coalesce(burned, 0)) OVER (ORDER BY day)")} AS supply,
      ${tokens("sum(coalesce(reserved, 0)) OVER (ORDER BY day)")} AS cex_reserve,
      sum(coalesce(added, 0)) OVER (ORDER BY day) AS num_addresses
    FROM flows LEFT JOIN holders USING (day) ORDER BY day`;
}

/** Numbers by day (Unix seconds), for each of `SERIES`. */
type Answer = Map<number, (number | null)[]>;

async function ask(connection: DuckDBConnection, sql: string): Promise<Answer> {
  const rows = (await connection.runAndReadAll(sql)).getRows();
  return new Map(
    rows.map(([t, ...values]) => [Number(t), values.map((value) => (value === null ? null : Number(value)))]),
  );
}

/** @throws {Error} the engine and SQL differ by more than 1e-9, relatively */
async function compare(asset: AssetFile, answer: Answer): Promise<void> {
  const input = await readInput(asset, { threads: 2 });
  const wanted = new Map(SERIES.map((name, index) => [name as string, index]));
  let compared = 0;
  for (const [resolution, metrics] of allSeries(timelineOf(asset, input), { blocks: false })) {
    if (resolution !== "day") continue;
    for (const [metric, runs] of metrics) {
      for (const { selector, t, v } of runs) {
        const index = wanted.get(`${metric}|${selector}`);
        if (index === undefined) continue;
        for (const [point, seconds] of t.entries()) {
          const theirs = answer.get(seconds)?.[index];
          if (theirs === undefined || theirs === null) continue;
          compared++;
          const ours = v[point]!;
          if (Math.abs(theirs - ours) > 1e-9 * Math.abs(ours)) {
            throw new Error(`${metric} ${selector} at ${seconds}: SQL gives ${theirs}, the engine ${ours}`);
          }
        }
      }
    }
  }
  if (compared < answer.size * 5) throw new Error(`only ${compared} points were compared`);
}

const [path, threads, rounds] = process.argv.slice(2) as [string, string, string];
const asset = await readAsset(path);
const instance = await DuckDBInstance.create(":memory:", { threads });
const connection = await instance.connect();
await compare(asset, await ask(connection, query(asset)));
const { sql } = await medianFigures(Number(rounds), { sql: () => timed(() => ask(connection, query(asset))) });
const figures: SqlFigures = { seconds: sql.seconds, series: SERIES.length };
console.log(JSON.stringify(figures));
