/** Many assets in one batch: failures are reported, and the other assets are published. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BatchReport } from "../../../builder/build/run/batch-report.ts";
import { buildBatch } from "../../../builder/build/run/build-batch.ts";
import { simulate } from "../../../builder/demo/simulate/simulate.ts";
import { readBatch } from "../../../builder/input/asset/batch-asset.ts";
import { StoreFailure } from "../../../builder/lib/failure.ts";
import { silentProgress } from "../../../builder/lib/terminal/progress.ts";
import { openLocalState } from "../../../builder/store/local/local.ts";
import type { ObjectStore } from "../../../builder/store/store.ts";
import { DEFAULT_PERSIST } from "../../../builder/store/wrangler.ts";
import { readPublished } from "../../commands/published.ts";
import { soprano, sopranoIn } from "../../commands/soprano.ts";
import { newFolder, scratchFolder } from "../../folders.ts";

const folder = newFolder();
const file = (name: string) => join(folder, "assets", `${name}.json`);

/** Writes the simulated token's ASSET.json under another name, with changes. */
function write(name: string, changes: Record<string, unknown> = {}): string {
  const asset = JSON.parse(readFileSync(join(folder, "token", "asset.json"), "utf8"));
  const inToken = (path: string) => join("..", "token", path);
  const paths = Object.fromEntries(
    ["transfers", "prices", "exchanges", "contracts"].map((key) => [key, inToken(asset[key])]),
  );
  const symbol = name.toUpperCase();
  writeFileSync(file(name), JSON.stringify({ ...asset, ...paths, symbol, resolutions: ["day"], ...changes }));
  return file(name);
}

beforeAll(async () => {
  await simulate({ out: join(folder, "token"), seed: 3, transfers: 1000, days: 60, symbol: "SIM" });
  mkdirSync(join(folder, "assets"));
  write("one");
  write("bad", { prices: "nowhere.csv" });
  writeFileSync(file("odd"), "{");
  write("two");
  write("same", { symbol: "ONE" });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readReport = (path: string): BatchReport => JSON.parse(readFileSync(path, "utf8"));

describe("a run in which two of four fail", () => {
  const persist = join(folder, "state");
  const reports = join(folder, "reports");
  const summary = join(folder, "summary.md");
  const run = (...options: string[]) =>
    sopranoIn(
      { GITHUB_STEP_SUMMARY: summary },
      ...["build", ...["one", "bad", "odd", "two"].map(file), "--persist", persist, "--threads", "1", ...options],
    );

  it("publishes the others, and reports all of them", async () => {
    mkdirSync(reports);
    writeFileSync(summary, "Before\n");
    const { status, stdout, stderr } = await run("--report", join(reports, "report.json"));
    expect(status).toBe(1);
    expect(stdout).toMatch(/^ONE [0-9a-f]{16}\nTWO [0-9a-f]{16}\n$/);
    const [bad = "", odd, ending] = stderr.split("\n").filter((line) => line.startsWith("soprano: "));
    expect(bad).toMatch(/^soprano: BAD failed: .*nowhere\.csv/);
    expect(odd).toMatch(/^soprano: \S*odd\.json is not valid JSON/);
    expect(ending).toMatch(/^soprano: 2 of 4 assets were not built \(BAD, .*odd\.json\)/);
    // Printed at once, not at the end.
    expect(stderr.indexOf(bad)).toBeLessThan(stderr.indexOf("TWO: build"));
    expect(stderr).toMatch(/\n2 published, 2 failed in /);

    const published = await readPublished(persist);
    expect(readdirSync(reports)).toEqual(["report.json"]);
    const report = readReport(join(reports, "report.json"));
    expect(report).toMatchObject({ schema: 1, store: persist, began: expect.any(String), seconds: expect.any(Number) });
    expect(report.counts).toEqual({ published: 2, unchanged: 0, failed: 2, unfetched: 0, skipped: 0 });
    expect(report.assets.map(({ file, symbol, status }) => [file, symbol, status])).toEqual([
      [file("one"), "ONE", "published"],
      [file("bad"), "BAD", "failed"],
      [file("odd"), null, "failed"],
      [file("two"), "TWO", "published"],
    ]);
    const [one, failed] = report.assets;
    const { seconds = NaN, replayed: events = 0 } = one ?? {};
    const { build, counts } = published.manifest("ONE")!;
    const objectsWritten = [...published.objects.keys()].filter((key) =>
      /^(series|checkpoints|holders|transfers).ONE./.test(key),
    ).length;
    const replayed = counts.transfers + counts.mints + counts.burns;
    expect(one).toMatchObject({ build, transfers: counts.transfers, objectsWritten, reason: expect.any(String) });
    expect(seconds).toBe(Number(seconds.toFixed(3)));
    expect(events).toBeGreaterThanOrEqual(replayed);
    expect(failed).toEqual({
      file: file("bad"),
      symbol: "BAD",
      status: "failed",
      error: expect.stringMatching(/nowhere\.csv.*\.$/),
      seconds: expect.any(Number),
    });

    expect(readFileSync(summary, "utf8")).toMatch(/^Before\n### 2 published, 2 failed in [\d.]+ s\n\n\| asset \|/);
    const annotations = stderr.split("\n").filter((line) => line.startsWith("::"));
    expect(annotations).toHaveLength(2);
    expect(annotations[0]).toContain(`::error file=${file("bad")},title=BAD::`);
  });

  it("run again reports which are unchanged", async () => {
    const { status, stderr } = await run("--quiet", "--report", join(reports, "report.json"));
    // --quiet prints failures and nothing else.
    expect([status, stderr.split("\n").filter((line) => !/^(soprano: |::error )/.test(line))]).toEqual([1, [""]]);
    const report = readReport(join(reports, "report.json"));
    expect(report.assets.map(({ status }) => status)).toEqual(["unchanged", "failed", "failed", "unchanged"]);
    expect(report.assets[0]).toMatchObject({ objectsWritten: 0, bytesWritten: 0, from: expect.stringMatching(/Z$/) });
  });

  it("as a dry run says what each build would be", async () => {
    const { status, stdout, stderr } = await run("--dry-run");
    expect(stdout).toMatch(/^(?:(ONE|TWO): unchanged, build [0-9a-f]{16} is active\n){2}$/);
    expect(stderr).toMatch(
      /^soprano: BAD failed: .*\nsoprano: \S*odd\.json is not .*\nsoprano: BAD, \S*odd\.json can't be built: .*\n$/,
    );
    expect(status).toBe(1);
    const former = await run("--since-check");
    expect(former).toEqual({ status, stdout, stderr: expect.stringContaining(stderr) });
    expect(former.stderr).toMatch(/^--since-check is now --dry-run; /);
  });

  it("without --report leaves a job's summary alone", async () => {
    const before = readFileSync(summary, "utf8");
    const { stderr } = await run("--quiet");
    expect(stderr).not.toContain("::error");
    expect(readFileSync(summary, "utf8")).toBe(before);
  });
});

describe("a run of one", () => {
  it("prints what it prints without a report", async () => {
    const persist = scratchFolder();
    const path = join(persist, "report.json");
    const built = await soprano("build", file("one"), "--persist", persist, "--report", path);
    expect(built).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/ONE: build .*\n +built +full build: /),
    });
    expect(built.stderr).not.toMatch(/^1 published/m);
    const failed = await soprano("build", file("bad"), "--persist", persist, "--report", path, "--quiet");
    const [outcome] = readReport(path).assets;
    expect(failed).toEqual({ status: 1, stdout: "", stderr: `soprano: BAD failed: ${outcome?.error}\n` });
  });
});

describe("a run after a fetch", () => {
  const persist = join(folder, "after");
  beforeAll(() => mkdirSync(persist));
  const [fetched, path] = [join(persist, "fetched.json"), join(persist, "report.json")];
  const bad = { file: file("bad"), symbol: "BAD", status: "failed", error: "No node was reachable." };
  const run = (...args: string[]) =>
    soprano("build", ...args, "--persist", persist, "--fetch-report", fetched, "--report", path);

  it("has a row for what could not be fetched, with the cause, and builds the rest", async () => {
    // Named or not, and by another path.
    const gone = { file: "assets/gone.json", symbol: null, status: "failed", error: "It is not valid JSON." };
    const assets = [bad, gone, { file: file("one"), symbol: "ONE", status: "fetched" }];
    writeFileSync(fetched, JSON.stringify({ schema: 1, assets }));
    const { status, stdout, stderr } = await run(file("one"), relative(process.cwd(), file("bad")));
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^ONE [0-9a-f]{16}\n$/)]);
    expect(stderr).toMatch(/\nBAD +unfetched +0\.0 {2}No node was reachable\.\n/);
    expect(stderr).toMatch(/\nassets\/gone\.json +unfetched .* valid JSON\.\n1 published, 2 unfetched in /);
    const report = readReport(path);
    expect(report.counts).toMatchObject({ published: 1, failed: 0, unfetched: 2 });
    expect(report.assets.map((asset) => [asset.symbol, asset.status, asset.error])).toEqual([
      ["ONE", "published", undefined],
      ["BAD", "unfetched", bad.error],
      [null, "unfetched", gone.error],
    ]);
    const told = await soprano("status", "--persist", persist, "--report", path, "--json");
    expect(JSON.parse(told.stdout).assets).toMatchObject([
      { symbol: "BAD", state: "failed", why: bad.error },
      { symbol: "ONE" },
      { symbol: "assets/gone.json", state: "failed" },
    ]);
  });

  it("builds nothing where nothing could be fetched, or nobody knows", async () => {
    writeFileSync(fetched, JSON.stringify({ schema: 1, assets: [bad] }));
    expect(await run(file("bad"))).toMatchObject({
      status: 1,
      stdout: "",
      stderr:
        "soprano: No asset could be fetched, so none was built: see the messages of fetch, then fetch them again.\n",
    });
    expect(readReport(path).assets).toMatchObject([{ symbol: "BAD", status: "unfetched", error: bad.error }]);
    rmSync(fetched);
    expect(await run(file("one"))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("fetched.json does not"),
    });
    expect(readReport(path)).toMatchObject({ assets: [], stopped: expect.stringContaining("fetched.json does not") });
  });
});

describe("a run is refused before anything is built", () => {
  it.each([
    [
      "two files with one symbol",
      [file("two"), file("one"), file("same")],
      /one\.json and .*same\.json both.* ONE: give/,
    ],
    ["a file named twice", [file("one"), file("two"), file("one")], /one\.json is named twice/],
    ["a report that can't be written", [file("one"), "--report", join(folder, "no", "r.json")], /ENOENT.*--report/],
  ])("%s", async (_, args, sentence) => {
    const persist = scratchFolder();
    const refused = await soprano("build", "--persist", persist, ...args);
    expect(refused).toMatchObject({ status: 1, stdout: "", stderr: expect.stringMatching(/^soprano: .*\.\n$/) });
    expect(refused.stderr).toMatch(sentence);
    expect(readdirSync(persist)).toEqual([]);
  });
});

describe("a run that ends before its first asset", () => {
  it.each<[string, string[], (string | null)[], RegExp]>([
    ["two files with one symbol", [file("one"), file("same")], [null, null], /both have the symbol ONE/],
    ["a store without credentials", [file("one"), "--store", "r2://soprano"], ["ONE"], /AWS_ACCESS_KEY_ID/],
    ["no file of deals", ["--deal", file("none"), "--task", "0"], [], /none\S+ can't be read/],
  ])("reports why, in place of the report of an earlier run: %s", async (_, args, symbols, error) => {
    const path = join(scratchFolder(), "report.json");
    writeFileSync(path, "{}");
    const none = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" };
    expect(await sopranoIn(none, "build", ...args, "--report", path)).toMatchObject({ status: 1 });
    const { assets, stopped, store } = readReport(path);
    expect(stopped).toMatch(error);
    expect(assets).toEqual(
      symbols.map((symbol) => expect.objectContaining({ symbol, status: "failed", error: stopped })),
    );
    expect(store).toBe(args.includes("--store") ? "r2://soprano" : DEFAULT_PERSIST);
  });
});

describe("a store that fails", () => {
  /** The batch of one, two and bad over a store whose methods may be replaced. */
  async function run(changes: (store: ObjectStore) => Partial<ObjectStore>) {
    const state = await openLocalState(scratchFolder());
    const told: string[] = [];
    try {
      const assets = await readBatch([file("one"), file("two"), file("bad")]);
      const report = await buildBatch(
        assets,
        { ...state.objects, ...changes(state.objects) },
        {
          threads: 1,
          progress: silentProgress(),
          onBegin() {},
          onBuilt() {},
          onFailed: (_, error) => told.push((error as Error).message),
        },
      );
      return { report, told };
    } finally {
      await state.close();
    }
  }

  it("ends the run at the first object that can't be written", async () => {
    const { report, told } = await run((store) => ({
      put(key, bytes, options) {
        if (key.startsWith("packs/TWO/")) throw new StoreFailure("The disk is full: make room.");
        return store.put(key, bytes, options);
      },
    }));
    expect(report.assets.map(({ status }) => status)).toEqual(["published", "failed", "skipped"]);
    expect([report.stopped, told]).toEqual(["The disk is full: make room.", ["The disk is full: make room."]]);
  });

  it("ends the run when it can't read what is published", async () => {
    const { report } = await run((store) => ({
      async get(key, range) {
        if (key === "current/TWO.json") throw new StoreFailure("r2://soprano can't be reached: wait.");
        return store.get(key, range);
      },
    }));
    expect(report.assets.map(({ status }) => status)).toEqual(["published", "failed", "skipped"]);
    expect(report.stopped).toBe("r2://soprano can't be reached: wait.");
  });
});
