/** The columns of series objects. Source: docs/formats.md#series-objects. */

import type { Resolution } from "../registry/resolutions.ts";
import type { SchemaColumn } from "./file-metadata.ts";
import { i32, struct, TRUE } from "./thrift.ts";

// Parquet states what a column means twice: as a converted type for older readers, and as a logical type.
const UTF8 = i32(0);
const TIMESTAMP_MILLIS = i32(9);
const STRING_TYPE = struct({ 1: struct({}) });
const UTC_MILLISECONDS_TYPE = struct({ 8: struct({ 1: TRUE, 2: struct({ 1: struct({}) }) }) });

export const TEXT_COLUMN = { type: "BYTE_ARRAY", converted: UTF8, logical: STRING_TYPE } as const;

/** Times in milliseconds, UTC. */
export const TIME_COLUMN: SchemaColumn = {
  name: "t",
  type: "INT64",
  converted: TIMESTAMP_MILLIS,
  logical: UTC_MILLISECONDS_TYPE,
};

/** The columns of an object, in the order in which they lie in a row group. */
export const seriesColumns = (resolution: Resolution): readonly SchemaColumn[] =>
  resolution === "block" ? BLOCK_COLUMNS : BUCKET_COLUMNS;

// The same arrays for all objects: their schema is encoded once.
const BUCKET_COLUMNS: readonly SchemaColumn[] = [
  { name: "cohort", ...TEXT_COLUMN },
  TIME_COLUMN,
  { name: "v", type: "DOUBLE" },
];
const BLOCK_COLUMNS: readonly SchemaColumn[] = [...BUCKET_COLUMNS, { name: "block", type: "INT64" }];
