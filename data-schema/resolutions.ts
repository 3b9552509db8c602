/** Resolutions, buckets and the periods of objects, all in UTC. Source: docs/methodology.md §5, docs/formats.md#periods. */

export const RESOLUTIONS = ["day", "hour", "block"] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** Length of a bucket in seconds; a block has none. */
export const BUCKET_SECONDS = { day: 86_400, hour: 3_600 } as const;

/** A block period ends with the first month by whose end its densest series has this many rows. */
export const BLOCK_PERIOD_ROWS = 262_144;

/** Start of the UTC month that contains a time, or of a later one; both in Unix seconds. */
export function monthStart(seconds: number, monthsLater = 0): number {
  const date = new Date(seconds * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater) / 1000;
}

/** Start of the UTC year that contains a time, or of a later one; both in Unix seconds. */
export function yearStart(seconds: number, yearsLater = 0): number {
  return Date.UTC(new Date(seconds * 1000).getUTCFullYear() + yearsLater, 0) / 1000;
}

export const nextMonthStart = (seconds: number): number => monthStart(seconds, 1);
export const nextYearStart = (seconds: number): number => yearStart(seconds, 1);

/**
 * Name of a period in object keys: `all` for day, the year (`2024`) for hour,
 * the first month (`2024-03`) for block, so that a period keeps its name while it grows.
 */
export function periodName(resolution: Resolution, fromSeconds: number): string {
  if (resolution === "day") return "all";
  const iso = new Date(fromSeconds * 1000).toISOString();
  return resolution === "hour" ? iso.slice(0, 4) : iso.slice(0, 7);
}
