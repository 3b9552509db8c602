import { describe, expect, it } from "vitest";
import { METRICS, type Metric, resolutionsOf } from "../../../data-schema/registry/metrics.ts";
import { periodName, RESOLUTIONS, type Resolution } from "../../../data-schema/registry/resolutions.ts";
import { Problem } from "../../../worker/problems/problem.ts";
import { type FilePath, fileKey, filePath } from "../../../worker/request/file-path.ts";

const HASH = "0123456789abcdef".repeat(2);

function parsed(path: string): FilePath {
  const [resolution, metric, file] = path.split("/");
  return filePath(resolution!, metric!, file!);
}

function factsOf(path: string) {
  try {
    parsed(path);
  } catch (error) {
    if (error instanceof Problem) return { type: error.type, ...error.facts };
    throw error;
  }
  throw new Error(`${path} is a path`);
}

describe("the path of a file", () => {
  it("is that of every object that a build may write, and leads to its key", () => {
    for (const metric of METRICS as readonly Metric[]) {
      for (const resolution of resolutionsOf(metric)) {
        // A month's first day, and another: a period of blocks may begin with either.
        for (const from of [1_709_251_200, 1_710_115_200]) {
          const path = `${resolution}/${metric.name}/${periodName(resolution, from)}.${HASH}.parquet`;
          expect(fileKey("HUM", parsed(path))).toBe(`series/HUM/${path}`);
        }
      }
    }
  });

  it("names a resolution and one of its metrics, or what is nearest", () => {
    expect(factsOf(`dya/sopr/all.${HASH}.parquet`)).toMatchObject({ suggestion: "day", allowed: RESOLUTIONS });
    expect(factsOf(`day/sorp/all.${HASH}.parquet`)).toMatchObject({ suggestion: "sopr" });
    // Prices have no blocks.
    expect(factsOf(`block/price/2024-03.${HASH}.parquet`).allowed).not.toContain("price");
  });

  const others: [Resolution, string][] = [
    ["day", "2024"],
    ["day", "ALL"],
    ["hour", "all"],
    ["hour", "2024-03"],
    ["block", "2024"],
    ["block", "2024-03-11-12"],
    ["week", "-"],
    ["day", ""],
  ];
  it.each([
    ...others.map(([resolution, period]) => `${resolution}/sopr/${period}.${HASH}.parquet`),
    `day/sopr/all.${HASH.slice(1)}.parquet`,
    `day/sopr/all.${HASH}0.parquet`,
    `day/sopr/all.${HASH.toUpperCase()}.parquet`,
    `day/sopr/all.${HASH}.parquet.json`,
    `day/sopr/all.${HASH}`,
    `day/sopr/all_${HASH}.parquet`,
    `day/sopr/..%2fsopr.${HASH}.parquet`,
    "day/sopr/",
    "day//",
    "//",
  ])("is not %j", (path) => {
    expect(factsOf(path).type).toBe("unknown-file");
  });
});
