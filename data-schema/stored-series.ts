/** What is said of an object of series: enough to read any part of it, and to check that. */

import * as v from "valibot";
import { PARQUET_TRAILER_BYTES } from "./parquet/metadata.ts";
import { weekStart } from "./resolutions.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** Start of a bucket, Unix seconds: from the Monday of the week in which 1970 begins. */
const start = v.pipe(v.number(), v.integer(), v.minValue(weekStart(0)), v.maxValue(253_402_300_800));
const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/));
const sha256OrStart = v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{32}){1,2}$/));

export const storedSeries = v.pipe(
  v.strictObject({
    rows: v.pipe(count, v.minValue(1)),
    /** SHA-256 of the object, hex; version 1 of the format has its first 32 digits. */
    hash: sha256OrStart,
    /** Bytes. */
    size: v.pipe(count, v.minValue(12)),
    /** Length of the Parquet footer, without the 8 bytes (length, magic) that end the file. */
    footer: v.pipe(count, v.minValue(1)),
    /** First 32 hex digits of the SHA-256 of the footer and those 8 bytes. */
    footerHash: hash,
    /** First and last t of all its rows, Unix seconds; version 1 of the format has neither. */
    first: v.optional(start),
    last: v.optional(start),
  }),
  v.check(({ size, footer }) => footer + PARQUET_TRAILER_BYTES <= size),
);

export type StoredSeries = v.InferOutput<typeof storedSeries>;
