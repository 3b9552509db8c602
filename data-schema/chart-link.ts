/** The form of a link to a chart in the explorer: lines, and how they are drawn. */

import { DISTRIBUTION_NAMES } from "./registry/distributions.ts";

/** What the parameters of each of the charts below each other end with, from the top. */
export const PANE_ENDS = ["", "2", "3", "4"] as const;

/** Lines of a chart. */
export const MOST_CHART_LINES = 6;

/** Units of a chart: one axis on the left, one on the right. */
export const MOST_UNITS = 2;

/** Stretches of time before the last point, in days. */
export const RANGE_DAYS = {
  "7d": 7,
  "30d": 30,
  "90d": 90,
  "1y": 365,
  "2y": 730,
  all: Number.POSITIVE_INFINITY,
} as const;
export type ChartRange = keyof typeof RANGE_DAYS;
export const RANGES = /* @__PURE__ */ Object.keys(RANGE_DAYS) as ChartRange[];

export const SCALES = ["linear", "log"] as const;

/** What values are drawn as. Bars of both signs have a colour for each. */
export const MARKS = ["line", "steps", "bars"] as const;

/** Lengths of moving averages that are offered, in days. */
export const SMOOTHINGS = [7, 30] as const;
/** A link may ask for any length of 2 to 365 days. */
export const SMOOTHING_FORM: RegExp = /^(?:[2-9]|[1-9]\d|[12]\d\d|3[0-5]\d|36[0-5])$/;
export const LONGEST_SMOOTHING = 365;

/** How many buckets of the cost basis on each side of the price are shown as bars below a chart. */
export const AROUND_FORM: RegExp = /^(?:[1-9]\d?|100)$/;

/** What can be computed from a chart's lines and shown below it. */
export const STUDY_KINDS = ["cycles", "seasons", "scatter", "histogram"] as const;
export const SEASONS = ["month", "hour"] as const;
export const SEASON_VALUES = ["change", "mean", "median"] as const;
/** Dates at which cycles begin, in a link: `study=cycles:2024-01-01,2025-01-01`. */
export const MOST_CYCLES = 8;

/** Values as they were first published, by how much they have been revised since, or as they were beside as they are. */
export const VINTAGES = ["first", "revision", "both"] as const;

/** The name of a board that is deployed: a part of a path. */
export const BOARD_NAME: RegExp = /^[a-z0-9-]{1,64}$/;

/** Pinned times of a chart. In a link: `pin=2025-03-01,2025-03-11`. */
export const MOST_PINS = 2;

/** Notes of a chart, and characters of one. In a link: `note=2025-03-01,,text`, or with a second time for a stretch. */
export const MOST_REMARKS = 20;
export const LONGEST_REMARK = 100;

/** Lines and bands across one chart. */
export const MOST_LEVELS = 12;

/** How a chart draws its lines, and what is below them: the values of each parameter. */
export const LOOKS = {
  scale: SCALES,
  mark: MARKS,
  price: SCALES,
  index: ["100"],
  smooth: /* @__PURE__ */ SMOOTHINGS.map(String),
  known: VINTAGES,
  /** A distribution below the lines, as a heatmap. */
  heat: DISTRIBUTION_NAMES,
  colors: SCALES,
} as const;

/**
 * A line of one series, `metric:selector`, or of another asset, `ASSET.metric:selector`. A symbol may contain dots, and so may
 * a selector; a metric's name doesn't.
 */
export const SERIES_FORM: RegExp = /^(?:([^:]+)\.)?([^:.]*)(?::(.*))?$/s;

/** How the parts of a family are drawn: above each other, as shares of the whole, or as a line for each. */
export const FAMILY_MODES = ["stack", "share", "lines"] as const;

/** The selector of a family: `*by`, then its mode, then the only part that is shown or those that are off. */
export const FAMILY_FORM: RegExp = /^\*(\w+)(?::(stack|share|lines))?(?::(only|off)=(.*))?$/s;

/** The part of a family that is what its parts leave out. */
export const REST = "rest";
