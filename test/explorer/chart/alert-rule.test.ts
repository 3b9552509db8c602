import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readRules } from "../../../builder/alerts/alert-rules.ts";
import { alertLines, firedAt, lastLevel, ruleText } from "../../../explorer/src/chart/drawing/alert-rule.ts";
import type { ChartData } from "../../../explorer/src/chart-data.ts";
import { parseAddress } from "../../../explorer/src/state/address.ts";
import { tracesOf } from "../../../explorer/src/state/traces.ts";
import { newFolder } from "../../folders.ts";
import { catalog } from "../catalog.ts";

const _ = Number.NaN;
function page(search: string) {
  const { chart } = parseAddress(search, catalog, []);
  return { chart, traces: tracesOf(chart, catalog) };
}
const lines = (search: string) => alertLines(page(search)).map(({ text }) => text);
const data = (...columns: number[][]): ChartData => ({
  status: "loaded",
  table: {
    t: Float64Array.from(columns[0]!, (_, day) => day * 86_400),
    columns: columns.map((column) => Float64Array.from(column)),
    block: undefined,
  },
  gaps: [],
  problems: [],
  heats: [],
  isTruncated: false,
});

it.each([
  ["?y=sopr&y==sma(sopr:users, 7)", ["sopr:total", "sma(sopr:users, 7)"]],
  ["?y=DUET.sopr:users&price=log", ["DUET.sopr:users"]],
  // What is drawn is no longer what the formula says.
  ["?y=sopr&smooth=7&y2=volume&known2=first", []],
  ["?y=supply:*age:share", []],
  ["?y=volume&r=block", []],
  // By day, although the chart is by hour.
  ["?y=volume&y=market_cap&r=hour", ["volume:total"]],
])("of %s, rules can be made of %j", (search, expected) => {
  expect(lines(search)).toEqual(expected);
});

it("fires on the rows of its own line, as soprano alerts does", () => {
  const [, line] = alertLines(page("?y=volume&y=sopr"));
  const values = data([1, 1, 1, 1, 1, 1], [3, _, 1, 1, 3, 1]);
  const fired = (count: number) =>
    firedAt({ line: line!, comparison: "<", level: 2, count }, values).map((t) => t / 86_400);
  expect(fired(1)).toEqual([2, 5]);
  expect(fired(2)).toEqual([3]);
  expect(fired(3)).toEqual([]);
  // A row of its own without a value is not true, also where no other line has a row.
  const gaps = [undefined, Float64Array.of(1, 4.5).map((day) => day * 86_400)];
  const withGaps = firedAt({ line: line!, comparison: "<", level: 4, count: 1 }, { ...values, gaps });
  expect(withGaps.map((t) => t / 86_400)).toEqual([0, 2, 5]);
  expect(lastLevel(line!, data([0, 0], [1.234567, _]))).toBe(1.235);
});

it("is a rule that soprano alerts reads", async () => {
  const { chart, traces } = page("?y==sma(sopr:users, 7)&r=week");
  const [line] = alertLines({ chart, traces });
  const folder = newFolder();
  try {
    const file = join(folder, "ALERTS.json");
    const rule = ruleText({ line: line!, comparison: ">=", level: -1.5, count: 3 }, chart);
    writeFileSync(file, `{"rules":[${rule}]}`);
    const { rules } = await readRules(file);
    expect(rules).toMatchObject([
      {
        name: "ARIA: sma(sopr:users, 7) >= -1.5",
        assets: ["ARIA"],
        rows: 3,
        resolution: "week",
        post: "SLACK_URL",
        format: "slack",
      },
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
