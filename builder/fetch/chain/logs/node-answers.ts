/** What one node answers when it is asked for logs. */

import { quantity } from "../hex.ts";
import type { Nodes } from "../nodes/nodes.ts";
import { MEGABYTE } from "../rpc/exchange.ts";
import { NodeError } from "../rpc/failures.ts";
import { checkPage, matchingLogs, prepareFilter } from "./check-page.ts";
import { BadPage } from "./pages.ts";
import type { Answerer } from "./whole-logs.ts";

/**
 * Bytes of an answer of several blocks. Where logs become dense all of a sudden, all pages in flight may get so large, and the
 * memory holds them. Twice what pages aim at; a block is as large as it is.
 */
const LARGEST_ANSWER = 8 * MEGABYTE;

/** Says nothing of whether a node gives receipts. */
const OF_THE_MOMENT = new Set(["authentication", "rate", "quota", "unreachable", "timed-out"]);

/** @throws {NodeError} and {BadPage}, as do the functions of what is returned */
export function answererFor(nodes: Nodes, node: number, signal: AbortSignal): Answerer {
  return {
    limit: nodes.known.limitOf(node),
    async logs({ filter, range }) {
      const params = [{ ...filter, fromBlock: quantity(range.from), toBlock: quantity(range.to) }];
      const largest = range.to > range.from ? LARGEST_ANSWER : undefined;
      const result = await nodes.attempt(node, "eth_getLogs", params, signal, largest);
      return checkPage(result, prepareFilter(filter), range);
    },
    async logsOfReceipts({ filter, range }) {
      try {
        const receipts = await nodes.attempt(node, "eth_getBlockReceipts", [quantity(range.from)], signal);
        const prepared = prepareFilter(filter);
        return checkPage(matchingLogs(receipts, prepared), prepared, range);
      } catch (error) {
        const isTelling = error instanceof NodeError ? !OF_THE_MOMENT.has(error.kind) : error instanceof BadPage;
        if (isTelling) return undefined;
        throw error;
      }
    },
  };
}
