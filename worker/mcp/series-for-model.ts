/** Series for a model: statistics of all points, and as many rows as it can take. */

import { addsUp } from "../../data-schema/registry.ts";
import type { Manifest } from "../../data-schema/stored.ts";
import { isoTimeWithoutZone } from "../../data-schema/text.ts";
import { Lease } from "../budget.ts";
import type { Context } from "../context.ts";
import { csvField } from "../format/table-rows.ts";
import { withManifests } from "../locate/locate.ts";
import { answerable } from "../locate/read-known.ts";
import { columnName } from "../read/outputs.ts";
import { planRows, readTable } from "../read/read-table.ts";
import { tableOf } from "../read/table-of-query.ts";
import type { Output, Table } from "../read/table-parts.ts";
import { placeOfAsset, type TableQuery } from "../request/table-query.ts";
import { seriesFacts, tableFacts } from "../table/table-facts.ts";
import { type Row, Sample } from "./sample.ts";
import { type Point, Statistics } from "./statistics.ts";
import { ANSWER_BYTES, bytesOf, largestThatFits, type ToolAnswer } from "./tool-answer.ts";

/** What statistics may take of an answer that has rows, too. */
const STATISTICS_BYTES = 0.75 * ANSWER_BYTES;

/** A value, its comma, and both once more as text: no answer has more cells than fit at this size. */
const LEAST_CELL_BYTES = 4;

/** A table that has been read. */
interface Reading {
  table: Table;
  facts: Record<string, unknown>;
  statistics: readonly Statistics[];
  /** Null if no rows are wanted. */
  sample: Sample | null;
  rows: number;
  /** Where all of it is, without a key. */
  url: string;
}

/**
 * Reads a table and sums it up.
 *
 * @param most rows that are wanted
 * @param url where all of it is, without a key
 * @throws {Problem} as GET /v3/series
 */
export function readForModel(query: TableQuery, most: number, url: string, context: Context): Promise<ToolAnswer> {
  const { symbols, others, last } = query;
  const answer = async (active: readonly Manifest[]) => {
    const { manifests, known, context: counted } = await answerable(query.known, active, context);
    const table = tableOf(query, manifests, known);
    const { outputs } = table;
    const statistics = outputs.map(() => new Statistics());
    const cells = Math.floor(ANSWER_BYTES / LEAST_CELL_BYTES);
    const sample = most === 0 ? null : new Sample(Math.min(most, Math.ceil(cells / outputs.length)));
    const lease = new Lease(context.isolate.budget, context.now, context.entry.owner);
    const held = { ...counted, lease };
    let rows = 0;
    try {
      const plan = await planRows(table, last, "stream", held);
      for await (const chunk of readTable(plan, held)) {
        for (const [index, one] of statistics.entries()) one.add(chunk.t, chunk.columns[index]!);
        sample?.add(chunk);
        rows += chunk.t.length;
        lease.free([chunk.t]);
      }
    } finally {
      lease.end();
    }
    const facts = { ...tableFacts(table, manifests), rows };
    return shortened({ table, facts, statistics, sample, rows, url });
  };
  return withManifests([...symbols, ...others], context, answer, placeOfAsset(query));
}

/** The answer with as many series as fit, then as many rows: every n-th, so that they cover the whole time. */
function shortened(reading: Reading): ToolAnswer {
  const { statistics, sample } = reading;
  const bytes = sample === null ? ANSWER_BYTES : STATISTICS_BYTES;
  const series = largestThatFits(statistics.length, bytes, (count) => answerOf(reading, count, []));
  for (let rows = sample?.rows ?? []; ; rows = sample!.rows) {
    const answer = answerOf(reading, series, rows);
    if (rows.length === 0 || bytesOf(answer) <= ANSWER_BYTES) return answer;
    if (rows.length <= 2) return answerOf(reading, series, []);
    sample!.thin();
  }
}

/** The answer with the first so many series, and some rows. */
function answerOf({ table, facts, statistics, sample, rows: all, url }: Reading, count: number, rows: readonly Row[]) {
  const outputs = table.outputs.slice(0, count);
  const summaries = outputs.map((output, index) => summaryOf(output, statistics[index]!));
  const times = rows.map(({ t }) => isoTimeWithoutZone(t));
  const blocks = table.resolution === "block" && rows.length > 0 ? rows.map(({ block }) => block) : undefined;
  const head = headOf(summaries);
  const values = outputs.map((_, index) => rows.map((row) => numberOf(row.values[index]!)));
  const omitted = [...omissions(table.outputs.length - count, sample, rows.length, all), ...withoutMean(outputs)];
  const lines = rows.map((_, row) => [times[row]!, ...(blocks ? [blocks[row]!] : []), ...values.map((of) => of[row]!)]);
  const text = [
    JSON.stringify(facts),
    csv(
      head,
      summaries.map((one) => head.map((name) => cellOf(one[name]))),
    ),
    csv(["t", ...(blocks ? ["block"] : []), ...outputs.map((one) => csvField(columnName(one)))], lines),
    `${[...omitted, "All of it, with your API key"].join(" ")}: ${url}`,
  ];
  return {
    structuredContent: {
      ...facts,
      t: times,
      ...(blocks && { block: blocks }),
      series: summaries.map((summary, index) => ({ ...summary, v: values[index] })),
      omitted,
      url,
    },
    text: text.filter((part) => part !== "").join("\n\n"),
    points: rows.length * count,
  };
}

/** What an answer says of a series, by the name of the fact. */
type Summary = Readonly<Record<string, string | number | null>>;

function summaryOf(output: Output, statistics: Statistics): Summary {
  const { points, first, last, min, max, mean, sum, change, changePercent } = statistics;
  const at = (point: Point | null) => point && isoTimeWithoutZone(point.t);
  return {
    ...seriesFacts(output),
    points,
    first: first?.v ?? null,
    firstTime: at(first),
    last: last?.v ?? null,
    lastTime: at(last),
    min: min?.v ?? null,
    minTime: at(min),
    max: max?.v ?? null,
    maxTime: at(max),
    // The mean of ratios is not the ratio of the whole time.
    mean: isRatio(output) ? null : mean,
    // The sum of states, of ratios, or of counts of the same addresses would mean nothing.
    sum: output.formula === null && addsUp(output.series.metric) ? sum : null,
    change,
    changePercent,
  };
}

const isRatio = (output: Output) => output.formula !== null || output.series.metric.shape === "ratio";

/** What the answer leaves out, in sentences. */
function omissions(series: number, sample: Sample | null, shown: number, all: number): string[] {
  const left = series > 0 ? [`${series} series are left out: ask for fewer selectors, metrics or assets at once.`] : [];
  if (shown === all) return left;
  const which = sample !== null && shown > 0 ? `: one in ${sample.every}, and the last` : "";
  return [...left, `${shown} of ${all} rows are shown${which}. The statistics count all rows.`];
}

/** What to do instead of averaging ratios. */
function withoutMean(outputs: readonly Output[]): string[] {
  const ratios = [
    ...new Set(
      outputs.flatMap((output) => (output.formula === null && isRatio(output) ? [output.series.metric.name] : [])),
    ),
  ];
  if (ratios.length === 0) return [];
  return [
    `${ratios.join(", ")}: ${ratios.length === 1 ? "a ratio has" : "ratios have"} no mean over time. For a longer time, ask for ` +
      "resolution week or month: those are ratios of sums.",
  ];
}

const numberOf = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** What some of the summaries have: those of formulas have names and texts instead of metrics and selectors. */
const headOf = (summaries: readonly Summary[]): (keyof Summary)[] => [
  ...new Set(summaries.flatMap((one) => Object.keys(one) as (keyof Summary)[])),
];

const cellOf = (value: string | number | null | undefined) =>
  typeof value === "string" ? csvField(value) : (value ?? null);

/** Lines with commas; none without lines. */
function csv(names: readonly string[], lines: readonly (readonly (string | number | null)[])[]): string {
  if (lines.length === 0) return "";
  return [names, ...lines].map((line) => line.map((cell) => cell ?? "").join(",")).join("\n");
}
