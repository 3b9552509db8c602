/**
 * Brings prices.csv up to date: hours are added. Published ones are computed again if the user asks for it, if the chain has
 * replaced their blocks, or if the states that the last proof has left turn out wrong.
 */

import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isoTime } from "../../../data-schema/text.ts";
import type { StampedPrices } from "../../input/asset/price-stamp.ts";
import { isOwnPrices, type PricePool, type PriceSource } from "../../input/asset/source.ts";
import { type FetchedPrices, type PriceProof, TABLES } from "../../input/fetched/fetched.ts";
import { Failure } from "../../lib/failure.ts";
import { count, counted } from "../../lib/terminal/amount-text.ts";
import type { Block } from "../chain/blocks.ts";
import type { LogSource } from "../chain/logs/pages.ts";
import type { Nodes } from "../chain/nodes/nodes.ts";
import type { Meet } from "../chain/rendezvous.ts";
import { startOfHour } from "../times/file-periods.ts";
import type { LogTimes } from "../times/log-times.ts";
import { archiveOf } from "./archives/archives.ts";
import type { HourlyNotices, HourPrice } from "./hourly.ts";
import type { Facts } from "./pools/pool.ts";
import { POOL_KINDS } from "./pools/pool-kinds.ts";
import type { AllFacts } from "./pools/pool-states.ts";
import { FEEDS_PROVEN_BY } from "./pools/proof.ts";
import { resolvePools } from "./pools/venues.ts";
import { appendPrices, type ChangedHour, changedHours, EMPTY, readPriceFile, replacePrices } from "./price-file.ts";
import { type ProvenHours, readPoolPrices, UnprovenPrices } from "./read-pools.ts";
import { rowsThatStay } from "./rows-that-stay.ts";

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
  recheck?: boolean | undefined;
  /** Replaces hours that turn out wrong: `--repair`. */
  repair?: boolean | undefined;
  /** From this time on, Unix seconds, the chain has replaced blocks: hours of pools are computed again. */
  replacedFrom?: number | undefined;
  /** Asks whether hours are to be replaced by a recheck. @throws {Failure} they are not */
  confirm?: ((question: string) => Promise<void>) | undefined;
  /** Blocks of the first page of logs, if it is known how many have few enough. */
  firstPage?: number | undefined;
  times: LogTimes;
  signal?: AbortSignal | undefined;
  onNotice?(text: string): void;
  onProgress?(done: number, total: number): void;
  /** Waits for others that are about to ask an archive. */
  meet?: Meet | undefined;
}

export interface UpdatedPrices {
  /** Rows that are new, and those that were replaced, added or removed where hours were computed again. */
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
 * Computes the hours since the last update, or earlier ones, too. Writes nothing but its journal.
 *
 * @returns undefined if the source is a CSV of the user's own
 * @throws {Failure} the source can't be read, its hours can't be proven, prices.csv was changed, or its hours are wrong
 */
export async function updatePrices(work: PriceWork): Promise<UpdatedPrices | undefined> {
  const { source, folder, asOf, previous, recheck = false } = work;
  if (isOwnPrices(source)) return undefined;
  const path = join(folder, TABLES.prices);
  // What is not a file of prices any more is replaced by a recheck.
  const file = readPriceFile(path);
  const before = recheck ? await file.catch(() => undefined) : await file;
  const digest = createHash("sha256").update(JSON.stringify(source)).digest("hex").slice(0, 16);
  const isSame = previous?.source === digest;
  const isOther = previous !== undefined && !isSame && !recheck;
  const isContinued = "pools" in source && isSame && !recheck;
  const first = startOfHour(work.first.time);
  const done = Math.max(before?.last ?? 0, isContinued ? hourOf(previous.until) : 0);
  const span = { first, start: recheck ? first : Math.max(first, done), end: startOfHour(asOf) };
  const { start, end } = span;
  const others = isSame ? previous.sourceSince : previous && before?.last && isoOf(start);
  const origin = { source: digest, ...(others && !recheck && { sourceSince: others }) };
  if (!recheck) for (const text of rowsThatStay(source, previous, digest, start)) work.onNotice?.(text);
  const found = await findHours(work, source, span, isContinued ? previous : undefined);
  if (!found) {
    // Nothing is new, so nothing needs to be proven.
    const until = isoOf(Math.max(start, end));
    const rows = before?.rows ?? 0;
    return {
      rows: 0,
      replaced: 0,
      csv: undefined,
      clear: () => clearJournal(folder),
      // A source that has changed has no row yet.
      done: isOther ? previous : { ...(isContinued && previous), until, ...origin, rows },
    };
  }
  const { hours, proof, read, again } = found;
  const published = recheck ? Number.POSITIVE_INFINITY : start;
  const changed =
    again === undefined ? [] : changedHours(before ?? EMPTY, again, hours).filter(({ end }) => end <= published);
  if (again !== undefined) await agreeTo(work, changed, hours.length, before === undefined);
  const after = again === undefined ? appendPrices(before!, hours) : replacePrices(before ?? EMPTY, again, hours);
  const added = hours.filter(({ end }) => end > published).length;
  return {
    rows: added,
    replaced: changed.length,
    ...(read && { read }),
    csv: changed.length + added > 0 || before === undefined ? after.text : undefined,
    done: { until: isoOf(end), ...origin, rows: after.rows, ...(proof && { proof }) },
    clear: () => clearJournal(folder),
  };
}

const hourOf = (iso: string) => startOfHour(Date.parse(iso) / 1000);
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

/**
 * Says what differs in hours that were computed again.
 *
 * @throws {Failure} nobody has agreed to replace them
 */
async function agreeTo(
  { recheck, repair, onNotice, confirm }: PriceWork,
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
  const differ =
    `Prices: of ${count(hours)} hours that were computed again, ${counted(changed.length, "hour")} ` +
    `${changed.length === 1 ? "differs" : "differ"}: ${named.join(", ")}${more}.`;
  if (!recheck && !repair) {
    throw new Failure(
      `${differ} They were published after a node had left out logs of pools or feeds. Nothing was changed. Run soprano ` +
        "fetch with --repair, which replaces them; the next build is then a full one.",
    );
  }
  onNotice?.(repair ? `${differ} They are replaced; the next build is a full one.` : differ);
  if (repair) return;
  const question = `Replace ${counted(changed.length, "hour")} of prices.csv? The next build is then a full one`;
  if (!confirm) throw new Failure(`${question}. Say so with --yes. Nothing was changed.`);
  await confirm(question);
}

type FetchedSource = Exclude<PriceSource, string | StampedPrices>;

interface Span {
  /** Start of the asset's first hour, and of the first that has not been computed; end of the last. Unix seconds. */
  first: number;
  start: number;
  end: number;
}

interface FoundHours {
  /** Hours that have a price, ascending. */
  hours: HourPrice[];
  proof?: PriceProof;
  read?: ProvenHours["read"];
  /** Hours that end after this time take the place of those of prices.csv, Unix seconds; absent if all are new. */
  again?: number;
}

/**
 * @param continued what the last update has left of the same pools
 * @returns undefined if no hour is new, and none has to be computed again
 */
async function findHours(
  work: PriceWork,
  source: FetchedSource,
  { first, start, end }: Span,
  continued: FetchedPrices | undefined,
): Promise<FoundHours | undefined> {
  const { previous, recheck, repair, replacedFrom } = work;
  const { proof } = previous ?? {};
  const anew = async (from: number, again = from): Promise<FoundHours | undefined> => {
    const since = recheck ? undefined : proof?.since;
    return from < end ? { ...(await readHours(work, source, from, end, since)), again } : undefined;
  };
  if (recheck) return anew(first, Number.NEGATIVE_INFINITY);
  if (replacedFrom !== undefined && "pools" in source) return anew(Math.max(first, startOfHour(replacedFrom)));
  const isNew = start < end;
  // A repair proves what has been kept even so.
  if (!isNew && !(repair && continued?.proof)) return undefined;
  try {
    const found = await readHours(work, source, start, Math.max(start, end), proof?.since, proof);
    return isNew ? found : undefined;
  } catch (error) {
    if (!(error instanceof UnprovenPrices && error.areStatesDoubtful)) throw error;
    // What the states have led to may be wrong, too, but not what came from other sources.
    if (!continued) return anew(start);
    const times = [proof!.since, continued.sourceSince ?? proof!.since].map(hourOf);
    return anew(Math.max(first, ...times));
  }
}

/**
 * The hours of [start, end), and what proves them.
 *
 * @param since when the hours that have been proven began; by default, these are the first
 * @param before the proof to continue; without, it begins with the pools' creation
 */
async function readHours(
  work: PriceWork,
  source: FetchedSource,
  start: number,
  end: number,
  since = isoOf(start),
  before?: PriceProof,
): Promise<FoundHours> {
  const { nodes, contract, signal, onProgress, onNotice, meet } = work;
  const range = { start, end, signal, onProgress };
  const archive = archiveOf(source);
  if (archive) {
    await meet?.("prices");
    return { hours: await archive.read({ chainId: nodes.chainId, contract }, range) };
  }
  const { pools } = source as { pools: PricePool[] };
  const found = await pricesOfPools(work, pools, start, end, before);
  for (const text of noticesOf(found.notices)) onNotice?.(text);
  return { hours: found.hours, proof: proofOf(found, work.last, since, pools), read: found.read };
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
