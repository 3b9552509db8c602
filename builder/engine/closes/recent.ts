/**
 * Addresses that have sent or received in the last days, at the close of each day, as the kernel counts them
 * (assembly/recent.ts). Source: docs/methodology.md §9.
 */

import { BASE_COHORTS } from "../../../data-schema/registry.ts";
import type { Closes } from "./close.ts";
import { addSums, type ExactSums, SumsCollector, type SumsLayout } from "./exact-sums.ts";
import { range } from "./parts.ts";

/** Addresses of the last 30 days and of the last 7, of users, contracts and exchanges. */
const LAYOUT: SumsLayout = {
  table: "closingRecent",
  rows: 3,
  fields: () => [1, 1],
};
const WINDOWS = 2;

/** The rows that add up to each selector. */
const SELECTORS: Record<(typeof BASE_COHORTS)[number], readonly number[]> = {
  total: range(0, LAYOUT.rows),
  users: [0],
  sc: [1],
  cex: [2],
};

const WIDTH = BASE_COHORTS.length * WINDOWS;

function roundRecent({ days, digits }: ExactSums): Float64Array {
  const rounded = new Float64Array(days * WIDTH);
  for (let day = 0; day < days; day++) {
    for (const [index, selector] of BASE_COHORTS.entries()) {
      for (const row of SELECTORS[selector]) {
        for (let window = 0; window < WINDOWS; window++) {
          rounded[day * WIDTH + index * WINDOWS + window]! += digits[(day * LAYOUT.rows + row) * WINDOWS + window]!;
        }
      }
    }
  }
  return rounded;
}

export const RECENT = {
  collect: (words) => new SumsCollector(LAYOUT, words),
  merge: (one, other) => addSums(one, other, LAYOUT),
  round: roundRecent,
  width: WIDTH,
  families: {
    recent: (selector: string) => (BASE_COHORTS as readonly string[]).indexOf(selector) * WINDOWS,
  },
} as const satisfies Closes<ExactSums>;
