/** Brings prices.csv up to date: hours are added, and never changed unless all are computed again. */

import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type FetchedPrices, type PriceProof, TABLES } from "../../input/fetched.ts";
import type { StampedPrices } from "../../input/price-stamp.ts";
import { isOwnPrices, type PricePool, type PriceSource } from "../../input/source.ts";
import { Failure } from "../../lib/failure.ts";
import { count, counted } from "../../lib/terminal/amounts.ts";
import type { Block } from "../chain/blocks.ts";
import type { Nodes } from "../chain/nodes.ts";
import type { LogSource } from "../chain/pages.ts";
import type { LogTimes } from "../log-times.ts";
import { isoTime, startOfHour } from "../periods.ts";
import { archiveOf } from "./archives.ts";
import type { HourlyNotices, HourPrice } from "./hourly.ts";
import { POOL_KINDS } from "./kinds.ts";
import type { Facts } from "./pool.ts";
import { appendPrices, type ChangedHour, changedHours, formatPrices, readPriceFile } from "./price-file.ts";
import { FEEDS_PROVEN_BY } from "./proof.ts";
import { type ProvenHours, readPoolPrices } from "./read-pools.ts";
import { rowsThatStay } from "./rows-that-stay.ts";
import type { AllFacts } from "./states.ts";
import { resolvePools } from "./venues.ts";

export interface PriceWork {
  nodes: Nodes;
  logs: LogSource;
  /** The member `source.prices` of ASSET.json; a path needs no update. */
  source: PriceSource;
  contract: string;
  decimals: number;
  /** `inputs/<SYMBOL>`. The journal is below its `.part/prices`. */
  folder: string;
  /** The asset's first block, and the last block before `asOf`. */
  first: Block;
  last: Block;
  /** End of the last final day, Unix seconds: hours that end after it are left for another night. */
  asOf: number;
  confirmations?: number | undefined;
  /** What the last update returned, from fetch.json. */
  previous?: FetchedPrices | undefined;
  /** Computes all hours again, and replaces those that differ: `--recheck prices`. */
  recheck?: boolean;
  /** Asks whether they are to be replaced. @throws {Failure} they are not */
  confirm?: ((question: string) => Promise<void>) | undefined;
  /** Blocks of the first page of logs, if it is known how many have few enough. */
  firstPage?: number | undefined;
  times: LogTimes;
  signal?: AbortSignal | undefined;
  onNotice?(text: string): void;
  onProgress?(done: number, total: number): void;
}

export interface UpdatedPrices {
  /** Rows that are new, and those that were replaced, added or removed by a recheck. */
  rows: number;
  replaced: number;
  /** The logs of pools and feeds that were read, and their blocks; absent if none were. */
  read?: ProvenHours["read"];
  /** For fetch.json. */
  done: FetchedPrices;
  /** The whole file as it has to be; undefined if it stays as it is. */
  csv: string | undefined;
  /** Removes the journal: the rows are in place. */
  clear(): Promise<void>;
}

/**
 * Computes the hours since the last update, or all. Writes nothing but its journal.
 *
 * @returns undefined if the source is a CSV of the user's own
 * @throws {Failure} the source can't be read, its hours can't be proven, or prices.csv was changed
 */
export async function updatePrices(work: PriceWork): Promise<UpdatedPrices | undefined> {
  const { source, folder, asOf, previous, recheck = false } = work;
  if (isOwnPrices(source)) return undefined;
  const path = join(folder, TABLES.prices);
  // What is not a file of prices any more is replaced by a recheck.
  const file = readPriceFile(path);
  const before = recheck ? await file.catch(() => undefined) : await file;
  const digest = createHash("sha256").update(JSON.stringify(source)).digest("hex").slice(0, 16);
  const isOther = previous !== undefined && previous.source !== digest && !recheck;
  const isContinued = "pools" in source && previous?.source === digest && !recheck;
  const first = startOfHour(work.first.time);
  const done = Math.max(before?.last ?? 0, isContinued ? startOfHour(Date.parse(previous.until) / 1000) : 0);
  const start = recheck ? first : Math.max(first, done);
  const end = startOfHour(asOf);
  if (!recheck) for (const text of rowsThatStay(source, previous, digest, start)) work.onNotice?.(text);
  if (start >= end) {
    // Nothing is new, so nothing needs to be proven.
    const until = isoOf(Math.max(start, end));
    const rows = before?.rows ?? 0;
    return {
      rows: 0,
      replaced: 0,
      csv: undefined,
      clear: () => clearJournal(folder),
      // Of a source that has changed, there is no row yet.
      done: isOther ? previous : { ...(isContinued && previous), until, source: digest, rows },
    };
  }
  const { hours, proof, read } = await readHours(work, source, start, end, recheck);
  const changed = recheck ? changedHours(before ?? NO_FILE, hours) : [];
  if (recheck) await confirmChanges(work, changed, hours.length, before === undefined);
  const after = recheck ? { text: formatPrices(hours), added: 0 } : appendPrices(before!, hours);
  const isChanged = recheck ? changed.length > 0 || before === undefined : after.added > 0;
  return {
    rows: after.added,
    replaced: changed.length,
    ...(read && { read }),
    csv: isChanged ? after.text : undefined,
    done: {
      until: isoOf(end),
      source: digest,
      rows: recheck ? hours.length : before!.rows + after.added,
      ...(proof && { proof }),
    },
    clear: () => clearJournal(folder),
  };
}

const NO_FILE = { text: "", rows: 0, last: undefined, prices: new Map<number, string>() };
const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString();

const journalOf = (folder: string) => join(folder, ".part", "prices");

/** Removes the journal, and what lies beside it: logs from before the first hour, and those of single nodes. */
async function clearJournal(folder: string): Promise<void> {
  for (const name of await readdir(join(folder, ".part")).catch(() => [])) {
    if (/^prices([-.]|$)/.test(name)) await rm(join(folder, ".part", name), { recursive: true, force: true });
  }
}

/** Hours that a recheck names. */
const NAMED = 10;

/** @throws {Failure} the user does not want the changes */
async function confirmChanges(
  { onNotice, confirm }: PriceWork,
  changed: readonly ChangedHour[],
  hours: number,
  isUnreadable: boolean,
): Promise<void> {
  if (changed.length === 0 && !isUnreadable) {
    onNotice?.(`Prices: all ${count(hours)} hours were computed again, and none differs.`);
    return;
  }
  const named = changed
    .slice(0, NAMED)
    .map(({ end, before, now }) => `${isoTime(end)} (${now ?? "none"}, was ${before ?? "none"})`);
  const more = changed.length > NAMED ? ` and ${count(changed.length - NAMED)} more` : "";
  onNotice?.(
    `Prices: of ${count(hours)} hours that were computed again, ${counted(changed.length, "hour")} ` +
      `${changed.length === 1 ? "differs" : "differ"}: ${named.join(", ")}${more}.`,
  );
  const question = `Replace ${counted(changed.length, "hour")} of prices.csv? The next build is then a full one`;
  if (!confirm) throw new Failure(`${question}. Say so with --yes. Nothing was changed.`);
  await confirm(question);
}

/** The hours of [start, end) that have a price, ascending; and what proves them. */
async function readHours(
  work: PriceWork,
  source: Exclude<PriceSource, string | StampedPrices>,
  start: number,
  end: number,
  recheck: boolean,
): Promise<{ hours: HourPrice[]; proof?: PriceProof; read?: ProvenHours["read"] }> {
  const { nodes, contract, signal, onProgress, onNotice, previous } = work;
  const range = { start, end, signal, onProgress };
  const archive = archiveOf(source);
  if (archive) return { hours: await archive.read({ chainId: nodes.chainId, contract }, range) };
  const { pools } = source as { pools: PricePool[] };
  const before = recheck ? undefined : previous?.proof;
  const found = await pricesOfPools(work, pools, start, end, before);
  for (const text of noticesOf(found.notices)) onNotice?.(text);
  const proof = proofOf(found, work.last, before?.since ?? isoOf(start), pools);
  return { hours: found.hours, proof, read: found.read };
}

async function pricesOfPools(
  work: PriceWork,
  pools: readonly PricePool[],
  start: number,
  end: number,
  before: PriceProof | undefined,
) {
  const { nodes, contract, decimals, folder, first } = work;
  const resolved = await resolvePools(nodes, { contract, decimals }, pools);
  const facts = before && {
    pools: parsed(before.pools),
    rounds: parsed(before.rounds),
    feeds: parsed(before.feeds),
  };
  return readPoolPrices({
    ...work,
    start,
    end,
    pools: resolved,
    folder: journalOf(folder),
    assetBlock: first.number,
    before: facts && { block: before.last, facts },
  });
}

function proofOf({ block, facts }: ProvenHours, last: Block, since: string, pools: readonly PricePool[]): PriceProof {
  const kinds = [...new Set(pools.map(({ kind }) => kind))].sort();
  const hasFeeds = Object.keys(facts.rounds).length > 0;
  return {
    since,
    block: block.number,
    hash: block.hash,
    means: {
      ...Object.fromEntries(kinds.map((kind) => [kind, POOL_KINDS[kind].proves])),
      ...(hasFeeds && { feed: FEEDS_PROVEN_BY }),
    },
    last: last.number,
    pools: written(facts.pools),
    rounds: written(facts.rounds),
    feeds: written(facts.feeds),
  };
}

/** Facts as decimal numbers, for JSON. */
const written = (facts: AllFacts[keyof AllFacts]): PriceProof["pools"] => mapFacts(facts, String);
const parsed = (facts: PriceProof["pools"]): Record<string, Facts> => mapFacts(facts, BigInt);

function mapFacts<A, B>(facts: Readonly<Record<string, Readonly<Record<string, A>>>>, of: (value: A) => B) {
  return Object.fromEntries(
    Object.entries(facts).map(([address, values]) => [
      address,
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, of(value)])),
    ]),
  );
}

function* noticesOf({ outliers, late }: HourlyNotices): Generator<string> {
  if (outliers > 0) yield `Prices: outliers were left out of ${outliers} hours.`;
  for (const [feed, hours] of late) {
    yield `Prices: ${hours} hours use an answer of the feed ${feed} that was older than 25 hours.`;
  }
}
