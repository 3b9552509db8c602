/** What was known of assets at a time: from the log that the builder writes at each activation. */

import { type LotMethod, type OwnCohort, RESOLUTIONS, type Resolution } from "../../data-schema/registry.ts";
import {
  currentKey,
  type Known,
  type KnownLine,
  knownKey,
  lotMethodsOf,
  type Manifest,
  METADATA,
  parseKnownChunk,
  parseReplaced,
  type ReplacedObject,
} from "../../data-schema/stored.ts";
import { readTwice } from "../bucket/read-twice.ts";
import { sideBySide } from "../bucket/side-by-side.ts";
import type { Context } from "../context.ts";
import { damaged, missing, Problem } from "../problems/problem.ts";
import type { AsKnown } from "../read/as-known.ts";
import { MOST_SUBREQUESTS } from "../read/plan-table.ts";
import type { KnownTime } from "../request/table-query.ts";
import { namedText } from "./named.ts";
import { readEntry } from "./read-changes.ts";

/** What a query is answered from. */
export interface Answerable {
  /** The manifests of the query's assets: the active ones, or as they were. */
  manifests: readonly Manifest[];
  /** The assets as they were known; null for what is known now. */
  known: readonly AsKnown[] | null;
  /** It has what is left of the request's reads. */
  context: Context;
}

/**
 * What is known now, or the assets of a query as they were known.
 *
 * @param time null for what is known now
 * @throws {Problem} 400 a log begins later; 500 a part of it is missing or cannot be read; 503 the store is out of reach
 */
export async function answerable(
  time: KnownTime | null,
  active: readonly Manifest[],
  context: Context,
): Promise<Answerable> {
  if (time === null) return { manifests: active, known: null, context };
  const reading = active.map((manifest) => asKnown(time, manifest, context));
  // If there are several problems, the first asset's is reported, whichever was found first.
  await Promise.allSettled(reading);
  const known = await Promise.all(reading);
  // The calls of a batch share what is left.
  const reads = context.reads ?? { left: MOST_SUBREQUESTS };
  for (const one of known) reads.left -= one.reads;
  return { manifests: known.map(({ manifest }) => manifest), known, context: { ...context, reads } };
}

/** Restatements that an answer goes back over: each has a list. */
const MOST_LISTS = 250;
/** Reads of the active manifest's metadata, and of its entry in the log of changes. */
const OTHER_READS = 2;

/** Lists that are read at once. */
const READS_AT_ONCE = 6;

/**
 * An asset as it was known.
 *
 * @param active its active manifest
 * @throws {Problem} 400 the log begins later; 500 a part of it is missing or cannot be read; 503 the store is out of reach
 */
async function asKnown(time: KnownTime, active: Manifest, context: Context): Promise<AsKnown> {
  const { symbol } = active;
  const log = await logOf(active, context);
  if (log === null) throw notKnown(symbol, null);
  if (time !== "first" && time < secondsOf(log.known.since)) throw notKnown(symbol, log.known.since);
  const { lines, chunks } = await linesFrom(time, symbol, log.known, context);
  const isFirst = time === "first";
  const shown = isFirst ? lines : lines.slice(lines.findLastIndex(({ at }) => secondsOf(at) <= time));
  const [known] = shown;
  const lists = shown.filter((line) => line !== known && line.replaced !== undefined).length;
  if (lists > MOST_LISTS) {
    throw new Problem(
      "too-many-reads",
      `${symbol} has been restated ${lists} times since: an answer goes back over up to ${MOST_LISTS}. Ask for a later time.`,
      { parameter: "known" },
    );
  }
  const replaced: (readonly ReplacedObject[])[] = [];
  const read = async (line: KnownLine) =>
    line === known || line.replaced === undefined ? [] : readReplaced(symbol, line.replaced, context);
  for await (const objects of sideBySide(shown, read, (_, pending) => pending < READS_AT_ONCE)) replaced.push(objects);
  const named = [...Object.keys(active.cohorts ?? {}), ...lines.flatMap(({ cohorts = [] }) => cohorts)] as OwnCohort[];
  const methods = [...new Set([...lotMethodsOf(active), ...lines.flatMap(({ lots = [] }) => lots)])];
  return {
    manifest: isFirst ? widened(active, lines, named, methods) : restored(active, known!),
    lines: shown,
    replaced,
    isFirst,
    cohorts: [...new Set(named)],
    lots: methods,
    reads: OTHER_READS + chunks + lists,
    tag: isFirst ? `first ${log.change}` : `${known!.n}`,
  };
}

const secondsOf = (iso: string) => Date.parse(iso) / 1000;

function notKnown(symbol: string, since: string | null): Problem {
  const detail =
    since === null
      ? `What was known of ${symbol} has not been logged yet: its next build begins the log.`
      : `What was known of ${symbol} has been logged since ${since}: known is an earlier time.`;
  return new Problem("invalid-parameter", detail, {
    parameter: "known",
    ...(since !== null && { allowed: ["first", `a time from ${since} on`], suggestion: since }),
  });
}

/**
 * The log up to the activation of a manifest.
 *
 * @returns null if there is none
 * @throws {Problem} 500 another build is active by now, or a part cannot be read; 503 the store is out of reach
 */
async function logOf({ symbol, build }: Manifest, context: Context): Promise<{ change: number; known: Known } | null> {
  const key = currentKey(symbol);
  const head = await readTwice(key, () => context.bindings.BUCKET.head(key), context);
  if (head === null) throw missing(key);
  const listed = METADATA.catalog.read(head.customMetadata?.catalog, key);
  if (listed === undefined || listed.build !== build) throw damaged(`${key} is no longer the one that was read`);
  if (listed.activation?.knownSince === undefined) return null;
  const { change } = listed.activation;
  const { known } = await readEntry(symbol, change, context);
  if (known === undefined) throw damaged(`the entry ${change} of the log of ${symbol} lacks what was known`);
  return { change, known };
}

/** The lines from that of a time on, or all. */
async function linesFrom(time: KnownTime, symbol: string, known: Known, context: Context) {
  let { lines, older }: { lines: readonly KnownLine[]; older: string | null } = known;
  let chunks = 0;
  const isEnough = () => time !== "first" && secondsOf(lines[0]!.at) <= time;
  while (older !== null && !isEnough()) {
    const chunk = await readChunk(symbol, older, context);
    lines = [...chunk.lines, ...lines];
    older = chunk.older;
    chunks++;
  }
  return { lines, chunks };
}

/** @throws {Problem} 500 it is missing, or cannot be read; 503 the store is out of reach */
export const readChunk = (symbol: string, hash: string, context: Context) =>
  readNamed(symbol, hash, parseKnownChunk, context);

async function readReplaced(symbol: string, hash: string, context: Context): Promise<readonly ReplacedObject[]> {
  return (await readNamed(symbol, hash, parseReplaced, context)).objects;
}

/** Reads a part of the log, which is named by its content. */
async function readNamed<T extends { symbol: string }>(
  symbol: string,
  hash: string,
  parse: (text: string) => T,
  context: Context,
): Promise<T> {
  const key = knownKey(symbol, hash);
  const text = await namedText(key, hash, context);
  try {
    const part = parse(text);
    if (part.symbol === symbol) return part;
  } catch (cause) {
    throw damaged(`${key} cannot be read`, cause);
  }
  throw damaged(`${key} is of another asset`);
}

/** The active manifest with what an activation published. */
function restored(active: Manifest, { build, asOf, engine, ranges, cohorts = [], lots = [] }: KnownLine): Manifest {
  return {
    ...active,
    build,
    asOf,
    engine,
    cohorts: namesOnly(cohorts),
    lots: methodsOnly(lots),
    resolutions: resolutionsOf(active, (resolution) => ranges[resolution]),
  };
}

/** Own cohorts of which nothing is known but their names. */
const namesOnly = (cohorts: readonly OwnCohort[]): NonNullable<Manifest["cohorts"]> =>
  Object.fromEntries(cohorts.map((cohort) => [cohort, { sha256: "", addresses: 0, holders: 0 }]));

/** Methods of which nothing is known but their names. */
const methodsOnly = (methods: readonly LotMethod[]): NonNullable<Manifest["lots"]> =>
  Object.fromEntries(methods.map((method) => [method, { lots: 0 }]));

/** The active manifest with all ranges, own cohorts and lots that have been published, as of the latest time that one was. */
function widened(
  active: Manifest,
  lines: readonly KnownLine[],
  cohorts: readonly OwnCohort[],
  methods: readonly LotMethod[],
): Manifest {
  // After a rollback, the active build is not the latest one.
  const latest = [active, ...lines].reduce((one, other) =>
    Date.parse(other.asOf) > Date.parse(one.asOf) ? other : one,
  );
  return {
    ...active,
    asOf: latest.asOf,
    cohorts: namesOnly(cohorts),
    lots: methodsOnly(methods),
    resolutions: resolutionsOf(active, (resolution) => {
      const published = lines.filter(({ ranges }) => ranges[resolution] !== undefined);
      const ranges = published.flatMap(({ ranges }) => (ranges[resolution] ? [ranges[resolution]] : []));
      if (ranges.length === 0) return published.length === 0 ? undefined : null;
      return [Math.min(...ranges.map(([first]) => first)), Math.max(...ranges.map(([, last]) => last))];
    }),
  };
}

/** Resolutions with the ranges that they had, and the periods in which their objects are now. */
function resolutionsOf(
  active: Manifest,
  rangeAt: (resolution: Resolution) => readonly [first: number, last: number] | null | undefined,
): Manifest["resolutions"] {
  const entries = RESOLUTIONS.flatMap((resolution) => {
    const range = rangeAt(resolution);
    if (range === undefined) return [];
    const [first, last] = range ?? [null, null];
    const { periods } = active.resolutions[resolution] ?? { periods: [] };
    const at = (t: number | null) => (resolution === "block" && t !== null ? { block: 0, t } : t);
    return [[resolution, { first: at(first), last: at(last), periods }]];
  });
  return Object.fromEntries(entries) as Manifest["resolutions"];
}
