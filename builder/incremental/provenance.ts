/**
 * What a checkpoint was made from: events and prices before its time, the asset's parameters, the engine. A build resumes
 * only if none of them has changed. Source: docs/building.md#incremental-builds.
 */

import { createHash, type Hash } from "node:crypto";
import { type ChangedMonth, MAX_CHANGED_MONTHS } from "../../data-schema/changes.ts";
import { BUCKET_SECONDS, nextMonthStart } from "../../data-schema/resolutions.ts";
import { SCHEMA_VERSION } from "../../data-schema/series.ts";
import type { Checkpoint } from "../engine/checkpoint.ts";
import type { History, Prices } from "../engine/history.ts";
import { firstRowAt } from "../engine/timeline.ts";
import { ENGINE_VERSION } from "../engine/version.ts";
import { ADDRESS_WORDS } from "../input/addresses.ts";
import type { AssetFile } from "../input/asset.ts";
import type { KnownFile } from "../input/known-files.ts";
import type { Input } from "../input/read.ts";

/** Parameters of ASSET.json that the numbers depend on. */
export type AssetIdentity = Pick<AssetFile, "contract" | "chain" | "decimals" | "maxSupply" | "resolutions">;

/** The number of rows of an input in a calendar month before the checkpoint, and a digest of them in order. */
export interface Month {
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
}

/** All but the months, which are digested on a worker thread. */
export function provenanceOf(
  asset: AssetIdentity,
  { prices, knownFiles }: Input,
  { time }: Checkpoint,
): Omit<Provenance, "months"> {
  return {
    schema: SCHEMA_VERSION,
    engine: ENGINE_VERSION,
    asset: identityOf(asset),
    prices: digestPrices(prices, time),
    files: knownFiles(time),
  };
}

export function identityOf({ contract, chain, decimals, maxSupply, resolutions }: AssetIdentity): AssetIdentity {
  return { contract, chain, decimals, maxSupply, resolutions };
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
    months[monthName(timestamp[first]!)] = { rows: last - first, digest: digestText(hash) };
    first = last;
  }
  return months;
}

const monthName = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 7);
const digestText = (hash: Hash) => hash.digest("hex").slice(0, 32);

/**
 * Digests the months of a history before a time, continuing those of the last checkpoint. Each day's digest includes that
 * of the days before, so a month's digest can resume at the end of any day.
 */
export function digestMonths(history: History, time: number, before: Months = {}): Months {
  const months: Record<string, Month> = { ...before };
  const end = firstRowAt(history, time);
  for (let first = 0; first < end; ) {
    const day = Math.floor(history.timestamp[first]! / BUCKET_SECONDS.day) * BUCKET_SECONDS.day;
    const last = Math.min(end, firstRowAt(history, day + BUCKET_SECONDS.day));
    const name = monthName(day);
    const known = months[name] ?? { rows: 0, digest: "" };
    months[name] = { rows: known.rows + last - first, digest: digestDay(history, first, last, known.digest) };
    first = last;
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

/** 32-bit words of the largest value. */
const VALUE_WORDS = 8;

function digestDay(history: History, first: number, end: number, before: string): string {
  const { block, logIndex, timestamp, from, to, values, valueWords } = history;
  const addresses = new Uint32Array(history.addresses.buffer);
  const width = 2 * ADDRESS_WORDS + VALUE_WORDS;
  const cells = new Uint32Array((end - first) * width);
  for (let row = first, at = 0; row < end; row++, at += width) {
    for (let word = 0; word < ADDRESS_WORDS; word++) {
      cells[at + word] = addresses[from[row]! * ADDRESS_WORDS + word]!;
      cells[at + ADDRESS_WORDS + word] = addresses[to[row]! * ADDRESS_WORDS + word]!;
    }
    for (let word = 0; word < valueWords; word++) {
      cells[at + 2 * ADDRESS_WORDS + word] = values[row * valueWords + word]!;
    }
  }
  const hash = createHash("sha256").update(before);
  for (const column of [block, logIndex, timestamp]) update(hash, column.subarray(first, end));
  update(hash, cells);
  return digestText(hash);
}

function update(hash: Hash, { buffer, byteOffset, byteLength }: Float64Array | Uint32Array): void {
  hash.update(new Uint8Array(buffer, byteOffset, byteLength));
}
