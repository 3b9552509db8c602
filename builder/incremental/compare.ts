/** Whether a checkpoint can be gone on from: what differs from what it was made from. */

import type { Prices } from "../engine/history.ts";
import type { FileDigest } from "../input/files.ts";
import { count } from "../terminal/amounts.ts";
import type { StoredCheckpoint } from "./checkpoint-file.ts";
import {
  digestPrices,
  type Month,
  type Origin,
  type OriginFile,
  type OriginTerms,
  termsOf,
  VERSIONS,
} from "./provenance.ts";
import { StartOver } from "./start-over.ts";

/** What a build is about to read. */
export interface Present {
  terms: OriginTerms;
  /** Unix seconds, where the asset says. */
  asOf?: number;
  labels: string;
  prices: Prices;
  files: readonly PresentFile[];
}

export interface PresentFile extends FileDigest {
  role: string;
  file: string;
  bytes: number;
}

/** How a file of today stands to those of the checkpoint. */
export interface FileSince {
  /** The one that it is, or that it grew from; undefined for a new one. */
  known?: OriginFile;
  /** Whether it is that one, byte for byte. */
  same: boolean;
}

/**
 * Compares what a checkpoint was made from with what is there now.
 *
 * @returns of each file of transfers and blocks, in their order, what it was
 * @throws {StartOver} the first thing that differs
 */
export function compareOrigin({ checkpoint, origin }: StoredCheckpoint, present: Present): FileSince[] {
  const utc = new Date(checkpoint.time * 1000).toISOString().slice(0, 10);
  for (const [differs, reason] of [
    [origin.schema !== VERSIONS.schema, "the format has changed"],
    [origin.engine !== VERSIONS.engine, `the engine is another one (${VERSIONS.engine}, was ${origin.engine})`],
    ...termReasons(origin, present),
    [
      present.asOf !== undefined && present.asOf < checkpoint.time,
      `asOf lies before the last build's last day, which ended on ${utc}`,
    ],
    [origin.labels !== present.labels, "labels have changed"],
    [origin.prices !== digestPrices(present.prices, checkpoint.time), `prices before ${utc} have changed`],
  ] as [boolean, string][]) {
    if (differs) throw new StartOver(reason);
  }
  return compareFiles(origin, present.files);
}

function termReasons(origin: Origin, { terms }: Present): [boolean, string][] {
  return Object.entries(termsOf(terms)).map(([term, value]) => {
    const was = origin.terms[term as keyof OriginTerms];
    return [String(was) !== String(value), `${term} has changed (${value}, was ${was})`];
  });
}

function compareFiles(origin: Origin, files: readonly PresentFile[]): FileSince[] {
  const left = new Set(origin.files);
  const since = files.map((file): FileSince => {
    const of = origin.files.filter(({ role }) => role === file.role);
    const same = of.find((known) => left.has(known) && known.sha256 === file.sha256);
    const grown = of.find((known) => left.has(known) && known.file === file.file && known.sha256 === file.before);
    const known = same ?? grown;
    if (known) left.delete(known);
    return { ...(known && { known }), same: same !== undefined };
  });
  for (const { file } of left) {
    const there = files.some((present) => present.file === file);
    throw new StartOver(there ? `${file} is not what it was` : `${file} is gone`);
  }
  return since;
}

/** The months in which the rows are not those that were read before, in a few words; undefined when all are the same. */
export function changedMonths(
  before: Readonly<Record<string, Month>>,
  now: Readonly<Record<string, Month>>,
): string | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  const changed = names.filter((name) => before[name]?.digest !== now[name]?.digest);
  if (changed.length === 0) return undefined;
  const rows = (months: Readonly<Record<string, Month>>, name: string) => count(months[name]?.rows ?? 0);
  const list = changed
    .slice(0, MOST_MONTHS)
    .map((name) => `${name} (${rows(now, name)} rows, were ${rows(before, name)})`);
  const more = changed.length - list.length;
  return `${list.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

const MOST_MONTHS = 6;
