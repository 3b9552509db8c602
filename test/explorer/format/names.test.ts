import { expect, it } from "vitest";
import { joinTitles, selectorName } from "../../../explorer/src/format/names.ts";
import { catalog } from "../catalog.ts";

const [aria, duet] = catalog.assets;

it("balance cohorts are named by their edges", () => {
  expect(["0", "1", "5", "7"].map((i) => selectorName(`balance_cohort_${i}`, aria))).toEqual([
    "< 0.6 ARIA",
    "0.6 – 6 ARIA",
    "6k – 60k ARIA",
    "≥ 600k ARIA",
  ]);
  expect(selectorName("balance_cohort_3", duet)).toBe("Balance 3");
  expect(selectorName("$10M+", aria)).toBe("$10M+");
});

it("titles are joined into a phrase", () => {
  expect(joinTitles(["SOPR"])).toBe("SOPR");
  expect(joinTitles(["Volume", "SOPR"])).toBe("Volume and SOPR");
  expect(joinTitles(["Market cap", "Realised cap", "On-chain volume"])).toBe(
    "Market cap, realised cap and on-chain volume",
  );
});
