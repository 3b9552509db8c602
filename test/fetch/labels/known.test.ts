import { describe, expect, it } from "vitest";
import { chainsMeant, knownOf } from "../../../builder/fetch/labels/known.ts";

const ALL = ["ethereum", "optimism", "bsc", "polygon", "fantom", "base", "arbitrum", "avalanche"];

describe("knownOf", () => {
  it("names exchange, name, sources and dates, chain by chain", async () => {
    expect(await knownOf("0x28c6c06298d514db089934071355e5743bf21d60", ALL)).toEqual([
      "ethereum: exchange binance, “Binance 14” (etherscan-labels, 2023-10-02; spellbook, 2023-05-30)",
    ]);
    const gate = await knownOf("0x0d0707963952f2fba59dd06f2b425ace40b492fe", ["base", "bsc"]);
    expect(gate).toEqual([
      "base: exchange gate.io, “gate-io” (defillama-adapters, 2026-08-22)",
      expect.stringMatching(/^bsc: exchange gate\.io, “.+” \(defillama-adapters, 2026-08-22/),
    ]);
  });

  it("says what is left out, and why", async () => {
    expect(await knownOf("0xdac17f958d2ee523a2206206994597c13d831ec7", ALL)).toEqual([
      "ethereum: left out of the exchanges (token): Tether: USDT Stablecoin (etherscan-labels)",
    ]);
    expect(await knownOf("0x4a8f1f5b2a3652131eac54a6f183a4a2cf44a9a6", ["ethereum"])).toEqual([
      "ethereum: left out of the exchanges (contradicted): okcoin (defillama-adapters); okx (eth-labels)",
    ]);
  });

  it("knows nothing of others", async () => {
    expect(await knownOf(`0x${"12".repeat(20)}`, ALL)).toEqual([]);
  });
});

describe("chainsMeant", () => {
  it.each([
    [undefined, ALL],
    ["base", ["base"]],
    ["BSC", ["bsc"]],
    ["42161", ["arbitrum"]],
  ])("%s", (given, chains) => {
    expect(chainsMeant(given)).toEqual(chains);
  });

  it("refuses a chain without labels, and names those that have some", () => {
    expect(() => chainsMeant("gnosis")).toThrow(
      "No labels ship for the chain “gnosis”. There are some for ethereum (1), optimism (10), bsc (56),",
    );
  });
});
