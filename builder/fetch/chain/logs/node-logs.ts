/** Logs from nodes, by `eth_getLogs`: pages as large as each node takes, several at once, shared by speed. */

import { setTimeout as sleep } from "node:timers/promises";
import { readHead } from "../blocks.ts";
import { ATTEMPTS, NodeFailure, type Nodes } from "../nodes/nodes.ts";
import { NodeError, OF_THE_NODE } from "../rpc/failures.ts";
import { LATER, spanOf } from "../rpc/node-sentences.ts";
import { logsOfLists } from "./address-lists.ts";
import { statedBlocks, suggestedBlocks } from "./hints.ts";
import { answererFor } from "./node-answers.ts";
import { firstPageOf } from "./page-size.ts";
import { BadPage, type BlockRange, type LogFilter, type LogSource, type RawLog, type ReadOptions } from "./pages.ts";
import { Reader } from "./reader.ts";
import { sharedLogs } from "./shared-logs.ts";
import { type Task, Tasks } from "./tasks.ts";
import { wholeLogs } from "./whole-logs.ts";

/** Pages in flight, of all nodes: they bound the memory. */
const IN_FLIGHT = 12;

/** How much less the next page asks for. */
const OVERSIZED_SHRINK = 8;

/** Between two looks at whether a pause is over, in milliseconds. */
const LOOK_AGAIN_MS = 50;

const asText = ({ from, to }: BlockRange) => (from === to ? `block ${from}` : `blocks ${from} to ${to}`);

/** One for each set of nodes: readings wait there for others. */
const sources = new WeakMap<Nodes, LogSource>();

export function nodeLogs(nodes: Nodes): LogSource {
  const source = sources.get(nodes) ?? sharedLogs(nodes, (...read) => new Reading(nodes, ...read).run());
  sources.set(nodes, source);
  return source;
}

class Reading<T> {
  readonly #nodes: Nodes;
  readonly #filter: LogFilter;
  /** The number of blocks in all ranges. */
  readonly #blocks: number;
  readonly #decode: (logs: readonly RawLog[], range: BlockRange) => T | Promise<T>;
  readonly #onPage: (range: BlockRange, page: T) => Promise<void>;
  readonly #options: ReadOptions;
  readonly #tasks: Tasks;
  readonly #readers: Reader[];
  readonly #stopped = new AbortController();
  readonly #signal: AbortSignal;
  #failure: { error: unknown } | undefined;
  #inFlight = 0;
  /** Ends the pause of the loop. */
  #wake = () => {};
  /** When the last page was read. */
  #progressedAt = Date.now();
  /** Since when no node has been able to continue. */
  #stuckSince: number | undefined;

  constructor(
    nodes: Nodes,
    filter: LogFilter,
    ranges: readonly BlockRange[],
    decode: (logs: readonly RawLog[], range: BlockRange) => T | Promise<T>,
    onPage: (range: BlockRange, page: T) => Promise<void>,
    options: ReadOptions = {},
  ) {
    this.#nodes = nodes;
    this.#filter = filter;
    this.#blocks = ranges.reduce((sum, { from, to }) => sum + Math.max(0, to - from + 1), 0);
    this.#decode = decode;
    this.#onPage = onPage;
    this.#options = options;
    this.#tasks = new Tasks(ranges);
    const { signal } = options;
    this.#signal = signal ? AbortSignal.any([signal, this.#stopped.signal]) : this.#stopped.signal;
    const { density, firstPage = density === undefined ? undefined : firstPageOf(density) } = options;
    this.#readers = nodes.hosts.map((_, node) => new Reader(node, firstPage, nodes.known));
  }

  async run(): Promise<void> {
    try {
      while (!this.#tasks.isDone && !this.#failure) {
        this.#signal.throwIfAborted();
        this.#nodes.checkAnyLeft();
        this.#readHeads();
        let isStarted = false;
        for (const reader of this.#taking()) {
          if (this.#inFlight >= IN_FLIGHT) break;
          const task = this.#tasks.take(reader.reach, Date.now());
          if (!task) continue;
          isStarted = true;
          reader.size.started(task.to - task.from + 1);
          this.#start(reader, task);
        }
        if (isStarted) this.#stuckSince = undefined;
        else {
          if (this.#inFlight === 0) this.#checkThatSomeoneCan();
          await this.#pause();
        }
      }
    } catch (error) {
      this.#failure ??= { error };
    }
    this.#stopped.abort();
    while (this.#inFlight > 0) await this.#pause();
    if (this.#failure) throw this.#failure.error;
  }

  /** Readers that may be asked now, the least busy first. */
  #taking(): Reader[] {
    return this.#usable()
      .filter(({ node, busy, most }) => busy < most && this.#nodes.pauseOf(node) === 0)
      .sort((a, b) => a.busy - b.busy);
  }

  #usable(): Reader[] {
    const { node: only } = this.#options;
    const active = new Set(this.#nodes.active);
    return this.#readers.filter(({ node }) => (only === undefined ? active.has(node) : node === only));
  }

  /** A node answers with no logs for blocks that it does not have yet. So it is not asked for them. */
  #readHeads(): void {
    const last = this.#tasks.last;
    for (const reader of this.#usable()) {
      if (!reader.needsHead(last)) continue;
      this.#run(() =>
        reader
          .updateHead(() => readHead(this.#nodes, reader.node), this.#signal)
          .catch((error) => {
            // The others continue without it.
            if (!(error instanceof NodeFailure) || this.#usable().length <= 1) throw error;
          }),
      );
    }
  }

  /** Does something beside the loop. */
  #run(work: () => Promise<void>): void {
    this.#inFlight++;
    work()
      .catch((error) => {
        // What is still under way when all pages are read, such as a head, is broken off.
        if (!this.#stopped.signal.aborted) this.#failure ??= { error };
      })
      .finally(() => {
        this.#inFlight--;
        this.#wake();
      });
  }

  #start(reader: Reader, task: Task): void {
    reader.busy++;
    this.#run(() => this.#readPage(reader, task).finally(() => reader.busy--));
  }

  async #readPage(reader: Reader, task: Task): Promise<void> {
    const range = { from: task.from, to: task.to };
    const blocks = range.to - range.from + 1;
    let page: T;
    try {
      const node = answererFor(this.#nodes, reader.node, this.#signal);
      const { isRepeated = false } = this.#options;
      const isAlone = blocks === this.#blocks;
      const read = (filter: LogFilter) => wholeLogs(node, { filter, range }, { isAlone, isRepeated });
      const logs = await logsOfLists(this.#nodes.known, reader.node, this.#filter, read);
      reader.size.succeeded(blocks, logs.length, node.limit.target);
      page = await this.#decode(logs, range);
    } catch (error) {
      this.#putBack(reader, task, error);
      return;
    }
    reader.speedUp();
    this.#progressedAt = Date.now();
    await this.#onPage(range, page);
    this.#tasks.finish();
  }

  /**
   * Learns from a failed page, and hands its blocks to nodes that may have them.
   *
   * @throws {NodeFailure} another attempt is no use
   * @throws what is not a failure of a node
   */
  #putBack(reader: Reader, task: Task, error: unknown): void {
    if (!(error instanceof NodeError || error instanceof BadPage)) throw error;
    const blocks = task.to - task.from + 1;
    const kind = error instanceof BadPage ? "unusable" : error.kind;
    if (kind === "pruned") reader.size.cancelled(blocks);
    if (error instanceof NodeError && kind === "pruned") {
      reader.keptFrom = Math.max(reader.keptFrom, task.to + 1);
      this.#tasks.putBack(task);
      this.#checkThatAreKept(task, error);
      return;
    }
    if (kind === "rate" || kind === "timed-out") reader.slowDown();
    // Behind a load balancer, the head may have been another node's.
    if (kind === "behind") reader.forgetHead();
    const isOfNode = OF_THE_NODE.has(kind);
    if (!isOfNode) this.#checkProgress(task, error);
    const isAmbiguous = error instanceof NodeError && error.isAmbiguous;
    const isOfSize = isAmbiguous || !(isOfNode || kind === "behind" || kind === "unusable" || kind === "garbled");
    const hint = kind === "oversized" ? Math.ceil(blocks / OVERSIZED_SHRINK) : suggestedBlocks(error.message);
    const widest = statedBlocks(error.message);
    if (isOfSize && widest !== undefined) this.#nodes.known.widestPages.set(reader.node, widest);
    if (isOfSize) reader.size.failed(blocks, hint);
    else if (kind === "garbled") reader.size.broke(blocks);
    else reader.size.cancelled(blocks);
    if (isOfNode || (isOfSize && blocks > 1)) this.#tasks.putBack(task);
    else this.#countAgainst(reader, task, error);
  }

  /** @throws {NodeFailure} no page has been read for minutes: a smaller one, or a later attempt, is no use */
  #checkProgress(range: BlockRange, error: NodeError | BadPage): void {
    const ms = Date.now() - this.#progressedAt;
    if (ms < this.#nodes.patience.hopelessAfterMs) return;
    throw new NodeFailure(
      asNodeError(error),
      `No logs could be read from ${this.#hosts()} for ${spanOf(ms)}, the last time those of ${asText(range)} because ` +
        `${error.message}. Add another node with --rpc, or run this again later; what was fetched is kept.`,
    );
  }

  /** Lets the other nodes try; after a round of all nodes a smaller page, later. */
  #countAgainst(reader: Reader, task: Task, error: NodeError | BadPage): void {
    const blocks = task.to - task.from + 1;
    const attempts = task.attempts + 1;
    if (blocks === 1 && attempts >= ATTEMPTS) {
      throw new NodeFailure(
        asNodeError(error),
        `The logs of block ${task.from} can't be read from ${this.#hosts()}: ${attempts} attempts failed, the last one ` +
          `because ${error.message}. Add another node with --rpc, or run this again later; what was fetched is kept.`,
      );
    }
    const failed = new Set(task.failed).add(reader.node);
    if (this.#usable().some((other) => !failed.has(other.node) && other.canRead(task))) {
      this.#tasks.putBack({ ...task, attempts: blocks === 1 ? attempts : 0, failed });
      return;
    }
    const { firstPauseMs, longestPauseMs } = this.#nodes.patience;
    const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** task.rounds);
    const isWorthAPause = blocks === 1 || asNodeError(error).kind === "behind";
    this.#tasks.putBack({
      ...task,
      attempts: blocks === 1 ? attempts : 0,
      failed: new Set(),
      largest: Math.max(1, Math.floor(blocks / 2)),
      rounds: task.rounds + Number(isWorthAPause),
      notBefore: isWorthAPause ? Date.now() + longest * (0.5 + Math.random() / 2) : 0,
    });
  }

  #hosts(): string {
    return [...new Set(this.#usable().map(({ node }) => this.#nodes.hosts[node]))].join(", ");
  }

  /** @throws {NodeFailure} no node keeps the logs of a range */
  #checkThatAreKept(range: BlockRange, error: NodeError): void {
    if (this.#usable().some(({ keptFrom }) => keptFrom <= range.from)) return;
    throw new NodeFailure(
      error,
      `${this.#hosts()}: the logs of ${asText(range)} are not kept any more (${error.message}). Use an archive node, or ` +
        "--source portal.",
    );
  }

  /**
   * Checks that some node can take what is left.
   *
   * @throws {NodeFailure} no node gets as far as the blocks that are left
   */
  #checkThatSomeoneCan(): void {
    const usable = this.#usable();
    // The node that was to try next may have been left out meanwhile, or be behind.
    this.#tasks.forgetFailures(
      (task) => !usable.some((reader) => !task.failed.has(reader.node) && reader.canRead(task)),
    );
    const lowest = this.#tasks.waiting[0];
    const { longestWaitMs } = this.#nodes.patience;
    const pauses = usable.map(({ node }) => this.#nodes.pauseOf(node));
    const shortest = Math.min(...pauses);
    // Another call may have been told so: the readers themselves don't ask during a pause.
    if (usable.length > 0 && shortest > longestWaitMs) {
      const reason = new NodeError("rate", "too many requests");
      throw new NodeFailure(reason, `${this.#hosts()} takes no more requests for ${spanOf(shortest)}. ${LATER}`);
    }
    const waitedFor = usable.filter((_, i) => pauses[i]! <= longestWaitMs);
    if (!lowest || shortest > 0 || waitedFor.some((reader) => reader.canRead(lowest))) {
      this.#stuckSince = undefined;
      return;
    }
    this.#stuckSince ??= Date.now();
    if (Date.now() - this.#stuckSince < longestWaitMs) return;
    const heads = usable.map(({ node, head }) => `${this.#nodes.hosts[node]} is at block ${head}`);
    throw new NodeFailure(
      new NodeError("behind", "no node has the block yet"),
      `No node has block ${lowest.from} yet: ${heads.join(", ")}. Run this again later, or add another node with --rpc; ` +
        "what was fetched is kept.",
    );
  }

  /** Until a page is done, or a pause may be over. */
  async #pause(): Promise<void> {
    const timer = new AbortController();
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const slept = sleep(LOOK_AGAIN_MS, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([woken, slept]);
    timer.abort();
  }
}

const asNodeError = (error: NodeError | BadPage) =>
  error instanceof NodeError ? error : new NodeError("unusable", error.message);
