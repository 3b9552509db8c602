/** The language of formulas: a text becomes a formula, and a formula becomes values, row by row. */

export * from "./formula/condition.ts";
export * from "./formula/evaluate.ts";
export * from "./formula/firing.ts";
export * from "./formula/formula-error.ts";
export * from "./formula/functions/averages.ts";
export * from "./formula/functions/changes.ts";
export * from "./formula/functions/choice.ts";
export * from "./formula/functions/each-row.ts";
export * from "./formula/functions/extremes.ts";
export * from "./formula/functions/function.ts";
export * from "./formula/functions/functions.ts";
export * from "./formula/functions/indexed.ts";
export * from "./formula/functions/pairs.ts";
export * from "./formula/functions/spread.ts";
export * from "./formula/measures.ts";
export * from "./formula/names.ts";
export * from "./formula/on-rows.ts";
export * from "./formula/resolve.ts";
export * from "./formula/smoothed.ts";
export * from "./formula/tokens.ts";
export * from "./formula/units.ts";
