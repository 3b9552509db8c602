/**
 * Reads the transfers of a contract from a node, and drops them: `read-logs.ts URL CONTRACT FROM TO`. Prints how many there were,
 * and this process's peak memory when it had connected and in all, in MB.
 */

import { nodeLogs } from "../../../builder/fetch/chain/logs/node-logs.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { decodeLogs, type EventSource, transferFilter } from "../../../builder/fetch/transfers/decode-logs.ts";

const [url = "", contract = "", from, to] = process.argv.slice(2);
const events: EventSource = { contract, events: "erc20" };
const peak = () => Math.round(process.resourceUsage().maxRSS / 1024);

const nodes = await openNodes([url]);
const connected = peak();
let transfers = 0;
await nodeLogs(nodes).read(
  transferFilter(events),
  [{ from: Number(from), to: Number(to) }],
  (logs) => decodeLogs(logs, events).columns.rows,
  async (_, rows) => {
    transfers += rows;
  },
);
nodes.close();
console.log(JSON.stringify({ transfers, connected, peak: peak() }));
