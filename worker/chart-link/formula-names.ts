/** Names in formulas that aren't metrics. The functions are those of explorer/src/formula; a test compares them. */

import { NAMED_FORMULAS as FORMULAS } from "../../data-schema/named-formulas.ts";
import { METRIC_NAMES } from "./metric.ts";

export interface NamedFormula {
  title: string;
  /** Those that it is computed from: a selector of its name goes to each of them. */
  metrics: readonly string[];
}

export const NAMED_FORMULAS: ReadonlyMap<string, NamedFormula> = new Map(
  FORMULAS.map(({ name, title, text }) => {
    const words = new Set(text.match(/[a-z_]+/g));
    return [name, { title, metrics: [...words].filter((word) => METRIC_NAMES.includes(word)) }];
  }),
);

/** What a function takes beside its column: a number of rows, of which `least` is the smallest; null: none. */
export interface FormulaFunction {
  least: number | null;
  /** Whether the number may be left out. */
  isOptional: boolean;
}

export const FUNCTIONS: ReadonlyMap<string, FormulaFunction> = new Map(
  Object.entries({
    sma: { least: 1, isOptional: true },
    ema: { least: 1, isOptional: false },
    median: { least: 1, isOptional: true },
    std: { least: 2, isOptional: true },
    zscore: { least: 2, isOptional: true },
    change: { least: 1, isOptional: true },
    pct: { least: 1, isOptional: true },
    cumsum: { least: null, isOptional: true },
    lag: { least: 1, isOptional: true },
  } satisfies Record<string, FormulaFunction>),
);

/** The largest number of rows. */
export const MOST_ROWS = 100_000;
