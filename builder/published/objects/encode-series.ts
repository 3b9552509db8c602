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
  type Thrift,
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
import { type AxisGroup, axisOf, type GroupRows, gather, groupsOf, Stretches } from "./axis-columns.ts";

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
  const encoder = new ObjectEncoder(identity);
  const groups = axisOf(series, identity.resolution, groupRows(identity));
  return joinBytes([...encoder.add(series, groups), ...encoder.end()]);
}

/**
 * The bytes of one series object, as `encodeSeries` makes them, piece by piece: of runs that come one after the other, of
 * which a few are in memory.
 */
export async function* seriesPieces(
  identity: SeriesIdentity,
  series: AsyncIterable<Series>,
): AsyncGenerator<Uint8Array> {
  const encoder = new ObjectEncoder(identity);
  const rows = groupRows(identity);
  const stretches = new Stretches(rows);
  const encode = (stretch: readonly Series[]) =>
    joinBytes([...encoder.add(stretch, groupsOf(stretch, identity.resolution, rows))]);
  for await (const run of series) {
    const stretch = stretches.add(run);
    if (stretch) yield encode(stretch);
  }
  yield encode(stretches.end());
  yield* encoder.end();
}

class ObjectEncoder {
  readonly #identity: SeriesIdentity;
  readonly #cohorts: SeriesInfo["cohorts"] = {};
  readonly #digests: string[] = [];
  readonly #groups: Thrift[] = [];
  #rows = 0;
  #length = 0;

  constructor(identity: SeriesIdentity) {
    this.#identity = identity;
  }

  /** @param groups the row groups of these runs, which follow those before */
  *add(series: readonly Series[], groups: readonly AxisGroup[]): Generator<Uint8Array> {
    if (this.#length === 0) yield MAGIC;
    this.#length ||= MAGIC.length;
    for (const { rows, ranges, cohort, t, block } of groups) {
      const values = gather(ranges, rows, (run) => series[run]!.v);
      const v = encodeChunk({
        name: "v",
        type: "DOUBLE",
        codec: "ZSTD",
        rows,
        ...seriesValues(this.#identity.unit, values),
      });
      const digest = createHash("sha256");
      for (const piece of [...t.pieces, ...v.pieces]) digest.update(piece);
      this.#digests.push(digest.digest("hex").slice(0, DIGEST_DIGITS));
      // Side by side, t and v are one ranged read.
      const chunks = [cohort, t, v, ...(block ? [block] : [])];
      this.#groups.push(
        rowGroup(
          chunks.map((chunk) => this.#place(chunk)),
          rows,
        ),
      );
      for (const chunk of chunks) yield* chunk.pieces;
    }
    for (const { selector, v } of series) {
      this.#cohorts[selector] = [this.#rows, v.length];
      this.#rows += v.length;
    }
  }

  #place(chunk: ParquetChunk): ColumnChunk {
    const entry = chunk.entryAt(this.#length);
    this.#length += entry.compressedBytes;
    return entry;
  }

  end(): Uint8Array[] {
    const info: SeriesInfo = {
      schema: SCHEMA_VERSION,
      ...this.#identity,
      cohorts: this.#cohorts,
      digests: this.#digests.join(""),
    };
    const columns = seriesColumns(this.#identity.resolution);
    const entries = { [SERIES_INFO_KEY]: JSON.stringify(info) };
    return fileEnd(fileMetadata({ columns, rows: this.#rows, groups: list(this.#groups), entries }));
  }
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
