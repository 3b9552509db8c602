/** Writes the log of changes: an entry for each activation, before the swap. Source: docs/formats.md#changes. */

import { isDeepStrictEqual } from "node:util";
import {
  type Activation,
  type Cause,
  CHANGES_VERSION,
  type ChangeEntry,
  changeKey,
  changeNumber,
  changePrefix,
  MAX_NIGHTS,
  type Manifest,
  parseChangeEntry,
} from "../../../data-schema/stored.ts";
import type { ObjectStore } from "../../store/store.ts";
import { sha256Hex } from "../../store/stored-content.ts";
import { type BuildComparison, compareBuilds } from "../history/compare-builds.ts";
import { parsedText } from "../read/readable.ts";
import { isAhead, onTime } from "./clocks.ts";
import { knownWith, ReplacedWriter } from "./write-known-log.ts";
import { changeMetadata } from "./write-metadata.ts";

/** Why a build is activated. */
export interface ActivationReason {
  causes: readonly Cause[];
  /** Unix seconds: the build has taken over all points before from the active one. */
  unchangedBefore?: number | undefined;
}

/**
 * Writes the entry of an activation. An entry counts once the catalog's metadata of the active manifest names its number,
 * or a later entry names it as the one before. Entries are never overwritten, so builds that race for a number take
 * different ones, and a run that is repeated has the time of its own swap.
 *
 * @param active the manifest to be replaced; undefined if there is none, or none that can be read
 * @param isUnreadable whether there is one that can't be read
 * @param tell called with a sentence if the clocks of two machines differ
 * @param number that of the active build's entry, if the catalog names it: then the log need not be listed
 * @returns the entry in short
 */
export async function recordChange(
  store: ObjectStore,
  manifest: Manifest,
  active: Manifest | undefined,
  isUnreadable: boolean,
  { causes, unchangedBefore }: ActivationReason,
  tell: (sentence: string) => void = () => {},
  number?: number,
): Promise<Activation> {
  const { symbol, build, asOf } = manifest;
  const entries = (await namedEntry(store, active, number)) ?? (await listedEntries(store, symbol));
  const [highest = 0] = entries.keys();
  const found = active && (await entryOf(store, active, [...entries.keys()]));
  const before = found && onTime(found, entries, new Date(), tell);
  // Published once more, because something of it was missing: it changes nothing.
  if (before?.build === build) return activationOf(before);
  // An active manifest that can't be read doesn't tell its build.
  const previous = isUnreadable ? highest : (before?.n ?? 0);
  const log = before?.known && new ReplacedWriter(store, symbol);
  const compared = active ? await compareBuilds(store, active, manifest, unchangedBefore, log?.keep) : NOTHING;
  const replaced = (await log?.finish()) ?? null;
  const known = compared.uncompared === 0 ? before?.known : undefined;
  const entry: Omit<ChangeEntry, "n" | "activated" | "nights" | "known"> = {
    schema: CHANGES_VERSION,
    symbol,
    previous: previous || null,
    build,
    previousBuild: active?.build ?? null,
    asOf,
    causes: active || isUnreadable ? [...causes] : [FIRST_BUILD],
    ...compared,
  };
  for (let n = highest + 1; ; n++) {
    // Two machines' clocks may differ: later activations have later times all the same.
    const now = new Date(Math.max(Date.now(), Date.parse(before?.activated ?? "1970-01-01") + 1));
    const activated = now.toISOString();
    const dated: ChangeEntry = {
      ...entry,
      n,
      activated,
      nights: nightsUpTo(asOf, now, before?.nights),
      known: await knownWith(store, known, manifest, { n, activated, replaced }),
    };
    // There may be one because only the answer to its writing was lost.
    if ((await put(store, dated)) || isDeepStrictEqual(await read(store, symbol, n), dated)) return activationOf(dated);
  }
}

const activationOf = ({ n, activated, nights, known }: ChangeEntry): Activation => ({
  at: activated,
  change: n,
  nights,
  ...(known && { knownSince: known.since }),
});

/** Entries that are read at most. */
const MOST_READ = 100;

/** The entries that count, that of the active build first. Ends at one that can't be read, and after a hundred. */
export async function* activations(store: ObjectStore, active: Manifest): AsyncGenerator<ChangeEntry> {
  let entry = await entryOf(store, active, [...(await listedEntries(store, active.symbol)).keys()]);
  for (let count = 0; entry && count < MOST_READ; count++) {
    yield entry;
    entry = entry.previous === null ? undefined : await read(store, active.symbol, entry.previous);
  }
}

/** The entry of the active build; undefined if there is none that can be read. */
export const lastActivation = async (store: ObjectStore, active: Manifest): Promise<ChangeEntry | undefined> =>
  (await activations(store, active).next()).value;

/** The numbers of all entries, descending, and when each was put. */
async function listedEntries(store: ObjectStore, symbol: string): Promise<Map<number, Date>> {
  const listed = Array.from(
    await store.list(changePrefix(symbol)),
    ([key, { uploaded }]) => [changeNumber(symbol, key), uploaded] as const,
  );
  return new Map(listed.filter(([n]) => n > 0).sort(([a], [b]) => b - a));
}

/**
 * The active build's entry alone. Others may follow it, of builds that were never activated.
 *
 * @returns undefined if it is not the one with the number, or its time has not come: then more has to be known of the log
 */
async function namedEntry(
  store: ObjectStore,
  active: Manifest | undefined,
  number: number | undefined,
): Promise<ReadonlyMap<number, Date> | undefined> {
  if (!active || number === undefined) return undefined;
  const entry = await read(store, active.symbol, number);
  if (entry?.build !== active.build || isAhead(entry, new Date())) return undefined;
  return new Map([[number, new Date(entry.activated)]]);
}

/** The entry of the active build, the newest of its name; undefined if there is none that can be read. */
async function entryOf(store: ObjectStore, { symbol, build }: Manifest, numbers: readonly number[]) {
  for (const n of numbers.slice(0, MOST_READ)) {
    const entry = await read(store, symbol, n);
    if (entry?.build === build) return entry;
  }
  return undefined;
}

const NOTHING: BuildComparison = { series: [], uncompared: 0 };

const FIRST_BUILD: Cause = { kind: "first-build" };

/** @returns undefined if there is none, or none that can be read */
const read = async (store: ObjectStore, symbol: string, n: number): Promise<ChangeEntry | undefined> =>
  parsedText(await store.get(changeKey(symbol, n)), parseChangeEntry);

/** @returns false: there is one of this number */
function put(store: ObjectStore, entry: ChangeEntry): Promise<boolean> {
  const bytes = new TextEncoder().encode(JSON.stringify(entry));
  return store.put(changeKey(entry.symbol, entry.n), bytes, {
    contentType: "application/json",
    sha256: sha256Hex(bytes),
    metadata: changeMetadata(entry),
    replaces: null,
  });
}

type Nights = ChangeEntry["nights"];

/**
 * The nights up to an activation: of each its as-of, and the seconds from then until a build of it was activated for the
 * first time. A rollback, or another build of the same as-of, is not a night.
 *
 * @param asOf ISO 8601
 */
export function nightsUpTo(asOf: string, now: Date, before: Nights = []): Nights {
  const end = Date.parse(asOf) / 1000;
  if (end <= (before.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY)) return before;
  const latency = Math.max(0, Math.round(now.getTime() / 1000 - end));
  return [...before, [end, latency] satisfies [number, number]].slice(-MAX_NIGHTS);
}
