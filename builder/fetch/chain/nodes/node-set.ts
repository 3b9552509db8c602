/** Shares calls among nodes: asks the one that can answer first, retries, and leaves out those that never will. */

import { Failure } from "../../../lib/failure.ts";
import { isQuantity } from "../hex.ts";
import type { Call } from "../rpc/answer.ts";
import { ABOUT_THE_NODE, type FailureKind, NodeError } from "../rpc/failures.ts";
import type { RpcNode } from "../rpc/node.ts";
import { LATER, sentence, spanOf, VERBS } from "../rpc/node-sentences.ts";
import { pause } from "../rpc/pause.ts";
import type { Traffic } from "../rpc/traffic.ts";
import { isAlike, type Job, newJob } from "./job.ts";
import { KnownChain } from "./known.ts";
import {
  ATTEMPTS,
  type CallOptions,
  DEFAULT_PATIENCE,
  NodeFailure,
  type NodePatience,
  type Nodes,
  type NodesOptions,
} from "./nodes.ts";

/** Attempts on each node at a call that it refuses for a reason that is not known, or answers for another block. */
const FEWER_ATTEMPTS = 4;

/** Attempts to connect; and, in a row, before a node that worked is left out. */
const ATTEMPTS_TO_CONNECT = 3;
const REPEATS_BEFORE_LEFT_OUT = 8;
/** A key that worked is not refused for one odd request. */
const REFUSALS_OF_A_KEY = 3;

const BATCHES_IN_FLIGHT = 4;

/** Every node says the same again. */
const ANSWERED_FOR_GOOD = new Set<FailureKind>(["pruned", "unknown-method", "invalid"]);

const whyUnusable = (result: unknown) => (result === null ? "it does not have it" : "its answer can't be right");

/** Names without repeats, for messages. */
const listed = (hosts: readonly string[]) => [...new Set(hosts)].join(", ");

export class NodeSet implements Nodes {
  readonly hosts: readonly string[];
  chainId = 0;
  readonly known = new KnownChain();
  readonly traffic: Traffic;
  readonly patience: NodePatience;
  readonly #nodes: readonly RpcNode[];
  readonly #closed = new AbortController();
  readonly #signal: AbortSignal;
  /** One for each signal of a caller: many requests share it. */
  readonly #combined = new WeakMap<AbortSignal, AbortSignal>();
  readonly #notice: (text: string) => void;
  /** Since when there have been rate limits and no success. */
  #limitedSince: number | undefined;

  constructor(nodes: readonly RpcNode[], traffic: Traffic, options: NodesOptions) {
    this.#nodes = nodes;
    this.hosts = nodes.map(({ host }) => host);
    this.traffic = traffic;
    this.patience = options.patience ?? DEFAULT_PATIENCE;
    this.#notice = (text) => options.onNotice?.(text);
    this.#signal = options.signal ? AbortSignal.any([options.signal, this.#closed.signal]) : this.#closed.signal;
  }

  get active(): readonly number[] {
    return this.#nodes.flatMap((node, index) => (node.leftOut ? [] : [index]));
  }

  pauseOf(node: number): number {
    return this.#nodes[node]!.rate.pause(Date.now());
  }

  checkAnyLeft(): void {
    this.#signal.throwIfAborted();
    if (this.active.length === 0) throw this.#noNodeLeft();
  }

  async attempt(
    node: number,
    method: string,
    params: readonly unknown[],
    signal?: AbortSignal,
    largest?: number,
  ): Promise<unknown> {
    const { leftOut, host } = this.#nodes[node]!;
    if (leftOut) throw new NodeFailure(leftOut, sentence(host, leftOut));
    return this.#watch(node, this.#nodes[node]!.call({ method, params }, this.#with(signal), largest));
  }

  async ask(method: string, params: readonly unknown[], options: CallOptions = {}): Promise<unknown> {
    const job = newJob({ method, params }, 0);
    for (;;) {
      const node = await this.#nodeFor(job, options);
      try {
        const result = await this.attempt(node, method, params, options.signal);
        if (!(options.accept?.(result, 0) ?? true)) throw new NodeError("unusable", whyUnusable(result));
        await options.verify?.(result);
        return result;
      } catch (error) {
        this.#judge(job, node, error, options);
      }
    }
  }

  async askAll(calls: readonly Call[], options: CallOptions = {}): Promise<unknown[]> {
    const results: unknown[] = new Array(calls.length);
    const waiting = calls.map(newJob);
    const stopped = new AbortController();
    const signal = this.#with(options.signal ? AbortSignal.any([options.signal, stopped.signal]) : stopped.signal);

    const takeBatch = (): Job[] => {
      // Jobs that failed on the same nodes can be asked together; most have not failed at all.
      const [first] = waiting;
      if (!first) return [];
      const mates: Job[] = [];
      const size = Math.max(...this.active.map((node) => this.#nodes[node]!.batchSize), 1);
      while (mates.length < size && waiting[0] && isAlike(first, waiting[0])) mates.push(waiting.shift()!);
      return mates;
    };

    const settle = (jobs: readonly Job[], node: number, error: unknown) => {
      for (const job of jobs) {
        this.#judge(job, node, error, options);
        waiting.push(job);
      }
    };

    const work = async () => {
      for (let jobs = takeBatch(); jobs.length > 0; jobs = takeBatch()) {
        const node = await this.#nodeFor(jobs[0]!, options);
        const { batchSize } = this.#nodes[node]!;
        waiting.unshift(...jobs.splice(batchSize));
        if (jobs.length === 1) {
          const [{ call, index }] = jobs as [Job];
          results[index] = await this.ask(call.method, call.params, {
            ...options,
            signal,
            ...(options.accept ? { accept: (result: unknown) => options.accept!(result, index) } : {}),
          });
          continue;
        }
        const batch = jobs.map(({ call }) => call);
        try {
          const answers = await this.#watch(node, this.#nodes[node]!.callAll(batch, signal));
          this.#nodes[node]!.batchSucceeded(jobs.length);
          jobs.forEach((job, position) => {
            const answer = answers[position]!;
            if (answer instanceof NodeError) settle([job], node, answer);
            else if (options.accept?.(answer.value, job.index) ?? true) results[job.index] = answer.value;
            else settle([job], node, new NodeError("unusable", whyUnusable(answer.value)));
          });
        } catch (error) {
          // The batch may be too large, or the node may take no batches: the calls themselves have not failed.
          if (error instanceof NodeError && !ABOUT_THE_NODE.has(error.kind) && error.kind !== "unreachable") {
            this.#nodes[node]!.batchFailed(jobs.length);
            waiting.push(...jobs);
          } else settle(jobs, node, error);
        }
      }
    };
    const workers = Math.max(1, this.active.length) * BATCHES_IN_FLIGHT;
    try {
      await Promise.all(Array.from({ length: Math.min(workers, calls.length) }, work));
    } catch (error) {
      stopped.abort();
      throw error;
    }
    return results;
  }

  /**
   * Finds the chain's id; leaves out the nodes that can't be used.
   *
   * @throws {NodeFailure} none can be
   */
  async connect({ waits = false }: Pick<NodesOptions, "waits"> = {}): Promise<void> {
    let ids = await this.#chainIds(ATTEMPTS_TO_CONNECT);
    const { hopelessAfterMs } = this.patience;
    const end = Date.now() + hopelessAfterMs;
    for (let round = 1; waits && Date.now() < end; round++) {
      const passing = ids.find((id) => id instanceof NodeFailure && id.reason.isPassing);
      if (!(passing instanceof NodeFailure) || ids.some((id) => typeof id === "number")) break;
      if (round === 1) this.#notice(`${passing.message} Trying for up to ${spanOf(hopelessAfterMs)}.`);
      await pause(this.#pauseAfter(round), this.#signal);
      ids = await this.#chainIds(1);
    }
    const known = ids.flatMap((id, node) => (typeof id === "number" ? [{ id, host: this.hosts[node]! }] : []));
    for (const [node, failure] of ids.entries()) {
      if (typeof failure === "number") continue;
      if (ids.length === 1) throw failure;
      if (this.#nodes[node]!.leftOut) continue;
      this.#nodes[node]!.leftOut = failure.reason;
      this.#notice(`Continuing without ${this.hosts[node]}. ${failure.message}`);
    }
    const [first] = known;
    if (!first) throw this.#noNodeLeft();
    const other = known.find(({ id }) => id !== first.id);
    if (other) {
      throw new Failure(
        `The nodes are on different chains: ${first.host} on chain ${first.id}, ${other.host} on chain ${other.id}. ` +
          "Name nodes of one chain.",
      );
    }
    this.chainId = first.id;
  }

  close(): void {
    this.#closed.abort();
    for (const node of this.#nodes) node.close();
  }

  #with(signal: AbortSignal | undefined): AbortSignal {
    if (!signal) return this.#signal;
    const known = this.#combined.get(signal);
    if (known) return known;
    const combined = AbortSignal.any([this.#signal, signal]);
    this.#combined.set(signal, combined);
    return combined;
  }

  /** What each node says, or why it says nothing. */
  #chainIds(attempts: number): Promise<(number | NodeFailure)[]> {
    const ask = async (node: number) => {
      try {
        return Number(await this.ask("eth_chainId", [], { node, attempts, accept: isQuantity }));
      } catch (error) {
        if (error instanceof NodeFailure) return error;
        throw error;
      }
    };
    return Promise.all(this.#nodes.map((_, node) => ask(node)));
  }

  /** Learns about the node from what comes of an attempt. */
  async #watch<T>(node: number, attempt: Promise<T>): Promise<T> {
    const it = this.#nodes[node]!;
    try {
      const result = await attempt;
      this.#limitedSince = undefined;
      it.repeated.count = 0;
      return result;
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const { repeated } = it;
      // Requests that were in flight together fail together: they count once.
      const isNew = error.kind !== "unreachable" || this.pauseOf(node) === 0;
      const count = (repeated.kind === error.kind ? repeated.count : 0) + Number(isNew);
      it.repeated = { kind: error.kind, count };
      if (error.kind === "unreachable" && isNew) it.rate.rest(Date.now(), this.#pauseAfter(count));
      const isForGood =
        error.kind === "quota" ||
        (error.kind === "authentication" && (!it.hasSucceeded || count >= REFUSALS_OF_A_KEY)) ||
        (error.kind === "unreachable" && it.hasSucceeded && count >= REPEATS_BEFORE_LEFT_OUT);
      if (isForGood) this.leaveOut(node, error);
      if (error.kind === "rate") this.#checkLimits(error);
      throw error;
    }
  }

  /** @param rounds failures so far */
  #pauseAfter(rounds: number): number {
    const { firstPauseMs, longestPauseMs } = this.patience;
    return Math.min(longestPauseMs, firstPauseMs * 2 ** (rounds - 1)) * (0.5 + Math.random() / 2);
  }

  leaveOut(node: number, error: NodeError): void {
    const it = this.#nodes[node]!;
    if (it.leftOut) return;
    it.leftOut = error;
    if (this.active.length === 0) throw this.#noNodeLeft();
    this.#notice(`Continuing without ${it.host}, which ${VERBS[error.kind]}: ${error.message}.`);
  }

  #noNodeLeft(): NodeFailure {
    const reasons = this.#nodes.flatMap(({ host, leftOut }) => (leftOut ? [{ host, reason: leftOut }] : []));
    const { host, reason } = reasons.at(-1)!;
    if (reasons.length === 1) return new NodeFailure(reason, sentence(host, reason));
    const each = reasons.map((one) => `${one.host} ${VERBS[one.reason.kind] ?? "fails"}: ${one.reason.message}`);
    return new NodeFailure(
      reason,
      `No node is left to ask. ${[...new Set(each)].join(". ")}. Correct one of the URLs, or add another one.`,
    );
  }

  /** @throws {NodeFailure} waiting for the nodes' rate limits is hopeless */
  #checkLimits(error: NodeError): void {
    const now = Date.now();
    this.#limitedSince ??= now;
    const hosts = listed(this.active.map((node) => this.hosts[node]!));
    const shortest = Math.min(...this.active.map((node) => this.pauseOf(node)));
    if (shortest > this.patience.longestWaitMs) {
      throw new NodeFailure(
        error,
        `${hosts} takes no more requests for ${spanOf(shortest)}: ${error.message}. ${LATER}`,
      );
    }
    if (now - this.#limitedSince >= this.patience.hopelessAfterMs) {
      throw new NodeFailure(
        error,
        `${hosts} has refused every request of the last ${spanOf(now - this.#limitedSince)} because there were too many: ` +
          `${error.message}. ${LATER}`,
      );
    }
  }

  /** The node that can take a job first; waits if none can. */
  async #nodeFor(job: Job, { node: only, signal }: CallOptions): Promise<number> {
    await pause(job.notBefore - Date.now(), this.#with(signal));
    if (only !== undefined) return only;
    const candidates = this.active.filter((node) => !job.failed.has(node) && !job.done.has(node));
    // All have been tried, or the last of them has just been left out.
    const choice = candidates.length > 0 ? candidates : this.active.filter((node) => !job.done.has(node));
    if (choice.length === 0) throw this.#noNodeLeft();
    const burden = (node: number) => this.pauseOf(node) * 1000 + this.#nodes[node]!.inFlight;
    return choice.reduce((best, node) => (burden(node) < burden(best) ? node : best));
  }

  /**
   * Decides what a failed attempt means for a job.
   *
   * @throws {NodeFailure} another attempt is no use
   * @throws what is not a failure of a node
   */
  #judge(job: Job, node: number, error: unknown, options: CallOptions): void {
    const { node: only, attempts = ATTEMPTS, mayLack = attempts } = options;
    if (!(error instanceof NodeError)) throw error;
    const asked = only === undefined ? this.active : [only];
    const fail = () => {
      const hosts = listed([...job.failed, ...job.done, node].map((index) => this.hosts[index]!));
      throw new NodeFailure(error, sentence(hosts, error, job.call.method));
    };
    if (error.kind === "reverted") fail();
    if (ABOUT_THE_NODE.has(error.kind) && error.kind !== "authentication") {
      // Other nodes may continue meanwhile; this call can't.
      if (only !== undefined && this.pauseOf(only) > this.patience.longestWaitMs) fail();
      return;
    }
    if (error.kind === "authentication" && this.#nodes[node]!.leftOut && only === undefined) return;
    if (ANSWERED_FOR_GOOD.has(error.kind)) {
      job.done.add(node);
      if (asked.every((index) => job.done.has(index))) fail();
      return;
    }
    job.attempts++;
    job.failed.add(node);
    const fewer = FEWER_ATTEMPTS * asked.length;
    // Behind one URL there may be nodes that have not stopped.
    const ofStale = only === undefined ? fewer : attempts;
    const refused = Math.min(mayLack, fewer);
    const most = { refused, stale: ofStale, unusable: mayLack, behind: mayLack }[String(error.kind)] ?? attempts;
    if (job.attempts >= most || Date.now() - job.since >= this.patience.hopelessAfterMs) fail();
    if (!asked.every((index) => job.failed.has(index) || job.done.has(index))) return;
    job.failed.clear();
    job.notBefore = Date.now() + this.#pauseAfter(++job.rounds);
  }
}
