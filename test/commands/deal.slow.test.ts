/** Many assets on several machines: dealt once, then built by task. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { simulate } from "../../builder/demo/simulate/simulate.ts";
import { newFolder } from "../folders.ts";
import { readPublished } from "./published.ts";
import { soprano, sopranoIn } from "./soprano.ts";

const folder = newFolder();
const persist = join(folder, "state");
const deals = join(folder, "fleet", "deals.json");
const asset = (symbol: string) => join(folder, symbol, "asset.json");
const SYMBOLS = { BIG: 4000, MID: 2000, TINY: 1000 };
const files = Object.keys(SYMBOLS).map(asset);

const handsIn = (file: string) => JSON.parse(readFileSync(file, "utf8")).hands as { cost: number; assets: string[] }[];

beforeAll(async () => {
  mkdirSync(join(folder, "fleet"));
  for (const [symbol, transfers] of Object.entries(SYMBOLS)) {
    await simulate({ out: join(folder, symbol), seed: 5, transfers, days: 30, symbol });
    const file = JSON.parse(readFileSync(asset(symbol), "utf8"));
    writeFileSync(asset(symbol), JSON.stringify({ ...file, resolutions: ["day"] }));
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("deals assets that were never built by the size of their files, then each task builds its own", async () => {
  const dealt = await soprano("deal", ...files, "--into", "2", "--out", deals, "--persist", persist);
  expect(dealt).toMatchObject({ status: 0, stdout: `${deals}\n` });
  expect(dealt.stderr).toMatch(/^3 assets in 2 tasks; the longest takes \d+ % of the mean\.\n$/);
  expect(handsIn(deals).map(({ assets }) => assets)).toEqual([
    ["../BIG/asset.json"],
    ["../MID/asset.json", "../TINY/asset.json"],
  ]);

  const first = await soprano("build", "--deal", deals, "--task", "0", "--persist", persist, "--quiet");
  expect(first).toMatchObject({ status: 0, stdout: expect.stringMatching(/^BIG [0-9a-f]{16}\n$/) });
  const build = ["build", "--deal", deals, "--persist", persist, "--quiet"];
  const second = await sopranoIn({ SLURM_ARRAY_TASK_ID: "1" }, ...build);
  expect(second.stdout).toMatch(/^MID [0-9a-f]{16}\nTINY [0-9a-f]{16}\n$/);
});

it("deals assets that were built by their events and holders", async () => {
  const file = join(folder, "again.json");
  expect(await soprano("deal", ...files, "--into", "3", "--out", file, "--persist", persist)).toMatchObject({
    status: 0,
  });
  const published = await readPublished(persist);
  for (const [index, symbol] of Object.keys(SYMBOLS).entries()) {
    const { transfers, mints, burns, holders } = published.manifest(symbol)!.counts;
    const cost = 20_000 + transfers + mints + burns + holders!;
    expect(handsIn(file)[index]).toEqual({ cost, assets: [`${symbol}/asset.json`] });
  }
});

it("says what is wrong", async () => {
  const build = (...args: string[]) => soprano("build", "--persist", persist, ...args);
  expect(await build()).toMatchObject({ status: 2, stderr: "soprano: name asset files, or a file with --deal\n" });
  expect(await build(files[0]!, "--deal", deals)).toMatchObject({ status: 2 });
  expect(await build(files[0]!, "--task", "0")).toMatchObject({ status: 2, stderr: "soprano: --task needs --deal\n" });
  expect((await build("--deal", deals)).stderr).toMatch(/^soprano: Which task is this\?/);
  expect((await build("--deal", deals, "--task", "2")).stderr).toBe(`soprano: ${deals} has tasks 0 to 1, but not 2.\n`);
  expect((await build("--deal", asset("BIG"), "--task", "0")).stderr).toMatch(
    /is not a file of soprano deal, .*: run `soprano deal ASSET\.json /,
  );
  const nowhere = join(folder, "none", "deals.json");
  expect((await build("--deal", nowhere, "--task", "0")).stderr).toMatch(/can't be read \(ENOENT\)/);
  const deal = (...args: string[]) => soprano("deal", ...args, "--persist", persist);
  expect((await deal(...files, "--into", "2", "--out", nowhere)).stderr).toMatch(/can't be written \(ENOENT/);
  expect((await deal(files[0]!, files[0]!, "--into", "2", "--out", deals)).stderr).toMatch(/is named twice/);
});

it("has nothing to do where there are more tasks than assets", async () => {
  const file = join(folder, "many.json");
  await soprano("deal", files[0]!, "--into", "2", "--out", file, "--persist", persist);
  const idle = await soprano("build", "--deal", file, "--task", "1", "--persist", persist);
  expect(idle).toEqual({ status: 0, stdout: "", stderr: "This task has no assets.\n" });
});
