import { describe, expect, it } from "vitest";
import { METRICS } from "../../../data-schema/metrics.ts";
import { findMetrics } from "../../../worker/mcp/find.ts";

const names = (words: string) => findMetrics(words).found.map(({ metric }) => metric.name);

describe("a search by words", () => {
  it.each([
    ["MVRV", "market_cap"],
    ["What is the MVRV ratio?", "market_cap"],
    ["realized price", "realised_price"],
    ["price", "price"],
    ["exchange inflows in dollars", "cex_inflow_dollar"],
    ["how many holders are there", "num_addresses"],
    ["daily active addresses", "num_addresses"],
    ["number of transfers", "num_transfers"],
    ["HODL waves", "supply"],
    ["supply in profit", "supply_profit"],
    ["unrealised loss", "unrealised_loss"],
    ["tokens locked in contracts", "sc_volume_locked"],
    ["sc_inflow_dollat", "sc_inflow_dollat"],
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

  it("tells how metrics answer a term, and nothing for other words", () => {
    expect(findMetrics("active addresses").notes).toEqual([
      "Active addresses are not counted. The closest are the addresses that hold the coin, and the transfers.",
    ]);
    expect(findMetrics("weather of tomorrow")).toEqual({ found: [], notes: [] });
    expect(findMetrics("")).toEqual({ found: [], notes: [] });
  });
});
