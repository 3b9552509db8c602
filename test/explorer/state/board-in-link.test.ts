/** Boards as links and files, and those that are deployed. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LOT_METHODS } from "../../../data-schema/registry/lots.ts";
import { chartTitles, findChart } from "../../../explorer/src/boards/find-chart.ts";
import { problemOf } from "../../../explorer/src/lines/lines.ts";
import { formatAddress, parseAddress } from "../../../explorer/src/state/address.ts";
import {
  type Board,
  type BoardChart,
  type BoardItem,
  boardProblem,
  COLUMNS,
  formatBoard,
  formatFile,
  HEIGHTS,
  isBoardText,
  LONGEST_TEXT,
  MOST_CHARTS,
  parseBoard,
  parseFile,
  partOf,
} from "../../../explorer/src/state/board-in-link.ts";
import { contextOf } from "../../../explorer/src/state/chart-state.ts";
import { BadFile } from "../../../explorer/src/state/own-file.ts";
import { catalog, charts, everyMetric } from "../catalog.ts";

const chartCells: fc.Arbitrary<BoardChart> = fc.record({
  query: charts
    .map((chart) => partOf(formatAddress(chart), "own"))
    .filter((query) => /(^|&)y\d?=/.test(query) && query.length < 4_000),
  height: fc.constantFrom(...HEIGHTS),
  title: fc.option(fc.string({ minLength: 1, maxLength: 80, unit: "grapheme-ascii" })),
});

const texts: fc.Arbitrary<BoardItem> = fc.record({
  text: fc
    .string({ minLength: 1, maxLength: 200, unit: fc.constantFrom(...'ab #*-+=&%:\n"<é') })
    .map((text) => text.trim() || "x"),
  isWide: fc.boolean(),
});

const boards: fc.Arbitrary<Board> = fc.record({
  title: fc.string({ maxLength: 80, unit: "grapheme-ascii" }),
  text: fc.string({ maxLength: 100 }),
  columns: fc.constantFrom(...COLUMNS),
  charts: fc.array(fc.oneof(texts, chartCells), { minLength: 1, maxLength: 5 }),
});
describe("a board", () => {
  it("is the same from its link and its file", () => {
    fc.assert(
      fc.property(boards, (board) => {
        expect(parseBoard(formatBoard(board, "a=ARIA&range=1y"))).toEqual(board);
        expect(parseFile(formatFile(board))).toEqual(board);
      }),
    );
  });

  it("has a link that people can read", () => {
    const board: Board = {
      title: "Mine",
      text: "",
      columns: 3,
      charts: [{ query: "y=sopr:total&price=log", height: "tall", title: null }],
    };
    expect(formatBoard(board, "a=ARIA")).toBe(
      "?title=Mine&columns=3&a=ARIA&chart=y%3Dsopr:total%26price%3Dlog%26height%3Dtall",
    );
  });

  it("has texts between its charts, in links and files that people can write", () => {
    const board: Board = {
      title: "",
      text: "",
      columns: 2,
      charts: [
        { text: "## Why", isWide: true },
        { query: "y=sopr", height: "medium", title: null },
        { text: "It fell.", isWide: false },
      ],
    };
    const link = "?chart=text:%23%23%20Why&chart=y%3Dsopr&chart=text-column:It%20fell.";
    expect(formatBoard(board, "")).toBe(link);
    expect(parseBoard(link)).toEqual(board);
    const file = { form: "soprano-board", version: 1, title: "", columns: 2 };
    const listed = [{ text: "## Why" }, { chart: "y=sopr" }, { text: " It fell.\n", width: "column" }];
    expect(parseFile(JSON.stringify({ ...file, charts: listed }))).toEqual(board);
    const many = "x".repeat(LONGEST_TEXT);
    expect(parseBoard(`?chart=text:${many}`)?.charts).toHaveLength(1);
    expect(parseBoard(`?chart=text:${many}x`)).toBeNull();
    expect(boardProblem(`?chart=text:${many}x&chart=y%3Dsopr`)).toContain("1 of the 2 charts");
    expect(parseBoard("?chart=text:%20%0A")).toBeNull();
  });

  it("leaves out of a link what isn't valid, and what all charts share", () => {
    const chart = encodeURIComponent("y=sopr&a=DUET&range=1y&z=2020-01-01,2021-01-01&height=huge");
    expect(parseBoard(`?columns=7&chart=${chart}&chart=&chart=${encodeURIComponent("a=DUET")}`)).toEqual({
      title: "",
      text: "",
      columns: 2,
      charts: [{ query: "y=sopr", height: "medium", title: null }],
    });
    expect(parseBoard("?a=ARIA")).toBeNull();
    const many = Array.from({ length: 40 }, () => "chart=y%3Dsopr").join("&");
    expect(parseBoard(`?${many}`)?.charts).toHaveLength(MOST_CHARTS);
  });

  const valid = { form: "soprano-board", version: 1, title: "T", columns: 2, charts: [{ chart: "y=sopr" }] };
  it.each([
    ["no JSON", "{", "isn't JSON"],
    ["nothing", "null", "holds no board"],
    ["saved charts", '{"form":"soprano-charts","version":1,"charts":[]}', "holds no board"],
    ["five columns", JSON.stringify({ ...valid, columns: 5 }), "no columns: 1 to 4"],
    ["no title", JSON.stringify({ ...valid, title: 7 }), "no title"],
    ["a text that is a list", JSON.stringify({ ...valid, text: [] }), "the board is longer"],
    ["a chart of nothing", JSON.stringify({ ...valid, charts: [...valid.charts, null] }), "Chart 2"],
    ["a text of nothing", JSON.stringify({ ...valid, charts: [{ text: " " }] }), "Chart 1"],
    ["a text of a number", JSON.stringify({ ...valid, charts: [{ text: 7 }] }), "Chart 1"],
    ["a chart without lines", JSON.stringify({ ...valid, charts: [{ chart: "range=1y" }] }), "Chart 1"],
    ["25 charts", JSON.stringify({ ...valid, charts: Array(25).fill({ chart: "y=sopr" }) }), "more than 24"],
    ["200 kB", " ".repeat(200_001), "too large"],
  ])("is not read from a file with %s", (_, text, message) => {
    expect(() => parseFile(text)).toThrow(BadFile);
    expect(() => parseFile(text)).toThrow(message);
  });
});

describe("a deployed board", () => {
  const withLots = {
    ...everyMetric,
    assets: everyMetric.assets.map((asset) => ({ ...asset, lots: [...LOT_METHODS] })),
  };
  const folder = join(import.meta.dirname, "../../../boards");

  it.each(readdirSync(folder))("%s shows what it names", (name) => {
    const board = parseFile(readFileSync(join(folder, name), "utf8"));
    expect(board.charts.length).toBeGreaterThanOrEqual(4);
    for (const item of board.charts) {
      if (isBoardText(item)) continue;
      const { query } = item;
      const { chart, notes } = parseAddress(`?${query}`, withLots, []);
      expect(notes).toEqual([]);
      const lines = chart.panes.flatMap((pane) => pane.lines);
      expect(lines).toHaveLength(new URLSearchParams(query).getAll("y").length);
      for (const line of lines) expect(problemOf(line, contextOf(chart, withLots))).toBeNull();
    }
  });
});

describe("a chart to add", () => {
  it.each([
    ["sopr", "y=sopr:total"],
    ["SOPR", "y=sopr:total"],
    ["mvrv", "y=%3Dmvrv"],
    ["supply by age", "y=supply:*age:stack"],
    ["https://example.org/?a=DUET&y=volume&price=log&range=1y", "y=volume&price=log"],
    ["?y=volume&y2=price", "y=volume&y2=price"],
  ])("%s → %s", (words, query) => {
    expect(findChart(words, everyMetric, "ARIA")).toBe(query);
  });

  it("is none for words that mean nothing", () => {
    expect(findChart("xyzzy", everyMetric, "ARIA")).toBeNull();
  });

  it("has a title that finds it", () => {
    for (const title of chartTitles(catalog, "ARIA")) expect(findChart(title, catalog, "ARIA")).not.toBeNull();
  });
});
