/** The visible part of a chart as code. Where the chart computes something, so does the code. */

import type { SeriesRef } from "../../../data-schema/formula.ts";
import { familyWord, RESOLUTION_FACTS } from "../../../data-schema/registry.ts";
import { type Catalog, catalogMetric, findAsset, type Resolution } from "../api/catalog.ts";
import { type Language, WRITERS } from "../api/snippets.ts";
import { type Program, type ProgramLine, programInputs } from "../formula/code/program.ts";
import { programOf } from "../formula/code/program-request.ts";
import { toPython } from "../formula/code/python.ts";
import { toSql } from "../formula/code/sql.ts";
import { toTypeScript } from "../formula/code/typescript.ts";
import { isRanked, MOST_PARTS, pictureOf } from "../lines/family-line.ts";
import { curvesOf } from "../lines/lines.ts";
import { type ChartState, contextOf } from "./chart-state.ts";
import { snippetRequests, vintagesOf, visibleBounds } from "./requests.ts";
import { drawnComputations, drawnLines, lineResolution } from "./traces.ts";

/** The languages that compute, and how they begin a comment. */
const COMPUTING = {
  python: { write: toPython, comment: "#" },
  typescript: { write: toTypeScript, comment: "//" },
  sql: { write: toSql, comment: "--" },
};

/** @param key the API key, or its placeholder */
export function chartCode(
  language: Language,
  chart: ChartState,
  catalog: Catalog,
  origin: string,
  key: string,
): string {
  const lines = computedLines(chart, catalog);
  const isPlain = lines.every(({ formula }) => formula.expression.kind === "input");
  if (language === "url" || language === "curl" || (isPlain && language !== "sql")) {
    return WRITERS[language](snippetRequests(chart, catalog), origin, key);
  }
  const { write, comment } = COMPUTING[language];
  const programs = chartPrograms(chart, catalog, origin, key).map(write);
  const notes = [...new Set([...rankedNotes(chart, catalog), ...revisionNotes(chart)])].map(
    (note) => `${comment} ${note}\n`,
  );
  return notes.join("") + programs.join(`\n${comment} Another program: one request doesn't answer both.\n\n`);
}

/** How the picture of a family with too many parts differs from what its code computes. */
function rankedNotes(chart: ChartState, catalog: Catalog): string[] {
  const context = contextOf(chart, catalog);
  return chart.panes.flatMap(({ lines }) =>
    lines.flatMap((line) => {
      const division = line.kind === "family" ? pictureOf(line, context)?.division : undefined;
      if (!division || !isRanked(division)) return [];
      const { by, parts } = division;
      return `All ${parts.length} parts by ${familyWord(by)}. The chart draws the ${MOST_PARTS} largest, and adds the others to its rest.`;
    }),
  );
}

/** Which of the lines the chart shows the difference of. */
function revisionNotes({ panes }: ChartState): string[] {
  return panes.some(({ known }) => known === "revision")
    ? ["A revision, which the chart draws, is a line less the same line as first published."]
    : [];
}

interface ComputedLine extends ProgramLine {
  resolution: Resolution;
  isFirst: boolean;
}

/** What the panes draw. Titles are the names of columns in CSV files, with a number where they repeat. */
function computedLines(chart: ChartState, catalog: Catalog): ComputedLine[] {
  const context = contextOf(chart, catalog);
  const lines = chart.panes.flatMap((pane) =>
    drawnLines(pane, context).flatMap((line): ComputedLine[] => {
      const resolution = lineResolution(line, chart, context);
      const curves = curvesOf(line, context);
      const computations = drawnComputations(pane, line, resolution, context);
      return vintagesOf(pane).flatMap((isFirst) =>
        computations.map((formula, i) => {
          const title = `${curves[i]!.code}${isFirst ? " (first published)" : ""}`;
          return { title, formula, resolution, isFirst };
        }),
      );
    }),
  );
  return lines.map((line, i) => {
    const before = lines.slice(0, i).filter(({ title }) => title === line.title).length;
    return before === 0 ? line : { ...line, title: `${line.title} (${before + 1})` };
  });
}

/** The programs that compute what a chart shows: one, where a single request answers all that it needs. */
export function chartPrograms(chart: ChartState, catalog: Catalog, origin: string, key: string): Program[] {
  const bounds = visibleBounds(chart, findAsset(catalog, chart.asset));
  const groups: ComputedLine[][] = [];
  for (const line of computedLines(chart, catalog)) {
    const fits = (group: ComputedLine[]) =>
      group[0]?.resolution === line.resolution &&
      group[0].isFirst === line.isFirst &&
      answerSize(programInputs([...group, line]), catalog) <= RESOLUTION_FACTS[line.resolution].mostSeries;
    const group = groups.find(fits);
    if (group) group.push(line);
    else groups.push([line]);
  }
  const place = { bounds, origin, key };
  return groups.map((lines) => programOf(lines, { ...lines[0]!, ...place }, catalog));
}

/** The series of a request for these: each asset has all of the metrics, and each metric all selectors that it knows. */
function answerSize(inputs: readonly SeriesRef[], catalog: Catalog): number {
  const selectors = new Set(inputs.map(({ selector }) => selector));
  const metrics = [...new Set(inputs.map(({ metric }) => metric))].map(
    (metric) => catalogMetric(catalog, metric)?.selector,
  );
  const ofAsset = metrics.map((own) => own?.values.filter((value) => selectors.has(value)).length ?? 1);
  return new Set(inputs.map(({ asset }) => asset)).size * ofAsset.reduce((sum, size) => sum + size, 0);
}
