/** Fields that several of the stored documents have. */

import * as v from "valibot";
import { LOT_METHODS } from "../registry/lots.ts";
import { METRICS } from "../registry/metrics.ts";
import { isOwnCohort, type OwnCohort } from "../registry/own-cohorts.ts";
import { weekStart } from "../registry/resolutions.ts";

export const wholeCount = v.pipe(v.number(), v.integer(), v.minValue(0));
export const positive = v.pipe(wholeCount, v.minValue(1));
/** The end of 9999, Unix seconds. */
export const MOST_SECONDS = 253_402_300_800;
/** Start of a bucket, Unix seconds: from the Monday of the week in which 1970 begins. */
export const bucketStart = v.pipe(v.number(), v.integer(), v.minValue(weekStart(0)), v.maxValue(MOST_SECONDS));
/** Any time, Unix seconds. */
export const time = v.pipe(v.number(), v.integer());
export const iso = v.pipe(v.string(), v.isoTimestamp());
/** The first 32 hex digits of a SHA-256. */
export const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/));
export const buildIdField = v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/));
export const periodNameField = v.pipe(v.string(), v.regex(/^[0-9a-z-]+$/));
export const ownSelector = v.custom<OwnCohort>(isOwnCohort);
export const lotMethod = v.picklist(LOT_METHODS);
/** What an object has the series of: a metric, an own cohort, or a method of lots. */
export const tableField = v.union([v.picklist(METRICS.map((metric) => metric.name)), ownSelector, lotMethod]);
