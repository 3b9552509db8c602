/** Prices of a chain whose last final block is older than the states of its nodes: proven at a newer block. */

import { readdirSync } from "node:fs";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { readBlock } from "../../../builder/fetch/chain/blocks.ts";
import { nodeLogs } from "../../../builder/fetch/chain/logs/node-logs.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import { readPoolPrices } from "../../../builder/fetch/prices/read-pools.ts";
import { LogTimes } from "../../../builder/fetch/times/log-times.ts";
import { HOUR_SECONDS } from "../../../data-schema/text.ts";
import { scratchFolder } from "../../folders.ts";
import { startFakeNode } from "../chain/fake-node.ts";
import { histories, START, sync, WETH } from "./histories.ts";
import { atOnce, chainOf, GENESIS, INTERVAL, POOLS } from "./pool-chain.ts";

/** The proof of a history's first day, which ends long before the head; the chain is reorganised while it is proven if asked to. */
async function prove(seed: number, isReplaced: boolean) {
  const [events = []] = fc.sample(histories(INTERVAL), { numRuns: 1, seed });
  const end = START + 24 * HOUR_SECONDS;
  const lastTime = Math.max(end, events.at(-1)?.time ?? 0);
  // A trade after the last final block.
  events.push(sync(WETH.address, lastTime + 500 * INTERVAL, 7n * 10n ** 24n, 9n * 10n ** 24n));
  const chain = chainOf(events, lastTime + 500 * INTERVAL);
  const last = (end - GENESIS) / INTERVAL - 1;
  chain.confirmations = 550;
  const node = await startFakeNode(chain, { states: 128 });
  if (isReplaced) {
    const answer = node.answer.bind(node);
    node.answer = (body) => {
      const result = answer(body);
      if (body.includes('"eth_call"') && result.includes('"result"')) chain.forkFrom(chain.finalized + 1);
      return result;
    };
  }
  const nodes = await openNodes([node.url]);
  onTestFinished(() => nodes.close());
  const folder = scratchFolder();
  const proven = await readPoolPrices({
    nodes,
    logs: nodeLogs(nodes),
    pools: POOLS,
    folder,
    start: START,
    end,
    last: await readBlock(nodes, last),
    assetBlock: 0,
    times: new LogTimes(),
  });
  return {
    proven,
    chain,
    folder,
    expected: atOnce(
      events.filter(({ time }) => time < end),
      end,
    ),
  };
}

test.each([1, 2, 3])("are those of all events, and proven near the head (history %i)", async (seed) => {
  const { proven, chain, folder, expected } = await prove(seed, false);
  expect(proven.hours).toEqual(expected);
  expect(proven.block.number).toBe(chain.head - 16);
  // What is not final is not kept for another run.
  const kept = readdirSync(folder).map((name) => Number(/(\d+)\D*$/.exec(name.replace(/\.[a-z]+$/, ""))?.[1]));
  expect(Math.max(...kept)).toBeLessThanOrEqual(chain.finalized);
});

test("are proven again if the newest blocks were replaced meanwhile", async () => {
  const { proven, chain, expected } = await prove(1, true);
  expect(proven.hours).toEqual(expected);
  expect(proven.block.hash).toBe(chain.hashOf(proven.block.number));
});
