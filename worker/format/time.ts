/** A time as series have it: `2025-03-01T09:30:15`, UTC without an offset; from Unix seconds. */
export const isoTimeWithoutZone = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19);
