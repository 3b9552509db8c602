/**
 * What a checkpoint was made from: events and prices before its time, the asset's parameters, the engine. A build resumes
 * only if none of them has changed. Source: docs/building.md#incremental-builds.
 */

import { createHash, type Hash } from "node:crypto";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import { SCHEMA_VERSION } from "../../data-schema/series.ts";
import type { Checkpoint } from "../engine/checkpoint.ts";
import type { History, Prices } from "../engine/history.ts";
import { firstRowAt } from "../engine/timeline.ts";
import { ENGINE_VERSION } from "../engine/version.ts";
import { ADDRESS_WORDS } from "../input/addresses.ts";
import type { AssetFile } from "../input/asset.ts";
import type { KnownFile } from "../input/known-files.ts";
import type { Input } from "../input/read.ts";
import { count } from "../terminal/amounts.ts";

/** Parameters of ASSET.json that the numbers depend on. */
export type AssetIdentity = Pick<AssetFile, "contract" | "chain" | "decimals" | "maxSupply" | "resolutions">;

/** The number of rows of a calendar month before the checkpoint, and a digest of them in order. */
export interface Month {
  rows: number;
  digest: string;
}

export interface Provenance {
  schema: number;
  engine: string;
  asset: AssetIdentity;
  /** SHA-256 in hex of the prices before the checkpoint's time. */
  prices: string;
  files: KnownFile[];
  /** By `YYYY-MM`. */
  months: Record<string, Month>;
}

/** All but the months, which are digested on a worker thread. */
export function provenanceOf(
  asset: AssetIdentity,
  { prices, knownFiles }: Input,
  { time, lastEvent }: Checkpoint,
): Omit<Provenance, "months"> {
  return {
    schema: SCHEMA_VERSION,
    engine: ENGINE_VERSION,
    asset: identityOf(asset),
    prices: digestPrices(prices, time),
    files: knownFiles(lastEvent.block),
  };
}

export function identityOf({ contract, chain, decimals, maxSupply, resolutions }: AssetIdentity): AssetIdentity {
  return { contract, chain, decimals, maxSupply, resolutions };
}

export function digestPrices({ timestamp, usd }: Prices, time: number): string {
  const end = timestamp.findIndex((seconds) => seconds >= time);
  const hash = createHash("sha256");
  for (const column of [timestamp, usd]) update(hash, column.subarray(0, end < 0 ? timestamp.length : end));
  return hash.digest("hex");
}

/**
 * Digests the months of a history before a time, continuing those of the last checkpoint. Each day's digest includes that
 * of the days before, so a month's digest can resume at the end of any day.
 */
export function digestMonths(
  history: History,
  time: number,
  before: Readonly<Record<string, Month>> = {},
): Record<string, Month> {
  const months: Record<string, Month> = { ...before };
  const end = firstRowAt(history, time);
  for (let first = 0; first < end; ) {
    const day = Math.floor(history.timestamp[first]! / BUCKET_SECONDS.day) * BUCKET_SECONDS.day;
    const last = Math.min(end, firstRowAt(history, day + BUCKET_SECONDS.day));
    const name = new Date(day * 1000).toISOString().slice(0, 7);
    const known = months[name] ?? { rows: 0, digest: "" };
    months[name] = { rows: known.rows + last - first, digest: digestDay(history, first, last, known.digest) };
    first = last;
  }
  return months;
}

const MOST_MONTHS = 6;

/** Lists the months in which the rows of two histories differ; undefined if none does. */
export function changedMonths(
  before: Readonly<Record<string, Month>>,
  now: Readonly<Record<string, Month>>,
): string | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  const changed = names.filter((name) => before[name]?.digest !== now[name]?.digest);
  if (changed.length === 0) return undefined;
  const rows = (months: Readonly<Record<string, Month>>, name: string) => count(months[name]?.rows ?? 0);
  const list = changed
    .slice(0, MOST_MONTHS)
    .map((name) => `${name} (${rows(now, name)} rows, were ${rows(before, name)})`);
  const more = changed.length - list.length;
  return `${list.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
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
  return hash.digest("hex").slice(0, 32);
}

function update(hash: Hash, { buffer, byteOffset, byteLength }: Float64Array | Uint32Array): void {
  hash.update(new Uint8Array(buffer, byteOffset, byteLength));
}
