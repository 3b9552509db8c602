/** Keys of the objects in R2. Source: docs/formats.md. */

import type { DistributionName, LotDistribution } from "../registry/distributions.ts";
import type { LotMethod } from "../registry/lots.ts";
import type { MetricName } from "../registry/metrics.ts";
import type { OwnCohort } from "../registry/own-cohorts.ts";
import type { Resolution } from "../registry/resolutions.ts";

/** What names keep of a SHA-256 in hex: its first 32 digits. */
export const namePart = (sha256: string): string => sha256.slice(0, 32);

/** The part of a SHA-256 that is in the name of an object; empty if it is not named by its content. */
export const hashIn = (key: string): string => key.match(/[./]([0-9a-f]{32})\.[a-z]+$/)?.[1] ?? "";

/** Prefix under which one list call finds every asset's active manifest. */
export const CURRENT_PREFIX = "current/";

/** The active manifest: the only mutable object of an asset. */
export function currentKey(symbol: string): string {
  return `${CURRENT_PREFIX}${symbol}.json`;
}

/** Prefix of the manifests of all builds. */
export const BUILDS_PREFIX = "builds/";

/** Prefix of the manifests of an asset's builds. */
export function buildPrefix(symbol: string): string {
  return `${BUILDS_PREFIX}${symbol}/`;
}

/** The manifest of one build. */
export function buildKey(symbol: string, build: string): string {
  return `${buildPrefix(symbol)}${build}.json`;
}

/** Prefix of the logs of all activations. */
export const CHANGES_PREFIX = "changes/";

/** Prefix of the log of an asset's activations. */
export function changePrefix(symbol: string): string {
  return `${CHANGES_PREFIX}${symbol}/`;
}

/** Digits of an entry's number, so that a list is in the order of the numbers. */
const CHANGE_DIGITS = 8;

/** An entry of the log: immutable, and kept for ever. */
export function changeKey(symbol: string, n: number): string {
  return `${changePrefix(symbol)}${String(n).padStart(CHANGE_DIGITS, "0")}.json`;
}

/** The number of an entry; NaN if the key is none of an entry. */
export function changeNumber(symbol: string, key: string): number {
  const n = Number(key.slice(changePrefix(symbol).length, -".json".length));
  return Number.isInteger(n) && n > 0 && key === changeKey(symbol, n) ? n : Number.NaN;
}

/** What alerts remember between runs: one mutable object, of all assets. */
export const ALERTS_KEY = "alerts/state.json";

/** Prefix of the log of what was known of an asset: immutable, and kept for ever. */
export function knownPrefix(symbol: string): string {
  return `known/${symbol}/`;
}

/**
 * A part of the log: a chunk of its lines, or a list of what one activation replaced.
 *
 * @param hash the first 32 hex digits of the SHA-256 of its bytes
 */
export function knownKey(symbol: string, hash: string): string {
  return `${knownPrefix(symbol)}${hash}.json`;
}

/** An object of values that were replaced, as `seriesKey`. */
export function replacedKey(
  symbol: string,
  resolution: Resolution,
  table: MetricName | OwnCohort | LotMethod,
  period: string,
  hash: string,
): string {
  return `${knownPrefix(symbol)}${resolution}/${table}/${period}.${namePart(hash)}.parquet`;
}

/** What the screener says of an asset, if it is too long for the metadata of its active manifest. */
export function screenerKey(symbol: string, hash: string): string {
  return `screener/${symbol}.${hash}.json`;
}

/** Prefix of every series object of an asset. */
export function seriesPrefix(symbol: string): string {
  return `series/${symbol}/`;
}

/**
 * A series object, immutable and named by its content.
 *
 * @param table the metric whose series it holds, or the own cohort, or the method of lots, or the distribution
 * @param hash the SHA-256 of its bytes, hex, or its first 32 digits
 */
export function seriesKey(
  symbol: string,
  resolution: Resolution,
  table: MetricName | OwnCohort | LotMethod | DistributionName | LotDistribution,
  period: string,
  hash: string,
): string {
  return `${seriesPrefix(symbol)}${resolution}/${table}/${period}.${namePart(hash)}.parquet`;
}

/** Prefix of an asset's checkpoints, which are never served. */
export function checkpointPrefix(symbol: string): string {
  return `checkpoints/${symbol}/`;
}

/**
 * A checkpoint, from which the next build resumes; named by its content.
 *
 * @param hash the first 32 hex digits of the SHA-256 of its bytes
 */
export function checkpointKey(symbol: string, hash: string): string {
  return `${checkpointPrefix(symbol)}${hash}.parquet`;
}

/**
 * The transfers of the week and the month that are open at a checkpoint, beside it; named by their content.
 *
 * @param hash the first 32 hex digits of the SHA-256 of its bytes
 */
export function openTransfersKey(symbol: string, hash: string): string {
  return `${checkpointPrefix(symbol)}transfers.${hash}.parquet`;
}

/**
 * The lots of a method at a checkpoint, beside it; named by their content.
 *
 * @param hash the first 32 hex digits of the SHA-256 of its bytes
 */
export function lotsKey(symbol: string, method: LotMethod, hash: string): string {
  return `${checkpointPrefix(symbol)}lots.${method}.${hash}.parquet`;
}

/**
 * A table of deposit addresses that builds have computed, beside the checkpoints: the next build goes on with it, wherever it
 * runs. Named by its content.
 *
 * @param hash the first 32 hex digits of the SHA-256 of its bytes
 */
export function depositsKey(symbol: string, hash: string): string {
  return `${checkpointPrefix(symbol)}deposits.${hash}.csv`;
}

/** Prefix of the leases of an asset's garbage collections that are running. */
export function collectionPrefix(symbol: string): string {
  return `collections/${symbol}/`;
}

/**
 * Custom metadata with the SHA-256 (hex) of an object that was stored through R2's S3 API, which compares it with the
 * bytes but does not keep it as a checksum of the object.
 */
export const SHA256_METADATA = "sha256";

/** Prefix of an asset's inputs, where `soprano fetch --store` keeps them; never served. */
export function inputsPrefix(symbol: string): string {
  return `inputs/${symbol}/`;
}

/** The list of an asset's inputs: the only mutable object among them. */
export function inputsKey(symbol: string): string {
  return `${inputsPrefix(symbol)}inputs.json`;
}

/**
 * An input, immutable and named by its content.
 *
 * @param file relative to the folder of the inputs, such as `transfers/2026-11-20.parquet`
 * @param sha256 of its bytes, hex
 */
export function inputKey(symbol: string, file: string, sha256: string): string {
  const dot = file.lastIndexOf(".");
  return `${inputsPrefix(symbol)}${file.slice(0, dot)}.${namePart(sha256)}${file.slice(dot)}`;
}
