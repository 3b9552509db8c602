/** What is computed from a pane's lines and shown below its chart: a plain value, and a text in links. */

import { MOST_CYCLES, SEASON_VALUES, SEASONS, type STUDY_KINDS } from "../../../data-schema/chart-link.ts";
import { parseTime, shortTime } from "../format/time.ts";

/** Where cycles begin: at each all-time high, with each line or year, or at these times in Unix seconds, ascending. */
export type CycleStart = "high" | "first" | "year" | readonly number[];

export type Study =
  | { kind: "cycles"; since: CycleStart }
  | { kind: "seasons"; by: (typeof SEASONS)[number]; of: (typeof SEASON_VALUES)[number] }
  | { kind: "scatter" }
  | { kind: "histogram" };

export type StudyKind = (typeof STUDY_KINDS)[number];

/** `cycles:high`, `cycles:2024-01-01,2025-01-01`, `seasons:month:change`, `scatter` or `histogram`. */
export function formatStudy(study: Study): string {
  if (study.kind === "seasons") return `seasons:${study.by}:${study.of}`;
  if (study.kind !== "cycles") return study.kind;
  return `cycles:${typeof study.since === "string" ? study.since : study.since.map(shortTime).join(",")}`;
}

/** @returns undefined for a text of nothing that can be computed */
export function parseStudy(text: string): Study | undefined {
  if (text === "scatter" || text === "histogram") return { kind: text };
  const [, kind, first = "", second] = /^(cycles|seasons):([^/]+?)(?::(change|mean|median))?$/.exec(text) ?? [];
  if (kind === "seasons") {
    const [by, of] = [SEASONS.find((one) => one === first), SEASON_VALUES.find((one) => one === second)];
    return by && of && { kind, by, of };
  }
  if (kind !== "cycles" || second !== undefined) return undefined;
  if (first === "high" || first === "first" || first === "year") return { kind, since: first };
  const since = parseCycleDates(first);
  return since && { kind, since };
}

/** Dates with commas between, as times in ascending order; undefined unless there are 1 to 8 and all are valid. */
export function parseCycleDates(text: string): number[] | undefined {
  const times = [...new Set(text.split(",").map((one) => parseTime(one.trim())))].sort((a, b) => a - b);
  return times.length <= MOST_CYCLES && !times.some(Number.isNaN) ? times : undefined;
}
