/** `soprano export`: the files of one build, whole or not at all. */

import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withDatabase } from "../../builder/input/duckdb/database.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import { holderListsKey, largestKey } from "../../data-schema/stored/holders/holder-objects.ts";
import { largeTransfersKey } from "../../data-schema/stored/large-transfers.ts";
import { checkpointKey } from "../../data-schema/stored/objects.ts";
import { listedObjects, type Manifest, parseManifest } from "../../data-schema/stored.ts";
import { newFolder } from "../folders.ts";
import { variant } from "../published/verify/published.ts";
import { type Published, readPublished } from "./published.ts";
import { soprano } from "./soprano.ts";

const folder = newFolder();
const persist = join(folder, "state");
const out = join(folder, "out");
const asset = join(folder, "token", "asset.json");
const run = (...args: string[]) => soprano("--quiet", ...args, "--persist", persist);

let published: Published;
let [older, newer] = ["", ""];

beforeAll(async () => {
  mkdirSync(out);
  await soprano("simulate", "--out", join(folder, "token"), "--transfers", "20000", "--days", "360", "--symbol", "SIM");
  const build = async (path: string) => (await run("build", path)).stdout.trim().split(" ")[1] ?? "";
  // Every metric has other days in each: the bucket holds two objects of each.
  older = await build(variant(asset, "older.json", { asOf: "2025-12-20T00:00:00Z" }));
  newer = await build(asset);
  published = await readPublished(persist);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const manifestOf = (build: string): Manifest =>
  parseManifest(new TextDecoder().decode(published.objects.get(`builds/SIM/${build}.json`)));

/** How many rows of some files DuckDB finds, once it has read each column. */
const countRows = (path: string, names: readonly string[]) =>
  withDatabase(1, (connection) =>
    Promise.all(
      names.map(async (name) => {
        const sql = `SELECT count(COLUMNS(*)) FROM '${path}/${name}'`;
        const counts = new Set((await connection.runAndReadAll(sql)).getRows()[0]);
        return counts.size === 1 ? Number([...counts][0]) : counts;
      }),
    ),
  );

/** The files of a folder, as paths with `/`. */
const filesIn = (path: string) =>
  globSync("**/*.{parquet,json}", { cwd: path })
    .map((name) => name.replaceAll("\\", "/"))
    .sort();

describe("soprano export writes", () => {
  it.each([
    ["the active build", () => newer, []],
    ["an earlier build", () => older, ["--build"]],
  ] as const)("%s, byte for byte but for rows of holders, which DuckDB reads", async (what, build, option) => {
    const path = join(out, what);
    const options = option.length > 0 ? ["--build", build().slice(0, 8)] : [];
    expect(await run("export", "sim", "--out", path, ...options)).toEqual({
      status: 0,
      stdout: `${path}\n`,
      stderr: "",
    });
    const manifest = manifestOf(build());
    const { checkpoint, holders, transfers } = manifest;
    const series = [...listedObjects(manifest)];
    const listed = [
      ...series,
      { key: checkpointKey("SIM", checkpoint!.hash) },
      ...(holders!.lists ? [{ key: holderListsKey("SIM", holders!.lists.hash) }] : []),
      ...holders!.largest.map(({ name, hash }) => ({ key: largestKey("SIM", name, hash) })),
      ...transfers!.largest.map(({ name, hash }) => ({ key: largeTransfersKey("SIM", name, hash) })),
    ];
    const names = [
      ...series.map(({ metric, resolution, period }) => `${metric}/${resolution}/${period.name}.parquet`),
      "holders/holders.parquet",
      ...(holders!.lists ? ["holders/lists.parquet"] : []),
      ...holders!.largest.map(({ name }) => `holders/largest/${name}.parquet`),
      ...transfers!.largest.map(({ name }) => `transfers/largest/${name}.parquet`),
    ];
    expect(filesIn(path)).toEqual([...names, "manifest.json"].sort());
    const rewritten = names.filter((name) => /^holders\/(holders|lists)/.test(name));
    expect(await countRows(path, rewritten)).toEqual(
      rewritten.map((name) => (name.endsWith("lists.parquet") ? expect.any(Number) : holders!.addresses)),
    );
    for (const [i, { key }] of listed.entries()) {
      if (rewritten.includes(names[i]!)) continue;
      expect(readFileSync(join(path, names[i]!)).equals(published.objects.get(key)!), key).toBe(true);
    }
    expect(readFileSync(join(path, "manifest.json")).equals(published.objects.get(`builds/SIM/${build()}.json`)!)).toBe(
      true,
    );
  });

  it("files in which every day is once: 360 days, 360 rows", async () => {
    const path = join(out, "days");
    expect(
      await run("export", "SIM", "--out", path, "--metrics", "supply,volume", "--resolutions", "day"),
    ).toMatchObject({
      status: 0,
    });
    expect(filesIn(path)).toEqual(["manifest.json", "supply/day/all.parquet", "volume/day/all.parquet"]);
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const sql = `SELECT count(*)::INTEGER FROM '${path}/supply/day/*.parquet' WHERE cohort = 'total'`;
    const { first, last } = manifestOf(newer).resolutions.day;
    expect((await connection.runAndReadAll(sql)).getRows()).toEqual([[(last! - first!) / 86_400 + 1]]);
    connection.closeSync();
    instance.closeSync();
  });
});

it("soprano export --duckdb adds a script of what is exported, by paths in the folder", async () => {
  const path = join(out, "views");
  const wanted = ["--metrics", "supply,volume", "--resolutions", "day,hour"];
  expect(await run("export", "SIM", "--out", path, "--duckdb", ...wanted)).toMatchObject({ status: 0, stderr: "" });
  const script = readFileSync(join(path, "duckdb.sql"), "utf8");
  const named = Array.from(script.matchAll(/'([^']+\.parquet)'/g), ([, name]) => name!);
  expect([...named, "manifest.json"].sort()).toEqual(filesIn(path));
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(`SET file_search_path = '${path}'; ${script}`);
  const sql = "SELECT DISTINCT asset, metric FROM series_hour ORDER BY ALL";
  expect((await connection.runAndReadAll(sql)).getRows()).toEqual([["SIM", "volume"]]);
  connection.closeSync();
  instance.closeSync();
});

describe("soprano export refuses", () => {
  it("a folder that exists, and leaves it as it was", async () => {
    const path = join(out, "there");
    mkdirSync(path);
    writeFileSync(join(path, "mine"), "");
    expect(await run("export", "SIM", "--out", path)).toEqual({
      status: 1,
      stdout: "",
      stderr: `soprano: ${path} exists already: name a new folder, or remove that one first.\n`,
    });
    expect(readdirSync(path)).toEqual(["mine"]);
  });

  it("a folder below a file", async () => {
    writeFileSync(join(out, "file"), "");
    const path = join(out, "file", "new");
    const { status, stderr } = await run("export", "SIM", "--out", path);
    expect([status, stderr]).toEqual([
      1,
      `soprano: ${path} can't be written (ENOTDIR): choose another folder with --out.\n`,
    ]);
  });

  it.each([
    [["OTHER"], /^soprano: OTHER is not published in /],
    [["SIM", "--build", "ffffffff"], /^soprano: SIM has no build that begins with ffffffff: /],
    [["SIM", "--metrics", "supply", "--resolutions", "block"], /has no such series: choose other metrics/],
  ])("what is not there: %j", async (args, sentence) => {
    const path = join(out, "nothing");
    const { status, stderr } = await run("export", ...args, "--out", path);
    expect([status, stderr]).toEqual([1, expect.stringMatching(sentence)]);
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    ["--metrics", "sopr,volum"],
    ["--resolutions", "year"],
    ["--build", "xyz"],
  ])("%s %s", async (...option) => {
    expect(await run("export", "SIM", "--out", join(out, "nothing"), ...option)).toMatchObject({ status: 2 });
  });

  it.each([
    ["missing", undefined, /^soprano: \S+ is missing in .* Nothing was exported: /],
    [
      "damaged",
      (bytes: Uint8Array, at: number) => bytes.fill(0, at + 10, at + 20),
      /^soprano: \S+ is damaged: .* Nothing was exported: /,
    ],
  ])("a build with an object that is %s, and leaves nothing behind", async (_, change, sentence) => {
    const { key: pack, offset } = [...listedObjects(manifestOf(newer))][0]!.pack!;
    const bytes = published.objects.get(pack)!;
    const put = async (content: Uint8Array | undefined) => {
      const state = await openLocalState(persist);
      await state.objects.delete([pack]);
      const sha256 = content && Buffer.from(await crypto.subtle.digest("SHA-256", content.slice())).toString("hex");
      if (content) await state.objects.put(pack, content, { contentType: "", sha256: sha256! });
      await state.close();
    };
    const before = readdirSync(out);
    await put(change?.(bytes.slice(), offset));
    const { status, stdout, stderr } = await run("export", "SIM", "--out", join(out, "broken"));
    await put(bytes);
    expect([status, stdout, stderr]).toEqual([1, "", expect.stringMatching(sentence)]);
    expect(readdirSync(out)).toEqual(before);
  });
});
