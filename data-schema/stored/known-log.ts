/**
 * What was known when: every activation, and the values that it replaced. An answer of an earlier time is made from what is
 * published now, with what has been replaced since. Source: docs/formats.md#the-log-of-what-was-known.
 */

import * as v from "valibot";
import { RESOLUTIONS, type Resolution } from "../registry/resolutions.ts";
import {
  buildIdField,
  hash,
  iso,
  lotMethod,
  ownSelector,
  periodNameField,
  positive,
  tableField,
  time,
} from "./fields.ts";
import { storedSeries } from "./stored-series.ts";

/** Version of what is written. */
export const KNOWN_VERSION = 1;

/** An activation's entry holds the lines of so many activations; earlier ones are in chunks. */
export const MOST_LOG_LINES = 32;
/** Lines of a chunk: it is written again, with more of them, until it has so many. */
export const CHUNK_LINES = 1024;

/** In an object of replaced values, there was no point. It is finite, as readers ask for; no metric is as low. */
export const NO_POINT = -Number.MAX_VALUE;

/** First and last bucket, or the times of the first and the last block, Unix seconds; null: none. */
const range = v.nullable(v.tuple([time, time]));

const line = v.strictObject({
  /** The number of the entry in the log of changes. */
  n: positive,
  at: iso,
  build: buildIdField,
  asOf: iso,
  engine: v.string(),
  /** What was published, by resolution. */
  ranges: v.strictObject(
    Object.fromEntries(RESOLUTIONS.map((resolution) => [resolution, v.exactOptional(range)])) as Record<
      Resolution,
      ReturnType<typeof v.exactOptional<typeof range, undefined>>
    >,
  ),
  cohorts: v.exactOptional(v.array(ownSelector)),
  lots: v.exactOptional(v.array(lotMethod)),
  /** The list of what it replaced; absent if it replaced nothing. */
  replaced: v.exactOptional(hash),
});

/** An activation: what readers got from then on. */
export type KnownLine = v.InferOutput<typeof line>;

/** What an entry of the log of changes says of the log: it begins with the first activation of which all is known. */
export const knownSchema = v.strictObject({
  since: iso,
  /** The last ones, this one included, ascending. */
  lines: v.pipe(v.array(line), v.minLength(1), v.maxLength(MOST_LOG_LINES)),
  /** The chunk of the lines before; null: there are none. */
  older: v.nullable(hash),
});
export type Known = v.InferOutput<typeof knownSchema>;

const chunk = v.strictObject({
  schema: v.literal(KNOWN_VERSION),
  symbol: v.string(),
  lines: v.pipe(v.array(line), v.minLength(1), v.maxLength(CHUNK_LINES)),
  older: v.nullable(hash),
});
export type KnownChunk = v.InferOutput<typeof chunk>;

const replacedObject = v.strictObject({
  resolution: v.picklist(RESOLUTIONS),
  /** What it has the series of. */
  of: tableField,
  /** The times of its points lie in [from, to), Unix seconds. */
  period: v.strictObject({ name: periodNameField, from: time, to: time }),
  entry: storedSeries,
});
export type ReplacedObject = v.InferOutput<typeof replacedObject>;

const replaced = v.strictObject({
  schema: v.literal(KNOWN_VERSION),
  symbol: v.string(),
  objects: v.array(replacedObject),
});
export type Replaced = v.InferOutput<typeof replaced>;

/** @throws {Error} not JSON, another version, or a field that is missing, unknown or malformed */
export const parseKnownChunk = (text: string): KnownChunk => v.parse(chunk, JSON.parse(text));

/** @throws {Error} as `parseKnownChunk` */
export const parseReplaced = (text: string): Replaced => v.parse(replaced, JSON.parse(text));
