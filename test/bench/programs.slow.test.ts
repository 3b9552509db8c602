/** The programs that the builder's benchmark runs in processes of their own, on a token that takes them no time. */

import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { runChild } from "../../bench/child.ts";
import { simulated } from "../demo/simulate/simulated.ts";

const TRANSFERS = 3_000;

let asset: string;
beforeAll(async () => {
  asset = join(await simulated({ transfers: TRANSFERS, days: 40 }), "asset.json");
});

test.each<[name: string, args: () => (string | number)[], figures: string[]]>([
  ["engine", () => [asset, 1, 1], ["all", "dayAndHour", "transfers"]],
  ["reference", () => [asset, 1], ["engine", "reference", "transfers"]],
  [
    "build",
    () => [asset, 2, "none"],
    ["bytes", "objects", "publish", "read", "replay", "series", "transfers", "whole"],
  ],
  ["reading", () => [asset, 1], ["cpu", "four", "one", "rows", "shares"]],
  ["sql", () => [asset, 2, 1], ["seconds", "series"]],
  ["write", () => [1], ["block", "day"]],
])("%s measures what it says", async (name, args, figures) => {
  const program = new URL(`../../bench/builder/${name}.ts`, import.meta.url);
  // The peak of memory is known on Linux only.
  const { peak, ...measured } = await runChild(program, ...args());
  expect(Object.keys(measured).sort()).toEqual(figures);
  for (const figure of Object.values(measured)) expect(figure).toBeGreaterThan(0);
  if (figures.includes("transfers")) expect(measured.transfers).toBe(TRANSFERS);
});
