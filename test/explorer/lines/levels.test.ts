import { expect, it } from "vitest";
import type { Level } from "../../../data-schema/registry/natural-looks.ts";
import { formatLevel, parseLevel, valueProblem } from "../../../explorer/src/lines/levels.ts";
import { formatThreshold, parseThreshold } from "../../../explorer/src/lines/threshold.ts";
import { formatAddress, parseAddress } from "../../../explorer/src/state/address.ts";
import { addPane, setLines } from "../../../explorer/src/state/changes.ts";
import { normalise } from "../../../explorer/src/state/chart-state.ts";
import { loadedSeries } from "../../../explorer/src/state/requests.ts";
import { tracesOf } from "../../../explorer/src/state/traces.ts";
import { catalog } from "../catalog.ts";

const context = { catalog, asset: catalog.assets[0] };
const level = (from: string, to: string | null, color: Level["color"] = "grey", name = ""): Level => ({
  from,
  to,
  color,
  name,
});

it.each<["level" | "zone", string, Level | undefined]>([
  ["level", "2.4~red~Bubble", level("2.4", null, "red", "Bubble")],
  ["level", " 2.4 ", level("2.4", null)],
  ["level", "1 / 4~~A quarter~ of it", level("1 / 4", null, "grey", "A quarter of it")],
  ["level", "sma(sopr, 30)~blue", level("sma(sopr, 30)", null, "blue")],
  ["zone", "3~~red~Hot", level("3", "", "red", "Hot")],
  ["zone", "~0~green~Cheap", level("", "0", "green", "Cheap")],
  ["zone", "0~1", level("0", "1")],
  ["level", `1~red~${"x".repeat(50)}`, level("1", null, "red", "x".repeat(40))],
  // Nothing to draw, an unknown colour, and what is no formula.
  ["level", "", undefined],
  ["zone", "~~red~Everywhere", undefined],
  ["level", "1~pink~Pink", undefined],
  ["level", "no_metric~red~", undefined],
  ["zone", "1~sopr +~red~", undefined],
  ["level", "1 / 0", undefined],
])("%s=%s", (parameter, text, expected) => {
  const parsed = parseLevel(parameter, text, context);
  expect(parsed).toEqual(expected);
  if (parsed) expect(parseLevel(...formatLevel(parsed), context)).toEqual(parsed);
});

it("says what is wrong with a value", () => {
  expect(valueProblem("3", context)).toBeNull();
  expect(valueProblem("sopr * 2", context)).toBeNull();
  expect(valueProblem("sopr * ", context)?.isUnfinished).toBe(true);
});

it.each([
  ["sopr:total > 1", { line: "sopr:total", comparison: ">", level: 1, count: 1 }],
  ["sma(sopr, 7) <= -1.5e3~3", { line: "sma(sopr, 7)", comparison: "<=", level: -1500, count: 3 }],
  ["if(sopr < 1, 1, 0) >= 1", { line: "if(sopr < 1, 1, 0)", comparison: ">=", level: 1, count: 1 }],
  ["sopr", undefined],
  ["sopr > x", undefined],
  ["sopr > 1~0", undefined],
  [" > 1", undefined],
])("alert=%s", (text, expected) => {
  const parsed = parseThreshold(text);
  expect(parsed).toEqual(expected);
  if (parsed) expect(parseThreshold(formatThreshold(parsed))).toEqual(parsed);
});

const parse = (search: string) => parseAddress(search, catalog, []);

it("a formula that is a constant is a level of its pane", () => {
  const { chart, notes } = parse("?y=sopr&y==3 / 2&names=~Half as much again&y2=volume");
  expect(notes).toEqual([]);
  expect(chart.panes.map(({ lines, levels }) => [lines.length, levels])).toEqual([
    [1, [level("3 / 2", null, "grey", "Half as much again")]],
    [1, null],
  ]);
  expect(formatAddress(chart)).toBe(
    "?a=ARIA&y=sopr:total&y2=volume:total&level=3%20%2F%202~grey~Half%20as%20much%20again",
  );
  // In the dialog of formulas, too.
  const typed = setLines(chart, 1, (lines) => [...lines, { kind: "formula", text: "7" }]);
  expect(normalise(typed, catalog).panes[1]!.levels).toEqual([level("7", null)]);
  // Without any line, there is no axis that it could be on.
  const alone = normalise(addPane(chart, [{ kind: "formula", text: "7" }]), catalog);
  expect(alone.panes[2]).toMatchObject({ lines: [{ text: "7" }], levels: null });
});

it("a link may want no levels, and says which ones it can't read", () => {
  expect(parse("?y=sopr&level=none").chart.panes[0]!.levels).toEqual([]);
  expect(formatAddress(parse("?y=sopr&level=none").chart)).toContain("&level=none");
  const { chart, notes } = parse("?y=sopr&level=1~red&zone=x~1&y2=sopr&zone2=0~1");
  expect(notes).toEqual(["zone=x~1 isn't valid, so it is ignored."]);
  expect(chart.panes.map(({ levels }) => levels)).toEqual([[level("1", null, "red")], [level("0", "1")]]);
});

it("what levels are computed from is loaded, and is none of the chart's lines", () => {
  const { chart } = parse("?y=sopr&level=1&zone=sma(volume, 7)~2 * volume:users");
  expect(loadedSeries(chart, catalog).map(({ metric, selector }) => `${metric}:${selector}`)).toEqual([
    "sopr:total",
    "volume:total",
    "volume:users",
  ]);
  expect(tracesOf(chart, catalog)).toHaveLength(1);
});

it("a formula has its name wherever it is named, and its text in code and tables of data", () => {
  const { chart } = parse("?y=sopr&y==sopr / 2&names=~Half%0Aof it");
  expect(tracesOf(chart, catalog)[1]).toMatchObject({ name: "Half of it", code: "sopr / 2" });
  expect(formatAddress(chart)).toContain("&names=~Half%20of%20it");
});
