/**
 * Prices of pools from nodes that leave out logs, send wrong times and have wrong states, night after night: either the fetch fails and
 * nothing is told, or the prices are those of the chain; beside an honest node they are, and after a failure one honest
 * node makes good. And pools in which somebody plays with narrow positions: beside an honest pool, they move no hour.
 */

import { rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { readBlock } from "../../builder/fetch/chain/blocks.ts";
import { nodeLogs } from "../../builder/fetch/chain/logs/node-logs.ts";
import { openNodes } from "../../builder/fetch/chain/nodes/open-nodes.ts";
import type { HourPrice } from "../../builder/fetch/prices/hourly.ts";
import type { PriceEvent } from "../../builder/fetch/prices/pools/pool-events.ts";
import { type PoolWork, readPoolPrices } from "../../builder/fetch/prices/read-pools.ts";
import { LogTimes } from "../../builder/fetch/times/log-times.ts";
import { Failure } from "../../builder/lib/failure.ts";
import { HOUR_SECONDS } from "../../data-schema/text.ts";
import { FakeNode, type FakeNodeOptions } from "../fetch/chain/fake-node.ts";
import { START } from "../fetch/prices/histories.ts";
import { besideHonest, checkUnmoved } from "../fetch/prices/made-up-pool.ts";
import { atOnce, chainOf, GENESIS, INTERVAL, POOLS, poolHistories } from "../fetch/prices/pool-chain.ts";
import { type Attack, inFolders } from "./attack.ts";
import { share } from "./share.ts";

/** The part of all logs that a node leaves out: some, each nth, or all from one on. */
const omissions = fc.oneof(
  { weight: 3, arbitrary: fc.record({ some: fc.array(share, { minLength: 1, maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ each: fc.integer({ min: 2, max: 10 }) }) },
  { weight: 1, arbitrary: fc.record({ from: share, to: fc.constantFrom(0.1, 0.3, 1) }) },
  { weight: 1, arbitrary: fc.constant({ some: [] as number[] }) },
);

const night = fc.record({
  hours: fc.integer({ min: 1, max: 120 }),
  omits: omissions,
  timestamps: fc.constantFrom(undefined, undefined, "an hour late" as const, "one a page" as const),
  maxBlocks: fc.constantFrom(undefined, 3_000, 250),
  /** What its states are: those of a block before, or made up. */
  states: fc.constantFrom(undefined, undefined, "stopped" as const, "made up" as const),
  /** Whether an honest node is asked as well, and where it is named. */
  beside: fc.boolean(),
  isFirst: fc.boolean(),
});

const one = fc.record({
  events: poolHistories,
  nights: fc.array(night, { minLength: 1, maxLength: 3 }),
  played: besideHonest(START),
});
type Case = typeof one extends fc.Arbitrary<infer Value> ? Value : never;
type Night = Case["nights"][number];

export const dishonestPrices: Attack = {
  name: "dishonest-prices",
  unit: "nights of dishonest nodes",
  open: inFolders(one, attempt),
};

async function attempt({ events: made, nights, played }: Case, folder: string): Promise<number> {
  checkUnmoved(played, START);
  const events = asPoolsDo(made);
  const end = START + nights.reduce((sum, { hours }) => sum + hours, 0) * HOUR_SECONDS;
  const chain = chainOf(events, Math.max(end, events.at(-1)?.time ?? 0));
  const honest = await new FakeNode(chain).start();
  const found: HourPrice[] = [];
  let [start, before] = [START, undefined as PoolWork["before"]];
  try {
    for (const each of nights) {
      const dishonest = await new FakeNode(chain, optionsOf(each, events.length, chain.head)).start();
      const stop = start + each.hours * HOUR_SECONDS;
      const read = async (urls: string[]) => {
        const nodes = await openNodes(urls);
        try {
          const last = await readBlock(nodes, (stop - GENESIS) / INTERVAL - 1);
          const result = await readPoolPrices({
            nodes,
            logs: nodeLogs(nodes),
            pools: POOLS,
            folder,
            start,
            end: stop,
            last,
            assetBlock: 0,
            before,
            times: new LogTimes(),
          });
          return { ...result, last };
        } finally {
          nodes.close();
        }
      };
      const others = each.beside ? [honest.url] : [];
      const urls = each.isFirst ? [dishonest.url, ...others] : [...others, dishonest.url];
      try {
        const result = await read(urls).catch((error) => {
          if (!(error instanceof Failure)) throw error;
          if (each.beside) throw new Error(`An honest node beside it did not help: ${error.message}`);
          return read([honest.url]);
        });
        found.push(...result.hours);
        before = { block: result.last.number, facts: result.facts };
      } finally {
        await dishonest.stop();
      }
      rmSync(folder, { recursive: true, force: true });
      start = stop;
      const expected = atOnce(
        events.filter(({ time }) => time < stop),
        stop,
      );
      const at = expected.findIndex((hour, index) => !isDeepStrictEqual(hour, found[index]));
      if (at >= 0 || found.length !== expected.length) {
        throw new Error(
          `${found.length} hours instead of ${expected.length}; hour ${at} is ${JSON.stringify(found[at])} ` +
            `instead of ${JSON.stringify(expected[at])}`,
        );
      }
    }
  } finally {
    await honest.stop();
  }
  return nights.length;
}

function optionsOf({ omits, timestamps, maxBlocks, states }: Night, logs: number, head: number): FakeNodeOptions {
  const isOmitted = (index: number) => {
    if ("some" in omits) return omits.some.some((part) => Math.floor(part * logs) === index);
    if ("each" in omits) return index % omits.each === 0;
    return index >= omits.from * logs && index < (omits.from + omits.to) * logs;
  };
  return {
    omits: new Set([...Array(logs).keys()].filter(isOmitted)),
    ...(timestamps && { timestamps }),
    ...(maxBlocks && { maxBlocks }),
    ...(states === "stopped" && { stoppedAt: head >> 1 }),
    ...(states === "made up" && {
      lies: { call: (_, __, right) => right.replace(/.$/, (digit) => (digit === "1" ? "2" : "1")) },
    }),
  };
}

/**
 * Without what no contract does, and what docs/chain.md says that the proof does not show: a trade within a tick keeps
 * its pool's liquidity, and no two reserves have the very same ratio.
 */
function asPoolsDo(events: readonly PriceEvent[]): PriceEvent[] {
  const standing = new Map<string, { tick: number; liquidity: bigint }>();
  return events.map((event, index) => {
    const { address, change } = event;
    if (change.kind === "reserves") {
      return { ...event, change: { ...change, reserve0: change.reserve0 + BigInt(index) * 10n ** 9n } };
    }
    const before = standing.get(address);
    if (change.kind === "price") {
      const liquidity = before?.tick === change.tick ? before.liquidity : change.liquidity;
      standing.set(address, { tick: change.tick, liquidity });
      return { ...event, change: { ...change, liquidity } };
    }
    if (change.kind === "liquidity" && before && change.lower <= before.tick && before.tick < change.upper) {
      standing.set(address, { ...before, liquidity: before.liquidity + change.delta });
    }
    return event;
  });
}
