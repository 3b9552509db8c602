/** How much a fetch will ask of its nodes, estimated from a few ranges of the history. Source: docs/chain.md#fetch. */

import { Failure } from "../lib/failure.ts";
import { count, counted, megabytes } from "../lib/terminal/amounts.ts";
import { LARGEST_PAGE, TARGET_LOGS } from "./chain/logs/page-size.ts";
import { IN_FLIGHT_A_NODE } from "./chain/logs/reader.ts";
import type { BlockRange } from "./chain/pages.ts";
import { BLOCKS_OF_A_STREAM, REQUESTS_PER_SECOND } from "./chain/portal.ts";
import { transferFilter } from "./decode.ts";
import type { TransferSource } from "./read-transfers.ts";

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
}

/** Longer fetches need --yes. */
const MOST_HOURS = 24;

/** Transfers that are decoded and written in a second. */
const TRANSFERS_PER_SECOND = 50_000;

/**
 * Estimates from probes, each of which stands for an equal share of the blocks.
 *
 * @param blocks to be fetched
 * @param requestsPerSecond of all nodes together
 */
export function estimateFrom(probes: readonly Probe[], blocks: number, requestsPerSecond: number): Estimate {
  const share = blocks / probes.length;
  const sum = (of: (probe: Probe) => number) => probes.reduce((total, probe) => total + of(probe), 0);
  const requests = Math.ceil(sum((probe) => share / Math.min(blocks, fullPage(probe))));
  const transfers = Math.round(sum(({ logs, blocks }) => (share * logs) / blocks));
  return {
    blocks,
    requests,
    transfers,
    bytes: Math.round(sum(({ bytes, blocks }) => (share * bytes) / blocks)),
    pageBlocks: Math.max(1, Math.round(blocks / requests)),
    requestsPerSecond,
    seconds: Math.ceil(requests / requestsPerSecond + transfers / TRANSFERS_PER_SECOND),
  };
}

/** Blocks of a page once it has grown. */
function fullPage({ blocks, logs, pageBlocks, isLimited }: Probe): number {
  if (isLimited || logs === 0) return isLimited ? pageBlocks : LARGEST_PAGE;
  return Math.min(LARGEST_PAGE, Math.max(pageBlocks, Math.floor((TARGET_LOGS * blocks) / logs)));
}

/** Where to look: the first blocks, the last ones, and between. */
const PLACES = 5;
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
 */
export async function estimate(
  source: TransferSource,
  ranges: readonly BlockRange[],
  forcedRate: number | undefined,
): Promise<Estimate> {
  const blocks = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const { traffic, active } = source.nodes;
  const [requests, began] = [traffic.requests, performance.now()];
  const probes: Probe[] = [];
  const places = Math.min(PLACES, blocks);
  for (let place = 0; place < places; place++) {
    const at = places === 1 ? 0 : Math.floor(((blocks - 1) * place) / (places - 1));
    probes.push(await probe(source, ranges, at));
  }
  if (source.logs.name === "portal") {
    const streamed = probes.map((probe) => ({
      ...probe,
      pageBlocks: BLOCKS_OF_A_STREAM,
      isLimited: true,
      bytes: probe.logs * PORTAL_BYTES_PER_LOG,
    }));
    return estimateFrom(streamed, blocks, forcedRate ?? REQUESTS_PER_SECOND);
  }
  const seconds = (performance.now() - began) / 1000;
  const measured = ((traffic.requests - requests) / seconds) * IN_FLIGHT_A_NODE;
  const rate = (forcedRate ?? Math.max(measured, 0.1)) * active.length;
  return estimateFrom(probes, blocks, rate);
}

/** @param at how many blocks of the ranges lie before */
async function probe(source: TransferSource, ranges: readonly BlockRange[], at: number): Promise<Probe> {
  const found: Probe = { blocks: 0, logs: 0, bytes: 0, pageBlocks: 1, isLimited: false };
  for (const size of SIZES) {
    const range = rangeAt(ranges, at, size);
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

/** `about 5,000 transfers in 2,300 requests, 12.0 MB and 2 minutes`. */
export function estimateText({ requests, bytes, seconds, transfers }: Estimate): string {
  const size = `${counted(requests, "request")}, ${megabytes(bytes)} MB`;
  return `about ${counted(transfers, "transfer")} in ${size} and ${durationText(seconds)}`;
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
