/** Builds by the command line: always the same bytes, readable by other programs. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isActiveFormOf } from "../../builder/published/publish/active-manifest.ts";
import { listedObjects, parseManifest, unplaced } from "../../data-schema/stored.ts";
import { newFolder, scratchFolder } from "../folders.ts";
import { brokenSeries, digests, type Published, readPublished } from "./published.ts";
import { soprano } from "./soprano.ts";

const folder = newFolder();
const token = join(folder, "token");
const asset = join(token, "asset.json");

/** Builds the simulated token into a new state folder. */
async function buildInto(persist: string, ...options: string[]): Promise<Published> {
  const built = await soprano("build", asset, "--persist", persist, "--quiet", ...options);
  expect(built).toMatchObject({ status: 0, stderr: "" });
  return readPublished(persist);
}

const seriesOf = (published: Published) => digests(published, "series/");

/** The active manifest but for when it was made. */
const undated = (published: Published) => ({ ...published.manifest("SIM"), created: "" });

beforeAll(async () => {
  const options = ["--out", token, "--seed", "7", "--transfers", "3000", "--days", "250", "--symbol", "SIM"];
  expect(await soprano("simulate", ...options)).toMatchObject({ status: 0, stdout: `${asset}\n` });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a build", () => {
  let published: Published;
  const persist = join(folder, "state");

  beforeAll(async () => {
    published = await buildInto(persist, "--threads", "1");
  });

  it("publishes the same bytes with 1, 2 and 4 threads", async () => {
    for (const threads of ["2", "4"]) {
      const other = await buildInto(scratchFolder(), "--threads", threads);
      expect(seriesOf(other)).toEqual(seriesOf(published));
      expect(undated(other)).toEqual(undated(published));
    }
  });

  it("publishes exactly what its manifest lists", () => {
    const manifest = published.manifest("SIM")!;
    expect(brokenSeries(published, manifest)).toEqual([]);
    expect([...seriesOf(published).keys()].sort()).toEqual([...listedObjects(manifest)].map(({ key }) => key).sort());
    const recorded = published.objects.get(`builds/SIM/${manifest.build}.json`);
    expect(isActiveFormOf(manifest, unplaced(parseManifest(new TextDecoder().decode(recorded))))).toBe(true);
  });

  it("changes nothing when it is made again", async () => {
    expect(digests(await buildInto(persist))).toEqual(digests(published));
  });

  it("writes objects that DuckDB reads, in the documented order", async () => {
    const files = join(folder, "objects");
    mkdirSync(files);
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    for (const { key, entry } of listedObjects(published.manifest("SIM")!)) {
      const file = join(files, key.replaceAll("/", "_"));
      writeFileSync(file, published.objects.get(key)!);
      const order = key.includes("/block/") ? "t, block" : "t";
      const reader = await connection.runAndReadAll(`
        WITH rows AS (SELECT *, row_number() OVER () AS place FROM '${file}'),
             runs AS (SELECT cohort, min(place) AS first, max(place) AS last, count(*) AS n FROM rows GROUP BY cohort),
             steps AS (SELECT (${order}) <= lag((${order})) OVER (PARTITION BY cohort ORDER BY place) AS back FROM rows)
        SELECT (SELECT count(*) FROM rows)::INTEGER AS rows,
               (SELECT bool_and(last - first + 1 = n) FROM runs) AS contiguous,
               (SELECT count(*) FROM steps WHERE back)::INTEGER AS backward,
               (SELECT count(*) FROM rows WHERE v IS NULL OR isnan(v) OR isinf(v))::INTEGER AS odd,
               (SELECT list(column_type ORDER BY column_name) FROM (DESCRIBE FROM '${file}'))::VARCHAR AS types`);
      const types = key.includes("/block/")
        ? "[BIGINT, VARCHAR, TIMESTAMP WITH TIME ZONE, DOUBLE]"
        : "[VARCHAR, TIMESTAMP WITH TIME ZONE, DOUBLE]";
      expect(reader.getRowObjects(), key).toEqual([{ rows: entry.rows, contiguous: true, backward: 0, odd: 0, types }]);
    }
    connection.closeSync();
    instance.closeSync();
  });

  it("leaves the block series out when the asset says so", async () => {
    const short = join(token, "short.json");
    writeFileSync(short, JSON.stringify({ ...JSON.parse(readFileSync(asset, "utf8")), resolutions: ["day", "hour"] }));
    const state = scratchFolder();
    expect(await soprano("build", short, "--persist", state, "--quiet")).toMatchObject({ status: 0 });
    const other = await readPublished(state);
    expect(other.manifest("SIM")?.resolutions.block).toBeUndefined();
    const dayAndHour = new Map([...seriesOf(published)].filter(([key]) => !key.includes("/block/")));
    expect(seriesOf(other)).toEqual(dayAndHour);
  });
});
