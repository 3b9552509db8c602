import { expect, it } from "vitest";
import {
  type FetchedAsset,
  fetchMarkdown,
  fetchReport,
  formatOutcome,
} from "../../../builder/fetch/run/fetch-report.ts";

const FETCHED: FetchedAsset = {
  file: "assets/HUM.json",
  symbol: "HUM",
  status: "fetched",
  asOf: "2026-11-21T00:00:00Z",
  files: ["transfers/2026-11-20.parquet"],
  rows: 1_204,
  requests: 12,
  bytes: 4_200_000,
  seconds: 3.21,
  check: {
    status: "passed",
    block: 24_000_000,
    hash: `0x${"ab".repeat(32)}`,
    holders: 12_345,
    of: 12_345,
    supply: "1",
    at: "2026-11-21T01:00:00Z",
  },
  contracts: { looked: 9, added: 2 },
  prices: { rows: 24 },
  notices: [],
};
const FAILED: FetchedAsset = {
  file: "assets/A.json",
  symbol: null,
  status: "failed",
  error: "It | failed.\nTwice.",
  requests: 0,
  bytes: 0,
  seconds: 0.2,
};

it("tells what a fetch did in a few lines", () => {
  expect(formatOutcome(FETCHED)).toBe(
    [
      "HUM: 1,204 transfers in 1 new file, complete up to 2026-11-21T00:00:00Z (12 requests, 4.2 MB, 3.2 s)",
      "  balances of 12,345 of 12,345 holders equal the chain's at block 24000000",
      "  contracts among new addresses: 2 of 9",
      "  24 new hourly prices",
    ].join("\n"),
  );
});

it("names the files that --repair has fetched again", () => {
  const repaired = ["transfers/2026-11.parquet", "transfers/2026-12-03.parquet"];
  expect(formatOutcome({ ...FETCHED, files: [], rows: 0, repaired }).split("\n")[0]).toBe(
    "HUM: transfers/2026-11.parquet, transfers/2026-12-03.parquet fetched again, complete up to 2026-11-21T00:00:00Z (12 requests, 4.2 MB, 3.2 s)",
  );
});

it("is a table for GitHub, failures first", () => {
  const report = { ...fetchReport(new Date(), [FETCHED, FAILED]), seconds: 3.5 };
  expect(report.counts).toEqual({ fetched: 1, unchanged: 0, planned: 0, failed: 1 });
  expect(fetchMarkdown(report)).toBe(
    [
      "### 1 fetched, 1 failed in 3.5 s",
      "",
      "| asset | status | complete up to | transfers | requests | seconds | reason |",
      "| --- | --- | --- | --- | --- | --- | --- |",
      "| assets/A.json | failed |  | 0 | 0 | 0.2 | It \\| failed. Twice. |",
      "| HUM | fetched | 2026-11-21T00:00:00Z | 1,204 | 12 | 3.2 |  |",
      "",
    ].join("\n"),
  );
});
