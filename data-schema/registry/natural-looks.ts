/** What suits the values of a metric or a formula on a chart, wherever nobody has chosen. */

export interface NaturalLook {
  /** Log is for positive values of which half is as far from the level as double. */
  scale: "linear" | "log";
  /** What values compare with, as a line across the chart; null for nothing. */
  level: number | null;
  /** Bars are for what happens in a bucket: they begin at zero. */
  mark: "line" | "bars";
  /** What a value is read by; undefined for nothing. Source: docs/formulas.md#levels. */
  levels?: readonly Level[];
}

export const LEVEL_COLORS = ["green", "red", "orange", "yellow", "blue", "violet", "grey"] as const;
export type LevelColor = (typeof LEVEL_COLORS)[number];

/** A line across a chart, or a band of it. Values are numbers or other formulas, as texts. */
export interface Level {
  /** The value of a line, or the lower end of a band; empty for a band without one. */
  from: string;
  /** The upper end of a band, empty for a band without one; null for a line. */
  to: string | null;
  color: LevelColor;
  /** Empty for none. */
  name: string;
}

/** Also that of whatever is not known. */
export const PLAIN: NaturalLook = { scale: "linear", level: null, mark: "line" };

/** Above the level is profit or more, below it loss or less. */
export const AROUND_ONE: NaturalLook = { ...PLAIN, scale: "log", level: 1 };
export const AROUND_ZERO: NaturalLook = { ...PLAIN, level: 0 };

/** Positive values that lie magnitudes apart. */
export const MAGNITUDES: NaturalLook = { ...PLAIN, scale: "log" };

export const SUM_OF_BUCKET: NaturalLook = { ...PLAIN, mark: "bars" };
/** Sums of which others have been taken away. */
export const NET_OF_BUCKET: NaturalLook = { ...AROUND_ZERO, mark: "bars" };
