/** The column chunks of a Parquet file: where they are, and what its footer says of their values. */

import type { ColumnMetaData, FileMetaData, SchemaElement } from "hyparquet";
import { readBytes } from "../../lib/files/parquet-file.ts";
import { isCodec } from "./pages.ts";

/** A column of a row group, as it is stored. */
export interface StoredChunk {
  element: SchemaElement;
  metadata: ColumnMetaData;
  bytes: Uint8Array;
}

/** The compressed bytes of a column of a row group, which are in memory at the same time. */
const MOST_CHUNK_BYTES = 1 << 26;

/** A column at the top of the schema. */
interface Leaf {
  /** Its position among the columns of a row group. */
  index: number;
  element: SchemaElement;
}

/** @throws {Error} there is no such column, or it is nested */
function leafOf([, ...elements]: readonly SchemaElement[], name: string): Leaf {
  const found = elements.filter((element) => element.name === name);
  const [element] = found;
  // A nested schema would have more elements than columns.
  if (!element || found.length > 1 || elements.some(({ num_children }) => num_children)) throw new Error("nested");
  if (element.repetition_type === "REPEATED") throw new Error("repeated");
  return { index: elements.indexOf(element), element };
}

/**
 * A column of a row group.
 *
 * @throws {Error} it is compressed in another way, too large, or cut off
 */
export function readColumnChunk(
  file: number,
  { schema, row_groups }: FileMetaData,
  group: number,
  name: string,
): StoredChunk {
  const { index, element } = leafOf(schema, name);
  const { num_rows, columns } = row_groups[group]!;
  const metadata = metadataOf(columns[index]);
  const { codec, num_values, path_in_schema, total_compressed_size } = metadata;
  const length = Number(total_compressed_size);
  if (path_in_schema.join() !== name || num_values !== num_rows) throw new Error("other columns");
  if (!isCodec(codec) || length > MOST_CHUNK_BYTES) throw new Error(`${length} bytes of ${codec}`);
  const bytes = readBytes(file, startOf(metadata), length);
  return { element, metadata, bytes };
}

/** The least and the greatest of a column of whole numbers in a row group; undefined where that is not known. */
export function rangeOf(
  { schema, row_groups }: FileMetaData,
  group: number,
  name: string,
): { min: number; max: number } | undefined {
  const { statistics = {} } = metadataOf(row_groups[group]!.columns[leafOf(schema, name).index]);
  const min = statistics.min_value ?? statistics.min;
  const max = statistics.max_value ?? statistics.max;
  const isNumber = (value: unknown) => typeof value === "bigint" || typeof value === "number";
  // Some writers compare large unsigned numbers as signed ones.
  return isNumber(min) && isNumber(max) && min >= 0 ? { min: Number(min), max: Number(max) } : undefined;
}

function metadataOf(column: FileMetaData["row_groups"][number]["columns"][number] | undefined): ColumnMetaData {
  if (!column?.meta_data || column.file_path) throw new Error("its columns are in other files");
  return column.meta_data;
}

/** Where the first page begins: that of the dictionary, if there is one. */
function startOf({ dictionary_page_offset, data_page_offset }: ColumnMetaData): number {
  const [dictionary, data] = [Number(dictionary_page_offset ?? 0), Number(data_page_offset)];
  return dictionary > 0 && dictionary < data ? dictionary : data;
}
