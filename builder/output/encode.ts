/** Series → Parquet. Layout and encodings: data-schema/series.ts and docs/formats.md. */

import { createHash } from "node:crypto";
import { joinBytes } from "../../data-schema/bytes.ts";
import type { Metric } from "../../data-schema/metrics.ts";
import { type Column, type ColumnChunk, fileEnd, MAGIC, rowGroup, schema } from "../../data-schema/parquet.ts";
import type { Resolution } from "../../data-schema/resolutions.ts";
import {
  DIGEST_DIGITS,
  SCHEMA_VERSION,
  SERIES_INFO_KEY,
  type SelectorRows,
  type SeriesInfo,
} from "../../data-schema/series.ts";
import { i32, i64, list, struct, TRUE, text } from "../../data-schema/thrift.ts";
import type { SeriesRun } from "../engine/series.ts";
import { axisOf, gather } from "./axis.ts";
import { type Chunk, encodeChunk } from "./chunk.ts";
import { byteStreamSplit, plainDoubles } from "./encodings.ts";

/** What names and describes an object. */
export interface SeriesIdentity {
  symbol: string;
  metric: string;
  unit: Metric["unit"];
  resolution: Resolution;
  period: string;
}

/** What columns of bytes and integers stand for. */
const UTF8 = i32(0);
const TIMESTAMP_MILLIS = i32(9);
const STRING_TYPE = struct({ 1: struct({}) });
const UTC_MILLISECONDS_TYPE = struct({ 8: struct({ 1: TRUE, 2: struct({ 1: struct({}) }) }) });

/**
 * The bytes of one series object. The same runs always give the same bytes, with the same version of zstd.
 *
 * @param runs the selectors that have points, in registry order; at least one point in all
 */
export function encodeSeries(identity: SeriesIdentity, runs: readonly SeriesRun[]): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [MAGIC];
  let length = MAGIC.length;
  const place = (chunk: Chunk): ColumnChunk => {
    const entry = chunk.entryAt(length);
    pieces.push(chunk.bytes);
    length += chunk.bytes.length;
    return entry;
  };

  const digests: string[] = [];
  const rowGroups = axisOf(runs, identity.resolution).map(({ rows, parts, cohort, t, block }) => {
    const values = gather(parts, rows, (run) => runs[run].v);
    const v = valueChunk(identity.unit, values);
    digests.push(createHash("sha256").update(t.bytes).update(v.bytes).digest("hex").slice(0, DIGEST_DIGITS));
    // Side by side, t and v are one ranged read.
    const chunks = [cohort, t, v, ...(block ? [block] : [])];
    return rowGroup(chunks.map(place), rows);
  });

  const cohorts: Record<string, SelectorRows[string]> = {};
  let rows = 0;
  for (const { selector, v } of runs) {
    cohorts[selector] = [rows, v.length];
    rows += v.length;
  }
  const info: SeriesInfo = { schema: SCHEMA_VERSION, ...identity, cohorts, digests: digests.join("") };
  const columns = columnsOf(identity.resolution);
  const metadata = struct({
    1: i32(1),
    2: schema(columns),
    3: i64(rows),
    4: list(rowGroups),
    5: list([struct({ 1: text(SERIES_INFO_KEY), 2: text(JSON.stringify(info)) })]),
    6: text("soprano"),
    // Least and greatest values are those of each type's own order.
    7: list(columns.map(() => struct({ 1: struct({}) }))),
  });
  pieces.push(...fileEnd(metadata));
  return joinBytes(pieces);
}

function columnsOf(resolution: Resolution): Column[] {
  return [
    { name: "cohort", type: "BYTE_ARRAY", converted: UTF8, logical: STRING_TYPE },
    { name: "t", type: "INT64", converted: TIMESTAMP_MILLIS, logical: UTC_MILLISECONDS_TYPE },
    { name: "v", type: "DOUBLE" },
    ...(resolution === "block" ? [{ name: "block", type: "INT64" } as const] : []),
  ];
}

function valueChunk(unit: Metric["unit"], values: Float64Array): Chunk {
  const column = { name: "v", type: "DOUBLE", codec: "ZSTD", rows: values.length } as const;
  // Counts are small whole numbers, which zstd packs better as they are.
  return unit === "count"
    ? encodeChunk({ ...column, encoding: "PLAIN", data: plainDoubles(values) })
    : encodeChunk({ ...column, encoding: "BYTE_STREAM_SPLIT", data: byteStreamSplit(values) });
}
