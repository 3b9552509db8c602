/**
 * The token that the Worker is measured on, made once and kept in `.bench/`.
 *
 * Its points are made up, then encoded and published by the builder's own code. A simulated history with enough blocks
 * for a series of 3,000,000 points would take minutes to build, and would be read no differently. All values have full
 * precision, the worst case for size, decoding and text.
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Period } from "../../builder/engine/calendar.ts";
import type { Series } from "../../builder/engine/series.ts";
import { lowerBound } from "../../builder/lib/columns/lower-bound.ts";
import { type SeriesFile, seriesFile } from "../../builder/published/objects/encode-series.ts";
import { Publication } from "../../builder/published/publish/publication.ts";
import { openLocalState } from "../../builder/store/local/local.ts";
import type { ObjectStore } from "../../builder/store/store.ts";
import { apiKeyName } from "../../data-schema/access.ts";
import type { Slice } from "../../data-schema/parquet.ts";
import {
  BLOCK_PERIOD_ROWS,
  type MetricName,
  metricByName,
  nextMonthStart,
  nextYearStart,
  periodName,
  seriesOf,
  V1_RESOLUTIONS,
  type V1Resolution,
  yearStart,
} from "../../data-schema/registry.ts";
import { type Manifest, type ManifestPeriod, seriesKey } from "../../data-schema/stored.ts";
import { BENCH_FOLDER, withProgress } from "../lib/data.ts";
import { putDistribution } from "./distribution-points.ts";
import { type BenchQuery, DAY, HISTORY, HOUR, KEY, peerKey, QUERIES, renderedKey, SPARSE, SYMBOL } from "./queries.ts";

export interface BenchToken {
  /** State folder for Miniflare. */
  persist: string;
  /** Folder with the series objects as files, by their keys. */
  files: string;
  /** The keys of the series objects that hold each query's points, by the query's name. */
  keys: Record<string, string[]>;
  /** The number of points of each query, by its name. */
  points: Record<string, number>;
}

/** The token. It is made if it does not exist, or if the code that made it has changed. */
export async function benchToken(): Promise<BenchToken> {
  const folder = join(BENCH_FOLDER, `worker-${await digest()}`);
  const description = join(folder, "token.json");
  // Written last: if it exists, the token is complete.
  if (!existsSync(description)) {
    const token = await withProgress("make the Worker's token", 3, (onProgress) => publish(folder, onProgress));
    await writeFile(description, JSON.stringify(token));
  }
  return JSON.parse(await readFile(description, "utf8"));
}

async function publish(folder: string, onProgress: (done: number) => void): Promise<BenchToken> {
  const token: BenchToken = { persist: join(folder, "state"), files: join(folder, "files"), keys: {}, points: {} };
  const state = await openLocalState(token.persist);
  try {
    const publication = await Publication.begin(state.objects, TOKEN);
    const written: Record<V1Resolution, ManifestPeriod[]> = { day: [], hour: [], block: [] };
    let done = 0;
    for (const resolution of V1_RESOLUTIONS) {
      for (const metric of METRICS[resolution]) {
        const points = pointsOf(resolution, metric);
        for (const period of periodsOf(resolution, points.get("total")!)) {
          const file = encode(resolution, metric, period, points);
          await publication.putSeries([file]);
          const key = seriesKey(SYMBOL, resolution, metric, period.name, file.entry.hash);
          await mkdir(dirname(join(token.files, key)), { recursive: true });
          await writeFile(join(token.files, key), file.bytes);
          // The alternatives read objects: the Worker finds the same bytes in packs.
          const sha256 = file.entry.hash;
          await state.objects.put(peerKey(key), file.bytes, { contentType: "application/vnd.apache.parquet", sha256 });
          const known = written[resolution].find(({ name }) => name === period.name);
          const metrics = { ...known?.metrics, [metric]: file.entry } as ManifestPeriod["metrics"];
          if (known) known.metrics = metrics;
          else written[resolution].push({ ...period, metrics });
        }
        for (const query of QUERIES.filter((one) => one.resolution === resolution && one.metric === metric)) {
          const found = within(points.get(query.selector)!, query.range?.since ?? 0, query.range?.until ?? Infinity);
          token.points[query.name] = found.t.length;
          token.keys[query.name] = written[resolution]
            .filter(({ from, to }) => query.range === undefined || (from < query.range.until && to > query.range.since))
            .map(({ name, metrics }) => seriesKey(SYMBOL, resolution, metric, name, hashOf(metrics, metric)));
          await render(state.objects, query, found);
        }
      }
      onProgress(++done);
    }
    const distributions = await putDistribution(randomNumbers(), (file) => publication.putSeries([file]));
    await publication.finish({ ...manifest(written), distributions }, { causes: [] });
    const record = { id: "bench", name: "Benchmark", status: "active", created: CREATED, plan: "unlimited" };
    await state.keys.put(await apiKeyName(KEY), JSON.stringify(record));
    return token;
  } finally {
    await state.close();
  }
}

/** The metrics at each resolution. */
const METRICS: Record<V1Resolution, readonly MetricName[]> = {
  day: ["volume"],
  hour: ["volume", SPARSE],
  block: ["sopr"],
};

/** A point in every bucket for every selector; but two of the block series, and of the sparse hours, are dense, the others not. */
function pointsOf(resolution: V1Resolution, metric: MetricName): Map<string, Slice> {
  const random = randomNumbers();
  return new Map(
    seriesOf(metricByName(metric)).map((selector) => {
      if (resolution !== "block") {
        const isDense = metric !== SPARSE || selector === "total" || selector === "users";
        const step = resolution === "day" ? DAY : isDense ? HOUR : 12 * HOUR;
        const t = Float64Array.from({ length: (HISTORY.to - HISTORY.from) / step }, (_, i) => HISTORY.from + i * step);
        return [selector, { t, v: t.map(() => 1e6 * random()) }];
      }
      const every = selector === "total" ? 1 : selector === "users" ? 2 : 30;
      const seconds = (HISTORY.to - HISTORY.from) / HISTORY.blocks;
      const t = Float64Array.from({ length: HISTORY.blocks / every }, (_, i) =>
        Math.floor(HISTORY.from + i * every * seconds),
      );
      return [selector, { t, v: t.map(() => 0.5 + random()) }];
    }),
  );
}

/** Numbers between 0 and 1 that use all 53 bits, the same in every run. Source: Steele, Lea, Flood, SplitMix (2014). */
function randomNumbers(): () => number {
  let state = 1;
  const word = () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  return () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53;
}

/** The periods that the builder would cut. */
function periodsOf(resolution: V1Resolution, { t }: Slice): Period[] {
  const named = (from: number, to: number) => ({ name: periodName(resolution, from), from, to });
  if (resolution === "day") return [named(HISTORY.from, HISTORY.to)];
  const periods: Period[] = [];
  for (let from = yearStart(HISTORY.from), to = from; to < HISTORY.to; ) {
    to = resolution === "hour" ? nextYearStart(to) : nextMonthStart(to);
    if (resolution === "block" && to < HISTORY.to && within({ t, v: t }, from, to).t.length < BLOCK_PERIOD_ROWS.full)
      continue;
    periods.push(named(from, to));
    from = to;
  }
  return periods;
}

function encode(resolution: V1Resolution, name: MetricName, period: Period, points: Map<string, Slice>): SeriesFile {
  const runs = [...points].flatMap(([selector, all]): Series[] => {
    const { t, v } = within(all, period.from, period.to);
    if (t.length === 0) return [];
    return [{ selector, t, v, ...(resolution === "block" ? { block: t.map((time) => Math.floor(time / 12)) } : {}) }];
  });
  return seriesFile(SYMBOL, metricByName(name), resolution, period.name, runs)!;
}

/** The points with since ≤ t < until. */
function within({ t, v }: Slice, since: number, until: number): Slice {
  const [from, to] = [since, until].map((time) => lowerBound(t, t.length, time));
  return { t: t.subarray(from, to), v: v.subarray(from, to) };
}

/** Stores the query's answer, as the Worker would send it. */
async function render(objects: ObjectStore, query: BenchQuery, { t, v }: Slice): Promise<void> {
  const rows: string[] = [];
  for (let i = 0; i < t.length; i++) {
    rows.push(`{"t":"${new Date(t[i]! * 1000).toISOString().slice(0, 19)}","v":${v[i]}}`);
  }
  const bytes = Buffer.from(`[${rows.join(",")}]`);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await objects.put(renderedKey(query), bytes, { contentType: "application/json", sha256 });
}

const TOKEN = { symbol: SYMBOL, chain: "ethereum", contract: `0x${"be".repeat(20)}` };
const CREATED = "2026-01-01T00:00:00.000Z";

function manifest({ day, hour, block }: Record<V1Resolution, ManifestPeriod[]>): Manifest {
  return {
    schema: 1,
    ...TOKEN,
    name: "Benchmark",
    decimals: 18,
    maxSupply: "1000000",
    balanceUnit: "5e-4",
    asOf: new Date(HISTORY.to * 1000).toISOString(),
    build: "0123456789abcdef",
    created: CREATED,
    engine: "bench",
    inputs: [],
    counts: { transfers: HISTORY.blocks, mints: 0, burns: 0, holders: 0 },
    resolutions: {
      day: { first: HISTORY.from, last: HISTORY.to - DAY, periods: day },
      hour: { first: HISTORY.from, last: HISTORY.to - HOUR, periods: hour },
      block: { first: { block: 0, t: HISTORY.from }, last: { block: 1, t: HISTORY.to - 1 }, periods: block },
    },
  };
}

function hashOf(metrics: ManifestPeriod["metrics"], metric: MetricName): string {
  const entry = metrics[metric];
  if (entry === undefined || !("hash" in entry)) throw new Error(`no object of ${metric}`);
  return entry.hash;
}

/** The code that the token depends on: it makes the points, encodes them and publishes them. */
const SOURCES = [
  "token.ts",
  "distribution-points.ts",
  "queries.ts",
  "../../builder/published/objects",
  "../../builder/published/publish",
  "../../data-schema",
];

/** Changes with the sources. */
async function digest(): Promise<string> {
  const hash = createHash("sha256");
  for (const source of SOURCES) {
    const path = fileURLToPath(new URL(source, import.meta.url));
    const names = source.endsWith(".ts") ? [""] : (await readdir(path, { recursive: true })).sort();
    const files = names.map((name) => join(path, name)).filter((file) => file.endsWith(".ts"));
    for (const file of files) hash.update(await readFile(file));
  }
  return hash.digest("hex").slice(0, 8);
}
