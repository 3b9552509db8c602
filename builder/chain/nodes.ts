/** JSON-RPC nodes of one chain that share the work. */

export interface NodesOptions {
  /** Forces the rate of each node instead of finding it. */
  requestsPerSecond?: number | undefined;
  /** Aborts every request and every pause. */
  signal?: AbortSignal | undefined;
  /** Sentences for the user, such as a node that is left out because it refuses the key. */
  onNotice?(text: string): void;
}

export interface AskOptions {
  /** Index in `hosts` of the only node to ask. */
  node?: number;
  /** Whether an answer can be used; otherwise another node is asked. Default: all can. */
  accept?(result: unknown): boolean;
}

export interface Nodes {
  /** What messages call the nodes: host and port, never a whole URL, because it may hold a key. */
  readonly hosts: readonly string[];
  readonly chainId: number;
  /** What has been sent and received so far. */
  readonly traffic: { requests: number; bytes: number };
  /**
   * Makes one call and returns its `result`. Retries on other nodes and later.
   *
   * @throws {Failure} names the host, the method and the reason; never repeats a URL
   */
  ask(method: string, params: readonly unknown[], options?: AskOptions): Promise<unknown>;
  /** Makes many calls in JSON-RPC batches, as large as the nodes take. Results are in the order of `calls`. */
  askAll(calls: readonly { method: string; params: readonly unknown[] }[], options?: AskOptions): Promise<unknown[]>;
  close(): void;
}

/**
 * Connects, and checks that all nodes are of one chain.
 *
 * @param urls http or https; may hold keys
 * @throws {Failure} a URL is malformed, no node answers, or they are of different chains
 */
export declare function openNodes(urls: readonly string[], options?: NodesOptions): Promise<Nodes>;
