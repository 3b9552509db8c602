/**
 * Checks the balances of every holder against a node: `check.ts URL CONTRACT`. Seconds of the replay and the comparison,
 * and of looking for code at the same addresses; memory above that of the program with the transfers in it.
 */

import { finalizedBlock } from "../../builder/fetch/chain/blocks.ts";
import { openNodes } from "../../builder/fetch/chain/nodes/open-nodes.ts";
import { readCodes } from "../../builder/fetch/chain/scan/scan.ts";
import { readTransferLogs } from "../../builder/fetch/check/causes/subject.ts";
import { checkFiles } from "../../builder/fetch/check/compare-with-contract.ts";
import { silentProgress } from "../../builder/lib/terminal/progress.ts";

export type CheckFigures = Record<"seconds" | "holders" | "codes" | "memory", number>;

const [url = "", contract = ""] = process.argv.slice(2);
const nodes = await openNodes([url]);
const { number } = await finalizedBlock(nodes);
const source = { contract, events: "erc20" } as const;
const range = { from: 1, to: number };
const columns = await readTransferLogs({ nodes, source }, [range]);
const started = process.memoryUsage.rss();
const began = performance.now();
const { check } = await checkFiles({
  nodes,
  source,
  range,
  newFrom: 1,
  limit: 10_000_000,
  progress: silentProgress(),
  async *transfers() {
    yield* columns;
  },
});
if (check.status !== "passed") throw new Error(check.problems?.join("\n"));
const seconds = (performance.now() - began) / 1000;
const memory = process.memoryUsage.rss() - started;
const addresses = Buffer.concat(columns.map(({ to }) => to));
const looked = performance.now();
await readCodes(nodes, addresses, number);
const figures: CheckFigures = { seconds, holders: check.holders, codes: (performance.now() - looked) / 1000, memory };
nodes.close();
console.log(JSON.stringify(figures));
