/** Connects to the nodes that the user names. */

import { Failure } from "../../../lib/failure.ts";
import { DEFAULT_TIMEOUTS } from "../rpc/exchange.ts";
import { RpcNode } from "../rpc/node.ts";
import { redactor } from "../rpc/redact.ts";
import { Traffic } from "../rpc/traffic.ts";
import { NodeSet } from "./node-set.ts";
import { DEFAULT_PATIENCE, type Nodes, type NodesOptions } from "./nodes.ts";

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
  if (urls.length === 0) throw new Failure("No node is named: give its URL with --rpc, or set SOPRANO_RPC_URL.");
  const parsed = urls.map((text, index) => parseUrl(text, index, urls.length));
  const distinct = [...new Map(parsed.map((url) => [url.href, url])).values()];
  const traffic = new Traffic();
  const { firstPauseMs, longestPauseMs, longestWaitMs } = options.patience ?? DEFAULT_PATIENCE;
  const settings = {
    requestsPerSecond: options.requestsPerSecond,
    timeouts: options.timeouts ?? DEFAULT_TIMEOUTS,
    pauses: { first: firstPauseMs, longest: longestPauseMs },
    longestWaitMs,
    traffic,
    headers: options.headers ?? {},
    redact: redactor(distinct, Object.values(options.headers ?? {}).flatMap(Object.values<string>)),
  };
  const nodes = new NodeSet(
    distinct.map((url) => new RpcNode(url, settings)),
    traffic,
    options,
  );
  try {
    await nodes.connect(options);
    return nodes;
  } catch (error) {
    nodes.close();
    throw error;
  }
}
