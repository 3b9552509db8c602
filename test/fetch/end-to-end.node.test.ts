/**
 * From a contract's address to the answers of the Worker: what is served equals a build of what the economy itself has
 * written down.
 */

import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PricedPool } from "../../builder/fetch/prices/pools/pool.ts";
import type { PriceEvent } from "../../builder/fetch/prices/pools/pool-events.ts";
import { digests, readPublished } from "../commands/published.ts";
import { serve, soprano, sopranoIn } from "../commands/soprano.ts";
import { scratchFolder } from "../folders.ts";
import { hasAnvil } from "./chain/anvil.ts";
import { decode, encode } from "./chain/contracts.ts";
import { isFirst } from "./chain/pools.ts";
import { Economy } from "./chain/scenario.ts";
import { modelHours } from "./prices/model.ts";

const DAYS = 45;
const AS_OF = "2023-03-06T00:00:00Z";

describe.runIf(hasAnvil)("from a chain to a chart", () => {
  let economy: Economy;

  beforeAll(async () => {
    economy = await Economy.open();
    await economy.live(DAYS);
    await economy.finalize();
  });
  afterAll(() => economy?.close());

  it("init, fetch, build, verify and serve give what the economy has written down", async () => {
    const folder = scratchFolder();
    const [assets, persist] = [join(folder, "assets"), join(folder, "state")];
    const { token, dollar, pair, pool, feed, anvil } = economy;
    const run = (...args: string[]) => sopranoIn({ SOPRANO_RPC_URL: anvil.url }, ...args);

    const pools = ["--pools", [pair, pool, feed].join(","), "--quote-usd", `${dollar}=1`];
    const init = await run("init", token, "--out", assets, "--max-supply", "10000000", ...pools, "--yes");
    const asset = join(assets, "ARIA.json");
    expect(init).toMatchObject({ status: 0, stdout: `${asset}\n` });
    expect(JSON.parse(readFileSync(asset, "utf8"))).toMatchObject({
      contract: token,
      decimals: 18,
      source: { chainId: 1, firstBlock: economy.firstBlock, events: "erc20" },
    });

    expect(await run("fetch", asset)).toMatchObject({ status: 0, stdout: `ARIA --as-of ${AS_OF}\n` });
    const inputs = join(assets, "inputs", "ARIA");
    const record = JSON.parse(readFileSync(join(inputs, "fetch.json"), "utf8"));
    const months = ["2023-01", "2023-02", ...Array.from({ length: 5 }, (_, day) => `2023-03-0${day + 1}`)];
    expect(record.files.map(({ file }: { file: string }) => file)).toEqual(
      months.map((name) => `transfers/${name}.parquet`),
    );
    const holders = [...economy.balances().values()].filter((balance) => balance !== 0n);
    expect(record.check).toMatchObject({ status: "passed", of: holders.length, holders: holders.length });
    expect(record.check.supply).toBe(String(holders.reduce((sum, balance) => sum + balance, 0n)));
    expect(
      readFileSync(join(inputs, "contracts.csv"), "utf8")
        .match(/0x[0-9a-f]{40}/g)!
        .sort(),
    ).toEqual(knownContracts(Date.parse(AS_OF) / 1000));

    const built = await run("build", asset, "--persist", persist, "--quiet");
    expect(built).toMatchObject({ status: 0 });
    const verified = await run("verify", "--persist", persist, "--fetched", asset);
    expect(verified).toMatchObject({ status: 0 });
    expect(verified.stdout + verified.stderr).toMatch(new RegExp(`\\b${record.check.block}\\b`));

    // A build of the economy's own account is the same. Its prices are those of the fetch, which are looked at below.
    const own = join(folder, "own");
    mkdirSync(own);
    cpSync(join(inputs, "prices.csv"), join(own, "prices.csv"));
    const dumped = economy.dump(own, { prices: "prices.csv", asOf: AS_OF, maxSupply: "10000000" });
    const ownState = join(folder, "own-state");
    expect(await soprano("build", dumped, "--persist", ownState, "--quiet")).toMatchObject({ status: 0 });
    const series = digests(await readPublished(persist), "series/");
    expect(series.size).toBeGreaterThan(80);
    expect(series).toEqual(digests(await readPublished(ownState), "series/"));

    const server = await serve(persist);
    try {
      const key = (await soprano("keys", "create", "--name", "test", "--persist", persist)).stdout.trim();
      const url = `${server.url}/v1/metrics/supply?a=ARIA&api_key=${key}&s=2023-03-05&u=2023-03-05`;
      const [{ v }] = (await (await fetch(url)).json()) as [{ v: number }];
      const supply = [...economy.balances(Date.parse(AS_OF) / 1000).values()].reduce(
        (sum, balance) => sum + balance,
        0n,
      );
      expect(v).toBeCloseTo(Number(supply) / 1e18, 6);
    } finally {
      await server.stop();
    }

    const prices = readFileSync(join(inputs, "prices.csv"), "utf8");
    const end = Date.parse(AS_OF) / 1000;
    const hours = modelHours(pricedPools(), await priceEvents(), end - 6 * 3_600, end);
    expect(hours).toHaveLength(6);
    const lines = hours.map(({ end: at, usd }) => `${new Date(at * 1000).toISOString().slice(0, 19)}Z,${usd}\n`);
    expect(prices.slice(-lines.join("").length)).toBe(lines.join(""));
  });

  /** The contracts that have held or sent the token before a time. */
  function knownContracts(before: number): string[] {
    const seen = new Set(economy.rows.filter(({ time }) => time < before).flatMap(({ from, to }) => [from, to]));
    return [...economy.contracts].filter((address) => seen.has(address)).sort();
  }

  function pricedPools(): PricedPool[] {
    const { token, dollar, ether, pair, pool, feed } = economy;
    return [
      {
        address: pair,
        kind: "uniswap-v2",
        isToken0: isFirst(token, dollar),
        decimals: 18,
        quoteDecimals: 6,
        quote: { kind: "constant", usd: 1 },
      },
      {
        address: pool,
        kind: "uniswap-v3",
        isToken0: isFirst(token, ether),
        decimals: 18,
        quoteDecimals: 18,
        quote: { kind: "feed", address: feed, aggregators: [feed], decimals: 8 },
      },
    ];
  }

  /** The pools' and the feed's changes of the last eight days, by the economy's account. */
  async function priceEvents(): Promise<PriceEvent[]> {
    const { pair, pool, feed, pairStates, poolStates, answers } = economy;
    expect(decode("Feed", "decimals", await economy.anvil.call(feed, encode("Feed", "decimals")))).toBe(8);
    const events: PriceEvent[] = [
      ...pairStates.map(({ time, ...reserves }) => ({
        time,
        address: pair,
        change: { kind: "reserves" as const, ...reserves },
      })),
      ...poolStates.map(({ time, ...state }) => ({
        time,
        address: pool,
        change: { kind: "price" as const, tick: 0, amount0: 0n, amount1: 0n, ...state },
      })),
      ...answers.map(({ time, answer }) => ({
        time,
        address: feed,
        change: { kind: "answer" as const, answer, round: 1n, updated: time },
      })),
    ].map((event) => ({ ...event, block: 0, logIndex: 0 }));
    const since = Date.parse(AS_OF) / 1000 - 8 * 86_400;
    return events.sort((a, b) => a.time - b.time).filter(({ time }) => time >= since);
  }
});
