/** Sorts a file by block into a copy, on disk, so that ranges of blocks are read from it without reading the rest. */

import { rename } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { planned } from "../../../lib/advised.ts";
import { DiskFailure, Failure } from "../../../lib/failure.ts";
import { damage } from "../../duckdb/damage.ts";
import { chunks, identifier, literal } from "../../duckdb/database.ts";
import type { Column, Table } from "../../duckdb/input-table.ts";

/** Columns of a sorted copy, besides those of the file: the block number (0 if it can't be parsed), and the row in the file, from 0. */
export const BLOCK_KEY = "soprano_block";
export const FILE_ROW = "soprano_row";

/** The rows of a row group at most: DuckDB's default. At least: a chunk. */
const [LEAST_ROWS, MOST_ROWS] = [2048, 122_880];

export interface SortedCopy {
  table: Table;
  /** These columns of the file are copied, as they are. */
  columns: readonly Column[];
  /** One of them: the block number. */
  block: Column;
  /** Only rows that meet this SQL condition are copied. */
  condition: string;
  /** Rows of a row group, about. */
  groupRows: number;
  path: string;
}

/**
 * Writes the copy.
 *
 * @returns its rows
 * @throws {Failure} the file is damaged, or memory or the disk lacks room
 */
export async function writeSorted(
  connection: DuckDBConnection,
  { table, columns, block, condition, groupRows, path }: SortedCopy,
): Promise<number> {
  const { whole, condition: isInPart } = table.part ?? { whole: table.relation, condition: "true" };
  const cells = columns.map(({ sql, name }) => `${sql} AS ${identifier(name)}`).join(", ");
  const rows = `SELECT ${cells}, coalesce(TRY_CAST(${block.sql} AS UBIGINT), 0) AS ${BLOCK_KEY}, ${FILE_ROW}
    FROM (SELECT *, row_number() OVER () - 1 AS ${FILE_ROW} FROM ${whole}) WHERE (${isInPart}) AND ${condition}
    ORDER BY ${BLOCK_KEY}, ${FILE_ROW}`;
  const size = Math.round(Math.min(MOST_ROWS, Math.max(LEAST_ROWS, groupRows)));
  const part = `${path}.part`;
  const sql = `COPY (${rows}) TO ${literal(part)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${size})`;
  let count = 0;
  try {
    for await (const chunk of chunks(connection, sql)) count = Number(chunk.getRows()[0]![0]);
  } catch (error) {
    throw error instanceof Error ? (lackOfRoom(table, error.message) ?? damage(table.file, error.message)) : error;
  }
  await rename(part, path);
  return count;
}

/** DuckDB's errors about what sorting needs, what they mean and what to do. */
const LACKS: readonly (readonly [RegExp, typeof Failure, () => string])[] = [
  [
    /No space left|max_temp_directory_size|failed to offload/,
    DiskFailure,
    () => "the disk of the work folder is full; make room",
  ],
  [/^Out of Memory/, Failure, () => `there is not enough memory; raise ${planned("--memory")}`],
  [/\.part"|Could not write/, DiskFailure, () => "the work folder can't be written; correct --work"],
];

function lackOfRoom({ file }: Table, message: string): Failure | undefined {
  const found = LACKS.find(([pattern]) => pattern.test(message));
  if (!found) return undefined;
  const [, Lack, lack] = found;
  return new Lack(`${file.name} can't be sorted by block: ${lack()}, or sort the file.`);
}
