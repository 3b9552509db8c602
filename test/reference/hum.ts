/**
 * HUM: the whole history of a real token, and the day series that another implementation computed from it. The files are
 * shared data next to the repository, in `../shared/data/hum`.
 */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { METRICS } from "../../data-schema/registry/metrics.ts";
import type { SeriesByKey, Token } from "./reference.ts";

const FOLDER = new URL("../../../shared/data/hum/", import.meta.url);

/** Path of its ASSET.json. */
export const HUM_ASSET = fileURLToPath(new URL("asset.json", FOLDER));

/** The reason why tests of HUM cannot run; undefined when they can. */
export function humIsMissing(): string | undefined {
  return existsSync(FOLDER) ? undefined : "the shared data ../shared/data/hum is not there";
}

/** The token as asset.json and its CSV files describe it. */
export function readHum(): Token {
  const asset = JSON.parse(read("asset.json"));
  return {
    decimals: asset.decimals,
    maxSupply: asset.maxSupply,
    asOf: Date.parse(asset.asOf) / 1000,
    transfers: rows(asset.transfers).map((row) => ({
      block: Number(row.block_number),
      logIndex: Number(row.log_index),
      timestamp: Number(row.block_timestamp),
      from: row.from_address!,
      to: row.to_address!,
      value: BigInt(row.value!),
    })),
    prices: rows(asset.prices).map((row) => [Number(row.timestamp), Number(row.price_usd)]),
    exchanges: Object.fromEntries(rows(asset.exchanges).map((row) => [row.address, row.exchange!])),
    contracts: rows(asset.contracts).map((row) => row.address!),
  };
}

/** Whether v1 has a series, of which `metric|resolution|selector` is the key. */
export function isOfV1(key: string): boolean {
  const [name, , selector] = key.split("|");
  const own = METRICS.find((metric) => metric.name === name)?.selectors.v1;
  return own !== undefined && (own === null || own.values.includes(selector!));
}

/** The expected series of day resolution. */
export function readExpectedHum(): SeriesByKey {
  const json: Record<string, [t: number, v: number][]> = JSON.parse(
    gunzipSync(readFileSync(new URL("expected-day.json.gz", FOLDER))).toString(),
  );
  return new Map(Object.entries(json).map(([key, points]) => [key, points.map(([t, v]) => ({ t, v }))]));
}

function read(name: string): string {
  return readFileSync(new URL(name, FOLDER), "utf8");
}

/** The rows of a CSV file without quoted fields. */
function rows(name: string): Record<string, string>[] {
  const [header = "", ...lines] = read(name).trim().split(/\r?\n/);
  const columns = header.split(",");
  return lines.map((line) => {
    const fields = line.split(",");
    return Object.fromEntries(columns.map((column, i) => [column, fields[i]!]));
  });
}
