/** How unequally holders share the supply at the close of each day: the Herfindahl index. Source: docs/methodology.md §9. */

import { toBigInt } from "../history/amounts.ts";
import type { CloseFacts, Closes } from "./close.ts";
import { quotient } from "./digits.ts";
import { addSums, type ExactSums, rowWidth, SumsCollector, type SumsLayout } from "./exact-sums.ts";
import { partHoldings } from "./holdings.ts";
import { COHORT_PARTS, STATE_COHORTS } from "./parts.ts";

/** Σ n² in raw units of users, and of all others. */
const LAYOUT: SumsLayout = {
  table: "closingSquares",
  rows: 2,
  fields: (words) => [2 * words],
};

/** The rows that add up to each selector. */
const SELECTORS = { total: [0, 1], users: [0] } as const;
const NAMES = Object.keys(SELECTORS) as (keyof typeof SELECTORS)[];

function roundSquares(squares: ExactSums, { holdings }: CloseFacts): Float64Array {
  const rounded = new Float64Array(squares.days * NAMES.length).fill(Number.NaN);
  for (let day = 0; day < squares.days; day++) {
    for (const [index, name] of NAMES.entries()) {
      const parts = COHORT_PARTS[STATE_COHORTS.indexOf(name)]!;
      const tokens = parts.reduce((sum, part) => sum + partHoldings(holdings as ExactSums, day, part).tokens, 0n);
      if (tokens === 0n) continue;
      const rows = SELECTORS[name].map((row) => (day * LAYOUT.rows + row) * rowWidth(squares));
      const sum = rows.reduce((sum, at) => sum + toBigInt(squares.digits, at, squares.fields[0]!), 0n);
      rounded[day * NAMES.length + index] = quotient(sum, tokens * tokens);
    }
  }
  return rounded;
}

export const SQUARES = {
  collect: (words) => new SumsCollector(LAYOUT, words),
  merge: (one, other) => addSums(one, other, LAYOUT),
  round: roundSquares,
  width: NAMES.length,
  families: {
    squares: (selector: string) => (NAMES as readonly string[]).indexOf(selector),
  },
} as const satisfies Closes<ExactSums>;
