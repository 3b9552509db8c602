/**
 * A chart equals what its code computes: the programs in Python, TypeScript and SQL run as their readers would run them, and
 * their numbers are compared with the chart's. Without a Python that has pandas, the other two are compared.
 */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FUNCTIONS } from "../../../data-schema/formula/functions/functions.ts";
import { readFormula } from "../../../data-schema/formula/resolve.ts";
import { NAMED_FORMULAS } from "../../../data-schema/registry/named-formulas.ts";
import { isoTimeWithoutZone } from "../../../data-schema/text.ts";
import type { Context } from "../../../explorer/src/api/catalog.ts";
import { TableReader } from "../../../explorer/src/api/points.ts";
import { columnName } from "../../../explorer/src/api/request.ts";
import { computedPoints } from "../../../explorer/src/data/computed-points.ts";
import { align } from "../../../explorer/src/data/table.ts";
import type { Program } from "../../../explorer/src/formula/code/program.ts";
import { programOf } from "../../../explorer/src/formula/code/program-request.ts";
import { toPython } from "../../../explorer/src/formula/code/python.ts";
import { toSql } from "../../../explorer/src/formula/code/sql.ts";
import { toTypeScript } from "../../../explorer/src/formula/code/typescript.ts";
import { FAMILY_LINE } from "../../../explorer/src/lines/family-line.ts";
import { namesOf } from "../../../explorer/src/lines/formula-line.ts";
import { findPython } from "../../clients/pythons.ts";
import { type Served, serveTokens } from "../../clients/served.ts";
import { newFolder } from "../../folders.ts";
import { context } from "./catalog.ts";
import { type Chart, runPython, runSql, runTypeScript } from "./run.ts";
import { toleranceOf } from "./tolerance.ts";

const PYTHON = findPython("pandas, numpy");
const languages = PYTHON ? "in Python, TypeScript and SQL" : "in TypeScript and SQL (no Python with pandas here)";

/** The results of programs, by language. */
async function runAll(programs: readonly Program[]): Promise<Record<string, Chart>[]> {
  const inPython = PYTHON ? await runPython(PYTHON, programs.map(toPython)) : [];
  const results: Record<string, Chart>[] = [];
  for (const [i, program] of programs.entries()) {
    const file = await answer(program, "parquet");
    results.push({
      ...(PYTHON && { Python: inPython[i]! }),
      TypeScript: await runTypeScript(toTypeScript(program)),
      SQL: await runSql(toSql(program), new Uint8Array(await file.arrayBuffer())),
    });
  }
  return results;
}

async function answer({ url, key }: Program, form: string): Promise<Response> {
  const response = await fetch(`${url}&f=${form}`, { headers: { "X-Api-Key": key } });
  expect(response.status, url).toBe(200);
  return response;
}

/** What the chart shows, and how far other computations may be from it in absolute terms. */
async function chartOf(program: Program): Promise<{ chart: Chart; tolerances: Chart }> {
  const reader = new TableReader();
  reader.push(await (await answer(program, "csv&time=unix")).text());
  const series = reader.series();
  const chart: Chart = new Map();
  const tolerances: Chart = new Map();
  for (const { title, formula } of program.lines) {
    const inputs = formula.inputs.map((input) => series.get(columnName(input))!);
    const keysOf = (t: Float64Array, block?: Float64Array) =>
      Array.from(t, (time, i) => isoTimeWithoutZone(time) + (block ? `#${block[i]}` : ""));
    const points = computedPoints(formula, inputs);
    const isShown = (row: string) => row >= (program.since ?? "") && row <= (program.until ?? "9");
    const keys = keysOf(points.t, points.block);
    chart.set(title, new Map(keys.map((row, i) => [row, points.v[i]!] as const).filter(([row]) => isShown(row))));
    const table = align(inputs);
    const tolerance = toleranceOf(formula, table.columns, table.t);
    tolerances.set(title, new Map(keysOf(table.t, table.block).map((row, i) => [row, tolerance[i]!])));
  }
  return { chart, tolerances };
}

/** Asserts that a program computes what the chart shows, to 1e-12, or to the tolerances if these are allowed. */
async function expectEqual(program: Program, results: Record<string, Chart>, isTolerant: boolean): Promise<void> {
  const { chart, tolerances } = await chartOf(program);
  for (const [language, other] of Object.entries(results)) {
    for (const [title, values] of chart) {
      const rows = new Set([...values.keys(), ...(other.get(title)?.keys() ?? [])]);
      const wrong = [...rows].flatMap((row) => {
        const [a, b] = [values.get(row) ?? Number.NaN, other.get(title)?.get(row) ?? Number.NaN];
        const tolerance = Math.max(1e-12 * (Math.abs(a) || 0), isTolerant ? (tolerances.get(title)?.get(row) ?? 0) : 0);
        return a === b || Math.abs(a - b) <= tolerance || tolerance === Number.POSITIVE_INFINITY
          ? []
          : [`${row}: ${a}, ${b}`];
      });
      expect(wrong.slice(0, 3), `${title} in ${language}: ${wrong.length} of ${rows.size} rows`).toEqual([]);
    }
  }
}

/** Formulas and, with a star, families. */
const titled = (texts: readonly string[], names: Context) =>
  texts.flatMap((text) => {
    const family = FAMILY_LINE.parse(text, names);
    if (!family) return { title: text, formula: readFormula(text, namesOf(names)) };
    const computations = FAMILY_LINE.computations(family, names);
    return FAMILY_LINE.curves(family, names).map(({ code }, i) => ({ title: code, formula: computations[i]! }));
  });

/** In place of formulas that reach back for longer than the token has days. */
const WITHIN_DAYS: Record<string, string> = { velocity_1y: "sum(volume, 300) / supply" };

describe(`on the Worker, ${languages}`, () => {
  let served: Served;
  let results: Record<string, Chart>[];
  const open = { since: null, until: null };
  const last30 = { since: Date.UTC(2025, 11, 2) / 1000, until: null };

  /** Each line alone needs no series that others bring. */
  const charts = [
    ...NAMED_FORMULAS.map(
      ({ name }) => ({ lines: [WITHIN_DAYS[name] ?? name], resolution: "day", bounds: open }) as const,
    ),
    {
      lines: ["mvrv", "sma(sopr, 7)", "price / lag(price, 30) - 1", "num_transfers:$0-100 / num_transfers"],
      resolution: "day",
      bounds: open,
    },
    { lines: ["ARIA.price / DUET.price", "DUET.supply:$10M+ - supply:<1d"], resolution: "day", bounds: open },
    { lines: ["ema(volume_dollar, 24)", "median(sopr:users, 24)", "std(volume)"], resolution: "hour", bounds: last30 },
    { lines: ["supply:*age:share"], resolution: "day", bounds: open },
    { lines: ["cex_reserve:*exchange:stack"], resolution: "day", bounds: last30 },
    { lines: ["volume:*value:share"], resolution: "hour", bounds: last30 },
    { lines: ["cumsum(netflow)", "zscore(volume)"], resolution: "day", bounds: last30 },
    {
      lines: ['index(price, "2025-12-20")', "index(sopr)", 'max(index(volume, "2025-09-01") / 100)'],
      resolution: "day",
      bounds: { since: Date.UTC(2025, 9, 1) / 1000, until: Date.UTC(2025, 10, 9) / 1000 },
    },
    { lines: ['index(price, "2025-12-20T06:00")'], resolution: "hour", bounds: last30 },
    { lines: ['index(volume, "2025-12-20")'], resolution: "block", bounds: last30 },
    { lines: ["sma(volume, 24)", "change(volume, 24)"], resolution: "hour", bounds: last30 },
    { lines: ["cumsum(volume_dollar)", "sma(sopr, 20)", "ema(volume, 9)"], resolution: "block", bounds: last30 },
  ] as const;
  let programs: Program[];

  beforeAll(async () => {
    served = await serveTokens();
    const place = { origin: served.url, key: served.key };
    programs = charts.map(({ lines, resolution, bounds }) =>
      programOf(titled(lines, context), { ...place, resolution, bounds }, context.catalog),
    );
    results = await runAll(programs);
  });
  afterAll(() => served?.close());

  it.each(charts.map(({ lines, resolution }, i) => [lines.join("; "), resolution, i] as const))(
    "%s, by %s",
    async (_text, _resolution, i) => {
      const { chart } = await chartOf(programs[i]!);
      for (const { title, formula } of programs[i]!.lines) {
        // The token has 320 days.
        expect(formula.reach < 310 || formula.reach === Number.POSITIVE_INFINITY, title).toBe(true);
        expect(chart.get(title)!.size, title).toBeGreaterThan(0);
      }
      await expectEqual(programs[i]!, results[i]!, false);
    },
  );

  it("shows as many rows as the chart has, and computes from those before them", async () => {
    const program = programs[charts.findIndex(({ lines }) => lines.some((line) => line === "change(volume, 24)"))]!;
    const { chart } = await chartOf(program);
    expect([...chart.values()].map((line) => line.size)).toEqual([720, 720]);
  });
});

describe(`on numbers of all sizes, with gaps, ${languages}`, () => {
  const folder = newFolder();
  const SERIES = ["price", "supply", "volume", "sopr"];
  let origin = "";
  let close = () => {};

  /** In steps of 2⁻²⁰: quotients of still smaller numbers would be too large to be squared. */
  const number = (min: number, max: number) =>
    fc.integer({ min: min * 2 ** 20, max: max * 2 ** 20 }).map((steps) => steps / 2 ** 20);

  /** Quiet stretches, spikes, large numbers that differ little, zeros, gaps. */
  const rows = fc.sample(
    fc.tuple(
      fc.option(number(0.5, 1.5), { nil: "", freq: 20 }),
      number(0, 2000).map((change) => 1.25e9 + change),
      fc.oneof(fc.constant(0), fc.constant(5), number(0, 1000), fc.constant(1e12)),
      fc.option(number(-1, 1e6), { nil: "", freq: 4 }),
    ),
    { numRuns: 300, seed: 1 },
  );
  const t = rows.map((_, day) => isoTimeWithoutZone(Date.UTC(2025, 0, 1 + day) / 1000));
  const csv = [
    ["t", ...SERIES.map((metric) => `ARIA:${metric}:total`)].join(","),
    ...rows.map((row, i) => [t[i], ...row].join(",")),
  ].join("\n");

  beforeAll(async () => {
    const path = join(folder, "rows.parquet");
    writeFileSync(join(folder, "rows.csv"), `${csv}\n`);
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const types = SERIES.map((metric) => `'ARIA:${metric}:total': 'DOUBLE'`).join(", ");
    await connection.run(
      `COPY (FROM read_csv('${join(folder, "rows.csv")}', types = {${types}})) TO '${path}' (FORMAT parquet)`,
    );
    connection.closeSync();
    const series = SERIES.map((metric, i) => ({
      asset: "ARIA",
      metric,
      selector: "total",
      v: rows.map((row) => (row[i] === "" ? null : row[i])),
    }));
    const unix = csv.replaceAll(/^2025\S{15}/gm, (time) => String(Date.parse(`${time}Z`) / 1000));
    const server = createServer((request, response) => {
      const query = new URL(request.url!, "http://127.0.0.1").searchParams;
      const bodies: Record<string, () => string | Buffer> = {
        csv: () => (query.get("time") === "unix" ? `${unix}\n` : `${csv}\n`),
        json: () => JSON.stringify({ t, series }),
        parquet: () => readFileSync(path),
      };
      response.end(bodies[query.get("f")!]!());
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    close = () => {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    };
  });
  afterAll(() => close());

  /** Formulas of up to four levels. */
  const { formula } = fc.letrec<{ formula: string }>((tie) => {
    const n = fc.constantFrom(2, 3, 7, 30);
    const counted = fc.constantFrom(
      ...["sma", "ema", "median", "std", "zscore", "change", "pct", "lag", "min", "max", "sum", "percentile"],
    );
    const whole = fc.constantFrom(
      ...["sma", "median", "std", "zscore", "cumsum", "min", "max", "sum", "percentile"],
      ...["abs", "log", "sqrt"],
    );
    return {
      formula: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        // The exponential of larger numbers can't be squared.
        fc.constantFrom(...SERIES, "exp(sopr / 1e5)"),
        fc.tuple(counted, tie("formula"), n).map(([name, of, n]) => `${name}(${of}, ${n})`),
        fc.tuple(fc.constantFrom("supply", "(volume - supply)"), n).map(([of, n]) => `smooth(${of} / volume, ${n})`),
        fc
          .tuple(tie("formula"), fc.constantFrom("<", "<=", ">", ">="), tie("formula"), tie("formula"))
          .map(([a, comparison, b, x]) => `if(${a} ${comparison} ${b}, ${x}, 0)`),
        fc.tuple(tie("formula"), fc.constantFrom(0, 0.25, 0.9)).map(([of, q]) => `quantile(${of}, ${q})`),
        fc.tuple(tie("formula"), fc.constantFrom(0, 0.5, 0.9), n).map(([of, q, n]) => `quantile(${of}, ${q}, ${n})`),
        fc.constantFrom("corr(price, sopr, 7)", "corr(volume, price)", "corr(sopr, price - sopr, 30)"),
        fc
          .tuple(tie("formula"), fc.constantFrom("", ', "2025-03-05"', ', "2025-10-01"'))
          .map(([of, date]) => `index(${of}${date})`),
        fc.tuple(whole, tie("formula")).map(([name, of]) => `${name}(${of})`),
        fc
          .tuple(tie("formula"), fc.constantFrom("+", "-", "*", "/"), tie("formula"))
          .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
        fc.tuple(fc.constantFrom("2 *", "-", "0.1 +", "1 /", "1e9 -"), tie("formula")).map(([a, b]) => `(${a} ${b})`),
      ),
    };
  });

  it("random formulas have equal values", async () => {
    const texts = [...new Set(fc.sample(formula, { numRuns: 150, seed: 3 }))].filter((text) => text.length < 300);
    const programs = Array.from({ length: Math.ceil(texts.length / 6) }, (_, i) =>
      programOf(
        titled(texts.slice(6 * i, 6 * i + 6), context),
        { resolution: "day", bounds: { since: null, until: null }, origin, key: "key" },
        context.catalog,
      ),
    );
    const results = await runAll(programs);
    for (const [i, program] of programs.entries()) await expectEqual(program, results[i]!, true);
  });
});

describe.skipIf(!PYTHON)("functions are what pandas says (needs Python with pandas)", () => {
  /** Gentle enough for pandas' running sums; with gaps, and equal neighbours. */
  const x = fc.sample(
    fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 500, max: 1500 }) },
      { weight: 2, arbitrary: fc.constant(1000) },
      { weight: 1, arbitrary: fc.constant(Number.NaN) },
    ),
    { numRuns: 400, seed: 5 },
  );
  // pandas 3.0 has another `ema` of 3.
  const counts = [2, 4, 7];
  const cases = FUNCTIONS.filter(({ others = [] }) => others.every(({ takes }) => takes !== "any")).flatMap(
    ({ name, counted, whole, dated }) => [
      ...counts.flatMap((n) => (counted ? [{ title: `${name}(x, ${n})`, form: counted, n }] : [])),
      ...(whole ? [{ title: `${name}(x)`, form: whole, n: 0 }] : []),
      ...(dated ? [{ title: `${name}(x, date)`, form: dated, n: Date.UTC(2025, 1, 9) / 1000 }] : []),
    ],
  );
  let chart: Chart;

  beforeAll(async () => {
    const columns = cases.map(({ title, form, n }) => `    "${title}": (lambda x, n: ${form.pandas})(x, ${n}),\n`);
    const program = `import numpy as np
import pandas as pd
np.seterr(all="ignore")
x = pd.Series([${x.map((value) => (Number.isNaN(value) ? "None" : value)).join(", ")}], dtype=float)
x.index = pd.date_range("2025-01-01", periods=len(x))
q, y, date = 0.3, x * x.shift(1) % 7, "2025-02-09"
chart = pd.DataFrame({
${columns.join("")}})
`;
    [chart] = (await runPython(PYTHON!, [program])) as [Chart];
  });

  it.each(cases)("$title", ({ title, form, n }) => {
    const expected = chart.get(title)!;
    const y = x.map((value, row) => (value * (x[row - 1] ?? Number.NaN)) % 7);
    const others = [Float64Array.from(title.startsWith("corr") ? y : x.map(() => 0.3))];
    const t = Float64Array.from(x, (_, row) => Date.UTC(2025, 0, 1 + row) / 1000);
    const values = form.evaluate(Float64Array.from(x), n, others, t);
    const times = Array.from(t, isoTimeWithoutZone);
    const wrong = times.filter((time, row) => {
      const [a, b] = [values[row]!, expected.get(time) ?? Number.NaN];
      if (!Number.isFinite(a) || Number.isNaN(b)) return Number.isFinite(a) || !Number.isNaN(b);
      return Math.abs(a - b) > 1e-10 * Math.max(1, Math.abs(b));
    });
    expect(expected.size).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });
});
