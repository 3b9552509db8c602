/** `soprano prices` from the command line, and what builds make of it. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { activeManifest, runBuild } from "../build/checkpoint/nights.ts";
import { AS_OF, DAY, firstNight, PRICES, START, secondNight } from "../build/checkpoint/two-nights.ts";
import { entriesOf } from "../published/publish/slow-comparison.ts";
import { soprano } from "./soprano.ts";

/** Midnights: of a day before the checkpoint of the first night, and of one after it. */
const [EARLY, LATE] = ["2024-02-01", "2024-02-04"];
const usdOf = (day: string) => PRICES.find(([time]) => time === Date.parse(day) / 1000)![1];

const correct = (asset: string, day: string, ...what: string[]) =>
  soprano("prices", asset, "--at", `${day}T00:00Z`, ...what, "--because", "a thin pool");

describe("a correction", () => {
  it("after the checkpoint resumes, and one before it is a full build: as if the source had said so", async () => {
    const { folder, store } = await firstNight();
    const asset = folder.asset({ asOf: AS_OF.second });
    expect(await correct(asset, LATE!, "--set", "1.02")).toEqual({
      status: 0,
      stdout: `TOK: 1.02 counts from 2024-02-04T00:00:00Z until 2024-02-05T00:00:00Z, in place of ${usdOf(LATE!)}. The next build has it.\n`,
      stderr: "",
    });
    expect((await secondNight(store)).start).toEqual({
      from: Date.parse("2024-02-03") / 1000,
      changes: ["the correction of the price of 2024-02-04T00:00:00Z has changed (1.02, was none: a thin pool)"],
    });
    const told = { time: "2024-02-04T00:00:00Z", now: "1.02", before: "none", reason: "a thin pool" };
    const [, second] = await entriesOf(store, "TOK");
    expect(second!.causes).toContainEqual({ kind: "corrections", count: 1, first: told });
    const manifest = await activeManifest(store, "TOK");
    expect(manifest.corrections).toEqual([{ t: START + 5 * DAY, usd: 1.02, reason: "a thin pool" }]);

    await correct(asset, EARLY!, "--set", "3");
    expect((await secondNight(store)).start).toEqual({
      reason:
        "prices before 2024-02-06 have changed; the correction of the price of 2024-02-01T00:00:00Z has changed (3, was none: a thin pool)",
    });
    // The same prices in the source make the same series.
    const corrected = (await activeManifest(store, "TOK")).resolutions;
    for (const day of [EARLY!, LATE!]) await correct(asset, day, "--drop");
    const own = PRICES.map(([time, usd]): [number, number] => [
      time,
      { [EARLY!]: 3, [LATE!]: 1.02 }[new Date(time * 1000).toISOString().slice(0, 10)] ?? usd,
    ]);
    folder.prices(own);
    await runBuild(store, asset);
    expect((await activeManifest(store, "TOK")).resolutions).toEqual(corrected);
    expect((await activeManifest(store, "TOK")).corrections).toBeUndefined();
    const [, , , last] = await entriesOf(store, "TOK");
    expect(last!.causes).toContainEqual({
      kind: "corrections",
      count: 2,
      first: { ...told, time: "2024-02-01T00:00:00Z", now: "none", before: "3" },
    });
  });

  it("goes with an asset that gets another symbol", async () => {
    const { folder } = await firstNight();
    await correct(folder.asset(), EARLY!, "--set", "3");
    const { stdout, stderr } = await soprano("prices", folder.asset({ symbol: "NEW", was: ["TOK"] }));
    expect(stdout).toMatch(/\n2024-02-01T00:00:00Z +3 /);
    expect(stderr).toBe("TOK.corrections.csv is NEW.corrections.csv now: TOK has become NEW.\n");
  });

  it("may add a row, is listed, and can be dropped", async () => {
    const { folder } = await firstNight();
    const asset = folder.asset();
    const at = ["prices", asset, "--at", "2024-02-01T12:30:00Z"];
    const held = usdOf(EARLY!);
    expect((await soprano("prices", asset)).stdout).toBe("TOK: no price is corrected.\n");
    expect((await soprano(...at, "--set", "2", "--because", "a halt, “of trade”")).stdout).toBe(
      `TOK: 2 counts from 2024-02-01T12:30:00Z until 2024-02-02T00:00:00Z, where the source has no row, and ${held} held. The next build has it.\n`,
    );
    expect((await soprano("prices", asset, "--list")).stdout).toMatch(
      /^time +price +source +recorded +because\n2024-02-01T12:30:00Z +2 +\d{4}-.{14}Z +a halt, “of trade”\n$/,
    );
    expect((await soprano(...at, "--drop", "--because", "no halt")).stdout).toBe(
      `TOK: ${held} holds again from 2024-02-01T12:30:00Z until 2024-02-02T00:00:00Z. The next build has it.\n`,
    );
    expect((await soprano("prices", asset)).stdout).toMatch(/\n2024-02-01T12:30:00Z +dropped .* no halt\n$/);
    expect(await soprano(...at, "--drop", "--because", "again")).toEqual({
      status: 1,
      stdout: "",
      stderr: "soprano: TOK: the price of 2024-02-01T12:30:00Z is not corrected; no price is corrected.\n",
    });
  });
});

it.each([
  [
    ["--at", "2024-02-01"],
    2,
    "error: name a time with --at, a price with --set or else --drop, and a reason with --because",
  ],
  [["--at", "2024-02-01", "--set", "1", "--drop", "--because", "x"], 2, "name a time with --at"],
  [
    ["--at", "2024-02-01", "--set", "1,5", "--because", "x"],
    2,
    "It must be US dollars per token, a number from 0 to 1e100.",
  ],
  [["--at", "2099-02-01", "--set", "1", "--because", "x"], 2, "It must be a past time"],
  [["--at", "2024-02-01", "--set", "1", "--because", "x".repeat(201)], 2, "at most 200 characters"],
  [["--list", "--at", "2024-02-01", "--set", "1", "--because", "x"], 2, "--list takes no other option"],
])("%j is refused", async (args, status, sentence) => {
  const { folder } = await firstNight();
  const refused = await soprano("prices", folder.asset(), ...args);
  expect([refused.status, refused.stdout]).toEqual([status, ""]);
  expect(refused.stderr).toContain(sentence.replace("error: ", ""));
});

it("a damaged file is refused by builds, too, with its row", async () => {
  const { folder, store } = await firstNight();
  const path = join(folder.path, "TOK.corrections.csv");
  const asset = folder.asset({ asOf: AS_OF.second });
  await correct(asset, LATE!, "--set", "1.02");
  writeFileSync(path, readFileSync(path, "utf8").replace("1.02", "one"));
  await expect(runBuild(store, asset)).rejects.toThrow(
    'TOK.corrections.csv, row 1, column price_usd: "one" is not valid',
  );
});
