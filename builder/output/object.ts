/** A series object ready to be published. */

import { createHash } from "node:crypto";
import type { StoredSeries } from "../../data-schema/manifest.ts";
import type { Metric, MetricName } from "../../data-schema/metrics.ts";
import { PARQUET_TRAILER_BYTES } from "../../data-schema/parquet/metadata.ts";
import type { CalendarResolution, Resolution } from "../../data-schema/resolutions.ts";
import type { SeriesRun } from "../engine/series.ts";
import { encodeSeries } from "./encode.ts";

export interface SeriesFile {
  metric: MetricName;
  resolution: Resolution;
  period: string;
  bytes: Uint8Array;
  /** Hex SHA-256 of the bytes. */
  sha256: string;
  /** What the manifest says of it. */
  entry: StoredSeries;
}

/** The bytes of the objects of the resolutions that have one period, by metric. */
export type WholeSeries = Record<"day" | CalendarResolution, Map<MetricName, Uint8Array>>;

/** Hex digits of a digest that the manifest keeps. */
const HASH_DIGITS = 32;

/** The object of one metric and period; undefined when no selector has a point. */
export function seriesFile(
  symbol: string,
  metric: Metric & { name: MetricName },
  resolution: Resolution,
  period: string,
  runs: readonly SeriesRun[],
): SeriesFile | undefined {
  if (runs.length === 0) return undefined;
  const bytes = encodeSeries({ symbol, metric: metric.name, unit: metric.unit, resolution, period }, runs);
  const sha256 = hexDigest(bytes);
  const footer = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - PARQUET_TRAILER_BYTES).getUint32(0, true);
  const rows = runs.reduce((sum, run) => sum + run.v.length, 0);
  return {
    metric: metric.name,
    resolution,
    period,
    bytes,
    sha256,
    entry: {
      rows,
      hash: sha256.slice(0, HASH_DIGITS),
      size: bytes.length,
      footer,
      footerHash: hexDigest(bytes.subarray(bytes.length - PARQUET_TRAILER_BYTES - footer)).slice(0, HASH_DIGITS),
    },
  };
}

const hexDigest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
