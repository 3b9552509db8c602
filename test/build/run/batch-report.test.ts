import { expect, it } from "vitest";
import { type AssetOutcome, batchMarkdown, batchReport, formatBatch } from "../../../builder/build/run/batch-report.ts";
import { annotations } from "../../../builder/lib/terminal/report-file.ts";

const sizes = { transfers: 5_000_000 };
const assets: AssetOutcome[] = [
  {
    file: "a/hum.json",
    symbol: "HUM",
    status: "published",
    build: "b1",
    ...sizes,
    objectsWritten: 81,
    bytesWritten: 4_200_000,
    replayed: 3210,
    seconds: 2.51,
  },
  {
    file: "a/old.json",
    symbol: "OLD",
    status: "unchanged",
    build: "b2",
    ...sizes,
    objectsWritten: 0,
    bytesWritten: 0,
    replayed: 0,
    seconds: 1,
  },
  {
    file: "a/bad.json",
    symbol: "BAD",
    status: "failed",
    error: "t.csv, row 2: 5% of <x> | `y`,\nis wrong.",
    seconds: 0.2,
  },
  {
    file: "a/new.json",
    symbol: "NEW",
    status: "published",
    build: "b3",
    ...sizes,
    objectsWritten: 211,
    bytesWritten: 120_000_000,
    replayed: 5_000_880,
    reason: "no checkpoint",
    seconds: 12,
  },
  { file: "a/late.json", symbol: null, status: "skipped", seconds: 0 },
];
const report = { ...batchReport("r2://soprano", new Date("2026-11-21T01:00:00Z"), assets), seconds: 15.7 };

it("counts what became of the assets", () => {
  expect(report.counts).toEqual({ published: 2, unchanged: 1, failed: 1, skipped: 1, unfetched: 0 });
});

it("is a table for the terminal", () => {
  expect(formatBatch({ ...report, assets: assets.filter(({ status }) => status !== "failed") })).toBe(
    `
asset        build  status      replayed  objects        bytes  seconds  reason
HUM          b1     published      3,210       81    4,200,000      2.5
OLD          b2     unchanged          0        0            0      1.0
NEW          b3     published  5,000,880      211  120,000,000     12.0  no checkpoint
a/late.json         skipped                                         0.0
2 published, 1 unchanged, 1 failed, 1 skipped in 15.7 s`.trim(),
  );
});

it("is Markdown, with failures first and nothing in a cell that ends it", () => {
  expect(batchMarkdown({ ...report, stopped: "The store is lost." })).toBe(
    `
### 2 published, 1 unchanged, 1 failed, 1 skipped in 15.7 s

The store is lost.

| asset | build | status | replayed | objects | bytes | seconds | reason |
|---|---|---|---:|---:|---:|---:|---|
| BAD |  | failed |  |  |  | 0.2 | t.csv, row 2: 5% of &lt;x> \\| \\\`y\\\`, is wrong. |
| a/late.json |  | skipped |  |  |  | 0.0 |  |
| HUM | b1 | published | 3,210 | 81 | 4,200,000 | 2.5 |  |
| NEW | b3 | published | 5,000,880 | 211 | 120,000,000 | 12.0 | no checkpoint |
| OLD | b2 | unchanged | 0 | 0 | 0 | 1.0 |  |
`.trimStart(),
  );
});

it("lists notices below the table", () => {
  const notices = ["No prices: every price is 0.", '"maxSupply" is 1 | 2.'];
  const { length } = batchMarkdown(report);
  const told = batchMarkdown({ ...report, assets: [{ ...assets[0]!, notices }, ...assets.slice(1)] });
  expect(told.slice(length)).toBe('\n- HUM: No prices: every price is 0.\n- HUM: "maxSupply" is 1 \\| 2.\n');
});

it("is an annotation a failure, in one line", () => {
  expect(annotations(report)).toEqual([
    "::error file=a/bad.json,title=BAD::t.csv, row 2: 5%25 of <x> | `y`,%0Ais wrong.",
  ]);
  const [odd] = annotations({ ...report, assets: [{ ...assets[2]!, file: "a,b:c.json", symbol: null }] });
  expect(odd).toMatch(/^::error file=a%2Cb%3Ac\.json,title=a%2Cb%3Ac\.json::t\.csv, row/);
});
