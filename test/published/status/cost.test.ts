/** What `soprano status --cost` computes with is what docs/cost.md says. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  billOf,
  buildsUse,
  dollarsOf,
  METERS,
  PLAN_DOLLARS,
  PRICES_OF,
  requestsUse,
  type Used,
  usedTogether,
} from "../../../builder/published/status/cost.ts";
import { costOf, formatCost } from "../../../builder/published/status/format-cost.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/cost.md"), "utf8");

/** The cells of the row of a table that begins so. */
function row(beginning: string): string[] {
  const line = page.split("\n").find((one) => one.startsWith(`| ${beginning}`) || one.startsWith(`| **${beginning}`));
  return line!
    .split("|")
    .slice(2, -1)
    .map((cell) => cell.replaceAll("*", "").trim());
}

/** What the page's table is of: tokens, and millions of requests. */
const COLUMNS: readonly (readonly [tokens: number, millions: number])[] = [
  [5, 1],
  [100, 10],
  [1_000, 50],
];
const GB = 1e9;

/** The page tells cents; half a cent may be rounded either way. */
const inCents = (dollars: number) => expect.closeTo(dollars, 1.99);

function tableUse(tokens: number, millions: number, hasBlocks: boolean): Used {
  const night = buildsUse({ newObjects: undefined, hasBlocks, hasInputs: false, freshness: "day" });
  // Series, old builds and inputs, as the page adds them up.
  const storedBytes = (hasBlocks ? 2.21 + 0.81 + 0.19 : 0.24 + 0.47 + 0.19) * GB;
  return usedTogether([
    ...Array.from({ length: tokens }, () => ({ ...night, storedBytes })),
    requestsUse(millions * 1e6),
  ]);
}

describe("the table of docs/cost.md", () => {
  it.each([
    ["requests above 10 million", "requests"],
    ["CPU time above 30 million ms", "cpuMilliseconds"],
    ["KV reads above 10 million", "kvReads"],
    ["R2, class A", "writes"],
    ["R2, class B", "reads"],
    ["R2, storage", "storedBytes"],
  ] as const)("%s", (beginning, meter) => {
    const dollars = COLUMNS.map(([tokens, millions]) => billOf(tableUse(tokens, millions, true))[meter]);
    expect(row(beginning).map(Number)).toEqual(dollars.map(inCents));
  });

  it.each([
    ["Cloudflare, all resolutions", true],
    ["the same, days and hours alone", false],
  ] as const)("%s", (beginning, hasBlocks) => {
    const dollars = COLUMNS.map(([tokens, millions]) => {
      const above = Object.values(billOf(tableUse(tokens, millions, hasBlocks)));
      return PLAN_DOLLARS + above.reduce((sum, one) => sum + one, 0);
    });
    expect(row(beginning).map(Number)).toEqual(dollars.map(inCents));
  });

  it("has these prices, of this month", () => {
    const { requests, cpuMilliseconds, kvReads, writes, reads, storedBytes } = METERS;
    expect(row("Workers ")[0]).toBe(
      `${PLAN_DOLLARS} for ${requests.included / 1e6} million requests, ${cpuMilliseconds.included / 1e6} million ms of CPU time and ${kvReads.included / 1e6} million KV reads; ` +
        `then ${(requests.dollars * 1e6).toFixed(2)} a million requests, ${(cpuMilliseconds.dollars * 1e6).toFixed(2)} a million ms, ${(kvReads.dollars * 1e6).toFixed(2)} a million KV reads`,
    );
    expect(page).toContain(
      `class A (writes, lists) ${(writes.dollars * 1e6).toFixed(2)} a million after ${writes.included / 1e6} million; class B (reads) ${(reads.dollars * 1e6).toFixed(2)} a million after ${reads.included / 1e6} million; storage ${(storedBytes.dollars * GB).toFixed(3)} a GB after ${storedBytes.included / GB} GB`,
    );
    expect(page).toContain(PRICES_OF);
  });
});

it("builds write as the last one did, hourly ones by the hour", () => {
  const facts = { newObjects: 40, hasBlocks: true, hasInputs: true, freshness: "day" } as const;
  // 40 objects, 4 beside them, 19 lists, 7 for the inputs.
  expect(buildsUse(facts)).toEqual({ writes: 30 * 70, reads: 30 * 220 });
  expect(buildsUse({ ...facts, hasInputs: false, freshness: "hour" })).toEqual({
    writes: 720 * (40 + 4 + 1),
    reads: 720 * 32,
  });
});

it("a part of the store is told at the full price, and the bill without what is included", () => {
  const used = { storedBytes: 2 * GB, writes: 1_000, reads: 0 };
  expect(dollarsOf(used)).toBeCloseTo(0.03 + 0.0045, 10);
  const cost = costOf(
    [
      { name: "ARIA", used },
      { name: "all else", used: { storedBytes: 18 * GB } },
    ],
    requestsUse(12e6),
  );
  expect([cost.above.storedBytes, cost.above.requests, cost.dollars]).toEqual([
    expect.closeTo(0.15, 10),
    expect.closeTo(0.6, 10),
    expect.closeTo(5 + 0.15 + 0.6, 10),
  ]);
  expect(formatCost(cost).split("\n")).toEqual(
    expect.arrayContaining([
      "a month   GB stored  writes and lists of R2  reads of R2  dollars",
      "ARIA          2.000                   1,000            0   0.0345",
      "all else     18.000                                        0.2700",
      "GB stored                   20.000      10.000     0.15",
      "a month                                            5.75",
      "12,000,000 requests a month, nine in ten of them warm: --requests says how many there are.",
    ]),
  );
});
