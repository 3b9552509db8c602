/** Logs that several nodes have together, where each may have left out others. */

import type { Nodes } from "../nodes/nodes.ts";
import { readInOrder } from "./in-order.ts";
import { nodeLogs } from "./node-logs.ts";
import type { LogSource, RawLog } from "./pages.ts";

/**
 * Logs of certain nodes, where others were missing or wrong.
 *
 * @param of indexes of the only nodes to ask, at least one: all of them for every page
 */
export function unitedLogs(nodes: Nodes, of: readonly number[]): LogSource {
  const [first, ...others] = of;
  const logs = nodeLogs(nodes);
  return {
    name: "rpc",
    read: (filter, ranges, decode, onPage, options = {}) =>
      logs.read(
        filter,
        ranges,
        async (page, range) => {
          const pages = [page];
          for (const node of others) {
            pages.push(
              await readInOrder(logs, filter, [range], (found) => found, { ...options, node, isRepeated: true }),
            );
          }
          return decode(united(pages), range);
        },
        onPage,
        { ...options, node: first!, isRepeated: true },
      ),
  };
}

/** The logs of one range by several nodes, in the order of the chain. */
function united(pages: readonly (readonly RawLog[])[]): readonly RawLog[] {
  if (pages.length === 1) return pages[0]!;
  const byPlace = new Map(pages.flat().map((log) => [`${Number(log.blockNumber)} ${Number(log.logIndex)}`, log]));
  return [...byPlace.values()].sort(
    (a, b) => Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
  );
}
