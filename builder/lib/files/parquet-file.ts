/** Bytes and footers of Parquet files on disk. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type FileMetaData, parquetMetadata } from "hyparquet";
import { PARQUET_TRAILER_BYTES } from "../../../data-schema/parquet.ts";

/** Opens a file while `use` reads it. */
export function withFile<T>(path: string, use: (file: number) => T): T {
  const file = openSync(path, "r");
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

/** @throws {Error} it is not a Parquet file, or is cut off */
export function readMetadata(file: number): FileMetaData {
  const { size } = fstatSync(file);
  const trailer = readBytes(file, size - PARQUET_TRAILER_BYTES, PARQUET_TRAILER_BYTES);
  const length = trailer.readUInt32LE(0) + PARQUET_TRAILER_BYTES;
  return parquetMetadata(readBytes(file, size - length, length), { geoparquet: false });
}

/**
 * Reads bytes into a buffer of their own.
 *
 * @throws {Error} the file is cut off
 */
export function readBytes(file: number, offset: number, length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(new ArrayBuffer(Math.max(0, length)));
  if (length < 0) throw new Error("it is cut off");
  readInto(file, offset, bytes);
  return bytes;
}

/** @throws {Error} the file is cut off */
export function readInto(file: number, offset: number, bytes: Uint8Array): void {
  const length = offset < 0 ? -1 : readSync(file, bytes, 0, bytes.length, offset);
  if (length < bytes.length) throw new Error("it is cut off");
}
