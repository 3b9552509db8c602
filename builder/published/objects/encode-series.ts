/**
 * Series → Parquet → objects ready to be published. Source: docs/formats.md#series-objects.
 *
 * Nothing here computes series: tests of the Worker make objects inside workerd, where the engine's kernels can't be read.
 */

import { createHash } from "node:crypto";
import {
  type ColumnChunk,
  DIGEST_DIGITS,
  encodeChunk,
  fileEnd,
  fileMetadata,
  list,
  MAGIC,
  PARQUET_TRAILER_BYTES,
  type ParquetChunk,
  rowGroup,
  SCHEMA_VERSION,
  SERIES_INFO_KEY,
  type SeriesInfo,
  type SeriesUnit,
  seriesColumns,
  seriesValues,
} from "../../../data-schema/parquet.ts";
import {
  isDistribution,
  isLotDistribution,
  LEAST_GROUP_DIVISOR,
  type MetricName,
  type Resolution,
  SERIES_GROUP_ROWS,
  type WholeResolution,
} from "../../../data-schema/registry.ts";
import { namePart, type SeriesOf, type StoredSeries } from "../../../data-schema/stored.ts";
import { joinBytes } from "../../../data-schema/text.ts";
import { type Series, timesOf } from "../../engine/series.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import { axisOf, type GroupRows, gather } from "./axis-columns.ts";

/** What names and describes an object. */
export interface SeriesIdentity {
  symbol: string;
  metric: string;
  unit: SeriesUnit;
  resolution: Resolution;
  period: string;
}

/** A reader of a distribution needs all its series, so none of them begins a row group. */
const groupRows = ({ metric, resolution }: SeriesIdentity): GroupRows =>
  isDistribution(metric) || isLotDistribution(metric)
    ? { most: SERIES_GROUP_ROWS.distribution, least: Number.POSITIVE_INFINITY }
    : { most: SERIES_GROUP_ROWS[resolution], least: SERIES_GROUP_ROWS[resolution] / LEAST_GROUP_DIVISOR };

/**
 * The bytes of one series object. With the same version of zstd, the same runs always give the same bytes.
 *
 * @param series the selectors that have points, in registry order; at least one point in all
 */
export function encodeSeries(identity: SeriesIdentity, series: readonly Series[]): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [MAGIC];
  let length = MAGIC.length;
  const place = (chunk: ParquetChunk): ColumnChunk => {
    const entry = chunk.entryAt(length);
    pieces.push(...chunk.pieces);
    length += entry.compressedBytes;
    return entry;
  };

  const digests: string[] = [];
  const rowGroups = axisOf(series, identity.resolution, groupRows(identity)).map(
    ({ rows, ranges, cohort, t, block }) => {
      const values = gather(ranges, rows, (run) => series[run]!.v);
      const v = encodeChunk({
        name: "v",
        type: "DOUBLE",
        codec: "ZSTD",
        rows,
        ...seriesValues(identity.unit, values),
      });
      const digest = createHash("sha256");
      for (const piece of [...t.pieces, ...v.pieces]) digest.update(piece);
      digests.push(digest.digest("hex").slice(0, DIGEST_DIGITS));
      // Side by side, t and v are one ranged read.
      const chunks = [cohort, t, v, ...(block ? [block] : [])];
      return rowGroup(chunks.map(place), rows);
    },
  );

  const cohorts: SeriesInfo["cohorts"] = {};
  let rows = 0;
  for (const { selector, v } of series) {
    cohorts[selector] = [rows, v.length];
    rows += v.length;
  }
  const info: SeriesInfo = { schema: SCHEMA_VERSION, ...identity, cohorts, digests: digests.join("") };
  const columns = seriesColumns(identity.resolution);
  const entries = { [SERIES_INFO_KEY]: JSON.stringify(info) };
  pieces.push(...fileEnd(fileMetadata({ columns, rows, groups: list(rowGroups), entries })));
  return joinBytes(pieces);
}

/** A series object ready to be published. */
export interface SeriesFile<Of extends SeriesOf = MetricName> {
  metric: Of;
  resolution: Resolution;
  period: string;
  bytes: Uint8Array;
  /** What the manifest says of it. */
  entry: StoredSeries;
}

/** An object of a resolution that has one period. */
export interface WholeObject {
  bytes: Uint8Array;
  /** Its last points, as they were encoded. */
  recent: readonly Series[];
}

export type WholeSeries = Record<WholeResolution, Map<MetricName, WholeObject>>;

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

/** Gives runs with equal times, or equal blocks, the very same arrays, which are then encoded only once. */
export class SharedColumns {
  readonly #byLength = new Map<number, Float64Array[]>();

  share(run: Series): Series {
    return { ...run, t: this.#one(run.t), ...(run.block ? { block: this.#one(run.block) } : {}) };
  }

  #one(column: Float64Array): Float64Array {
    const known = this.#byLength.get(column.length) ?? [];
    const same = known.find((other) => Buffer.compare(bytesOf(other), bytesOf(column)) === 0);
    if (same) return same;
    this.#byLength.set(column.length, [...known, column]);
    return column;
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array) => new Uint8Array(buffer, byteOffset, byteLength);
