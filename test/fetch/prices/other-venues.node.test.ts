/**
 * Pools of PancakeSwap v3, by its own bytecode, and of Aerodrome, by contracts with the same events and getters: their
 * prices are those of the model, and proven.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PricedPool } from "../../../builder/fetch/prices/pools/pool.ts";
import type { PriceEvent } from "../../../builder/fetch/prices/pools/pool-events.ts";
import { sopranoIn } from "../../commands/soprano.ts";
import { type Anvil, hasAnvil, openAnvil } from "../chain/anvil.ts";
import { creation, decode, encode } from "../chain/contracts.ts";
import { deployToken, isFirst } from "../chain/pools.ts";
import { type ProxyOptions, startProxy } from "../chain/proxy.ts";
import { modelHours } from "./model.ts";

const DAY = 86_400;
/** 2024-01-01. */
const START = 1_704_067_200;
const Q96 = 2n ** 96n;
const SOMEBODY = `0x${"5".repeat(40)}`;

describe.runIf(hasAnvil)("pools of other exchanges", () => {
  const folder = mkdtempSync(join(tmpdir(), "soprano-venues-"));
  let anvil: Anvil;
  let token: string;
  let firstBlock: number;
  let pools: PricedPool[];
  let stable: string;
  const events: PriceEvent[] = [];

  /** What the contracts say at the newest block, which is not from logs. */
  async function note(): Promise<void> {
    const at = { time: anvil.time, block: 0, logIndex: 0 };
    for (const { address, kind } of pools) {
      const isPair = kind === "aerodrome";
      const contract = isPair ? "AerodromePool" : kind === "slipstream" ? "SlipstreamPool" : "PancakeV3Pool";
      const ask = async (name: string) => decode(contract, name, await anvil.call(address, encode(contract, name)));
      if (isPair) {
        const [reserve0, reserve1] = (await ask("getReserves")) as [bigint, bigint];
        events.push({ ...at, address, change: { kind: "reserves", reserve0, reserve1 } });
      } else {
        const [sqrtPriceX96, tick] = (await ask("slot0")) as [bigint, number];
        const liquidity = (await ask("liquidity")) as bigint;
        const state = { sqrtPriceX96, tick, liquidity, amount0: 0n, amount1: 0n };
        events.push({ ...at, address, change: { kind: "price", ...state } });
      }
    }
  }

  /** A pool's first events: its position is the only one. */
  function begin(address: string, [lower, upper]: readonly [number, number], delta: bigint): void {
    const at = { time: anvil.time, block: 0, logIndex: 0, address };
    const price = { sqrtPriceX96: Q96, tick: 0, liquidity: 0n, amount0: 0n, amount1: 0n };
    events.push({ ...at, change: { kind: "price", ...price } });
    events.push({ ...at, change: { kind: "liquidity", lower, upper, delta } });
  }

  beforeAll(async () => {
    anvil = await openAnvil({ timestamp: START - DAY });
    const router = await anvil.deploy(creation("Router"));
    const deployer = await anvil.deploy(creation("PancakeDeployer"));
    const dollar = await deployToken(anvil, "Dollar", "USDC");
    await anvil.mine(START - 1_000);
    token = await deployToken(anvil, "Token", "TOK");
    firstBlock = await anvil.mine(START + 100);
    const tokens = isFirst(token, dollar) ? [token, dollar] : [dollar, token];
    await anvil.send({ to: token, data: encode("Token", "mint", SOMEBODY, 10n ** 24n) });
    await anvil.send({
      to: deployer,
      data: encode("PancakeDeployer", "deploy", creation("PancakeV3Pool"), ...tokens, 2_500, 50),
    });
    const aerodrome = await anvil.deploy(creation("AerodromePool", ...tokens, false));
    stable = await anvil.deploy(creation("AerodromePool", ...tokens, true));
    const slipstream = await anvil.deploy(creation("SlipstreamPool", ...tokens));
    await anvil.mine(START + 200);
    const made = await anvil.call(deployer, encode("PancakeDeployer", "pool"));
    const pancake = (decode("PancakeDeployer", "pool", made) as string).toLowerCase();
    const shape = { isToken0: isFirst(token, dollar), decimals: 18, quoteDecimals: 18 };
    const quote = { kind: "constant" as const, usd: 1 };
    pools = (
      [
        ["pancakeswap-v3", pancake],
        ["aerodrome", aerodrome],
        ["slipstream", slipstream],
      ] as const
    ).map(([kind, address]) => ({ kind, address, ...shape, quote }));
    const unit = 10n ** 18n;
    await anvil.sendAll([
      { to: pancake, data: encode("PancakeV3Pool", "initialize", Q96) },
      { to: router, data: encode("Router", "addToPool", pancake, -10_000, 10_000, 10n ** 24n) },
      { to: aerodrome, data: encode("AerodromePool", "set", 50_000n * unit, 51_000n * unit) },
      { to: slipstream, data: encode("SlipstreamPool", "initialize", Q96, 0) },
      { to: slipstream, data: encode("SlipstreamPool", "add", -1_000, 1_000, 10n ** 23n) },
    ]);
    await anvil.mine(START + 300);
    begin(pancake, [-10_000, 10_000], 10n ** 24n);
    begin(slipstream, [-1_000, 1_000], 10n ** 23n);
    await note();
    for (let step = 1; step < 60; step++) {
      const amount = BigInt(1_000 + 137 * step) * unit;
      const [price, tick] = step % 2 === 0 ? [(Q96 * 101n) / 100n, 199] : [(Q96 * 99n) / 100n, -202];
      await anvil.sendAll(
        [
          [{ to: router, data: encode("Router", "swapPool", pancake, step % 4 < 2, amount, SOMEBODY) }],
          [{ to: aerodrome, data: encode("AerodromePool", "set", 50_000n * unit + amount, 51_000n * unit) }],
          [{ to: slipstream, data: encode("SlipstreamPool", "move", price, tick) }],
        ][step % 3]!,
      );
      await anvil.mine(START + 300 + step * 2_700);
      await note();
    }
    await anvil.mine(START + 2 * DAY + 60, 5);
  }, 120_000);
  afterAll(async () => {
    await anvil?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function fetched(
    name: string,
    options: ProxyOptions,
    named = pools.map(({ address, kind }) => ({ address, kind })),
  ) {
    const path = join(folder, `${name}.json`);
    const prices = { pools: named.map((pool) => ({ ...pool, quoteUsd: 1 })) };
    const source = { chainId: 1, firstBlock, events: "erc20", labels: "none", prices };
    const identity = { symbol: name, name, chain: "base", contract: token, decimals: 18, maxSupply: "1000000" };
    writeFileSync(path, JSON.stringify({ ...identity, source }));
    const proxy = await startProxy(anvil.url, options);
    const outcome = await sopranoIn({ SOPRANO_RPC_URL: proxy.url }, "fetch", path, "--until", "2024-01-01");
    const read = () => readFileSync(join(folder, "inputs", name, "prices.csv"), "utf8");
    return { ...outcome, csv: outcome.status === 0 ? read() : "" };
  }

  it("give the prices of the model", async () => {
    const { status, stderr, csv } = await fetched("OTHERS", {});
    expect(stderr).not.toContain("can't be proven");
    expect(status).toBe(0);
    const hours = modelHours(pools, events, START, START + DAY);
    const lines = hours.map(({ end, usd }) => `${new Date(end * 1000).toISOString().slice(0, 19)}Z,${usd}\n`);
    expect(hours).toHaveLength(24);
    expect(csv).toBe(`timestamp,price_usd\n${lines.join("")}`);
  });

  it.each([0, 1, 2])("are not believed: a log of pool %d is missing", async (index) => {
    const { address } = pools[index]!;
    let left = 3;
    const omits = (log: { address: string }) => log.address.toLowerCase() === address && left-- === 0;
    // The same log is missing each time it is asked for.
    const block = new Set<string>();
    const { status, stderr } = await fetched(`OMITS${index}`, {
      omits: (log) => block.has(log.blockNumber) || (omits(log) && block.add(log.blockNumber) !== undefined),
    });
    expect(stderr).toContain(`Of the pool ${address}: `);
    expect(status).toBe(1);
  });

  it("a stable pool of Aerodrome is refused by name", async () => {
    const { status, stderr } = await fetched("STABLE", {}, [{ address: stable, kind: "aerodrome" }]);
    expect(stderr).toContain(`${stable} is a stable pool of Aerodrome: its price is not the ratio of its reserves.`);
    expect(status).toBe(1);
  });
});
