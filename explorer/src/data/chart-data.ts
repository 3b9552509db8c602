/** The data of a chart: its series joined in one table, and what went wrong. */

import type { Problem } from "../api/problem.ts";
import { EMPTY_TABLE, type Table } from "./table.ts";

export interface ChartData {
  status: "loading" | "no key" | "loaded";
  /** Empty unless the status is "loaded". */
  table: Table;
  /** By series, why it couldn't be loaded; null for a series that was loaded. */
  problems: readonly (Problem | null)[];
  /** Whether a series has more points than a page loads. */
  isTruncated: boolean;
}

const NOTHING = { table: EMPTY_TABLE, problems: [], isTruncated: false };
export const LOADING: ChartData = { status: "loading", ...NOTHING };
export const NO_KEY: ChartData = { status: "no key", ...NOTHING };
