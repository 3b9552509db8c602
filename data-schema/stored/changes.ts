/**
 * The log of activations: an entry says why a build became the active one, and what it changed of the values that the
 * build before had published. Source: docs/formats.md#changes.
 */

import * as v from "valibot";
import { RESOLUTIONS } from "../registry/resolutions.ts";
import { buildIdField, iso, positive, tableField, time, wholeCount } from "./fields.ts";
import { knownSchema } from "./known-log.ts";

/** Version of the entries that are written. */
export const CHANGES_VERSION = 1;

/** An entry names so many of the months that changed. */
export const MAX_CHANGED_MONTHS = 12;

/** Rows of an input in a calendar month (`YYYY-MM`), and how many the build before had read. */
const month = v.strictObject({ month: v.string(), rows: wholeCount, before: wholeCount });
const months = v.pipe(v.array(month), v.minLength(1), v.maxLength(MAX_CHANGED_MONTHS));

const cause = v.variant("kind", [
  /** There was no build before. */
  v.strictObject({ kind: v.literal("first-build") }),
  /** The build resumed: only events at or after `from` were read. */
  v.strictObject({ kind: v.literal("new-events"), from: iso }),
  /** An operator activated an earlier build again. */
  v.strictObject({ kind: v.literal("rollback") }),
  /** The whole history was replayed for another reason: a clause. */
  v.strictObject({ kind: v.literal("rebuild"), reason: v.string() }),
  v.strictObject({ kind: v.literal("format") }),
  v.strictObject({ kind: v.literal("engine"), now: v.string(), before: v.string() }),
  /** A parameter in ASSET.json. */
  v.strictObject({ kind: v.literal("parameter"), name: v.string(), now: v.string(), before: v.string() }),
  /** `asOf` lies before the end of the last day of the build before, `day`. */
  v.strictObject({ kind: v.literal("earlier-as-of"), day: v.string() }),
  /** Prices before `day`. `count` is the number of months with other prices, of which `months` lists the first. */
  v.strictObject({ kind: v.literal("prices"), day: v.string(), count: positive, months }),
  /** Prices that the operator has corrected: how many corrections differ, and the first; "none" where there is none. */
  v.strictObject({
    kind: v.literal("corrections"),
    count: positive,
    first: v.strictObject({ time: iso, now: v.string(), before: v.string(), reason: v.string() }),
  }),
  /** Files of transfers or of blocks: how many, and what is wrong with the first. */
  v.strictObject({
    kind: v.literal("files"),
    count: positive,
    first: v.variant("problem", [
      v.strictObject({ problem: v.picklist(["changed", "missing", "unreadable"]), file: v.string() }),
      /** It has new rows of blocks that had been read before, up to `block`. */
      v.strictObject({ problem: v.literal("late-rows"), file: v.string(), rows: positive, block: wholeCount }),
    ]),
  }),
  /** Months whose transfers differ: how many, and the first of them. */
  v.strictObject({ kind: v.literal("transfers"), count: positive, months }),
  /** Lists of own cohorts: which, by name. Only their own series change. */
  v.strictObject({
    kind: v.literal("cohorts"),
    lists: v.pipe(
      v.array(v.strictObject({ cohort: v.string(), change: v.picklist(["added", "changed", "removed"]) })),
      v.minLength(1),
    ),
  }),
  /** The operator's calendar: how many events it has, and had. No series changes. */
  v.strictObject({ kind: v.literal("calendar"), events: wholeCount, before: wholeCount }),
  /** The table of deposit addresses: how many it has, and how many came and went. */
  v.strictObject({ kind: v.literal("deposits"), addresses: wholeCount, came: wholeCount, went: wholeCount }),
  /** Labels of addresses that had held the token: how many differ, and the first of them. */
  v.strictObject({
    kind: v.literal("labels"),
    count: positive,
    first: v.strictObject({ address: v.string(), now: v.string(), before: v.string() }),
  }),
]);

/** The points of one metric at one resolution that differ from those of the build before; or of all metrics of an own cohort, or of a method of lots. */
const seriesChange = v.strictObject({
  resolution: v.picklist(RESOLUTIONS),
  metric: tableField,
  /** Time of the first of them, Unix seconds. */
  first: time,
  /** The changed points of all selectors together. */
  points: positive,
  /** How many of them only this build has, and how many only the build before. A sum of 0 is no point. */
  appeared: wholeCount,
  disappeared: wholeCount,
  /** The largest |now − before| / |before| of those that both have; null if none of them was other than 0. */
  largest: v.nullable(v.pipe(v.number(), v.finite(), v.minValue(0))),
});

/** An entry, and the catalog, know so many nights. */
export const MAX_NIGHTS = 10;

/** As-of of the last nights, and the seconds from there until a build of it was activated; ascending. Unix seconds. */
const nights = v.pipe(v.array(v.tuple([wholeCount, wholeCount])), v.maxLength(MAX_NIGHTS));

const entrySchema = v.strictObject({
  schema: v.literal(CHANGES_VERSION),
  symbol: v.string(),
  /** Its number; ascending, but not without gaps: a build that was never activated may have left one. */
  n: positive,
  /** The number of the entry before; null if there is none. */
  previous: v.nullable(positive),
  build: buildIdField,
  /** The build that was active before; null if there was none. */
  previousBuild: v.nullable(buildIdField),
  asOf: iso,
  /** When it was written: just before the activation. */
  activated: iso,
  nights,
  /** The causes, in no order of weight; at least one. */
  causes: v.pipe(v.array(cause), v.minLength(1)),
  /** By resolution, in registry order. What has not changed is not listed. */
  series: v.array(seriesChange),
  /** Objects that could not be compared, since those of the build before are missing or damaged. */
  uncompared: wholeCount,
  /** What was known when; absent in entries of 0.3 and before. */
  known: v.exactOptional(knownSchema),
});

/** Every kind of cause. */
export const CAUSE_KINDS = cause.options.map(({ entries }) => entries.kind.literal);

/** What the catalog says of the activation of a build: its entry in short. */
export const activationSchema = v.strictObject({
  at: iso,
  change: positive,
  nights,
  /** The first time of which all is known. */
  knownSince: v.exactOptional(iso),
});

export type Activation = v.InferOutput<typeof activationSchema>;
export type Cause = v.InferOutput<typeof cause>;
export type ChangedMonth = v.InferOutput<typeof month>;
export type SeriesChange = v.InferOutput<typeof seriesChange>;
export type ChangeEntry = v.InferOutput<typeof entrySchema>;

/**
 * Reads an entry.
 *
 * @throws {Error} not JSON, another schema version, or a field that is missing, unknown or malformed
 */
export function parseChangeEntry(text: string): ChangeEntry {
  return v.parse(entrySchema, JSON.parse(text));
}

const summarySchema = v.object(v.pick(entrySchema, ["build", "previousBuild", "asOf"]).entries);

/** What a list call shows of an entry: its custom metadata `change` (JSON). */
export type ChangeSummary = v.InferOutput<typeof summarySchema>;

/** The short form of an entry. */
export function changeSummary({ build, previousBuild, asOf }: ChangeEntry): ChangeSummary {
  return { build, previousBuild, asOf };
}

/** Reads the custom metadata; undefined if there is none, or if another version wrote it. */
export function parseChangeSummary(text: string | undefined): ChangeSummary | undefined {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), summarySchema), text);
  return result.success ? result.output : undefined;
}
