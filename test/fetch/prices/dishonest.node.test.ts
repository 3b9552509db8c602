/** Nodes that leave out logs of pools and feeds, or lie about their times, without an error: no wrong price is written. */

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPublished } from "../../commands/published.ts";
import { soprano, sopranoIn } from "../../commands/soprano.ts";
import { newFolder } from "../../folders.ts";
import { hasAnvil, toHex } from "../chain/anvil.ts";
import { createPool, deployUniswap, isFirst, trades } from "../chain/pools.ts";
import { type ProxyOptions, type SentLog, startProxy } from "../chain/proxy.ts";
import { Economy } from "../chain/scenario.ts";
import { EconomyFolder } from "../economy-folder.ts";

const TIMEOUT = 120_000;
const OTHER = `0x${"5".repeat(40)}`;

/** Some of all logs, by place: the same ones each time, whatever the page. */
const isOneOf = (count: number) => (log: SentLog) =>
  (Number(log.blockNumber) * 31 + Number(log.logIndex) * 7) % count === 0;

const shifted = (seconds: number) => (log: SentLog) => ({
  ...log,
  blockTimestamp: toHex(Number(log.blockTimestamp) + seconds),
});

describe.runIf(hasAnvil)("through a node that is not honest", () => {
  const parent = newFolder();
  let economy: Economy;
  let right: string;

  const pricesOf = ({ inputs }: EconomyFolder) => {
    const path = join(inputs, "prices.csv");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  };

  beforeAll(async () => {
    economy = await Economy.open({ seed: 11, blocksADay: 12 });
    await economy.live(4);
    await economy.finalize();
    const honest = new EconomyFolder(economy, parent);
    expect(await honest.fetch([economy.anvil.url])).toMatchObject({ status: 0, stderr: "" });
    right = pricesOf(honest);
    expect(right.split("\n").length).toBeGreaterThan(80);
    const { prices } = honest.record;
    expect(prices?.proof).toMatchObject({
      means: {
        "uniswap-v2": "getReserves, price0CumulativeLast, price1CumulativeLast",
        "uniswap-v3": "slot0, liquidity, observations",
        feed: "latestRound, latestAnswer, latestTimestamp, and rounds without gaps",
      },
    });
  }, TIMEOUT);
  afterAll(async () => {
    await economy?.close();
    rmSync(parent, { recursive: true, force: true });
  });

  /** Logs of pools and feeds alone: those of the token are proven by balances. */
  const ofPools = ({ address }: { address: string }) => address.toLowerCase() !== economy.token;
  const asksForPools = ({ params }: { params: readonly unknown[] }) =>
    [(params[0] as { address: string | string[] }).address].flat().every((address) => ofPools({ address }));

  const faults: [string, () => ProxyOptions, (host: string) => RegExp][] = [
    ["that leaves out a tenth of their logs", () => ({ omits: (log) => ofPools(log) && isOneOf(10)(log) }), unproven],
    ["that leaves out a single one", () => ({ omits: (log) => ofPools(log) && isOneOf(97)(log) }), unproven],
    ["that answers [] to half of their logs", halfEmpty, unproven],
    ["that answers [] to all of them", () => ({ hides: asksForPools }), unproven],
    ["whose times are an hour late", () => ({ alters: (log) => (ofPools(log) ? shifted(3600)(log) : log) }), late],
    [
      "whose times are half an hour early",
      () => ({ alters: (log) => (ofPools(log) ? shifted(-1800)(log) : log) }),
      late,
    ],
  ];

  function halfEmpty(): ProxyOptions {
    return {
      hides: (call) => asksForPools(call) && Number((call.params[0] as { fromBlock: string }).fromBlock) % 2 === 0,
    };
  }
  function unproven(host: string): RegExp {
    return new RegExp(`Prices can't be proven: the logs of blocks \\d+ to \\d+ from ${host}`);
  }
  function late(): RegExp {
    return /have wrong times: those of block \d+ say .*, its header/;
  }

  /** With the notices. */
  const fetchAloud = ({ asset }: EconomyFolder, ...urls: string[]) =>
    sopranoIn({ SOPRANO_RPC_URL: urls.join(" ") }, "fetch", asset);

  it.each(faults)(
    "%s writes no wrong row, and a good node the right ones",
    async (_, options, says) => {
      const proxy = await startProxy(economy.anvil.url, options());
      const folder = new EconomyFolder(economy, parent);
      const { status, stderr } = await fetchAloud(folder, proxy.url);
      expect(stderr).toMatch(says(proxy.host));
      if (status === 0) expect(pricesOf(folder)).toBe(right);
      else {
        expect(pricesOf(folder)).toBe("");
        expect(stderr).toMatch(/(pool|feed) 0x[0-9a-f]{40}: /);
      }
      expect(await folder.fetch([economy.anvil.url])).toMatchObject({ status: 0 });
      expect(pricesOf(folder)).toBe(right);
      expect(existsSync(join(folder.inputs, ".part", "prices"))).toBe(false);
    },
    TIMEOUT,
  );

  it.each(faults)(
    "%s is corrected by another node",
    async (_, options) => {
      const proxy = await startProxy(economy.anvil.url, options());
      const folder = new EconomyFolder(economy, parent);
      expect(await folder.fetch([proxy.url, economy.anvil.url])).toMatchObject({ status: 0 });
      expect(pricesOf(folder)).toBe(right);
    },
    TIMEOUT,
  );

  it(
    "two nodes that leave out different logs have all of them together",
    async () => {
      const omits = (rest: number) => (log: SentLog) => ofPools(log) && Number(log.blockNumber) % 5 === rest;
      const proxies = [
        await startProxy(economy.anvil.url, { omits: omits(1) }),
        await startProxy(economy.anvil.url, { omits: omits(3) }),
      ];
      const folder = new EconomyFolder(economy, parent);
      const { status, stderr } = await fetchAloud(folder, ...proxies.map(({ url }) => url));
      expect({ status, prices: pricesOf(folder) }).toEqual({ status: 0, prices: right });
      expect(stderr).toMatch(/logs? of pools and feeds w\w+ missing, in blocks? /);
    },
    TIMEOUT,
  );

  it(
    "a trade within a tick, undone by the next one, leaves no observation, and is missed all the same",
    async () => {
      const { anvil, token, dollar } = economy;
      const uniswap = await deployUniswap(anvil);
      const pool = await createPool(anvil, uniswap, token, dollar, {
        sqrtPriceX96: isFirst(token, dollar) ? 2n ** 96n / 10n ** 6n : 2n ** 96n * 10n ** 6n,
      });
      await anvil.send(trades.addToPool(uniswap, pool, 10n ** 17n));
      await anvil.mine(anvil.time + 60);
      // Some dollars are far below a ten-thousandth of what is in the pool.
      const sale = (dollars: bigint, isOfToken: boolean) =>
        trades.swapPool(uniswap, pool, isFirst(token, dollar) === isOfToken, dollars, OTHER);
      await anvil.send(sale(2n * 10n ** 5n, false));
      const block = await anvil.mine(anvil.time + 60);
      await anvil.send(sale(2n * 10n ** 17n, true));
      await anvil.mine(anvil.time + 600);
      await economy.live(1);
      await economy.finalize();

      const asset = (folder: EconomyFolder) => {
        const json = JSON.parse(readFileSync(folder.asset, "utf8"));
        json.source.prices = { pools: [{ address: pool, kind: "uniswap-v3", quoteUsd: 1 }] };
        writeFileSync(folder.asset, JSON.stringify(json));
        return folder;
      };
      const honest = asset(new EconomyFolder(economy, parent));
      expect(await honest.fetch([anvil.url])).toMatchObject({ status: 0, stderr: "" });
      const proxy = await startProxy(anvil.url, {
        omits: (log) => log.address.toLowerCase() === pool && Number(log.blockNumber) === block,
      });
      const { status, stderr } = await asset(new EconomyFolder(economy, parent)).fetch([proxy.url]);
      expect(stderr).toMatch(
        /Of the pool 0x\w+: a swap does not begin at the price that events before have left, in block/,
      );
      expect(status).toBe(1);
    },
    TIMEOUT,
  );
});

describe.runIf(hasAnvil)("prices.csv", () => {
  const parent = newFolder();
  let economy: Economy;
  let folder: EconomyFolder;
  const fetching = (...args: string[]) =>
    sopranoIn({ SOPRANO_RPC_URL: economy.anvil.url }, "fetch", folder.asset, ...args);
  const path = () => join(folder.inputs, "prices.csv");

  beforeAll(async () => {
    economy = await Economy.open({ seed: 12 });
    await economy.live(3);
    await economy.finalize();
    folder = new EconomyFolder(economy, parent);
    expect(await fetching()).toMatchObject({ status: 0 });
  }, TIMEOUT);
  afterAll(async () => {
    await economy?.close();
    rmSync(parent, { recursive: true, force: true });
  });

  it(
    "that was edited is refused by fetch and build, until a recheck has computed it again",
    async () => {
      const right = readFileSync(path(), "utf8");
      const build = (...args: string[]) =>
        soprano("build", folder.asset, "--persist", join(parent, "state"), "--as-of", "2023-01-22T00:00:00Z", ...args);
      expect(await build()).toMatchObject({ status: 0 });
      const rows = right.trimEnd().split("\n");
      const [time] = rows.at(-3)!.split(",");
      writeFileSync(path(), `${[...rows.slice(0, -3), `${time},123`, ...rows.slice(-2)].join("\n")}\n`);
      for (const refused of [await fetching(), await build()]) {
        expect(refused.status).toBe(1);
        expect(refused.stderr).toMatch(/prices\.csv has changed since soprano fetch wrote it: .*--recheck prices/);
      }
      // Nobody can say yes here.
      const asked = await fetching("--recheck", "prices");
      expect(asked.status).toBe(1);
      expect(asked.stderr).toMatch(new RegExp(`1 hour differs: ${time} \\([\\d.]+, was 123\\)`));
      expect(asked.stderr).toContain(
        "Replace 1 hour of prices.csv? The next build is then a full one? Answer with --yes",
      );
      expect(readFileSync(path(), "utf8")).not.toBe(right);
      expect(await fetching("--recheck", "prices", "--yes")).toMatchObject({ status: 0 });
      expect(readFileSync(path(), "utf8")).toBe(right);
      expect((await fetching("--recheck", "prices")).stderr).toContain("none differs");
      expect(await build()).toMatchObject({ status: 0 });
    },
    TIMEOUT,
  );

  it(
    "that an earlier version has written wrongly is corrected; the build says so, and the log of changes",
    async () => {
      const right = readFileSync(path(), "utf8");
      const record = JSON.parse(readFileSync(join(folder.inputs, "fetch.json"), "utf8"));
      const { tables: _, ...old } = { ...record, schema: 1 };
      delete old.prices.proof;
      writeFileSync(join(folder.inputs, "fetch.json"), JSON.stringify(old));
      writeFileSync(path(), right.replace(/^(2023-01-20T2\d:00:00Z),.*$/gm, "$1,9"));
      const persist = join(parent, "wrong");
      expect(await soprano("build", folder.asset, "--persist", persist, "--quiet")).toMatchObject({ status: 0 });
      await economy.live(1);
      await economy.finalize();
      expect((await fetching()).stderr).toContain("were fetched by a version that did not prove them");
      expect(await fetching("--recheck", "prices", "--yes")).toMatchObject({ status: 0 });
      expect(readFileSync(path(), "utf8").startsWith(right)).toBe(true);
      const built = await soprano("build", folder.asset, "--persist", persist);
      expect(built.stderr).toMatch(/prices before 2023-01-2\d have changed/);
      const { stdout } = await soprano("builds", "ARIA", "--persist", persist);
      expect(stdout).toMatch(/prices before/);
      const manifest = (await readPublished(persist)).manifest("ARIA");
      const { proof } = folder.record.prices!;
      expect(manifest?.priceProof).toEqual({
        block: proof!.block,
        since: Date.parse(proof!.since) / 1000,
        pools: 2,
        feeds: 1,
      });
    },
    TIMEOUT,
  );
});
