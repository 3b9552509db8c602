import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readBlock } from "../../../builder/fetch/chain/blocks.ts";
import { nodeLogs } from "../../../builder/fetch/chain/logs/node-logs.ts";
import { openNodes } from "../../../builder/fetch/chain/nodes/open-nodes.ts";
import type { PricedPool } from "../../../builder/fetch/prices/pools/pool.ts";
import type { PriceEvent } from "../../../builder/fetch/prices/pools/pool-events.ts";
import { type PriceWork, updatePrices } from "../../../builder/fetch/prices/update.ts";
import { LogTimes } from "../../../builder/fetch/times/log-times.ts";
import type { FetchedPrices } from "../../../builder/input/fetched/fetched.ts";
import { type Anvil, hasAnvil, startAnvil } from "../chain/anvil.ts";
import { creation, decode, encode } from "../chain/contracts.ts";
import {
  answerOf,
  createPair,
  createPool,
  deployFeed,
  deployToken,
  deployUniswap,
  isFirst,
  trades,
} from "../chain/pools.ts";
import { modelHours } from "./model.ts";
import { putIntoPlace } from "./put-into-place.ts";

const DAY = 86_400;
/** 2024-01-01. */
const START = 1_704_067_200;
const DAYS = 3;
const SOMEBODY = `0x${"5".repeat(40)}`;

/** A linear congruential generator: tests repeat. */
function random(seed: number) {
  let state = BigInt(seed);
  return (limit: number) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) % 2n ** 64n;
    return Number((state >> 33n) % BigInt(limit));
  };
}

/** Two pools of a token on a chain, which are traded with for some days, with what each block left. */
async function market() {
  const anvil = await startAnvil({ timestamp: START - 3 * DAY });
  const uniswap = await deployUniswap(anvil);
  const token = await deployToken(anvil, "Token", "TOK");
  const ether = await deployToken(anvil, "Ether", "WETH");
  const dollar = await deployToken(anvil, "Dollar", "USD", 6);
  const { feed, aggregator } = await deployFeed(anvil);
  await anvil.mine(START - 2 * DAY);
  const pair = await createPair(anvil, uniswap, token, ether);
  // 0.5 USD for a token: raw 5·10^5 for 10^18, or the inverse.
  const root = 2n ** 96n * 10n ** 6n;
  const sqrtPriceX96 = isFirst(token, dollar) ? (root * 707_107n) / 10n ** 18n : (root * 1_414_213n) / 10n ** 6n;
  const pool = await createPool(anvil, uniswap, token, dollar, { sqrtPriceX96 });
  await anvil.sendAll([
    answerOf(aggregator, 2_000n * 10n ** 8n),
    // 400,000 TOK and 100 WETH.
    isFirst(token, ether)
      ? trades.addToPair(uniswap, pair, 400_000n * 10n ** 18n, 100n * 10n ** 18n)
      : trades.addToPair(uniswap, pair, 100n * 10n ** 18n, 400_000n * 10n ** 18n),
    trades.addToPool(uniswap, pool, 10n ** 17n),
  ]);
  await anvil.mine(START - DAY);
  const pools: PricedPool[] = [
    {
      address: pair,
      kind: "uniswap-v2",
      isToken0: isFirst(token, ether),
      decimals: 18,
      quoteDecimals: 18,
      quote: { kind: "feed", address: feed, aggregators: [aggregator], decimals: 8 },
    },
    {
      address: pool,
      kind: "uniswap-v3",
      isToken0: isFirst(token, dollar),
      decimals: 18,
      quoteDecimals: 6,
      quote: { kind: "constant", usd: 1 },
    },
  ];
  const events = await stateOf(anvil, pools);
  const next = random(7);
  // In the middle, another aggregator begins to answer, and then replaces the one before.
  const successor = await anvil.deploy(creation("Aggregator", 8));
  let answering = aggregator;
  for (let time = START - 5_000; time < START + DAYS * DAY; time += 100 + next(9_000)) {
    if (answering === aggregator && time > START + 1.5 * DAY) {
      answering = successor;
      await anvil.sendAll([
        answerOf(successor, 2_050n * 10n ** 8n),
        { to: feed, data: encode("Feed", "replace", successor) },
      ]);
      await anvil.mine(time - 50);
      events.push(...(await stateOf(anvil, pools)));
    }
    const amount = BigInt(1 + next(2_000));
    const isSale = next(2) === 0;
    const choices = [
      () => [
        trades.swapPair(
          uniswap,
          pair,
          isFirst(token, ether) === isSale,
          isSale ? amount * 10n ** 19n : amount * 10n ** 15n,
          SOMEBODY,
        ),
      ],
      () => [
        trades.swapPool(
          uniswap,
          pool,
          isFirst(token, dollar) === isSale,
          isSale ? amount * 10n ** 18n : amount * 10n ** 6n,
          SOMEBODY,
        ),
      ],
      () => [answerOf(answering, BigInt(1_900 + next(200)) * 10n ** 8n)],
      () => [trades.addToPool(uniswap, pool, 10n ** 16n)],
      // A sandwich: bought and sold within a block.
      () => [
        trades.swapPair(uniswap, pair, !isFirst(token, ether), 900n * 10n ** 18n, SOMEBODY),
        trades.swapPair(uniswap, pair, isFirst(token, ether), 350_000n * 10n ** 18n, SOMEBODY),
      ],
    ];
    await anvil.sendAll(choices[next(choices.length)]!());
    await anvil.mine(time);
    events.push(...(await stateOf(anvil, pools)));
  }
  await anvil.mine(START + DAYS * DAY + 5);
  return { anvil, token, pools, events };
}

/** What the contracts say at the newest block, which is not from logs. */
async function stateOf(anvil: Anvil, pools: PricedPool[]): Promise<PriceEvent[]> {
  const ask =
    async (...[contract, name]: Parameters<typeof encode>) =>
    (to: string) =>
      anvil.call(to, encode(contract, name)).then((data) => decode(contract, name, data));
  const events: PriceEvent[] = [];
  for (const { address, kind, quote } of pools) {
    const at = { address, time: anvil.time, block: 0, logIndex: 0 };
    if (kind === "uniswap-v2") {
      const [reserve0, reserve1] = (await (await ask("UniswapV2Pair", "getReserves"))(address)) as bigint[];
      events.push({ ...at, change: { kind: "reserves", reserve0: reserve0!, reserve1: reserve1! } });
    } else {
      const [sqrtPriceX96, tick] = (await (await ask("UniswapV3Pool", "slot0"))(address)) as [bigint, number];
      const liquidity = (await (await ask("UniswapV3Pool", "liquidity"))(address)) as bigint;
      events.push({ ...at, change: { kind: "price", sqrtPriceX96, liquidity, tick, amount0: 0n, amount1: 0n } });
    }
    if (quote.kind === "feed") {
      const answer = (await (await ask("Feed", "latestAnswer"))(quote.address)) as bigint;
      const change = { kind: "answer" as const, answer, round: 1n, updated: at.time };
      events.push({ ...at, address: quote.aggregators[0]!, change });
    }
  }
  return events;
}

describe.runIf(hasAnvil)("prices of pools on a chain", () => {
  test("equal the exact model of what the contracts say at each block, in one fetch and in nights", async () => {
    const { anvil, token, pools, events } = await market();
    const nodes = await openNodes([anvil.url]);
    onTestFinished(() => nodes.close());
    const folders = ["one", "nights"].map(() => mkdtempSync(join(tmpdir(), "soprano-prices-")));
    onTestFinished(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))).then(() => {}));
    const first = await readBlock(nodes, 1);
    const update = async (folder: string, asOf: number, previous?: FetchedPrices) => {
      let last = await readBlock(nodes, await anvil.head());
      while (last.time >= asOf) last = await readBlock(nodes, last.number - 1);
      const work: PriceWork = {
        nodes,
        logs: nodeLogs(nodes),
        contract: token,
        decimals: 18,
        folder,
        first,
        last,
        asOf,
        previous,
        times: new LogTimes(),
        source: {
          pools: pools.map(({ address, kind, quote }) => {
            if (quote.kind === "feed") return { address, kind, quoteUsd: { feed: quote.address } };
            return { address, kind, quoteUsd: 1 };
          }),
        },
      };
      const updated = (await updatePrices(work))!;
      await putIntoPlace(updated, folder);
      return updated;
    };
    const end = START + DAYS * DAY;
    const whole = await update(folders[0]!, end);
    const text = (folder: string) => readFileSync(join(folder, "prices.csv"), "utf8");

    const from = START - 3 * DAY;
    const rows = modelHours(pools, events, from, end).map(
      ({ end, usd }) => `${new Date(end * 1000).toISOString().slice(0, 19)}Z,${usd}\n`,
    );
    expect(rows.length).toBeGreaterThan(DAYS * 24);
    expect(text(folders[0]!)).toBe(`timestamp,price_usd\n${rows.join("")}`);
    expect(whole).toMatchObject({ rows: rows.length, done: { rows: rows.length } });

    let done: FetchedPrices | undefined;
    for (let asOf = START - DAY; asOf <= end; asOf += DAY) ({ done } = await update(folders[1]!, asOf, done));
    expect(text(folders[1]!)).toBe(text(folders[0]!));
    expect(done).toEqual(whole.done);
    expect(existsSync(join(folders[1]!, ".part", "prices"))).toBe(false);
    const again = await update(folders[1]!, end, done);
    expect(again.rows).toBe(0);
  }, 60_000);
});
