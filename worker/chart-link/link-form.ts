/** The form of a link to a chart; see explorer/src/state/chart-state.ts and address.ts. */

/** What the parameters of each of the charts below each other end with, from the top. */
export const PANE_ENDS = ["", "2", "3", "4"] as const;

/** Lines of a chart. */
export const MOST_LINES = 6;

/** Stretches of time before the last point. */
export const RANGES = ["7d", "30d", "90d", "1y", "2y", "all"] as const;

/** How a chart draws its lines. */
export const LOOKS = {
  scale: ["linear", "log"],
  price: ["linear", "log"],
  index: ["100"],
  smooth: ["7", "30"],
} as const;
