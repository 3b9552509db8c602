/** Every cell of a table is v1's text of the same point. */

import { env } from "cloudflare:workers";
import { tableFromIPC } from "apache-arrow";
import * as fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { beforeAll, expect, it } from "vitest";
import { type MetricName, metricByName, resolutionsOf, seriesOf } from "../../../data-schema/registry/metrics.ts";
import { mostSeries } from "../../../worker/request/parameters/table-parameters.ts";
import { type Client, freshIsolate, putKey } from "../client.ts";
import { tableOfParquet } from "../parquet-wasm.ts";
import { at, DAY, HOUR, type Point, publish } from "../token.ts";

const START = at("2024-12-30");
const BLOCK_SECONDS = 12;

const SERVED: readonly MetricName[] = [
  "sopr",
  "volume",
  "num_transfers",
  "supply",
  "realised_price",
  "sc_volume_locked",
];

/** A number in [0, 1) that depends on its arguments alone. */
function noise(...parts: (string | number)[]): number {
  let hash = 2_166_136_261;
  for (const letter of parts.join(" ")) hash = Math.imul(hash ^ letter.charCodeAt(0), 16_777_619);
  // The end of MurmurHash3, without which the last letters would hardly count.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Points with gaps, different in each series, some series without any. */
function made(symbol: string, step: number, from: number, to: number) {
  return (metric: MetricName, resolution: string, selector: string): Point[] => {
    if (noise(symbol, metric, selector) < 0.1) return [];
    const points: Point[] = [];
    for (let t = from, index = 0; t < to; t += step, index++) {
      if (noise(symbol, metric, resolution, selector, index) < 0.4) continue;
      points.push({ t, v: 1e3 * noise(selector, index) + 1e-3, block: 1_000 + (t - START) / BLOCK_SECONDS });
    }
    return points;
  };
}

let client: Client;

beforeAll(async () => {
  const YEARS = [
    { name: "2024", from: at("2024-01-01"), to: at("2025-01-01") },
    { name: "2025", from: at("2025-01-01"), to: at("2026-01-01") },
  ];
  const asset = (symbol: string, first: number, days: number) => {
    const end = first + days * DAY;
    const series = (metric: MetricName, resolution: string, selector: string): Point[] => {
      if (resolution === "day") return made(symbol, DAY, first, end)(metric, resolution, selector);
      if (resolution === "hour") return made(symbol, HOUR, first, first + 6 * DAY)(metric, resolution, selector);
      return made(symbol, BLOCK_SECONDS, first, first + HOUR)(metric, resolution, selector);
    };
    return publish(env.BUCKET, {
      symbol,
      metrics: SERVED,
      periods: {
        day: [{ name: "all", from: first, to: end }],
        hour: YEARS,
        block: [
          { name: "2024-12", from: START - DAY, to: START + 1_800 },
          { name: "2025-01", from: START + 1_800, to: at("2026-01-01") },
        ],
      },
      range: { day: [first, end - DAY], hour: [first, first + 6 * DAY - HOUR] },
      series,
    });
  };
  await Promise.all([putKey(), asset("ARIA", START, 40), asset("DUET", START + 10 * DAY, 50), asset("LATE", START, 5)]);
  client = freshIsolate({ edge: caches.default });
});

const ask = async (query: Record<string, string>): Promise<Response> =>
  client.fetch(`/v3/series?${new URLSearchParams(query)}`);

type Cells = ReadonlyMap<string, string>;
const known = new Map<string, Cells>();

/** v1's text of every point of a series, by its time. */
async function cellsOf(asset: string, metric: MetricName, selector: string, r: string): Promise<Cells> {
  const name = [asset, metric, selector, r].join(" ");
  const before = known.get(name);
  if (before !== undefined) return before;
  const chosen = metricByName(metric).selectors.v1;
  const query = { a: asset, f: "csv", ...(r === "day" ? {} : { r }), ...(chosen && { [chosen.parameter]: selector }) };
  // v1 has no cohorts by term: of these, the columns of tables are compared with that of a table of its own.
  const isOfV1 = chosen?.values.includes(selector) ?? true;
  const response = await (isOfV1
    ? client.fetch(`/v1/metrics/${metric}?${new URLSearchParams(query)}`)
    : ask({ ...query, m: metric }));
  expect(response.status).toBe(200);
  const lines = (await response.text()).split("\n").slice(1, -1);
  const cells = new Map(
    lines.map((line) => line.split(",")).map((fields) => [fields[0]!, fields.at(-1)!] as [string, string]),
  );
  known.set(name, cells);
  return cells;
}

interface Case {
  assets: string[];
  metrics: MetricName[];
  selectors: string[] | "*" | null;
  r: "day" | "hour" | "block";
  since: number | null;
  until: number | null;
  last: number | null;
  time: "iso" | "unix";
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19);

const seconds = fc.integer({ min: START - 3 * DAY, max: START + 65 * DAY });
const nearStart = fc.integer({ min: START - HOUR, max: START + 2 * HOUR });

const cases: fc.Arbitrary<Case> = fc.constantFrom("day" as const, "hour" as const, "block" as const).chain((r) => {
  const metrics = SERVED.filter((name) => resolutionsOf(metricByName(name)).includes(r));
  const time = fc.option(fc.oneof(seconds, nearStart));
  return fc.shuffledSubarray([...metrics], { minLength: 1, maxLength: 3 }).chain((metrics) =>
    fc.record({
      assets: fc.shuffledSubarray(["ARIA", "DUET", "LATE"], { minLength: 1 }),
      metrics: fc.constant(metrics),
      // Some of the first metric's selectors; the others take what they have of them, or it is an error.
      selectors: fc.oneof(
        fc.constant(null),
        fc.constant("*" as const),
        fc.shuffledSubarray(seriesOf(metricByName(metrics[0]!)).slice(0, 12), { minLength: 1 }),
      ),
      r: fc.constant(r),
      since: time,
      until: time,
      last: fc.option(fc.integer({ min: 1, max: 60 }), { freq: 3 }),
      time: fc.constantFrom("iso" as const, "unix" as const),
    }),
  );
});

/** The series that a request names, in the order of the answer; null if it must be refused. */
function seriesOfCase({ assets, metrics, selectors, r }: Case) {
  const series = assets.flatMap((asset) =>
    metrics.flatMap((metric) => {
      const own = seriesOf(metricByName(metric));
      const preset = [metricByName(metric).selectors.v1?.default ?? "total"];
      const all = selectors === "*" || own.length === 1;
      const taken =
        selectors === null ? preset : all ? own : (selectors as string[]).filter((one) => own.includes(one));
      return taken.map((selector) => ({ asset, metric, selector }));
    }),
  );
  const isLacking = metrics.some((metric) => series.every((one) => one.metric !== metric));
  return isLacking || series.length > mostSeries(r) ? null : series;
}

it("equals v1's text of every point, in every format, for any selection", async () => {
  let answered = 0;
  const property = fc.asyncProperty(cases, async (one) => {
    const { assets, metrics, selectors, r, last, time } = one;
    const [since, until] = [one.since, one.until];
    const query = {
      a: assets.join(","),
      m: metrics.join(","),
      r,
      time,
      ...(selectors && { c: selectors === "*" ? "*" : selectors.join(",") }),
      ...(last !== null ? { last: String(last) } : since !== null ? { s: iso(since) } : {}),
      ...(until !== null && { u: iso(until) }),
    };
    const series = seriesOfCase(one);
    const from = last !== null || since === null ? Number.NEGATIVE_INFINITY : since;
    const to = until ?? Number.POSITIVE_INFINITY;
    if (series === null || from > to) {
      expect((await ask(query)).status).toBe(400);
      return;
    }
    const columns = await Promise.all(series.map(({ asset, metric, selector }) => cellsOf(asset, metric, selector, r)));
    const union = [...new Set(columns.flatMap((cells) => [...cells.keys()]))].toSorted();
    const within = union.filter((t) => at(t) >= from && at(t) <= to);
    const times = last === null ? within : within.slice(-last);
    const names = series.map(({ asset, metric, selector }) => `${asset}:${metric}:${selector}`);
    const block = (t: string) => String(1_000 + (at(t) - START) / BLOCK_SECONDS);
    const shown = (t: string) => (time === "unix" ? String(at(t)) : t);
    const quoted = (t: string) => (time === "unix" ? shown(t) : `"${t}"`);
    const isBlock = r === "block";

    const csv = [
      ["t", ...(isBlock ? ["block"] : []), ...names],
      ...times.map((t) => [shown(t), ...(isBlock ? [block(t)] : []), ...columns.map((cells) => cells.get(t) ?? "")]),
    ];
    expect(await (await ask({ ...query, f: "csv" })).text()).toBe(csv.map((row) => `${row.join(",")}\n`).join(""));

    const lines = times.map((t) => {
      const values = columns.map((cells, index) => `${JSON.stringify(names[index])}:${cells.get(t) ?? "null"}`);
      return `{${[`"t":${quoted(t)}`, ...(isBlock ? [`"block":${block(t)}`] : []), ...values].join(",")}}\n`;
    });
    const ndjson = await ask({ ...query, f: "ndjson" });
    expect(new TextDecoder().decode(await ndjson.arrayBuffer())).toBe(lines.join(""));

    const arrays = series.map(({ asset, metric, selector }, index) => {
      const { unit } = metricByName(metric);
      const values = times.map((t) => columns[index]!.get(t) ?? "null").join(",");
      return `${JSON.stringify({ asset, metric, selector, unit }).slice(0, -1)},"v":[${values}]}`;
    });
    const of = (value: string) => JSON.stringify(Object.fromEntries(assets.map((asset) => [asset, value])));
    const head = `{"builds":${of("0123456789abcdef")},"asOf":${of("2026-01-01T00:00:00Z")},"resolution":"${r}"`;
    const blocks = isBlock ? `,"block":[${times.map(block).join(",")}]` : "";
    const whole = `${head},"t":[${times.map(quoted).join(",")}]${blocks},"series":[${arrays.join(",")}]}`;
    expect(await (await ask(query)).text()).toBe(whole);

    const arrow = await (await ask({ ...query, f: "arrow" })).bytes();
    const parquet = await (await ask({ ...query, f: "parquet" })).bytes();
    for (const table of [tableFromIPC(arrow), tableOfParquet(parquet)]) {
      expect(table.schema.fields.map(({ name }) => name)).toEqual(["t", ...(isBlock ? ["block"] : []), ...names]);
      const numbers = (name: string) =>
        Array.from(table.getChild(name)!, (value) => (value === null ? null : Number(value)));
      if (times.length > 0) {
        expect(numbers("t")).toEqual(times.map((t) => (time === "unix" ? 1 : 1000) * at(t)));
        if (isBlock) expect(numbers("block")).toEqual(times.map((t) => Number(block(t))));
        for (const [index, cells] of columns.entries()) {
          const expected = times.map((t) => cells.get(t)).map((text) => (text === undefined ? null : Number(text)));
          expect(numbers(names[index]!)).toEqual(expected);
        }
      }
      expect(table.numRows).toBe(times.length);
    }
    const { key_value_metadata } = parquetMetadata(parquet);
    const described = arrays.map((array) => array.replace(/,"v":.*/, "}"));
    expect(key_value_metadata).toEqual([{ key: "soprano", value: `${head},"series":[${described.join(",")}]}` }]);
    answered++;
  });
  await fc.assert(property, { numRuns: 20 });
  expect(answered).toBeGreaterThan(4);
});
