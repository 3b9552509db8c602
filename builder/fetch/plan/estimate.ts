/** How much a fetch will ask of its nodes, estimated from a few ranges of the history. Source: docs/chain.md#fetch. */

import { Failure } from "../../lib/failure.ts";
import { count, counted, megabytes } from "../../lib/terminal/amount-text.ts";
import { LARGEST_PAGE, TARGET_LOGS } from "../chain/logs/page-size.ts";
import type { BlockRange } from "../chain/logs/pages.ts";
import { BLOCKS_OF_A_STREAM, REQUESTS_PER_SECOND } from "../chain/logs/portal.ts";
import { IN_FLIGHT_A_NODE } from "../chain/logs/reader.ts";
import { transferFilter } from "../transfers/decode-logs.ts";
import type { TransferSource } from "../transfers/read-transfers.ts";

/** What was seen around one place of the history. */
export interface Probe {
  /** Blocks and logs that were read. */
  blocks: number;
  logs: number;
  bytes: number;
  /** How many blocks the largest page that worked had. */
  pageBlocks: number;
  /** Whether a larger page failed. */
  isLimited: boolean;
  /** The blocks that it stands for; by default, an equal share of all. */
  share?: number;
}

export interface Estimate {
  blocks: number;
  requests: number;
  transfers: number;
  bytes: number;
  /** Blocks of a page, on average. */
  pageBlocks: number;
  requestsPerSecond: number;
  seconds: number;
  /** The fewest and the most transfers that what was seen allows, if that is much. */
  between?: readonly [fewest: number, most: number];
}

/** What a fetch asks of its nodes besides pages of logs, counted on made-up chains. */
export interface Besides {
  /** Where files begin, headers, balances and codes: the requests of a fetch, and of each of its files. */
  files: number;
  isFirst: boolean;
  /** Whether the logs of pools are read over the same blocks. */
  hasPools: boolean;
}

const REQUESTS_OF_A_FIRST_FETCH = 40;
const REQUESTS_OF_A_NIGHT = 6;
const REQUESTS_OF_A_FILE = 2;
/** Pages at a limit have been tried larger, and are then halved. */
const TRIES_AT_A_LIMIT = 4 / 3;
/** Answers that are doubted are read again, and headers and balances come beside them. */
const BYTES_BESIDE_LOGS = 1.4;

/** Longer fetches need --yes. */
const MOST_HOURS = 24;

/** Transfers that are decoded and written in a second. */
const TRANSFERS_PER_SECOND = 50_000;

/**
 * Estimates from probes, each of which stands for its share of the blocks.
 *
 * @param blocks to be fetched
 * @param requestsPerSecond of all nodes together
 */
export function estimateFrom(probes: readonly Probe[], blocks: number, requestsPerSecond: number): Estimate {
  const sum = (of: (probe: Probe, share: number) => number) =>
    probes.reduce((total, probe) => total + of(probe, probe.share ?? blocks / probes.length), 0);
  const requests = Math.ceil(sum((probe, share) => share / Math.min(blocks, fullPage(probe))));
  const transfers = Math.round(sum(({ logs, blocks }, share) => (share * logs) / blocks));
  return {
    blocks,
    requests,
    transfers,
    bytes: Math.round(sum(({ bytes, blocks }, share) => (share * bytes) / blocks)),
    pageBlocks: Math.max(1, Math.round(blocks / requests)),
    requestsPerSecond,
    seconds: Math.ceil(requests / requestsPerSecond + transfers / TRANSFERS_PER_SECOND),
  };
}

/**
 * Adds what is asked besides logs.
 *
 * @param tried how often a page is asked for, on average
 * @param requestsPerSecond of all nodes together
 */
function withBesides(
  { requests: pages, ...logs }: Estimate,
  { files, isFirst, hasPools }: Besides,
  tried: number,
  requestsPerSecond: number,
): Estimate {
  const others = (isFirst ? REQUESTS_OF_A_FIRST_FETCH : REQUESTS_OF_A_NIGHT) + REQUESTS_OF_A_FILE * files;
  const more = Math.round(pages * (tried * (hasPools ? 2 : 1) - 1)) + others;
  const requests = pages + more;
  return {
    ...logs,
    requests,
    bytes: Math.round(logs.bytes * BYTES_BESIDE_LOGS * (hasPools ? 2 : 1)),
    pageBlocks: Math.max(1, Math.round(logs.blocks / requests)),
    seconds: Math.ceil(logs.seconds + more / requestsPerSecond),
  };
}

/** Blocks of a page once it has grown. */
function fullPage({ blocks, logs, pageBlocks, isLimited }: Probe): number {
  if (isLimited || logs === 0) return isLimited ? pageBlocks : LARGEST_PAGE;
  return Math.min(LARGEST_PAGE, Math.max(pageBlocks, Math.floor((TARGET_LOGS * blocks) / logs)));
}

/** Equal parts of the history at first: a probe in the middle of each. */
const PARTS = 8;
/** Blocks at each end that are read as a whole: many tokens are handed out in their first block. */
const END_BLOCKS = 20;
/** Parts that are divided into three, since activity differs most from that beside them. */
const MOST_DIVIDED = 6;
/** Parts that differ by less than this share of all are left as they are. */
const LITTLE = 0.05;
/** A range is told if its ends differ by this factor. */
const MUCH = 1.5;
/** Pages to try at each place, while their answers are small. */
const SIZES = [20, 200, 2_000, 10_000];
const SMALL_BYTES = 500_000;

/** What the portal compresses a log to, about. */
const PORTAL_BYTES_PER_LOG = 100;

/**
 * Reads a few ranges, and estimates the rest.
 *
 * @param ranges the blocks to be fetched, ascending; at least one block
 * @param forcedRate requests a second of each node, if the user says
 * @param besides what else the fetch will ask
 */
export async function estimate(
  source: TransferSource,
  ranges: readonly BlockRange[],
  forcedRate: number | undefined,
  besides: Besides,
): Promise<Estimate> {
  const blocks = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const { traffic, active } = source.nodes;
  const [requests, began] = [traffic.requests, performance.now()];
  const parts = await probeParts(blocks, (at, length) => probe(source, ranges, at, length));
  const probes = parts.map(({ probe, length }) => ({ ...probe, share: length }));
  const between = betweenOf(parts);
  const seconds = (performance.now() - began) / 1000;
  const measured = ((traffic.requests - requests) / seconds) * IN_FLIGHT_A_NODE;
  const rate = (forcedRate ?? Math.max(measured, 0.1)) * active.length;
  if (source.logs.name === "portal") {
    const streamed = probes.map((probe) => ({
      ...probe,
      pageBlocks: BLOCKS_OF_A_STREAM,
      isLimited: true,
      bytes: probe.logs * PORTAL_BYTES_PER_LOG,
    }));
    const logs = estimateFrom(streamed, blocks, forcedRate ?? REQUESTS_PER_SECOND);
    return { ...withBesides(logs, besides, 1, rate), ...between };
  }
  const tried = probes.some(({ isLimited }) => isLimited) ? TRIES_AT_A_LIMIT : 1;
  return { ...withBesides(estimateFrom(probes, blocks, rate), besides, tried, rate), ...between };
}

/** A part of the history, and what was seen in it. */
interface Part {
  /** How many blocks lie before it, and how many it has. */
  at: number;
  length: number;
  probe: Probe;
}

/**
 * Looks at parts of the history, and more closely where activity changes: a token that was busy for a while at its beginning
 * would be taken for one that always is, or never.
 *
 * @param look at the middle of so many blocks, with so many before them
 */
async function probeParts(blocks: number, look: (at: number, length: number) => Promise<Probe>): Promise<Part[]> {
  const part = async (at: number, length: number): Promise<Part> => ({ at, length, probe: await look(at, length) });
  const ends = blocks > PARTS * END_BLOCKS ? END_BLOCKS : 0;
  const count = Math.min(PARTS, blocks);
  const inner = Array.from(
    { length: count + 1 },
    (_, index) => ends + Math.floor(((blocks - 2 * ends) * index) / count),
  );
  const cuts = ends > 0 ? [0, ...inner, blocks] : inner;
  const parts: Part[] = [];
  for (const [index, at] of cuts.slice(0, -1).entries()) parts.push(await part(at, cuts[index + 1]! - at));
  for (let divided = 0; divided < MOST_DIVIDED; divided++) {
    const unsure = parts.map((_, index) => spreadOf(parts, index));
    const most = Math.max(...unsure);
    const index = unsure.indexOf(most);
    const { at, length, probe } = parts[index]!;
    // What was read as a whole is known.
    if (most <= LITTLE * totalOf(parts) || length < 3 || probe.blocks >= length) break;
    const third = Math.floor(length / 3);
    const last = await part(at + length - third, third);
    parts.splice(index, 1, await part(at, third), { at: at + third, length: length - 2 * third, probe }, last);
  }
  return parts;
}

const density = ({ logs, blocks }: Probe) => logs / blocks;
const totalOf = (parts: readonly Part[]) => parts.reduce((sum, { length, probe }) => sum + length * density(probe), 0);

/** How many transfers more or fewer a part may have, if activity changes within it to that of a part beside it. */
function spreadOf(parts: readonly Part[], index: number): number {
  const { length, probe } = parts[index]!;
  if (probe.blocks >= length) return 0;
  const beside = [parts[index - 1], parts[index + 1]].filter((part) => part !== undefined);
  return (length / 2) * Math.max(0, ...beside.map((part) => Math.abs(density(part.probe) - density(probe))));
}

function betweenOf(parts: readonly Part[]): Pick<Estimate, "between"> {
  const spread = parts.reduce((sum, _, index) => sum + spreadOf(parts, index), 0);
  const total = totalOf(parts);
  const seen = parts.reduce((sum, { probe }) => sum + probe.logs, 0);
  const between = [Math.round(Math.max(seen, total - spread)), Math.round(total + spread)] as const;
  return between[1] > MUCH * between[0] ? { between } : {};
}

/**
 * Looks at the middle of some blocks of the ranges.
 *
 * @param at how many blocks of the ranges lie before
 */
async function probe(
  source: TransferSource,
  ranges: readonly BlockRange[],
  at: number,
  blocks: number,
): Promise<Probe> {
  const found: Probe = { blocks: 0, logs: 0, bytes: 0, pageBlocks: 1, isLimited: false };
  for (const most of SIZES) {
    const size = Math.min(most, blocks);
    const range = rangeAt(ranges, at + Math.floor((blocks - size) / 2), size);
    const length = range.to - range.from + 1;
    if (length <= found.blocks) break;
    const bytes = source.nodes.traffic.bytes;
    let [logs, largest] = [0, 1];
    await source.logs.read(
      transferFilter(source.events),
      [range],
      (page) => page.length,
      async ({ from, to }, rows) => {
        logs += rows;
        largest = Math.max(largest, to - from + 1);
      },
      { firstPage: length },
    );
    Object.assign(found, { blocks: length, logs, bytes: source.nodes.traffic.bytes - bytes });
    found.pageBlocks = Math.max(found.pageBlocks, largest);
    found.isLimited = largest < length;
    if (found.isLimited || found.bytes > SMALL_BYTES) break;
  }
  return found;
}

/** Up to `size` blocks of one of the ranges, around the block that has `at` others before it. */
function rangeAt(ranges: readonly BlockRange[], at: number, size: number): BlockRange {
  let before = 0;
  for (const { from, to } of ranges) {
    const length = to - from + 1;
    if (at < before + length) {
      const start = Math.max(from, Math.min(from + at - before, to - size + 1));
      return { from: start, to: Math.min(to, start + size - 1) };
    }
    before += length;
  }
  throw new Error(`The ranges have no block ${at}.`);
}

/** `about 5,000 transfers in 2,300 requests, 12.0 MB and 2 minutes`; with the range where that is much. */
export function estimateText({ requests, bytes, seconds, transfers, between }: Estimate): string {
  const size = `${counted(requests, "request")}, ${megabytes(bytes)} MB`;
  const range = between ? `; activity varies: from ${count(between[0])} to ${count(between[1])} transfers` : "";
  return `about ${counted(transfers, "transfer")} in ${size} and ${durationText(seconds)}${range}`;
}

/** @throws {Failure} it takes longer than a day; shows the arithmetic */
export function refuseTooLong(
  { blocks, requests, pageBlocks, requestsPerSecond, seconds }: Estimate,
  symbol: string,
): void {
  if (seconds <= MOST_HOURS * 3600) return;
  const rate = requestsPerSecond < 10 ? requestsPerSecond.toFixed(1) : count(Math.round(requestsPerSecond));
  throw new Failure(
    `${symbol} would take about ${durationText(seconds)}: ${count(blocks)} blocks at ${count(pageBlocks)} a request are ` +
      `${count(requests)} requests, and the nodes answer about ${rate} a second. Add nodes with --rpc, ` +
      "fetch from SQD's portal with --source portal, or go ahead with --yes.",
  );
}

function durationText(seconds: number): string {
  if (seconds < 120) return counted(Math.max(1, Math.round(seconds)), "second");
  if (seconds < 2 * 3600) return counted(Math.round(seconds / 60), "minute");
  return counted(Math.round(seconds / 3600), "hour");
}
