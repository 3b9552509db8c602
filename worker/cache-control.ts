/**
 * Cache-Control: who may keep an answer, and how long. Those of static files are in explorer/headers.ts.
 * Source: docs/api.md#responses.
 */

/** Every value that the Worker sends, or gives what it keeps. */
export const CACHE_CONTROL = {
  /** Series: only the client may keep them, and must ask each time whether they are still true. */
  revalidated: "private, no-cache",
  /** Files: what their names stand for never changes. Only the client may keep them: it took a key to get them. */
  clientForever: "private, max-age=31536000, immutable",
  /** What this location's cache keeps: it never changes. */
  forever: "public, max-age=31536000, immutable",
  /** Problems, and messages of the Model Context Protocol. */
  never: "no-store",
  /** Public documents, by the seconds that they stay true. */
  publicFor: (seconds: number) => (seconds === 0 ? "no-store" : `public, max-age=${seconds}`),
} as const;

/** The value without leave for shared caches; null if it gives them none. */
export function privately(value: string | null): string | null {
  const directives = value?.split(", ") ?? [];
  if (directives.some((directive) => directive === "private" || directive === "no-store")) return null;
  return ["private", ...directives.filter((directive) => directive !== "public")].join(", ");
}
