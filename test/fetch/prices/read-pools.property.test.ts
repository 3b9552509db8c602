import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { readBlock } from "../../../builder/fetch/chain/blocks.ts";
import { nodeLogs } from "../../../builder/fetch/chain/logs/node-logs.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import type { HourPrice } from "../../../builder/fetch/prices/hourly.ts";
import type { PricedPool } from "../../../builder/fetch/prices/pools/pool.ts";
import { type PoolWork, readPoolPrices } from "../../../builder/fetch/prices/read-pools.ts";
import { LogTimes } from "../../../builder/fetch/times/log-times.ts";
import { HOUR_SECONDS } from "../../../data-schema/text.ts";
import { FakeNode, type FakeNodeOptions } from "../chain/fake-node.ts";
import { answer, DAY, START, sync, WETH } from "./histories.ts";
import { MadeUpPool, NARROW } from "./made-up-pool.ts";
import { atOnce, chainOf, GENESIS, INTERVAL, POOLS, poolHistories } from "./pool-chain.ts";

const [OLD, NEW] = ["f1", "f2"].map((digits) => `0x${digits.padStart(40, "0")}`) as [string, string];

const nights = fc.record({
  hours: fc.integer({ min: 1, max: 120 }),
  maxBlocks: fc.constantFrom(undefined, 3_000, 250),
  timestamps: fc.constantFrom(undefined, "missing" as const, "zero" as const),
  /** Whether it was killed after some pages, and which of those are lost. */
  lost: fc.option(fc.array(fc.nat(20), { maxLength: 5 })),
});

test("nights give the hours of one run, whatever the pages, and where logs have no times; after a kill, too", async () => {
  let compared = 0;
  const property = fc.asyncProperty(
    poolHistories,
    fc.array(nights, { minLength: 1, maxLength: 3 }),
    async (events, plan) => {
      const end = START + plan.reduce((sum, { hours }) => sum + hours, 0) * HOUR_SECONDS;
      const within = events.filter(({ time }) => time < end);
      const chain = chainOf(events, Math.max(end, events.at(-1)?.time ?? 0));
      const folder = mkdtempSync(join(tmpdir(), "soprano-prices-"));
      const found: HourPrice[] = [];
      try {
        let start = START;
        let before: PoolWork["before"];
        for (const { hours, maxBlocks, timestamps, lost } of plan) {
          const stop = start + hours * HOUR_SECONDS;
          const node = await new FakeNode(chain, {
            ...(maxBlocks && { maxBlocks }),
            ...(timestamps && { timestamps }),
          }).start();
          const nodes = await openNodes([node.url]);
          try {
            const last = await readBlock(nodes, (stop - GENESIS) / INTERVAL - 1);
            const read = () =>
              readPoolPrices({
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
            let result = await read();
            if (lost) {
              const pages = readdirSync(folder);
              for (const index of lost) rmSync(join(folder, pages[index % pages.length]!), { force: true });
              result = await read();
            }
            found.push(...result.hours);
            before = { block: last.number, facts: result.facts };
          } finally {
            nodes.close();
            await node.stop();
          }
          rmSync(folder, { recursive: true });
          start = stop;
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
      compared += found.length;
      expect(found).toEqual(atOnce(within, end));
    },
  );
  await fc.assert(property, { numRuns: 10 });
  expect(compared).toBeGreaterThan(20);
}, 120_000);

test("looks back no further than it must for a feed's last answer: an hour, a day, a week", async () => {
  const [aggregator] = WETH.quote.kind === "feed" ? WETH.quote.aggregators : [];
  const asked = async (answered: number) => {
    const events = [answer(aggregator!, answered, 2_000), sync(WETH.address, START + 20, 10n ** 24n, 10n ** 24n)];
    const node = await new FakeNode(chainOf(events, START + DAY)).start();
    const nodes = await openNodes([node.url]);
    const folder = mkdtempSync(join(tmpdir(), "soprano-prices-"));
    onTestFinished(async () => {
      nodes.close();
      await node.stop();
      rmSync(folder, { recursive: true });
    });
    const hours: number[] = [];
    const source = nodeLogs(nodes);
    const logs: typeof source = {
      name: source.name,
      read: (filter, wanted, ...rest) => {
        hours.push(...wanted.map(({ from, to }) => ((to - from + 1) * INTERVAL) / HOUR_SECONDS));
        return source.read(filter, wanted, ...rest);
      },
    };
    const last = await readBlock(nodes, (START + HOUR_SECONDS - GENESIS) / INTERVAL - 1);
    const assetBlock = (START - GENESIS) / INTERVAL;
    const work = { nodes, logs, pools: [WETH], folder, start: START, end: START + HOUR_SECONDS, last, assetBlock };
    const found = await readPoolPrices({ ...work, times: new LogTimes() });
    // Up to the last final block.
    return { found: found.hours.length, lookedBack: hours.slice(0, -1) };
  };
  expect(await asked(START - 40)).toEqual({ found: 1, lookedBack: [1] });
  expect(await asked(START - 10 * HOUR_SECONDS)).toEqual({ found: 1, lookedBack: [1, 23] });
  // The chain is not much older than four days.
  expect(await asked(START - 4 * DAY)).toEqual({ found: 1, lookedBack: [1, 23, expect.closeTo(87.1, 1)] });
});

/** Reads a day of a pool that is initialised long before its token exists, and has a position beside its price. */
async function initialisedEarly(options: FakeNodeOptions) {
  const pool = new MadeUpPool(NARROW.address);
  const events = [
    pool.initialise(START - 2 * DAY, 2n ** 96n),
    pool.add(START + 40, [-600, 600], 10n ** 24n),
    pool.add(START + 60, [-6_000, -660], 10n ** 24n),
  ];
  const node = await new FakeNode(chainOf(events, START + DAY), options).start();
  const nodes = await openNodes([node.url]);
  const folder = mkdtempSync(join(tmpdir(), "soprano-prices-"));
  onTestFinished(async () => {
    nodes.close();
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return readPoolPrices({
    nodes,
    logs: nodeLogs(nodes),
    pools: [NARROW],
    folder,
    start: START,
    end: START + DAY,
    last: await readBlock(nodes, (START + DAY - GENESIS) / INTERVAL - 1),
    assetBlock: (START + 20 - GENESIS) / INTERVAL,
    times: new LogTimes(),
  });
}

test.each([
  ["nodes that keep old states", {}],
  ["nodes that don't", { states: 1_000 }],
])("a pool that is initialised before its token exists is read from its creation on, by %s", async (_, options) => {
  const { hours, facts } = await initialisedEarly(options);
  expect(hours).toHaveLength(24);
  expect(hours[0]).toEqual({ end: START + HOUR_SECONDS, usd: 1 });
  expect(facts.pools[NARROW.address]).toMatchObject({ ticks: 4n });
});

test("a log of a position beside the price is missed, too", async () => {
  await expect(initialisedEarly({ omits: new Set([2]) })).rejects.toThrow(
    "tick -6000 is 0 by its logs, but 1000000000000000000000000 on the chain",
  );
});

test.each([
  ["another aggregator answers", { aggregators: [OLD, NEW] }],
  ["another feed of the same aggregator is named", { address: `0x${"fd".padStart(40, "0")}` }],
])("from the night on in which %s, prices are those of one run", async (_, changed) => {
  const feed = { kind: "feed" as const, address: `0x${"fe".padStart(40, "0")}`, aggregators: [OLD], decimals: 8 };
  const before = { ...WETH, quote: feed };
  const after = { ...WETH, quote: { ...feed, ...changed } };
  const events = [
    answer(OLD, START - 7_200, 2_000, 1n),
    sync(WETH.address, START - 7_200, 10n ** 24n, 10n ** 24n),
    answer(OLD, START + DAY - 600, 2_100, 2n),
    answer(NEW, START + DAY + 1_800, 2_200, 1n),
  ];
  const node = await new FakeNode(chainOf(events, START + 2 * DAY)).start();
  const nodes = await openNodes([node.url]);
  const parent = mkdtempSync(join(tmpdir(), "soprano-prices-"));
  onTestFinished(async () => {
    nodes.close();
    await node.stop();
    rmSync(parent, { recursive: true });
  });
  const night = async (pool: PricedPool, start: number, end: number, known?: PoolWork["before"]) => {
    const last = await readBlock(nodes, (end - GENESIS) / INTERVAL - 1);
    const logs = nodeLogs(nodes);
    const folder = mkdtempSync(join(parent, "night-"));
    const times = new LogTimes();
    const work = { nodes, logs, pools: [pool], folder, start, end, last, assetBlock: 0, before: known, times };
    const { hours, facts } = await readPoolPrices(work);
    return { hours, before: { block: last.number, facts } };
  };
  const first = await night(before, START, START + DAY);
  const second = await night(after, START + DAY, START + 2 * DAY, first.before);
  expect([...first.hours, ...second.hours]).toEqual((await night(after, START, START + 2 * DAY)).hours);
  expect(second.hours).toHaveLength(24);
});
