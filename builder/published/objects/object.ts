/** A series object ready to be published. */

import { PARQUET_TRAILER_BYTES, type SeriesUnit } from "../../../data-schema/parquet.ts";
import type { MetricName, Resolution, WholeResolution } from "../../../data-schema/registry.ts";
import { namePart, type SeriesOf, type StoredSeries } from "../../../data-schema/stored.ts";
import { type Series, timesOf } from "../../engine/series.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import { encodeSeries } from "./encode-series.ts";

export interface SeriesFile<Of extends SeriesOf = MetricName> {
  metric: Of;
  resolution: Resolution;
  period: string;
  bytes: Uint8Array;
  /** What the manifest says of it. */
  entry: StoredSeries;
}

/** The bytes of the objects of the resolutions that have one period, by metric. */
export type WholeSeries = Record<WholeResolution, Map<MetricName, Uint8Array>>;

/** The object of one metric, or own cohort, and period; undefined when no series has a point. */
export function seriesFile<Of extends SeriesOf>(
  symbol: string,
  { name, unit }: { name: Of; unit: SeriesUnit },
  resolution: Resolution,
  period: string,
  series: readonly Series[],
): SeriesFile<Of> | undefined {
  if (series.length === 0) return undefined;
  const bytes = encodeSeries({ symbol, metric: name, unit, resolution, period }, series);
  const footer = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - PARQUET_TRAILER_BYTES).getUint32(0, true);
  const rows = series.reduce((sum, run) => sum + run.v.length, 0);
  return {
    metric: name,
    resolution,
    period,
    bytes,
    entry: {
      rows,
      hash: sha256Hex(bytes),
      size: bytes.length,
      footer,
      footerHash: namePart(sha256Hex(bytes.subarray(bytes.length - PARQUET_TRAILER_BYTES - footer))),
      ...timesOf(series),
    },
  };
}
