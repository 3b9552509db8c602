/** Checks one object against its manifest. */

import { createHash } from "node:crypto";
import type { ListedSeries, Manifest } from "../../data-schema/manifest.ts";
import { metricByName } from "../../data-schema/metrics.ts";
import { PARQUET_TRAILER_BYTES } from "../../data-schema/parquet/metadata.ts";
import type { SeriesRun } from "../engine/series.ts";
import { decodeObject } from "../output/decode.ts";
import { boundsOf, pointProblems } from "./points.ts";

/**
 * Checks an object's bytes, its own entry, and its points.
 *
 * @returns a sentence for each problem; no runs when the object can't be read
 */
export function checkObject(
  manifest: Manifest,
  listed: ListedSeries,
  bytes: Uint8Array,
): { problems: string[]; runs?: SeriesRun[] } {
  const { key, resolution, metric, period } = listed;
  const problems = byteProblems(listed, bytes);
  // A damaged object is not worth decoding.
  if (problems.length > 0) return { problems };
  const wrong = (problem: string) => `${key}: ${problem}.`;
  try {
    const { info, runs } = decodeObject(bytes);
    const rows = runs.reduce((sum, { t }) => sum + t.length, 0);
    const { symbol } = manifest;
    const expected = { symbol, metric, resolution, unit: metricByName(metric).unit, period: period.name };
    for (const [field, value] of Object.entries(expected)) {
      const found = info[field as keyof typeof expected];
      if (found !== value) problems.push(wrong(`its ${field} is ${found}, but the manifest says ${value}`));
    }
    if (rows !== listed.entry.rows) {
      problems.push(wrong(`it has ${rows} rows, but the manifest lists ${listed.entry.rows}`));
    }
    const bounds = boundsOf(manifest, resolution, period);
    problems.push(...pointProblems(metricByName(metric), resolution, runs, bounds).map(wrong));
    return { problems, runs };
  } catch (error) {
    return { problems: [wrong((error as Error).message)] };
  }
}

export const sha256Hex = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** A sentence for each way in which these are not the bytes that the manifest lists. */
export function byteProblems({ key, entry }: ListedSeries, bytes: Uint8Array): string[] {
  const { size, hash, footer, footerHash } = entry;
  if (bytes.length !== size) return [`${key} has ${bytes.length} bytes, but the manifest lists ${size}.`];
  if (!sha256Hex(bytes).startsWith(hash)) return [`${key} is damaged: its checksum is not the one in the manifest.`];
  const footerAndTrailer = bytes.subarray(-footer - PARQUET_TRAILER_BYTES);
  if (!sha256Hex(footerAndTrailer).startsWith(footerHash)) {
    return [`${key}: its footer has another length or checksum than the manifest lists.`];
  }
  return [];
}
