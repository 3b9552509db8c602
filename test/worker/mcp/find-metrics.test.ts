import { describe, expect, it } from "vitest";
import { METRICS } from "../../../data-schema/registry/metrics.ts";
import { findMetrics } from "../../../worker/mcp/find-metrics.ts";

const names = (words: string) => findMetrics(words).found.map(({ metric }) => metric.name);

describe("a search by words", () => {
  it.each([
    ["MVRV", "market_cap"],
    ["What is the MVRV ratio?", "market_cap"],
    ["realized price", "realised_price"],
    ["price", "price"],
    ["exchange inflows in dollars", "cex_inflow_dollar"],
    ["how many holders are there", "num_addresses"],
    ["daily active addresses", "active_addresses"],
    ["number of transfers", "num_transfers"],
    ["HODL waves", "supply"],
    ["supply in profit", "supply_profit"],
    ["unrealised loss", "unrealised_loss"],
    ["tokens locked in contracts", "sc_volume_locked"],
    ["sc_inflow_dollat", "sc_inflow_dollat"],
    ["SOPR of long-term holders", "sopr"],
    ["STH-SOPR", "sopr"],
    ["LTH SOPR", "sopr"],
    ["short-term holder supply", "supply"],
    ["long-term holders", "supply"],
    ["whale supply", "supply"],
    ["whales", "num_addresses"],
    ["supply of small holders", "supply"],
    ["MVRV Z-Score", "market_cap"],
    ["NUPL", "unrealised_profit"],
    ["net unrealized profit/loss", "unrealised_profit"],
    ["realized cap", "realised_cap"],
    ["realised profit", "realised_profit"],
    ["net realised profit", "realised_profit"],
    ["aSOPR", "asopr"],
    ["coin days", "coin_days_destroyed"],
    ["new users", "new_addresses"],
    ["average coin age", "mean_age"],
    ["issuance", "supply"],
    ["spent output profit ratio", "sopr"],
    ["NVT ratio", "market_cap"],
    ["velocity", "volume"],
    ["transfer volume in dollars", "volume_dollar"],
    ["exchange balance", "cex_reserve"],
    ["exchange net flow", "cex_inflow"],
    ["exchange withdrawals", "cex_outflow"],
    ["deposits", "cex_inflow"],
    ["addresses in profit", "num_addresses_profit"],
    ["addresses at a loss", "num_addresses_loss"],
    ["percent supply in profit", "supply_profit"],
    ["cost basis", "realised_price"],
    ["TVL", "sc_volume_locked_dollar"],
    ["market cap", "market_cap"],
    ["capitulation", "realised_loss"],
    ["price of the token", "price"],
  ])("finds for “%s” %s first", (words, name) => {
    expect(names(words)[0]).toBe(name);
  });

  it.each(METRICS.map(({ name }) => name))("finds %s by its name, and by its title", (name) => {
    expect(names(name)[0]).toBe(name);
    expect(names(METRICS.find((metric) => metric.name === name)!.title)).toContain(name);
  });

  it("names the selector that the words name", () => {
    expect(findMetrics("whales").found[0]).toMatchObject({ metric: { name: "num_addresses" }, selector: "$10M+" });
    expect(findMetrics("reserve of binance").found[0]).toMatchObject({
      metric: { name: "cex_reserve" },
      selector: "binance",
    });
    expect(findMetrics("sopr").found[0]!.selector).toBeNull();
  });

  it.each([
    ["SOPR of long-term holders", "lth"],
    ["whale supply", "$10M+"],
  ])("names for “%s” the selector of the term", (words, selector) => {
    expect(findMetrics(words).found[0]!.selector).toBe(selector);
  });

  it.each([
    ["SOPR by FIFO", "sopr", "fifo"],
    ["liveliness, hifo", "liveliness", "hifo"],
    ["supply of $10M+", "supply", "$10M+"],
  ])("names for “%s” %s with the selector %s", (words, name, selector) => {
    const [first] = findMetrics(words).found;
    expect([first!.metric.name, first!.selector]).toEqual([name, selector]);
  });

  it("says of lots that an asset decides", () => {
    expect(findMetrics("sopr fifo").notes).toEqual([expect.stringContaining("list_assets")]);
    expect(findMetrics("sopr lth").notes.join()).not.toContain("list_assets");
    expect(findMetrics("number of transfers, fifo").found[0]!.selector).toBeNull();
  });

  it("tells how metrics answer a term, and nothing for other words", () => {
    expect(findMetrics("TVL").notes).toEqual([
      "The closest metric is the dollar value of the tokens that smart contracts hold.",
    ]);
    expect(findMetrics("weather of tomorrow")).toEqual({ found: [], notes: [] });
    expect(findMetrics("")).toEqual({ found: [], notes: [] });
  });
});
