import { describe, expect, it } from "vitest";
import type { Asset } from "../../../explorer/src/api/catalog.ts";
import { parseLine } from "../../../explorer/src/lines/lines.ts";
import { NO_EXCHANGES, noExchanges } from "../../../explorer/src/lines/no-exchanges.ts";
import { everyMetric } from "../catalog.ts";

const activated = "2026-01-01T00:15:00.000Z";

/** Why a line of ARIA is not shown, if ARIA and DUET are so. */
function reasonOf(text: string, aria: Partial<Asset>, duet: Partial<Asset> = {}) {
  const [one, other] = everyMetric.assets;
  const asset = { ...one!, ...aria };
  const catalog = { ...everyMetric, assets: [asset, { ...other!, ...duet }] };
  const context = { catalog, asset };
  return noExchanges(parseLine(text, context)!, context);
}

describe("a line of exchanges", () => {
  it.each(["cex_reserve", "cex_inflow:binance", "cex_reserve:*exchange", "supply:cex", "=cex_inflow - cex_outflow"])(
    "%s is not shown where no address is an exchange's",
    (text) => {
      for (const labels of [undefined, {}, { exchanges: { addresses: 0 } }]) {
        expect(reasonOf(text, { activated, ...(labels && { labels }) })).toMatchObject({
          type: NO_EXCHANGES,
          title: "No exchange is known",
          message:
            "No address on ethereum is listed as an exchange's for ARIA. What exchanges hold and move can't be told, and would show as 0.",
        });
      }
      expect(reasonOf(text, { activated, labels: { exchanges: { addresses: 1 } } })).toBeNull();
    },
  );

  it("is shown of builds that don't say how many addresses are labelled", () => {
    expect(reasonOf("cex_reserve", {})).toBeNull();
  });

  it("of another asset goes by that asset's labels", () => {
    const known = { activated, labels: { exchanges: { addresses: 5 } } };
    expect(reasonOf("DUET.cex_reserve", known, { activated })?.message).toContain("for DUET");
    expect(reasonOf("DUET.cex_reserve", { activated }, known)).toBeNull();
    expect(reasonOf("=cex_reserve / DUET.cex_reserve", known, { activated })?.message).toContain("for DUET");
  });
});

it.each(["supply", "supply:users", "supply:*group", "supply:*age", "sc_inflow", "=mvrv"])(
  "%s is shown without any exchange",
  (text) => {
    expect(reasonOf(text, { activated })).toBeNull();
  },
);
