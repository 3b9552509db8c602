import { expect, test } from "vitest";
import type { BuildDetails } from "../../../builder/build/finish/finished.ts";
import { formatReport } from "../../../builder/build/run/build-report.ts";

const at = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000;

function report(price?: BuildDetails["price"], labels?: BuildDetails["labels"]): string {
  const input = {
    files: [],
    rowsRead: 1,
    duplicates: 0,
    skippedOtherContracts: 0,
    skippedAfterAsOf: 0,
    addresses: 2,
    notices: [],
  };
  return formatReport({
    asset: { symbol: "TOK" },
    build: "0123456789abcdef",
    start: { reason: "there is no earlier build" },
    isUnchanged: false,
    transfers: 1,
    replayed: 1,
    seconds: {},
    wholeSeconds: 1,
    published: { objects: 1, bytes: 1, written: 1, bytesWritten: 1 },
    details: {
      ofNoEffect: 0,
      input,
      firstSeconds: at("2024-01-01"),
      lastSeconds: at("2024-12-31"),
      counts: { transfers: 1, mints: 0, burns: 0, beforeFirstPrice: 0 },
      ...(price && { price }),
      ...(labels && { labels }),
    },
  });
}

test("the report of a build says when there are prices, and where the last one had to hold for long", () => {
  const [first, last] = [at("2024-01-02"), at("2024-12-30")];
  expect(report()).not.toContain("price for");
  expect(report({ first, last, gaps: [] })).toMatch(/^ {2}prices +2024-01-02T00:00:00Z to 2024-12-30T00:00:00Z$/m);
  expect(report({ first, last, gaps: [] })).not.toContain("no price for");
  const gaps: [number, number][] = [
    [at("2024-02-01"), at("2024-02-20")],
    [at("2024-06-01"), at("2024-07-01")],
  ];
  const stretches = "2024-02-01 to 2024-02-20, 2024-06-01 to 2024-07-01";
  expect(report({ first, last, gaps })).toMatch(new RegExp(`^ {2}no price for over 7 days +${stretches}$`, "m"));
  expect(report({ first, last, gaps, moreGaps: 3 })).toContain(`${stretches}, and 3 shorter ones`);
});

test("the report of a build says how much its labels cover", () => {
  expect(report()).not.toContain("labels");
  const exchanges = {
    version: "ethereum-2026-11",
    addresses: 698,
    held: 41,
    holders: 12,
    supplyShare: 0.3124,
    volumeShare: 0.22,
  };
  const lines = report(undefined, { exchanges, contracts: { addresses: 1 } }).split("\n");
  expect(lines).toContain(
    "  exchange labels         698 addresses, 41 have held the token, 12 hold it: 31.2 % of the supply, 22.0 % of the volume of the last 365 days",
  );
  expect(lines).toContain("  contract labels         1 address");
});
