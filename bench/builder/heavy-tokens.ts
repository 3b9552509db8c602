/** Tokens whose input needs memory in places where others need little, made by SQL into `.bench/`. */

import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withDatabase } from "../../builder/input/duckdb/database.ts";
import { BENCH_FOLDER } from "../lib/data.ts";

const START = "2023-01-01T00:00:00Z";
const START_SECONDS = Date.parse(START) / 1000;
const DAY = 86_400;
const ZERO = `'0x${"0".repeat(40)}'`;
const TREASURY = `'0x${"d1".repeat(20)}'`;
/** An address that nothing else has, as SQL, from a number. */
const address = (number: string) => `('0x' || substr(sha256(CAST((${number}) AS VARCHAR)), 1, 40))`;

interface Parts {
  /** SQL of the transfers after the mint to the treasury: seconds since the start, sender, receiver, value; in any order. */
  transfers: string;
  /** Days of the history. */
  days: number;
  /** SQL of prices: seconds since 1970 and dollars. Default: one a day. */
  prices?: string;
  /** SQL of the addresses of contracts. */
  contracts?: string;
}

/** Rows of ordinary transfers, spread over so many days: from the treasury to one of so many addresses. */
const ordinary = (rows: number, days: number, addresses: number) =>
  `SELECT 1 + i * ${days * DAY - 2} // ${rows} AS second, ${TREASURY} AS sender,
    ${address(`i * 7919 % ${addresses}`)} AS receiver, '1000000000000000000' AS value FROM range(${rows}) r(i)`;

export const HEAVY_TOKENS = {
  /** Half of the rows are transfers of 0 between new addresses, as address poisoning makes them. */
  "4,000,000 rows of an airdrop with 6,000,000 addresses": {
    days: 30,
    transfers: `SELECT 1 + i // 2 AS second, CASE WHEN i % 2 = 0 THEN ${TREASURY} ELSE ${address("'from' || i")} END AS sender,
      ${address("'to' || i")} AS receiver, CASE WHEN i % 2 = 0 THEN '1000000000000000000' ELSE '0' END AS value
      FROM range(4000000) r(i)`,
  },
  "3,000,000 labels": {
    days: 300,
    transfers: ordinary(200_000, 300, 50_000),
    contracts: `SELECT ${address("i")} AS address FROM range(3000000) r(i)`,
  },
  "6,000,000 rows, a third of them on one day": {
    days: 300,
    transfers: `${ordinary(4_000_000, 300, 400_000)} UNION ALL
      SELECT ${150 * DAY} + i * ${DAY} // 2000000 AS second, ${TREASURY} AS sender, ${address("i * 31 % 600000")} AS receiver,
        '1000000000000000000' AS value FROM range(2000000) r(i)`,
  },
  "three years of prices by the minute": {
    days: 1_095,
    transfers: ordinary(200_000, 1_095, 20_000),
    prices: `SELECT ${START_SECONDS} + 60 * i AS timestamp, 1 + 0.5 * sin(i / 9000) AS price_usd FROM range(1576800) r(i)`,
  },
} satisfies Record<string, Parts>;

export type HeavyToken = keyof typeof HEAVY_TOKENS;

/** The path of a token's ASSET.json, by day and hour. */
export async function heavyToken(name: HeavyToken): Promise<string> {
  const { transfers, days, prices, contracts }: Parts = HEAVY_TOKENS[name];
  const folder = join(BENCH_FOLDER, `heavy-${name.replaceAll(/\W+/g, "-")}`);
  const path = join(folder, "HEAVY.json");
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  const copy = (sql: string, file: string) => `COPY (${sql}) TO '${join(folder, file)}'`;
  await withDatabase(2, async (connection) => {
    // A block every 12 seconds.
    await connection.run(
      copy(
        `WITH rows AS (
          SELECT 0 AS second, ${ZERO} AS sender, ${TREASURY} AS receiver, '1${"0".repeat(28)}' AS value UNION ALL ${transfers}
        )
        SELECT second // 12 AS block_number, row_number() OVER (ORDER BY second, receiver) AS log_index,
          TIMESTAMP '${START.slice(0, 10)}' + to_seconds(second // 12 * 12) AS block_timestamp,
          sender AS from_address, receiver AS to_address, value FROM rows ORDER BY 1, 2`,
        "transfers.parquet",
      ),
    );
    const daily = `SELECT ${START_SECONDS} + ${DAY} * i AS timestamp, 1 + i / 1000 AS price_usd FROM range(${days}) r(i)`;
    await connection.run(copy(prices ?? daily, "prices.csv"));
    if (contracts) await connection.run(copy(contracts, "contracts.csv"));
  });
  const asset = {
    symbol: "HEAVY",
    name: "Heavy",
    chain: "ethereum",
    contract: `0x${"e1".repeat(20)}`,
    decimals: 18,
    maxSupply: "10000000000",
    asOf: new Date((START_SECONDS + days * DAY) * 1000).toISOString().replace(".000", ""),
    transfers: ["transfers.parquet"],
    prices: ["prices.csv"],
    resolutions: ["day", "hour"],
    ...(contracts && { contracts: ["contracts.csv"] }),
  };
  await writeFile(path, JSON.stringify(asset));
  return path;
}
