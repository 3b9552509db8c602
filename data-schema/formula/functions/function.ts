/** What the language knows of a function. Adding one means adding an entry to FUNCTIONS in functions.ts. */

export interface FormulaFunction {
  name: string;
  description: string;
  /** The unit of the result: that of the column, or another. */
  unit: "same" | "ratio" | "share";
  /** Whether its results lie among the values of the column, and so compare with what these do. */
  isAverage?: true;
  /** The form that takes a number of rows, n, as its second argument. */
  counted?: CountedForm;
  /** Without it. */
  whole?: FunctionForm;
  /** The form that takes a time, in quotes, as its second argument: its n is in Unix seconds. */
  dated?: DatedForm;
  /** What it takes between x and n; of a comparison, after it. */
  others?: readonly Other[];
  /** For a function that takes a comparison, a < b, instead of a column. */
  comparison?: { pandas: string };
  /** For a function that takes a quotient, a / b, and n: a and b are summed up before they are divided. */
  quotient?: { pandas: string; least: number };
}

export interface Other {
  name: string;
  /** A column; a number from 0 to 1; or either a column or any number. */
  takes: "column" | "share" | "any";
}

export interface FunctionForm {
  /** The definition: pandas, of a series `x` and `n`. */
  pandas: string;
  /**
   * A column's values, by row; NaN where there is none, in and out. Of the others, a number is a column, too.
   *
   * @param t the times of the rows, Unix seconds
   */
  evaluate(x: Float64Array, n: number, others: readonly Float64Array[], t: Float64Array): Float64Array;
  /** Rows before the first wanted one that the result depends on; infinite for all. */
  reach(n: number): number;
  /** How much longer a row takes than one of a moving average. Default: 1. */
  cost?: number;
}

interface CountedForm extends FunctionForm {
  /** The smallest n. */
  least: number;
  /** What n is where it is left out; without a default it is needed, or there is the other form. */
  default?: number;
}

/** Its values may depend on rows after their own. */
interface DatedForm extends FunctionForm {
  takesTime: true;
}
