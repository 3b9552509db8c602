import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BadFile } from "../../../explorer/src/state/own-file.ts";
import {
  formatCharts,
  imported,
  LONGEST_FILE,
  MOST_SAVED,
  parseCharts,
  removed,
  renamed,
  restored,
  saved,
} from "../../../explorer/src/state/saved-charts.ts";
import { catalog } from "../catalog.ts";

const A = { name: "A", search: "?a=ARIA&y=volume:total" };
const B = { name: "B", search: "?a=ARIA&y=sopr:users" };

describe("a list of saved charts", () => {
  it("has one chart of a name", () => {
    expect(saved([A, B], { ...A, search: B.search })).toEqual([{ name: "A", search: B.search }, B]);
    expect(saved([A], B)).toEqual([A, B]);
    expect(removed([A, B], "A")).toEqual([B]);
    expect(restored([B], A, 0)).toEqual([A, B]);
    expect(restored([A], { ...A, search: B.search }, 0)).toEqual([A]);
    expect(renamed([A, B], "A", "C")).toEqual([{ ...A, name: "C" }, B]);
    expect(renamed([A, B], "A", "A")).toEqual([A, B]);
    expect(renamed([A, B], "A", "B")).toBeNull();
  });

  it("is read as it was written", () => {
    const name = fc.string({ minLength: 1, maxLength: 80 }).filter((text) => text.trim() !== "");
    const charts = fc.uniqueArray(fc.record({ name, search: fc.string().map((text) => `?${text}`) }), {
      selector: (chart) => chart.name,
    });
    fc.assert(
      fc.property(charts, (list) => {
        expect(parseCharts(formatCharts(list))).toEqual(list);
      }),
    );
  });

  const file = (...charts: unknown[]) => JSON.stringify({ form: "soprano-charts", version: 1, charts });

  it.each([
    ["not JSON", "<script>", /isn't JSON/],
    ["nothing", "", /isn't JSON/],
    ["null", "null", /no saved charts/],
    ["another file", '{"charts":[]}', /no saved charts/],
    ["a later version", '{"form":"soprano-charts","version":2,"charts":[]}', /no saved charts/],
    ["a link that would run", file(A, { name: "x", search: "javascript:alert(1)" }), /^Chart 2 /],
    ["another site's link", file({ name: "x", search: "//example.com/" }), /^Chart 1 /],
    ["a chart without a name", file({ search: "?" }), /^Chart 1 /],
    ["a chart with an empty name", file({ name: "  ", search: "?" }), /^Chart 1 /],
    ["a long name", file({ name: "x".repeat(81), search: "?" }), /^Chart 1 /],
    ["an entry that is none", file(null), /^Chart 1 /],
    ["too many", file(...Array.from({ length: MOST_SAVED + 1 }, () => A)), /more than 500/],
    ["too large a file", " ".repeat(LONGEST_FILE + 1), /too large/],
  ])("refuses %s in one sentence or two", (_, text, message) => {
    expect(() => parseCharts(text)).toThrow(BadFile);
    expect(() => parseCharts(text)).toThrow(message);
  });

  it("imports what can be drawn, without keys, and keeps both of two charts of a name", () => {
    const added = [
      A,
      { name: "A", search: "?a=ARIA&y=sopr:users&api_key=secret&key=secret#key=secret" },
      { name: "lost", search: "?a=GONE&y=volume" },
      { name: "unknown", search: "?a=ARIA&y=nothing" },
      { name: "empty", search: "?" },
    ];
    expect(imported([A], added, catalog)).toEqual({
      charts: [A, { name: "A (2)", search: "?a=ARIA&y=sopr:users" }],
      added: 2,
      unknown: 3,
    });
    const again = imported([A], added.slice(0, 2), catalog).charts;
    expect(imported(again, again, catalog).charts).toEqual(again);
  });
});
