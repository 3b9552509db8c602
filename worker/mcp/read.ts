/** Series for a model: statistics of all points, and as many rows as it can take. */

import { addsUp } from "../../data-schema/metrics.ts";
import { Lease } from "../budget.ts";
import type { Context } from "../context.ts";
import { isoTime } from "../format/time.ts";
import { withManifests } from "../locate/locate.ts";
import { planRows } from "../read/last.ts";
import { readTable } from "../read/rows.ts";
import { type Table, type TableColumn, tableOf } from "../read/table.ts";
import type { TableQuery } from "../request/table-query.ts";
import { columnName, factsOf, seriesFacts } from "../table/facts.ts";
import { ANSWER_BYTES, bytesOf, largestThatFits, type ToolAnswer } from "./answer.ts";
import { type Row, Sample } from "./sample.ts";
import { type Point, Statistics } from "./statistics.ts";

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
  const { symbols, last } = query;
  return withManifests(symbols, context, async (manifests) => {
    const table = tableOf(query, manifests);
    const { columns } = table;
    const statistics = columns.map(() => new Statistics());
    const cells = Math.floor(ANSWER_BYTES / LEAST_CELL_BYTES);
    const sample = most === 0 ? null : new Sample(Math.min(most, Math.ceil(cells / columns.length)));
    const lease = new Lease(context.isolate.budget, context.now, context.entry.owner);
    const held = { ...context, lease };
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
    const facts = { ...factsOf(table, manifests), rows };
    return shortened({ table, facts, statistics, sample, rows, url });
  });
}

/** As many series as fit, then as many rows of them: every n-th, so that they cover the whole time. */
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
  const columns = table.columns.slice(0, count);
  const summaries = columns.map((column, index) => summaryOf(column, statistics[index]!));
  const times = rows.map(({ t }) => isoTime(t));
  const blocks = table.resolution === "block" && rows.length > 0 ? rows.map(({ block }) => block) : undefined;
  const values = columns.map((_, index) => rows.map((row) => numberOf(row.values[index]!)));
  const omitted = [...omissions(table.columns.length - count, sample, rows.length, all), ...withoutMean(columns)];
  const lines = rows.map((_, row) => [times[row]!, ...(blocks ? [blocks[row]!] : []), ...values.map((of) => of[row]!)]);
  const text = [
    JSON.stringify(facts),
    csv(Object.keys(summaries[0] ?? {}), summaries.map(Object.values)),
    csv(["t", ...(blocks ? ["block"] : []), ...columns.map(columnName)], lines),
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

/** What an answer says of a series. */
function summaryOf(column: TableColumn, statistics: Statistics) {
  const { points, first, last, min, max, mean, sum, change, changePercent } = statistics;
  const at = (point: Point | null) => point && isoTime(point.t);
  return {
    ...seriesFacts(column),
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
    mean: isRatio(column) ? null : mean,
    // The sum of states, of ratios, or of counts of the same addresses would mean nothing.
    sum: addsUp(column.metric) ? sum : null,
    change,
    changePercent,
  };
}

const isRatio = ({ metric }: TableColumn) => metric.shape === "ratio";

/** What the answer leaves out, in sentences. */
function omissions(series: number, sample: Sample | null, shown: number, all: number): string[] {
  const left = series > 0 ? [`${series} series are left out: ask for fewer selectors, metrics or assets at once.`] : [];
  if (shown === all) return left;
  const which = sample !== null && shown > 0 ? `: one in ${sample.every}, and the last` : "";
  return [...left, `${shown} of ${all} rows are shown${which}. The statistics count all rows.`];
}

/** What to do instead of averaging ratios. */
function withoutMean(columns: readonly TableColumn[]): string[] {
  const ratios = [...new Set(columns.filter(isRatio).map(({ metric }) => metric.name))];
  if (ratios.length === 0) return [];
  return [
    `${ratios.join(", ")}: ${ratios.length === 1 ? "a ratio has" : "ratios have"} no mean over time. For a longer time, ask for ` +
      "resolution week or month: those are ratios of sums.",
  ];
}

const numberOf = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** Lines with commas; none without lines. No name has a comma or a quote. */
function csv(names: readonly string[], lines: readonly (readonly (string | number | null)[])[]): string {
  if (lines.length === 0) return "";
  return [names, ...lines].map((line) => line.map((cell) => cell ?? "").join(",")).join("\n");
}
