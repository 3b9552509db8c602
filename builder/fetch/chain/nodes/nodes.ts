/** JSON-RPC nodes of one chain that share the work: what they offer. open-nodes.ts connects to them. */

import { Failure } from "../../../lib/failure.ts";
import type { Call } from "../rpc/answer.ts";
import type { NodeTimeouts } from "../rpc/exchange.ts";
import type { FailureKind, NodeError } from "../rpc/failures.ts";
import type { RpcHeaders } from "../rpc/node.ts";
import type { Traffic } from "../rpc/traffic.ts";
import type { KnownChain } from "./known.ts";

export interface NodesOptions {
  /** Forces the rate of each node instead of finding it. */
  requestsPerSecond?: number | undefined;
  headers?: RpcHeaders | undefined;
  /** Aborts every request and every pause. */
  signal?: AbortSignal | undefined;
  /** Sentences for the user, such as a node that is left out because it refuses the key. */
  onNotice?(text: string): void;
  timeouts?: NodeTimeouts;
  patience?: NodePatience;
  /** Waits for nodes none of which can be reached now. Default: three attempts, since somebody may have misspelt a URL. */
  waits?: boolean;
}

/** How long to keep trying, in milliseconds. */
export interface NodePatience {
  /** Pause before another round of all nodes; it doubles each time. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** The longest pause that nodes may ask for when none of them can do the work meanwhile. */
  longestWaitMs: number;
  /** Failures without one success in between. */
  hopelessAfterMs: number;
}

export const DEFAULT_PATIENCE: NodePatience = {
  firstPauseMs: 500,
  longestPauseMs: 30_000,
  longestWaitMs: 120_000,
  hopelessAfterMs: 240_000,
};

export interface CallOptions {
  /** Index in `hosts` of the only node to ask. */
  node?: number;
  /** Whether an answer can be used; otherwise another node is asked. Default: all can. */
  accept?(result: unknown, index: number): boolean;
  /**
   * Looks closer at the answer to a single call.
   *
   * @throws {NodeError} what is wrong with it: another node is asked
   */
  verify?(result: unknown): Promise<void>;
  /** Attempts, those that end with a rate limit or a refused key aside. Default: 8. */
  attempts?: number;
  /** The nodes may not have what is asked for: attempts after which an answer without it is believed. Default: `attempts`. */
  mayLack?: number;
  signal?: AbortSignal;
}

export interface Nodes {
  /** What messages call the nodes: host and port, never a whole URL, because it may hold a key. */
  readonly hosts: readonly string[];
  readonly chainId: number;
  /** What has been learned of the chain so far. */
  readonly known: KnownChain;
  /** What has been sent and received so far. */
  readonly traffic: Traffic;
  readonly patience: NodePatience;
  /** Indices in `hosts` of the nodes that take part; some may have been left out. */
  readonly active: readonly number[];
  /**
   * Makes one call and returns its `result`. Retries on other nodes and later.
   *
   * @throws {NodeFailure} names the host, the method and the reason; never repeats a URL
   */
  ask(method: string, params: readonly unknown[], options?: CallOptions): Promise<unknown>;
  /**
   * Makes many calls in JSON-RPC batches, as large as the nodes take. Results are in the order of `calls`.
   *
   * @throws {NodeFailure} one of them can't be answered
   */
  askAll(calls: readonly Call[], options?: CallOptions): Promise<unknown[]>;
  /**
   * Makes one attempt on one node, when its rate allows it. Leaves the node out if it will never answer.
   *
   * @param largest bytes of the answer: a larger one is left while it arrives. Default: 150 MB
   * @throws {NodeError} the attempt failed; another one, on this node or another, may not
   * @throws {NodeFailure} no node is left
   */
  attempt(
    node: number,
    method: string,
    params: readonly unknown[],
    signal?: AbortSignal,
    largest?: number,
  ): Promise<unknown>;
  /**
   * Asks a node for nothing more, and says so.
   *
   * @throws {NodeFailure} it was the last one
   */
  leaveOut(node: number, reason: NodeError): void;
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
