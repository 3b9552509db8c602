/**
 * What a checkpoint was made from: events and prices before its time, the asset's parameters, the engine. A build resumes
 * only if none of them has changed. Source: docs/building.md#incremental-builds.
 */

import { createHash, type Hash } from "node:crypto";
import { SCHEMA_VERSION } from "../../../data-schema/parquet.ts";
import { nextMonthStart } from "../../../data-schema/registry.ts";
import { type ChangedMonth, MAX_CHANGED_MONTHS } from "../../../data-schema/stored.ts";
import { isoMonth } from "../../../data-schema/text.ts";
import type { DayInflow } from "../../engine/deposits.ts";
import { ENGINE_VERSION } from "../../engine/formulas.ts";
import type { Prices } from "../../engine/history.ts";
import type { AssetFile } from "../../input/asset/asset.ts";
import { type MigrationRule, migrationRule } from "../../input/asset/predecessors.ts";
import type { KnownFile } from "../../input/files/known-files.ts";
import { addDigests } from "./event-digests.ts";

/** Parameters of ASSET.json that the numbers depend on. */
export type AssetIdentity = Pick<
  AssetFile,
  "contract" | "chain" | "decimals" | "maxSupply" | "resolutions" | "columns" | "lots"
> & { predecessors?: MigrationRule[] };

/** The number of rows of an input in a calendar month before the checkpoint, and a digest of them in order. */
interface Month {
  rows: number;
  digest: string;
}

export type Months = Readonly<Record<string, Month>>;

export interface Provenance {
  schema: number;
  engine: string;
  asset: AssetIdentity;
  /** Prices before the checkpoint's time, by `YYYY-MM`. */
  prices: Months;
  files: KnownFile[];
  /** Transfers, by `YYYY-MM`. */
  months: Months;
  /** The inflow of exchanges on the last `COVERAGE_DAYS` days; absent where there are no deposit addresses. */
  inflow?: DayInflow[];
}

export function provenanceOf(
  asset: AssetIdentity,
  { prices, files, months, inflow }: Pick<Provenance, "files" | "months" | "inflow"> & { prices: Prices },
  time: number,
): Provenance {
  return {
    schema: SCHEMA_VERSION,
    engine: ENGINE_VERSION,
    asset: identityOf(asset),
    prices: digestPrices(prices, time),
    files,
    months,
    ...(inflow && { inflow }),
  };
}

export function identityOf(asset: AssetIdentity): AssetIdentity {
  const { contract, chain, decimals, maxSupply, resolutions, columns, lots, predecessors } = asset;
  return {
    contract,
    chain,
    decimals,
    maxSupply,
    resolutions,
    ...(columns && { columns }),
    ...(lots && { lots }),
    ...(predecessors && { predecessors: predecessors.map(migrationRule) }),
  };
}

/** Digests the prices before a time, by month. */
export function digestPrices({ timestamp, usd }: Prices, time: number): Months {
  const months: Record<string, Month> = {};
  for (let first = 0; first < timestamp.length && timestamp[first]! < time; ) {
    const end = Math.min(time, nextMonthStart(timestamp[first]!));
    let last = first;
    while (last < timestamp.length && timestamp[last]! < end) last++;
    const hash = createHash("sha256");
    for (const column of [timestamp, usd]) update(hash, column.subarray(first, last));
    months[isoMonth(timestamp[first]!)] = { rows: last - first, digest: digestText(hash) };
    first = last;
  }
  return months;
}

const digestText = (hash: Hash) => hash.digest("hex").slice(0, 32);

/** A day's events: how many they are, and their digest. */
export interface DigestedDay {
  /** Start of the day, Unix seconds. */
  day: number;
  rows: number;
  digest: string;
}

/** The months of the events before a time, the end of a day, added to those of the last checkpoint. */
export function addMonths(days: readonly DigestedDay[], time: number, before: Months = {}): Months {
  const months: Record<string, Month> = { ...before };
  for (const { day, rows, digest } of days) {
    if (day >= time) continue;
    const name = isoMonth(day);
    const known = months[name] ?? { rows: 0, digest: "" };
    months[name] = { rows: known.rows + rows, digest: addDigests(known.digest, digest) };
  }
  return months;
}

/** The months in which the rows of an input differ; undefined if none does. */
export function changedMonths(before: Months, now: Months): { count: number; months: ChangedMonth[] } | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  const changed = names.filter((name) => before[name]?.digest !== now[name]?.digest);
  if (changed.length === 0) return undefined;
  const months = changed
    .slice(0, MAX_CHANGED_MONTHS)
    .map((month) => ({ month, rows: now[month]?.rows ?? 0, before: before[month]?.rows ?? 0 }));
  return { count: changed.length, months };
}

function update(hash: Hash, { buffer, byteOffset, byteLength }: Float64Array): void {
  hash.update(new Uint8Array(buffer, byteOffset, byteLength));
}
