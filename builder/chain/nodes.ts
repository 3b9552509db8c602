/** JSON-RPC nodes of one chain that share the work. */

import { Failure } from "../failure.ts";
import type { Call } from "./rpc/answer.ts";
import { DEFAULT_TIMEOUTS, type Timeouts } from "./rpc/exchange.ts";
import { ABOUT_THE_NODE, type FailureKind, NodeError } from "./rpc/failures.ts";
import { RpcNode } from "./rpc/node.ts";
import { pause } from "./rpc/pause.ts";
import { redactor } from "./rpc/redact.ts";

export interface NodesOptions {
  /** Forces the rate of each node instead of finding it. */
  requestsPerSecond?: number | undefined;
  /** Aborts every request and every pause. */
  signal?: AbortSignal | undefined;
  /** Sentences for the user, such as a node that is left out because it refuses the key. */
  onNotice?(text: string): void;
  timeouts?: Timeouts;
  patience?: Patience;
}

/** How long to keep trying, in milliseconds. */
export interface Patience {
  /** Pause before another round of all nodes; it doubles each time. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** The longest pause that nodes may ask for when none of them can do the work meanwhile. */
  longestWaitMs: number;
  /** Rate limits without one success in between. */
  hopelessAfterMs: number;
}

export const DEFAULT_PATIENCE: Patience = {
  firstPauseMs: 500,
  longestPauseMs: 30_000,
  longestWaitMs: 120_000,
  hopelessAfterMs: 300_000,
};

export interface AskOptions {
  /** Index in `hosts` of the only node to ask. */
  node?: number;
  /** Whether an answer can be used; otherwise another node is asked. Default: all can. */
  accept?(result: unknown, index: number): boolean;
  /** Attempts, those that end with a rate limit or a refused key aside. Default: 8. */
  attempts?: number;
  signal?: AbortSignal;
}

export interface Nodes {
  /** What messages call the nodes: host and port, never a whole URL, because it may hold a key. */
  readonly hosts: readonly string[];
  readonly chainId: number;
  /** What has been sent and received so far. */
  readonly traffic: { requests: number; bytes: number };
  readonly patience: Patience;
  /** Indices in `hosts` of the nodes that take part; some may have been left out. */
  readonly active: readonly number[];
  /**
   * Makes one call and returns its `result`. Retries on other nodes and later.
   *
   * @throws {NodeFailure} names the host, the method and the reason; never repeats a URL
   */
  ask(method: string, params: readonly unknown[], options?: AskOptions): Promise<unknown>;
  /**
   * Makes many calls in JSON-RPC batches, as large as the nodes take. Results are in the order of `calls`.
   *
   * @throws {NodeFailure} one of them can't be answered
   */
  askAll(calls: readonly Call[], options?: AskOptions): Promise<unknown[]>;
  /**
   * Makes one attempt on one node, when its rate allows it. Leaves the node out if it will never answer.
   *
   * @throws {NodeError} the attempt failed; another one, on this node or another, may not
   * @throws {NodeFailure} there is no node left to go on with
   */
  attempt(node: number, method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
  /**
   * @throws {NodeFailure} all nodes have been left out
   * @throws the reason of an abort
   */
  checkAnyLeft(): void;
  /** Milliseconds for which a node wants not to be asked. */
  pauseOf(node: number): number;
  close(): void;
}

/** A call that no node answers. */
export class NodeFailure extends Failure {
  override name = "NodeFailure";
  readonly kind: FailureKind;
  /** What the node said, last. */
  readonly reason: NodeError;

  constructor(reason: NodeError, message: string) {
    super(message);
    this.kind = reason.kind;
    this.reason = reason;
  }
}

/** Attempts at what fails for no known reason, spread over all nodes. */
export const ATTEMPTS = 8;

/** Attempts on each node at a call that it refuses for a reason that is not known. */
const ATTEMPTS_AT_A_REFUSAL = 4;

/** Attempts to connect; and, in a row, before a node that worked is left out. */
const ATTEMPTS_TO_CONNECT = 3;
const REPEATS_BEFORE_LEFT_OUT = 8;
/** A key that worked is not refused for one odd request. */
const REFUSALS_OF_A_KEY = 3;

const BATCHES_IN_FLIGHT = 4;

/** What is wrong with a node as a whole. */
const VERBS: Partial<Record<FailureKind, string>> = {
  authentication: "refuses the key or the request",
  quota: "says that the quota of its plan is used up",
  unreachable: "can't be reached",
};

const LATER = "Run this again later, or add another node with --rpc; what was fetched is kept.";

/** What to do about a failure. */
const TODO: Partial<Record<FailureKind, string>> = {
  authentication: "Check the key in its URL.",
  quota: "Run this again when the quota is renewed, or add another node with --rpc; what was fetched is kept.",
  unreachable: "Check its URL, and that this machine is online.",
  pruned: "Use an archive node.",
  "unknown-method": "Use a node that offers it.",
  garbled: "Check the path of the URL, or add another node with --rpc.",
};

/** @param what the call, if the sentence should name it */
function sentence(hosts: string, { kind, message }: NodeError, what?: string): string {
  const verb = VERBS[kind] ?? (what === undefined ? "does not work" : `does not answer ${what}`);
  return `${hosts} ${verb}: ${message}. ${TODO[kind] ?? LATER}`;
}

/** Every node says the same again. */
const ANSWERED_FOR_GOOD = new Set<FailureKind>(["pruned", "unknown-method", "invalid"]);

/** Such as `1 minute` or `40 seconds`. */
function spanOf(ms: number): string {
  const [count, unit] = ms < 60_000 ? [Math.ceil(ms / 1000), "second"] : [Math.round(ms / 60_000), "minute"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

const whyUnusable = (result: unknown) => (result === null ? "it does not have it" : "its answer can't be right");

/** A call on its way through the nodes. */
interface Job {
  call: Call;
  index: number;
  attempts: number;
  /** Nodes that failed since the last pause. */
  failed: Set<number>;
  /** Nodes that would say the same again. */
  done: Set<number>;
  /** Not before. */
  notBefore: number;
  rounds: number;
}

/** Names without repeats, for messages. */
const listed = (hosts: readonly string[]) => [...new Set(hosts)].join(", ");

class NodeSet implements Nodes {
  readonly hosts: readonly string[];
  chainId = 0;
  readonly traffic: { requests: number; bytes: number };
  readonly patience: Patience;
  readonly #nodes: readonly RpcNode[];
  readonly #closed = new AbortController();
  readonly #signal: AbortSignal;
  /** One for each signal of a caller: many requests share it. */
  readonly #combined = new WeakMap<AbortSignal, AbortSignal>();
  readonly #notice: (text: string) => void;
  /** Since when there have been rate limits and no success. */
  #limitedSince: number | undefined;

  constructor(nodes: readonly RpcNode[], traffic: { requests: number; bytes: number }, options: NodesOptions) {
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

  async attempt(node: number, method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    const { leftOut, host } = this.#nodes[node]!;
    if (leftOut) throw new NodeFailure(leftOut, sentence(host, leftOut));
    return this.#watch(node, this.#nodes[node]!.call({ method, params }, this.#with(signal)));
  }

  async ask(method: string, params: readonly unknown[], options: AskOptions = {}): Promise<unknown> {
    const job = newJob({ method, params }, 0);
    for (;;) {
      const node = await this.#nodeFor(job, options);
      try {
        const result = await this.attempt(node, method, params, options.signal);
        if (options.accept?.(result, 0) ?? true) return result;
        throw new NodeError("unusable", whyUnusable(result));
      } catch (error) {
        this.#judge(job, node, error, options);
      }
    }
  }

  async askAll(calls: readonly Call[], options: AskOptions = {}): Promise<unknown[]> {
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
          // The batch may be too large, or the node may take none: that is no failure of the calls.
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

  /** Finds the chain's id; leaves out the nodes that can't be used. */
  async connect(): Promise<void> {
    const ids = await Promise.all(this.#nodes.map((_, node) => this.#chainIdOf(node)));
    const known = ids.flatMap((id, node) => (id === undefined ? [] : [{ id, host: this.hosts[node]! }]));
    const [first] = known;
    if (!first) throw this.#noNodeLeft();
    const other = known.find(({ id }) => id !== first.id);
    if (other) {
      throw new Failure(
        `The nodes are of different chains: ${first.host} of chain ${first.id}, ${other.host} of chain ${other.id}. ` +
          "Give URLs of one chain.",
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

  async #chainIdOf(node: number): Promise<number | undefined> {
    try {
      const id = await this.ask("eth_chainId", [], {
        node,
        attempts: ATTEMPTS_TO_CONNECT,
        accept: (result) => typeof result === "string" && /^0x[0-9a-f]{1,13}$/i.test(result),
      });
      return Number(id);
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error;
      if (this.#nodes.length === 1) throw error;
      if (!this.#nodes[node]!.leftOut) {
        this.#nodes[node]!.leftOut = error.reason;
        this.#notice(`Continuing without ${this.hosts[node]}. ${error.message}`);
      }
      return undefined;
    }
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
      if (isForGood) this.#leaveOut(node, error);
      if (error.kind === "rate") this.#checkLimits(error);
      throw error;
    }
  }

  /** @param rounds failures so far */
  #pauseAfter(rounds: number): number {
    const { firstPauseMs, longestPauseMs } = this.patience;
    return Math.min(longestPauseMs, firstPauseMs * 2 ** (rounds - 1)) * (0.5 + Math.random() / 2);
  }

  #leaveOut(node: number, error: NodeError): void {
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
      `No node is left to ask. ${[...new Set(each)].join(". ")}. Mend one of the URLs, or add another one.`,
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
  async #nodeFor(job: Job, { node: only, signal }: AskOptions): Promise<number> {
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
   * @throws {NodeFailure} there is no use in another attempt
   * @throws what is not a failure of a node
   */
  #judge(job: Job, node: number, error: unknown, { node: only, attempts = ATTEMPTS }: AskOptions): void {
    if (!(error instanceof NodeError)) throw error;
    const asked = only === undefined ? this.active : [only];
    const fail = () => {
      const hosts = listed([...job.failed, ...job.done, node].map((index) => this.hosts[index]!));
      throw new NodeFailure(error, sentence(hosts, error, job.call.method));
    };
    if (error.kind === "reverted") fail();
    if (ABOUT_THE_NODE.has(error.kind) && error.kind !== "authentication") {
      // Other nodes may go on meanwhile; this call can't.
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
    const most = error.kind === "refused" ? Math.min(attempts, ATTEMPTS_AT_A_REFUSAL * asked.length) : attempts;
    if (job.attempts >= most) fail();
    if (!asked.every((index) => job.failed.has(index) || job.done.has(index))) return;
    job.failed.clear();
    job.notBefore = Date.now() + this.#pauseAfter(++job.rounds);
  }
}

const newJob = (call: Call, index: number): Job => ({
  call,
  index,
  attempts: 0,
  failed: new Set(),
  done: new Set(),
  notBefore: 0,
  rounds: 0,
});

/** Whether two jobs may be asked of the same node at the same time. */
function isAlike(a: Job, b: Job): boolean {
  const isSame = (one: Set<number>, other: Set<number>) =>
    one.size === other.size && [...one].every((node) => other.has(node));
  return isSame(a.failed, b.failed) && isSame(a.done, b.done);
}

/** @throws {Failure} does not repeat the URL */
function parseUrl(text: string, index: number, count: number): URL {
  const which = count === 1 ? "The URL of the node" : `URL ${index + 1} of the ${count} nodes`;
  const url = URL.parse(text.trim());
  if (!url || !["http:", "https:"].includes(url.protocol) || url.hostname === "") {
    throw new Failure(`${which} is not valid: write it as https://HOST/PATH or http://HOST:PORT.`);
  }
  return url;
}

/**
 * Connects, and checks that all nodes are of one chain. Nodes that can't be used are left out with a notice.
 *
 * @param urls http or https; may hold keys
 * @throws {Failure} a URL is malformed, no node answers, or they are of different chains
 */
export async function openNodes(urls: readonly string[], options: NodesOptions = {}): Promise<Nodes> {
  if (urls.length === 0) throw new Failure("There is no node to ask: give its URL with --rpc, or set SOPRANO_RPC_URL.");
  const parsed = urls.map((text, index) => parseUrl(text, index, urls.length));
  const distinct = [...new Map(parsed.map((url) => [url.href, url])).values()];
  const traffic = { requests: 0, bytes: 0 };
  const { firstPauseMs, longestPauseMs, longestWaitMs } = options.patience ?? DEFAULT_PATIENCE;
  const settings = {
    requestsPerSecond: options.requestsPerSecond,
    timeouts: options.timeouts ?? DEFAULT_TIMEOUTS,
    pauses: { first: firstPauseMs, longest: longestPauseMs },
    longestWaitMs,
    traffic,
    redact: redactor(distinct),
  };
  const nodes = new NodeSet(
    distinct.map((url) => new RpcNode(url, settings)),
    traffic,
    options,
  );
  try {
    await nodes.connect();
    return nodes;
  } catch (error) {
    nodes.close();
    throw error;
  }
}
