/** One value or another: `if`. */

import type { Form, FormulaFunction } from "./function.ts";

/** How two numbers compare. */
export type Comparison = "<" | "<=" | ">" | ">=";

export const IF: FormulaFunction = {
  name: "if",
  description: "x where the comparison (<, <=, > or >=) is true, and y elsewhere; none where a or b is missing.",
  unit: "same",
  comparison: { pandas: "pd.Series(np.where(a < b, x, y), a.index).where(a.notna() & b.notna())" },
  others: [
    { name: "x", takes: "any" },
    { name: "y", takes: "any" },
  ],
};

/** Of a − b, which is below 0 where a is below b, to the bit. */
const choiceBy = (pandas: string, isTrue: (difference: number) => boolean): Form => ({
  pandas,
  evaluate: (difference, _, [x, y]) =>
    difference.map((value, row) => (Number.isNaN(value) ? Number.NaN : isTrue(value) ? x![row]! : y![row]!)),
  reach: () => 0,
});

export const CHOICES: Record<Comparison, Form> = {
  "<": choiceBy("d < 0", (difference) => difference < 0),
  "<=": choiceBy("d <= 0", (difference) => difference <= 0),
  ">": choiceBy("d > 0", (difference) => difference > 0),
  ">=": choiceBy("d >= 0", (difference) => difference >= 0),
};
