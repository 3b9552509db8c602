/** The studies that a pane offers, and how each begins. */

import type { Mark, Scale } from "../../state/chart-state.ts";
import type { Study, StudyKind } from "../../state/study.ts";

interface StudyChoice {
  kind: StudyKind;
  label: string;
  title: string;
  /** Other words for it. */
  words: string;
  begin(pane: { naturalMark: Mark; naturalScale: Scale }): Study;
}

export const STUDY_CHOICES: readonly StudyChoice[] = [
  {
    kind: "cycles",
    label: "Cycles",
    title: "Cycles: drawdowns, or years, over each other",
    words: "this drawdown against the earlier ones all-time high ath years overlaid since date first trade halving",
    begin: () => ({ kind: "cycles", since: "high" }),
  },
  {
    kind: "seasons",
    label: "Seasonality",
    title: "Seasonality, by month and year or by hour and weekday",
    words: "seasonal season monthly returns weekday heatmap",
    // Flows and ratios have a level in each month; a state grows or falls.
    begin: ({ naturalMark, naturalScale }) => ({
      kind: "seasons",
      by: "month",
      of: naturalMark === "bars" || naturalScale === "log" ? "mean" : "change",
    }),
  },
  {
    kind: "scatter",
    label: "Scatter",
    title: "Scatter of two lines, with time as colour, and their correlation",
    words: "pearson spearman regression against each other x y",
    begin: () => ({ kind: "scatter" }),
  },
  {
    kind: "histogram",
    label: "Histogram",
    title: "Histogram of the values, with the place of the last one",
    words: "frequency percentile distribution of values rank",
    begin: () => ({ kind: "histogram" }),
  },
];
