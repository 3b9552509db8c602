/** Series → Parquet. Source: docs/formats.md#series-objects. */

import { createHash } from "node:crypto";
import {
  type ColumnChunk,
  DIGEST_DIGITS,
  encodeChunk,
  fileEnd,
  fileMetadata,
  list,
  MAGIC,
  type ParquetChunk,
  rowGroup,
  SCHEMA_VERSION,
  SERIES_INFO_KEY,
  type SeriesInfo,
  type SeriesUnit,
  seriesColumns,
  seriesValues,
} from "../../../data-schema/parquet.ts";
import { isDistribution, type Resolution, SERIES_GROUP_ROWS } from "../../../data-schema/registry.ts";
import { joinBytes } from "../../../data-schema/text.ts";
import type { Series } from "../../engine/series.ts";
import { axisOf, gather } from "./axis-columns.ts";

/** What names and describes an object. */
export interface SeriesIdentity {
  symbol: string;
  metric: string;
  unit: SeriesUnit;
  resolution: Resolution;
  period: string;
}

/** Rows of a row group. */
const groupRows = ({ metric, resolution }: SeriesIdentity): number =>
  isDistribution(metric) ? SERIES_GROUP_ROWS.distribution : SERIES_GROUP_ROWS[resolution];

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
