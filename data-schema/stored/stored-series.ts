/** What is said of an object of series: enough to read any part of it, and to check that. */

import * as v from "valibot";
import { PARQUET_TRAILER_BYTES } from "../parquet/file-metadata.ts";
import { bucketStart, hash, positive, wholeCount } from "./fields.ts";
import { placeField } from "./packs.ts";

const sha256OrStart = v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{32}){1,2}$/));

export const storedSeries = v.pipe(
  v.strictObject({
    rows: positive,
    /** SHA-256 of the object, hex; version 1 of the format has its first 32 digits. */
    hash: sha256OrStart,
    /** Bytes. */
    size: v.pipe(wholeCount, v.minValue(12)),
    /** Length of the Parquet footer, without the 8 bytes (length, magic) that end the file. */
    footer: positive,
    /** First 32 hex digits of the SHA-256 of the footer and those 8 bytes. */
    footerHash: hash,
    /** First and last t of all its rows, Unix seconds; version 1 of the format has neither. */
    first: v.optional(bucketStart),
    last: v.optional(bucketStart),
    at: placeField,
  }),
  v.check(({ size, footer }) => footer + PARQUET_TRAILER_BYTES <= size),
);

export type StoredSeries = v.InferOutput<typeof storedSeries>;
