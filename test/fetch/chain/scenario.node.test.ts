/** The economy's own account is the chain's. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasAnvil, toHex } from "./anvil.ts";
import { decode, encode } from "./contracts.ts";
import { TRANSFER } from "./fake-chain.ts";
import { Economy } from "./scenario.ts";

interface Log {
  blockNumber: string;
  blockTimestamp: string;
  logIndex: string;
  topics: string[];
  data: string;
}

describe.runIf(hasAnvil)("an economy on anvil", () => {
  let economy: Economy;
  const logsOf = async (address: string) => {
    const filter = { address, fromBlock: "0x0", toBlock: "latest" };
    return (await economy.anvil.rpc("eth_getLogs", filter)) as Log[];
  };

  beforeAll(async () => {
    economy = await Economy.open();
    await economy.live(15);
    await economy.finalize();
  });
  afterAll(() => economy?.close());

  it("recorded every transfer", async () => {
    const logs = (await logsOf(economy.token)).filter(({ topics }) => topics[0] === TRANSFER);
    expect(economy.rows.length).toBeGreaterThan(200);
    expect(economy.rows).toEqual(
      logs.map(({ blockNumber, logIndex, blockTimestamp, topics, data }) => ({
        block: Number(blockNumber),
        logIndex: Number(logIndex),
        time: Number(blockTimestamp),
        from: `0x${topics[1]!.slice(26)}`,
        to: `0x${topics[2]!.slice(26)}`,
        value: BigInt(data),
      })),
    );
  });

  it("knows every balance and every contract", async () => {
    for (const [owner, balance] of economy.balances()) {
      const answer = await economy.anvil.call(economy.token, encode("Token", "balanceOf", owner));
      expect(decode("Token", "balanceOf", answer)).toBe(balance);
      expect((await economy.anvil.rpc("eth_getCode", owner, "latest")) !== "0x").toBe(economy.contracts.has(owner));
    }
  });

  it("knows the pools' states and the feed's answers", async () => {
    const words = (data: string) =>
      data
        .slice(2)
        .match(/.{64}/g)!
        .map((hex) => BigInt(`0x${hex}`));
    const sync = "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1";
    const syncs = (await logsOf(economy.pair)).filter(({ topics }) => topics[0] === sync);
    expect(syncs.map(({ data, blockTimestamp }) => [Number(blockTimestamp), ...words(data)])).toEqual(
      economy.pairStates.map(({ time, reserve0, reserve1 }) => [time, reserve0, reserve1]),
    );
    const swap = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67";
    const swaps = (await logsOf(economy.pool)).filter(({ topics }) => topics[0] === swap);
    expect(swaps.map(({ data, blockTimestamp }) => [Number(blockTimestamp), ...words(data).slice(2, 4)])).toEqual(
      economy.poolStates.slice(2).map(({ time, sqrtPriceX96, liquidity }) => [time, sqrtPriceX96, liquidity]),
    );
    const aggregator = decode(
      "Feed",
      "aggregator",
      await economy.anvil.call(economy.feed, encode("Feed", "aggregator")),
    );
    const answers = await logsOf(aggregator as string);
    expect(
      answers.map(({ topics, blockTimestamp }) => ({ time: Number(blockTimestamp), answer: BigInt(topics[1]!) })),
    ).toEqual(economy.answers);
    expect(toHex(economy.firstBlock)).toBe("0x16");
  });
});
