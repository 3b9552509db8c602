/** What the language knows of a function. Adding one means adding an entry to FUNCTIONS in functions.ts. */

import type { Code } from "./parts.ts";

export interface FormulaFunction {
  name: string;
  description: string;
  /** Of the result: that of the column, or another. */
  unit: "same" | "ratio" | "share";
  /** With a number of rows, n, as the second argument. */
  counted?: CountedForm;
  /** Without it. */
  whole?: Form;
}

export interface Form {
  /** The definition: pandas, of a series `x` and `n`. */
  pandas: string;
  /** A column's values, by row; NaN where there is none, in and out. */
  evaluate(x: Float64Array, n: number): Float64Array;
  /** Rows before the first wanted one that the result depends on; infinite for all. */
  reach(n: number): number;
  /** Functions that snippets define and call: of the column and, if the form is counted, n. */
  python: Code;
  typescript: Code;
  sql: Sql;
}

interface CountedForm extends Form {
  /** The smallest n. */
  least: number;
  /** What n is where it is left out; without a default it is needed, or there is the other form. */
  default?: number;
}

interface Sql {
  /** Whether the column that it takes is null where a value is infinite. */
  takes: "finite" | "any";
  /**
   * An expression for DuckDB. Null stands for a missing value.
   *
   * @param x a column of `table`, whose column `i` numbers the rows from 1
   */
  expression(x: string, n: number, table: string): string;
}

/** DuckDB: the last n rows. */
export const lastRows = (n: number) => `OVER (ORDER BY i ROWS ${n - 1} PRECEDING)`;

/** DuckDB: an expression where none of the last n values is missing. */
export const whereFull = (x: string, n: number, expression: string) =>
  `CASE WHEN count(${x}) ${lastRows(n)} = ${n} THEN ${expression} END`;

export const ALL_ROWS_SO_FAR = "OVER (ORDER BY i)";
