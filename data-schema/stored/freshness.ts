/** How fresh an asset's data should be: `freshness` of ASSET.json. Source: docs/api.md#status. */

export const FRESHNESS = ["day", "hour"] as const;
export type Freshness = (typeof FRESHNESS)[number];

export const DEFAULT_FRESHNESS: Freshness = "day";

/**
 * The age of data that still meets its target, in seconds: 30 hours, and two. A day or an hour has to end first, and blocks to become final;
 * the rest is for the fetch and the build.
 */
export const MOST_AGE_SECONDS: Record<Freshness, number> = { day: 108_000, hour: 7_200 };
