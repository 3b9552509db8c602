/** `soprano status`, `remove` and `gc` from the command line, with a state folder and with a bucket. */

import { appendFileSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../folders.ts";
import { variant } from "../published/verify/published.ts";
import { BUCKET, type S3, startFilesS3 } from "../store/s3.ts";
import { sopranoIn } from "./soprano.ts";

const folder = newFolder();
let s3: S3;
beforeAll(async () => {
  cpSync("examples/token", folder, { recursive: true });
  s3 = await startFilesS3();
});
afterAll(async () => {
  await s3.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An asset whose data ends at midnight: fresh, whatever day it is. */
const today = () => new Date().toISOString().slice(0, 10);
const report = (name: string, assets: object[]) => {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ schema: 1, assets }));
  return path;
};

describe.each([
  ["a state folder", ["--persist", join(folder, "state")]],
  ["a bucket", ["--store", `r2://${BUCKET}`]],
])("with %s", (_, place) => {
  const run = (...args: string[]) => sopranoIn(s3.environment, ...args, ...place);
  const statusOf = async (...args: string[]) => {
    const { status, stdout, stderr } = await run("status", "--json", ...args);
    return { status, stderr, assets: JSON.parse(stdout).assets };
  };

  beforeAll(async () => {
    const keys = { resolutions: ["day"], cohorts: { team: "team.csv" } };
    writeFileSync(join(folder, "team.csv"), `address\n0x${"a1".repeat(20)}\n`);
    const asset = variant(join(folder, "asset.json"), "day.json", keys);
    for (const asOf of ["2024-01-02T00:00:00Z", `${today()}T00:00:00Z`]) {
      expect(await run("build", variant(asset, "as-of.json", { asOf }), "--threads", "1")).toMatchObject({ status: 0 });
    }
    const old = variant(asset, "old.json", { symbol: "OLD", asOf: "2024-01-03T00:00:00Z" });
    expect(await run("build", old, "--threads", "1")).toMatchObject({ status: 0 });
  });

  it("status has a row an asset, and says what is late or failed", async () => {
    const both = await statusOf();
    expect([both.status, both.stderr]).toEqual([1, "soprano: OLD is late.\n"]);
    const [old, tiny] = both.assets;
    expect([old.symbol, old.state, tiny.symbol, tiny.state]).toEqual(["OLD", "late", "TINY", "ok"]);
    expect(tiny).toMatchObject({
      why: "resumed from 2024-01-02",
      active: {
        asOf: `${today()}T00:00:00.000Z`,
        mostAgeSeconds: 108_000,
        lists: { "@team": 1 },
        corrections: 0,
        garbage: { builds: 0, objects: 0, bytes: 0 },
      },
    });
    expect(old.active.added).toBeUndefined();
    const { added, bytes, objects } = tiny.active;
    expect([added.rows > 0, added.bytes > 0, bytes > added.bytes, objects > 5]).toEqual([true, true, true, true]);
    const { status, stdout } = await run("status", "tiny");
    expect([status, stdout.split("\n")[0]]).toEqual([
      0,
      expect.stringMatching(
        /^asset {2}state {2}as of +age +target +build +activated +rows added +MB added +own lists +MB stored +MB for gc +why$/,
      ),
    ]);
    expect(stdout).toMatch(/\nTINY {3}ok +\d{4}-\d\d-\d\d 00:00 +\d+h +30h .* @team 1 /);
  });

  it("status tells what a night's reports say", async () => {
    const fetched = report("fetched.json", [
      { file: "TINY.json", symbol: "TINY", status: "failed", error: "No node." },
    ]);
    const built = report("built.json", [{ file: "X.json", symbol: null, status: "failed", error: "X.json is wrong." }]);
    const { status, assets } = await statusOf("--report", fetched, "--report", built);
    expect(status).toBe(1);
    expect(assets).toMatchObject([
      { symbol: "OLD", state: "late" },
      { symbol: "TINY", state: "failed", why: "No node.", active: { lists: { "@team": 1 } } },
      { symbol: "X.json", state: "failed", why: "X.json is wrong." },
    ]);
    expect(await run("status", "--report", join(folder, "none.json"))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("none.json does not exist: the command that writes it has not ended."),
    });
    expect(await run("status", "--report", join(folder, "asset.json"))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("asset.json is no report of this version of Soprano"),
    });
  });

  it("status --cost tells the bill of a month, from what the store has", async () => {
    const { status, stdout } = await run("status", "--cost", "--requests", "20000000", "--json");
    const { assets, keys, cost } = JSON.parse(stdout);
    expect([status, keys, cost.requests]).toEqual([1, [], 20e6]);
    const of = (symbol: string) => assets.find((one: { symbol: string }) => one.symbol === symbol).active;
    const [old, tiny] = [of("OLD"), of("TINY")];
    // OLD has one build: a night of it is the usual one, without block series.
    expect(old.month).toEqual({ writes: 30 * (6 + 19), reads: 30 * 220 });
    expect(tiny.month.writes).toBe(30 * (tiny.added.objects + 4 + 19));
    const rest = cost.rows.at(-1);
    expect(cost.rows).toEqual([
      { name: "OLD", used: { ...old.month, storedBytes: old.bytes } },
      { name: "TINY", used: { ...tiny.month, storedBytes: tiny.bytes } },
      { name: "all else", used: { storedBytes: expect.any(Number) } },
    ]);
    expect(rest.used.storedBytes).toBeLessThan(20_000);
    expect(cost.dollars).toBeCloseTo(5 + 10 * 0.3, 2);
    const told = await run("status", "TINY", "--cost");
    expect(told).toMatchObject({ status: 0, stdout: expect.stringMatching(/\na month +5\.00\n\nPrices are Clou/) });
    expect(told.stdout).not.toContain("all else");
    expect(await run("status", "--requests", "1")).toMatchObject({ status: 2 });
  });

  it("status tells of a key that used over ten times its usual today", async () => {
    const [option, persist = ""] = place;
    if (option !== "--persist") return;
    const key = await sopranoIn({}, "keys", "create", "--name", "Alice", "--persist", persist, "--json");
    const { id } = JSON.parse(key.stdout);
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    const use = (ago: number, requests: number) =>
      appendFileSync(
        join(persist, "usage.jsonl"),
        `${JSON.stringify({ day: day(ago), key: id, requests, points: 0, bytes: 0 })}\n`,
      );
    for (const [ago, requests] of [20, 30, 10, 20, 400].entries()) use(8 - ago, requests);
    const keysOf = async () => JSON.parse((await sopranoIn({}, "status", "--persist", persist, "--json")).stdout).keys;
    // What was unusual days ago is no news.
    expect(await keysOf()).toEqual([]);
    use(0, 201);
    const told = `Key ${id} (Alice) made 201 requests on ${day(0)}, over ten times its usual 20 a day.`;
    expect(await keysOf()).toEqual([told]);
    expect((await sopranoIn({}, "status", "--persist", persist)).stdout).toContain(`\n${told}\n`);
  });

  it("remove asks first, unpublishes, and leaves the rest to gc", async () => {
    const before = (await statusOf("TINY")).assets[0].active;
    const dry = await run("remove", "TINY", "--history", "--dry-run");
    expect(dry).toMatchObject({ status: 0, stdout: expect.stringContaining("TINY: would be no longer served from") });
    expect(dry.stdout).toMatch(/Log of changes and what was known: \d+ objects, [\d.]+ MB, would be removed\./);
    expect(await run("remove", "TINY")).toMatchObject({ status: 1, stderr: expect.stringContaining("--yes") });
    expect((await statusOf("TINY")).assets[0].active).toMatchObject({ build: before.build, objects: before.objects });

    const { status, stdout, stderr } = await run("remove", "TINY", "--history", "--yes");
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^TINY: is no longer served from .*\n {2}Builds: 2 manifests and /),
    ]);
    const [, advice] = /`soprano (gc TINY .*)`/.exec(stderr)!;
    expect(advice).toContain("gc TINY --keep 0");
    expect((await statusOf("TINY")).assets).toMatchObject([
      { state: "failed", why: expect.stringContaining("TINY is not published") },
    ]);
    expect(await run("gc", "TINY", "--keep", "0")).toMatchObject({
      stdout: "TINY: removed 0 builds, 0 objects, 0.0 MB; 2 more builds superseded for less than --min-age\n",
    });
    expect((await run("gc", "TINY", "--keep", "0", "--min-age", "0m")).stdout).toMatch(
      /^TINY: removed 2 builds \(.*\), [\d,]+ objects, /,
    );
    expect((await run("remove", "TINY", "--dry-run")).stdout).toMatch(
      /^TINY: would be no longer served from .*, as before\.\n {2}Builds: 0 manifests and 0 objects, 0\.0 MB, stay until gc\.\n/,
    );
    expect(await run("remove", "NONE", "--yes")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("has nothing of NONE"),
    });
  });

  it("what was removed is built again once that is undone", async () => {
    const asset = join(folder, "as-of.json");
    const refused = await run("build", asset, "--threads", "1");
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining("TINY was removed from")]);
    expect(await run("remove", "TINY", "--undo", "--inputs")).toMatchObject({ status: 2 });
    expect(await run("remove", "TINY", "--undo")).toMatchObject({
      stdout: "TINY: the next build publishes it again.\n",
    });
    expect(await run("build", asset, "--threads", "1")).toMatchObject({ status: 0 });
    expect((await statusOf("TINY")).assets).toMatchObject([{ state: "ok", why: "it is the first build" }]);
  });
});
