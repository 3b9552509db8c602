/**
 * Logs from SQD's portal, which needs no key and reads a chain's history faster than nodes do. Built against its
 * documentation, https://docs.sqd.dev/, and a stand-in that follows it; never run against the portal itself.
 */

import { Failure } from "../../../lib/failure.ts";
import { ATTEMPTS, type Nodes } from "../nodes/nodes.ts";
import { type NodeTimeouts, openExchange, type StreamedAnswer } from "../rpc/exchange.ts";
import { NodeError } from "../rpc/failures.ts";
import { pause } from "../rpc/pause.ts";
import { Rate } from "../rpc/rate.ts";
import { redactor } from "../rpc/redact.ts";
import { checkPage, prepareFilter } from "./check-page.ts";
import { nodeLogs } from "./node-logs.ts";
import { BadPage, type BlockRange, type LogFilter, type LogSource, type RawLog, type ReadOptions } from "./pages.ts";
import { firstOf, parseLine, portalQuery, rawLogs, refusal, wholeLines } from "./portal-stream.ts";

export interface PortalOptions {
  /** The URL of the data sets, without the name of one. Default: SQD's public portal. */
  url?: string | undefined;
  /** Default: what the public portal allows. */
  requestsPerSecond?: number | undefined;
  /** Sentences for the user, such as where the portal's blocks end. */
  onNotice?(text: string): void;
  signal?: AbortSignal | undefined;
  timeouts?: NodeTimeouts;
}

const PUBLIC_PORTAL = "https://portal.sqd.dev/datasets";

/** What the portal calls the chains. */
const DATASETS: Readonly<Record<number, string>> = {
  1: "ethereum-mainnet",
  10: "optimism-mainnet",
  56: "binance-mainnet",
  100: "gnosis-mainnet",
  137: "polygon-mainnet",
  250: "fantom-mainnet",
  324: "zksync-mainnet",
  8453: "base-mainnet",
  42161: "arbitrum-one",
  42170: "arbitrum-nova",
  43114: "avalanche-mainnet",
  59144: "linea-mainnet",
  534352: "scroll-mainnet",
  11155111: "ethereum-sepolia",
};

/** The public portal takes 20 requests in 10 seconds. */
export const REQUESTS_PER_SECOND = 2;

/** A stream may take long, as long as bytes keep coming. */
const TIMEOUTS: NodeTimeouts = { idle: 60_000, total: 3_600_000 };

/** Streams at once, and the blocks of one, so that they end at about the same time. */
const STREAMS = 4;
export const BLOCKS_OF_A_STREAM = 250_000;

/** A page is handed on with so many logs, or so many blocks, so that it can be kept before the stream ends. */
const LOGS_OF_A_PAGE = 5_000;

/** 1, 2 or 5 with noughts, or a power of two. Streams have many logs, and are told to end where they like. */
const isUsualLimit = (count: number) => /^[125]0+$/.test(`${count}`) || Number.isInteger(Math.log2(count));

/**
 * @param nodes of the same chain; they also read what the portal does not have yet
 * @throws {Failure} the portal does not know the chain
 */
export function portalLogs(nodes: Nodes, options: PortalOptions = {}): LogSource {
  const dataset = DATASETS[nodes.chainId];
  if (dataset === undefined) {
    throw new Failure(
      `SQD's portal is not known to have chain ${nodes.chainId}, only the chains ${Object.keys(DATASETS).join(", ")}. ` +
        "Leave --source portal out: the logs then come from your node.",
    );
  }
  const base = URL.parse(options.url ?? PUBLIC_PORTAL);
  if (!base || !["http:", "https:"].includes(base.protocol)) {
    throw new Failure("The URL of the portal is not valid: write it as https://HOST/datasets.");
  }
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${dataset}/finalized-stream`;
  return {
    name: "portal",
    read: (filter, ranges, decode, onPage, readOptions = {}) =>
      new PortalReading(nodes, url, filter, decode, onPage, options, readOptions).run(ranges),
  };
}

class PortalReading<T> {
  readonly #nodes: Nodes;
  readonly #host: string;
  readonly #exchange;
  readonly #filter: LogFilter;
  readonly #prepared;
  readonly #decode: (logs: readonly RawLog[], range: BlockRange) => T | Promise<T>;
  readonly #onPage: (range: BlockRange, page: T) => Promise<void>;
  readonly #options: PortalOptions;
  readonly #readOptions: ReadOptions;
  readonly #rate: Rate;
  readonly #redact: (text: string) => string;
  readonly #stopped = new AbortController();
  readonly #signal: AbortSignal;
  /** Blocks that the portal does not have yet. */
  readonly #beyond: BlockRange[] = [];

  constructor(
    nodes: Nodes,
    url: URL,
    filter: LogFilter,
    decode: (logs: readonly RawLog[], range: BlockRange) => T | Promise<T>,
    onPage: (range: BlockRange, page: T) => Promise<void>,
    options: PortalOptions,
    readOptions: ReadOptions,
  ) {
    this.#nodes = nodes;
    this.#host = url.host;
    this.#exchange = openExchange(url, {
      timeouts: options.timeouts ?? TIMEOUTS,
      onBytes(count) {
        nodes.traffic.count({ bytes: count });
      },
    });
    this.#filter = filter;
    this.#prepared = prepareFilter(filter);
    this.#decode = decode;
    this.#onPage = onPage;
    this.#options = options;
    this.#readOptions = readOptions;
    const { firstPauseMs, longestPauseMs } = nodes.patience;
    this.#rate = new Rate(
      { first: firstPauseMs, longest: longestPauseMs },
      options.requestsPerSecond ?? REQUESTS_PER_SECOND,
    );
    this.#redact = redactor([url]);
    const signals = [options.signal, readOptions.signal].filter((signal) => signal !== undefined);
    this.#signal = AbortSignal.any([...signals, this.#stopped.signal]);
  }

  async run(ranges: readonly BlockRange[]): Promise<void> {
    const pieces = ranges.flatMap(({ from, to }) => {
      const count = Math.max(0, Math.ceil((to - from + 1) / BLOCKS_OF_A_STREAM));
      return Array.from({ length: count }, (_, index) => {
        const first = from + index * BLOCKS_OF_A_STREAM;
        return { from: first, to: Math.min(to, first + BLOCKS_OF_A_STREAM - 1) };
      });
    });
    const work = async () => {
      for (let piece = pieces.shift(); piece; piece = pieces.shift()) await this.#readPiece(piece);
    };
    try {
      const streams = Math.min(STREAMS, pieces.length);
      await Promise.all(Array.from({ length: streams }, work));
    } finally {
      this.#stopped.abort();
      this.#exchange.close();
    }
    if (this.#beyond.length === 0) return;
    const first = Math.min(...this.#beyond.map(({ from }) => from));
    this.#options.onNotice?.(`${this.#host} ends before block ${first}: the rest comes from the nodes.`);
    const { signal, ...readOptions } = this.#readOptions;
    const stop = signal ?? this.#options.signal;
    await nodeLogs(this.#nodes).read(this.#filter, this.#beyond, this.#decode, this.#onPage, {
      ...readOptions,
      ...(stop ? { signal: stop } : {}),
    });
  }

  /** Reads a piece, in as many streams as it takes: each ends where the portal likes, and the next continues from there. */
  async #readPiece(piece: BlockRange): Promise<void> {
    let { from } = piece;
    let failures = 0;
    while (from <= piece.to) {
      const before = from;
      let failure: Error | undefined;
      try {
        const answer = await this.#ask({ from, to: piece.to });
        if (answer === undefined) {
          this.#beyond.push({ from, to: piece.to });
          return;
        }
        for await (const next of this.#pagesOf(answer, { from, to: piece.to })) from = next;
        if (from === before) failure = new BadPage("its answer is empty");
      } catch (error) {
        if (!(error instanceof NodeError || error instanceof BadPage)) throw error;
        failure = error;
      }
      failures = from > before ? 0 : failures + 1;
      if (failure) await this.#endure(failure, failures, from);
    }
  }

  /**
   * Waits after a failure.
   *
   * @throws {Failure} another attempt is no use
   */
  async #endure(failure: NodeError | BadPage, failures: number, block: number): Promise<void> {
    const kind = failure instanceof NodeError ? failure.kind : "unusable";
    const { firstPauseMs, longestPauseMs, longestWaitMs } = this.#nodes.patience;
    const asked = failure instanceof NodeError ? (failure.retryAfterMs ?? 0) : 0;
    const isHopeless = kind === "authentication" || kind === "invalid" || asked > longestWaitMs;
    if (isHopeless || failures >= ATTEMPTS) {
      throw new Failure(
        `${this.#host} does not send the logs from block ${block}: ${failure.message}. Run this again later, or without ` +
          "--source portal; what was fetched is kept.",
      );
    }
    const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
    await pause(Math.max(asked, longest * (0.5 + Math.random() / 2)), this.#signal);
  }

  /** @returns undefined if the portal has none of the blocks yet */
  async #ask(range: BlockRange): Promise<StreamedAnswer | undefined> {
    await pause(this.#rate.reserve(Date.now()), this.#signal);
    this.#nodes.traffic.count({ requests: 1 });
    const answer = await this.#exchange.stream(portalQuery(this.#filter, range), this.#signal);
    if (answer.status === 200) return answer;
    const body = await firstOf(answer.chunks);
    if (answer.status === 204) return undefined;
    throw refusal(answer, body, this.#redact);
  }

  /** Hands on the pages of a stream, and tells after each the block that follows it. */
  async *#pagesOf(answer: StreamedAnswer, asked: BlockRange): AsyncGenerator<number> {
    let { from } = asked;
    let last = from - 1;
    let logs: RawLog[] = [];
    let count = 0;
    let broken: unknown;
    const hand = async () => {
      const range = { from, to: last };
      await this.#onPage(range, await this.#decode(checkPage(logs, this.#prepared, range), range));
      from = last + 1;
      logs = [];
      return from;
    };
    try {
      for await (const line of wholeLines(answer.chunks)) {
        const block = parseLine(line);
        const { number } = block.header;
        if (number <= last || number > asked.to) throw new BadPage("its blocks are not in order, or outside the range");
        const found = rawLogs(block);
        // Pages end with a block. The last one that has logs is kept until it is known whether the stream goes on.
        if (logs.length >= LOGS_OF_A_PAGE && found.length > 0) yield await hand();
        for (const log of found) logs.push(log);
        count += found.length;
        last = number;
      }
    } catch (error) {
      // What has come before is whole: a block's line tells that nothing is missing up to it.
      if (!(error instanceof NodeError || error instanceof BadPage)) throw error;
      broken = error;
    }
    if (!broken && (await this.#isCut(logs, count, last))) {
      // Its last block may lack some. The next stream begins with it.
      last = Number(logs.at(-1)!.blockNumber) - 1;
      logs = logs.filter(({ blockNumber }) => Number(blockNumber) <= last);
    }
    if (last >= from) yield await hand();
    if (broken) throw broken;
  }

  /**
   * Whether a stream, which says nothing of it, ended at a limit: from its last log's block on, there are more logs.
   *
   * @param logs at its end; those before have been handed on
   * @param count all of its logs
   */
  async #isCut(logs: readonly RawLog[], count: number, last: number): Promise<boolean> {
    const limit = this.#nodes.known.limitOf("portal");
    const isRound = limit.takes(count, { isOfBlock: false, isAlone: true, isRepeated: false });
    const isDoubtful = isRound && (limit.isNear(count) || isUsualLimit(count));
    const end = logs.at(-1)?.blockNumber;
    if (!isDoubtful || end === undefined) return false;
    const answer = await this.#ask({ from: Number(end), to: last });
    if (!answer) return false;
    let more = -logs.filter(({ blockNumber }) => blockNumber === end).length;
    for await (const line of wholeLines(answer.chunks)) more += parseLine(line).logs?.length ?? 0;
    if (more > 0) limit.isCut(count);
    else limit.isWhole(count);
    return more > 0;
  }
}
