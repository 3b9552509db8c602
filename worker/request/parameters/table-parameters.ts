/**
 * The parameters of GET /v3/series: validation, its errors, the catalogs of /v3 and the OpenAPI document all use this list.
 * Distributions and the screener take from it what they share with it. Parameters of /v1 and /v2 are in v1-parameters.ts.
 */

import { MEASURES } from "../../../data-schema/formula.ts";
import {
  LOT_METHODS,
  METRICS,
  RESOLUTION_FACTS,
  RESOLUTIONS,
  type Resolution,
  resolutionsOf,
  seriesOf,
} from "../../../data-schema/registry.ts";
import { INSTANT_PATTERN, RELATIVE_FORMS, RELATIVE_PATTERN } from "../../../data-schema/text.ts";
import { MOST_FORMULAS } from "./formula-parameter.ts";
import { TABLE_FORMAT_NAMES } from "./table-formats.ts";
import { INSTANT_FORMS, PARAMETERS, type Parameter } from "./v1-parameters.ts";

const TIME_FORMS = ["iso", "unix"] as const;
export type TimeForm = (typeof TIME_FORMS)[number];

/** All selectors of each metric. */
export const EVERY = "*";

/** Assets, and metrics, of one request. */
export const MOST_NAMES = 20;

/** How many series an answer may have. */
export function mostSeries(resolution: Resolution): number {
  return RESOLUTION_FACTS[resolution].mostSeries;
}

export type TableParameterName =
  | "api_key"
  | "a"
  | "m"
  | "x"
  | "c"
  | "r"
  | "s"
  | "u"
  | "last"
  | "sb"
  | "ub"
  | "time"
  | "build"
  | "known"
  | "f";

/** A parameter of v3; a `list` has one or more values, separated by commas. */
export interface TableParameter<Name extends string = TableParameterName> extends Parameter<Name> {
  list?: { most: number };
  /** The pattern of what it takes beside `values`. */
  otherValues?: string;
  /** Whether a space in its value is a space. In all others it was sent as a plus sign. */
  hasSpaces?: true;
}

/** Every selector that some metric has, in registry order. */
const SELECTORS = [...new Set(METRICS.flatMap((metric) => seriesOf(metric)))];

const RESOLUTIONS_OF_ANY = RESOLUTIONS.filter((resolution) =>
  METRICS.some((metric) => resolutionsOf(metric).includes(resolution)),
);

/** Whole numbers of up to so many digits. */
const wholeNumber = (digits: number) => ({
  forms: [`a whole number of up to ${digits} digits`],
  pattern: `^\\d{1,${digits}}$`,
});

const TIMES = { forms: [...INSTANT_FORMS, ...RELATIVE_FORMS], pattern: `${INSTANT_PATTERN}|${RELATIVE_PATTERN}` };

const { choice: _format, ...f } = PARAMETERS.f;
const { choice: _resolution, ...r } = PARAMETERS.r;

const TABLE: Record<TableParameterName, Omit<TableParameter, "name">> = {
  api_key: PARAMETERS.api_key,
  a: {
    ...PARAMETERS.a,
    title: "Assets",
    description: `Symbols of up to ${MOST_NAMES} assets, in any case. /v3/assets lists all there are.`,
    synonyms: [...PARAMETERS.a.synonyms, "assets", "symbols"],
    list: { most: MOST_NAMES },
  },
  m: {
    title: "Metrics",
    description: `Names of up to ${MOST_NAMES} metrics, or formulas such as mvrv. /v3/metrics lists all there are. Needed unless there is x.`,
    required: false,
    values: MEASURES.map(({ name }) => name),
    example: "sopr",
    synonyms: ["metric", "metrics"],
    list: { most: MOST_NAMES },
  },
  x: {
    title: "Formulas",
    description: `Up to ${MOST_FORMULAS} formulas of metrics, separated by semicolons, each perhaps with a name: ma=sma(sopr:users, 7). Write + as %2B. Functions count rows from the first one of the history, whatever the range.`,
    required: false,
    forms: ["formulas, separated by semicolons"],
    pattern: "^[\\s\\S]+$",
    hasSpaces: true,
    example: "sma(sopr:users, 7)",
    synonyms: ["formula", "formulas", "expr", "expression"],
  },
  c: {
    title: "Selectors",
    description:
      "Which series of each metric: cohorts, exchanges or transfer samples, or * for all. Own cohorts of the assets are @ and their name, or @* for all of them. Lots by a method are its name, with a dot and users, an age or a term for a part of them, such as fifo.1y-2y, or fifo.* for all of them. /v3/assets lists which an asset has. A metric takes those that it has. Left out: each metric's default.",
    required: false,
    values: [EVERY, ...SELECTORS],
    otherValues: `^(@(\\*|[a-z0-9_-]{1,32})|(${LOT_METHODS.join("|")})(\\..+)?)$`,
    example: "total",
    synonyms: ["t", "cohort", "cohorts", "exchange", "sample", "selector", "selectors"],
    list: { most: mostSeries("day") },
  },
  r: { ...r, description: "The resolution of all series.", values: RESOLUTIONS_OF_ANY, default: "day", example: "day" },
  s: { ...PARAMETERS.s, ...TIMES, description: "Rows at or after this time, UTC. Left out: from the first point." },
  u: {
    ...PARAMETERS.u,
    ...TIMES,
    description: "Rows at or before this time, UTC; a date means its midnight. Left out: to the last point.",
  },
  last: {
    title: "Last rows",
    description: "How many of the last rows to return. Replaces s.",
    required: false,
    ...wholeNumber(7),
    example: "30",
    synonyms: ["limit", "n", "tail"],
  },
  sb: {
    title: "Since block",
    description: "At r=block: rows at or after this block number, instead of s.",
    required: false,
    ...wholeNumber(12),
    example: "0",
    synonyms: ["since_block", "from_block", "start_block"],
  },
  ub: {
    title: "Until block",
    description: "At r=block: rows at or before this block number, instead of u.",
    required: false,
    ...wholeNumber(12),
    example: "20000000",
    synonyms: ["until_block", "to_block", "end_block"],
  },
  time: {
    title: "Times",
    description: "iso: 2025-03-01T00:00:00, UTC. unix: seconds since 1970.",
    required: false,
    values: TIME_FORMS,
    default: "iso",
    example: "iso",
    synonyms: ["t_format", "timestamps"],
  },
  build: {
    title: "Build",
    description:
      "The id of a build, with a single asset: the answer comes from that build, byte for byte, for as long as it is kept. /v3/assets/<asset>/builds lists the builds that are kept. Left out: the active build.",
    required: false,
    forms: ["the id of a build: 16 digits of 0-9, a-f"],
    pattern: "^[0-9a-f]{16}$",
    example: "64874e0a1b2c3d4e",
    synonyms: ["builds", "version", "snapshot"],
  },
  known: {
    title: "As it was known",
    description:
      "What was known when. first: every value as it was first published. A time: the answer that readers got at that time, without anything published or restated since; `knownSince` in /v3/assets is the earliest such time of an asset. Left out: what is known now.",
    required: false,
    forms: ["first", ...INSTANT_FORMS],
    pattern: `^first$|${INSTANT_PATTERN}`,
    example: "first",
    synonyms: ["as_of", "asof", "knowledge", "vintage", "pit", "point_in_time"],
  },
  f: { ...f, values: TABLE_FORMAT_NAMES, default: "json" },
};

/** All parameters, in the order in which they are shown. */
export const TABLE_PARAMETERS: readonly TableParameter[] = Object.entries(TABLE).map(([name, parameter]) => ({
  name: name as TableParameterName,
  ...parameter,
}));

/** The parameter with a name. */
export function tableParameter(name: TableParameterName): TableParameter {
  return TABLE_PARAMETERS.find((parameter) => parameter.name === name)!;
}
