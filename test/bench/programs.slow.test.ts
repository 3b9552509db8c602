/** The programs that the builder's benchmark runs in processes of their own, on a token that takes them no time. */

import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { LotFigures } from "../../bench/builder/lots.ts";
import type { WalletFigures } from "../../bench/builder/wallet.ts";
import { costOfBuilds } from "../../bench/lib/builds.ts";
import { runChild } from "../../bench/lib/child.ts";
import { withoutLastDay } from "../../bench/lib/data.ts";
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

test("sends of a token take a piece or more, and holders have a lot or more", async () => {
  const program = new URL("../../bench/builder/lots.ts", import.meta.url);
  const figures = await runChild<LotFigures>(program, "hifo", asset);
  expect(figures.transfers).toBe(TRANSFERS);
  expect(figures.sends).toBeGreaterThan(TRANSFERS / 2);
  expect(figures.pieces).toBeGreaterThan(figures.sends);
  expect(figures.mostPieces).toBeGreaterThan(1);
  expect(figures.holders).toBeGreaterThan(0);
  expect(figures.lots).toBeGreaterThan(figures.holders);
});

test("small sends of wallets take a piece each, and a sweep takes all lots that are left", async () => {
  const program = new URL("../../bench/builder/wallet.ts", import.meta.url);
  // Each wallet receives 48 times 1,000, and sends 192 times 10.
  const { pieces, sweptPieces } = await runChild<WalletFigures>(program, "fifo", 48);
  expect([pieces / 8, sweptPieces / 8]).toEqual([192, 47]);
});

test("a night writes less than the build before", async () => {
  const [build, night] = await costOfBuilds([await withoutLastDay(asset), asset], ["--threads", "1"]);
  expect(build!.written).toBeGreaterThan(night!.written);
  expect(night!.written).toBeGreaterThan(0);
});
