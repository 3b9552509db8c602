/**
 * What is stored, where and in which form: keys of objects, manifests, holders, large transfers, events, logs of changes and of
 * what was known, the screener.
 */

export * from "./stored/calendar-events.ts";
export * from "./stored/changes.ts";
export * from "./stored/duckdb-views.ts";
export * from "./stored/fields.ts";
export * from "./stored/freshness.ts";
export * from "./stored/holders/holder-columns.ts";
export * from "./stored/holders/holder-objects.ts";
export * from "./stored/known-lines.ts";
export * from "./stored/known-log.ts";
export * from "./stored/large-transfers.ts";
export * from "./stored/manifest/catalog-entry.ts";
export * from "./stored/manifest/listed-objects.ts";
export * from "./stored/manifest/manifest.ts";
export * from "./stored/manifest/parse-manifest.ts";
export * from "./stored/manifest/references.ts";
export * from "./stored/metadata.ts";
export * from "./stored/objects.ts";
export * from "./stored/packs.ts";
export * from "./stored/removals.ts";
export * from "./stored/screener.ts";
export * from "./stored/stored-series.ts";
