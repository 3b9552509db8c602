/** How snippets write a form of a function. */

import type { FunctionForm } from "../../../../../data-schema/formula.ts";
import type { Code } from "../code-parts.ts";

/** Functions that snippets define and call: of the column and, if the form is counted, n. */
export interface FormCode {
  python: Code;
  typescript: Code;
  sql: Sql;
}

export interface Sql {
  /** Whether the column that it takes is null where a value is infinite. */
  takes: "finite" | "any";
  /**
   * An expression for DuckDB. Null stands for a missing value.
   *
   * @param x a column of `table`, whose column `i` numbers the rows from 1
   * @param others what stands beside it: columns, or numbers
   */
  expression(x: string, n: number, table: string, others: readonly string[]): string;
}

/** Forms, and how each is written. */
export type CodeOfForms = readonly (readonly [FunctionForm, FormCode])[];
