/** Instants, relative times, and bytes as text. */

export * from "./text/bytes.ts";
export * from "./text/instant.ts";
export * from "./text/iso.ts";
export * from "./text/relative.ts";
export * from "./text/seconds.ts";
