/**
 * A request as a data point of Workers Analytics Engine: its key's id as the index, then blobs and doubles in this order.
 * The Worker writes them, `soprano keys usage` adds them up.
 */

/** The name in wrangler.toml; a test compares them. */
export const USAGE_DATASET = "soprano_usage";

/** Each is a text, empty if the request has none: the pattern of its path, and what it asked for. */
export const USAGE_BLOBS = ["route", "metric", "format", "asset", "status"] as const;

/** Each a number; points and bytes are those that were sent. */
export const USAGE_DOUBLES = ["requests", "points", "bytes"] as const;
