/** Times in ISO 8601, UTC, from Unix seconds. */

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

/** `2026-11`. */
export const isoMonth = (seconds: number): string => iso(seconds).slice(0, 7);

/** `2026-11-20`. */
export const isoDay = (seconds: number): string => iso(seconds).slice(0, 10);

/** `2026-11-20T14`. */
export const isoHour = (seconds: number): string => iso(seconds).slice(0, 13);

/** `2026-11-20T14:30:15Z`. */
export const isoTime = (seconds: number): string => `${isoTimeWithoutZone(seconds)}Z`;

/** `2026-11-20T14:30:15`: a time as series have it. */
export const isoTimeWithoutZone = (seconds: number): string => iso(seconds).slice(0, 19);
