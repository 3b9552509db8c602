import { describe, expect, it } from "vitest";
import { formatStudy, parseStudy } from "../../../explorer/src/state/study.ts";

describe("a study in a link", () => {
  it.each([
    ["cycles:high", { kind: "cycles", since: "high" }],
    ["cycles:year", { kind: "cycles", since: "year" }],
    ["cycles:2024-01-01,2025-01-01T09:30", { kind: "cycles", since: [1_704_067_200, 1_735_723_800] }],
    ["seasons:hour:median", { kind: "seasons", by: "hour", of: "median" }],
    ["scatter", { kind: "scatter" }],
    ["histogram", { kind: "histogram" }],
  ])("%s", (text, study) => {
    expect(parseStudy(text)).toEqual(study);
    expect(formatStudy(study as NonNullable<ReturnType<typeof parseStudy>>)).toBe(text);
  });

  it("has its dates in order, each once", () => {
    expect(formatStudy(parseStudy("cycles:2025-01-01, 2024-01-01,2025-01-01")!)).toBe("cycles:2024-01-01,2025-01-01");
  });

  it.each([
    "",
    "cycles",
    "cycles:",
    "cycles:low",
    "cycles:high:mean",
    "cycles:2024-13-01",
    `cycles:${Array.from({ length: 9 }, (_, i) => `2024-01-0${i + 1}`)}`,
    "seasons:month",
    "seasons:day:mean",
    "seasons:month:sum",
    "scatter:x",
  ])("isn't %s", (text) => {
    expect(parseStudy(text)).toBeUndefined();
  });
});
