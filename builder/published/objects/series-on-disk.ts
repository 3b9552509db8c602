/** Series objects that are too large for memory, as files on this machine: written and read run by run. */

import { fstatSync } from "node:fs";
import {
  type Columns,
  decodeColumns,
  PARQUET_TRAILER_BYTES,
  parseFooter,
  type RowGroup,
  runsOf,
} from "../../../data-schema/parquet.ts";
import { namePart, type SeriesOf } from "../../../data-schema/stored.ts";
import { concatSeries } from "../../engine/calendar.ts";
import { type Series, timesOf } from "../../engine/series.ts";
import { readBytes, withFile } from "../../lib/files/parquet-file.ts";
import { DIGESTS, writePieces } from "../../store/pieces.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import { type SeriesFile, type SeriesIdentity, seriesPieces } from "./encode-series.ts";

/** An object that is a file on this machine. */
export interface FileOnDisk<Of extends SeriesOf> extends Omit<SeriesFile<Of>, "bytes"> {
  /** Digest of its bytes, in hex. */
  md5: string;
}

/**
 * Writes an object: the bytes that `seriesFile` has of the same runs.
 *
 * @param series in registry order, each with a point
 * @returns undefined when there is none
 * @throws {Failure} the disk is full, or the file can't be written
 */
export async function writeSeries<Of extends SeriesOf>(
  path: string,
  identity: SeriesIdentity & { metric: Of },
  series: AsyncIterable<Series>,
): Promise<FileOnDisk<Of> | undefined> {
  let rows = 0;
  const times = { first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
  const noted = async function* () {
    for await (const run of series) {
      const { first, last } = timesOf([run]);
      rows += run.v.length;
      [times.first, times.last] = [Math.min(times.first, first), Math.max(times.last, last)];
      yield run;
    }
  };
  const { sha256: hash, md5, size } = await writePieces(path, seriesPieces(identity, noted()), DIGESTS);
  if (rows === 0) return undefined;
  const { metric, resolution, period } = identity;
  const end = withFile(path, readEnd);
  return {
    metric,
    resolution,
    period,
    md5,
    entry: {
      rows,
      hash,
      size,
      footer: end.length - PARQUET_TRAILER_BYTES,
      footerHash: namePart(sha256Hex(end)),
      ...times,
    },
  };
}

/** The runs of an object whose bytes have been compared with its hash, in their order. @throws {Error} it is no series object */
export function* readSeries(path: string): Generator<Series> {
  const { info, groups } = withFile(path, (file) => parseFooter(readEnd(file), fstatSync(file).size));
  const runs = runsOf(info);
  let parts: Series[] = [];
  let next = 0;
  for (const group of groups) {
    const { firstRow, rows } = group;
    const columns = withFile(path, (file) => readGroup(file, group));
    for (let run = runs[next]; run && run.firstRow < firstRow + rows; run = runs[next]) {
      parts.push({ selector: run.selector, ...rowsOf(columns, run.firstRow - firstRow, run.endRow - firstRow) });
      if (run.endRow > firstRow + rows) break;
      yield* concatSeries([run.selector], [parts]);
      parts = [];
      next++;
    }
  }
}

/** The footer and what follows it. */
function readEnd(file: number): Uint8Array {
  const { size } = fstatSync(file);
  const length = readBytes(file, size - PARQUET_TRAILER_BYTES, PARQUET_TRAILER_BYTES).readUInt32LE(0);
  return readBytes(file, size - PARQUET_TRAILER_BYTES - length, length + PARQUET_TRAILER_BYTES);
}

function readGroup(file: number, { rows, chunks, ...group }: RowGroup): Columns {
  const all = Object.values(chunks);
  const start = Math.min(...all.map(({ offset }) => offset));
  const end = Math.max(...all.map(({ offset, compressedBytes }) => offset + compressedBytes));
  const moved = Object.entries(chunks).map(([name, chunk]) => [
    name,
    { ...chunk, offset: chunk.offset - start, dataOffset: chunk.dataOffset - start },
  ]);
  const columns: Columns = { t: new Float64Array(rows), v: new Float64Array(rows) };
  if (chunks.block) columns.block = new Float64Array(rows);
  const here = { ...group, rows, chunks: Object.fromEntries(moved) as RowGroup["chunks"] };
  decodeColumns(readBytes(file, start, end - start), [here], columns);
  return columns;
}

/** Rows of a run, by their numbers in a group, which may have a part of them. */
function rowsOf({ t, v, block }: Columns, from: number, to: number): Omit<Series, "selector"> {
  const cut = (column: Float64Array) => column.subarray(Math.max(0, from), to);
  return { t: cut(t), v: cut(v), ...(block && { block: cut(block) }) };
}
