/** Times are Unix seconds; texts are ISO 8601, UTC. */

export const DAY = 86_400;

/** Unix seconds of a text as the API writes it (no offset), of a date, or of a time with an offset; NaN for no time. */
export function parseTime(text: string): number {
  const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{3})?)?(Z|[+-]\d\d:\d\d)?)?$/;
  if (!form.test(text)) return Number.NaN;
  return Date.parse(/T.*(Z|[+-]\d\d:\d\d)$/.test(text) || text.length === 10 ? text : `${text}Z`) / 1000;
}

/** The shortest text that the API takes for the time: `2025-03-01`, `2025-03-01T09:30` or `2025-03-01T09:30:15`. */
export function shortTime(seconds: number): string {
  const text = isoTime(seconds);
  if (text.endsWith("T00:00:00")) return text.slice(0, 10);
  return text.endsWith(":00") ? text.slice(0, 16) : text;
}

/** As the API writes it: `2025-03-01T09:30:15`. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}
