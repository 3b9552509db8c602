/** One value or another: `if`. */

import type { FormulaFunction, FunctionForm } from "./function.ts";

/** How two numbers compare: whether it is so of a − b, which is below 0 where a is below b, to the bit, and NaN without one. */
export const COMPARISONS = {
  "<": (difference) => difference < 0,
  "<=": (difference) => difference <= 0,
  ">": (difference) => difference > 0,
  ">=": (difference) => difference >= 0,
} as const satisfies Record<string, (difference: number) => boolean>;
export type Comparison = keyof typeof COMPARISONS;

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

/** Its column is a − b. */
const choiceBy = (comparison: Comparison): FunctionForm => ({
  pandas: `d ${comparison} 0`,
  evaluate: (difference, _, [x, y]) =>
    difference.map((value, row) =>
      Number.isNaN(value) ? Number.NaN : COMPARISONS[comparison](value) ? x![row]! : y![row]!,
    ),
  reach: () => 0,
});

export const CHOICES = Object.fromEntries(
  (Object.keys(COMPARISONS) as Comparison[]).map((comparison) => [comparison, choiceBy(comparison)]),
) as Record<Comparison, FunctionForm>;
