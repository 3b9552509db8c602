/** Windows over rows, in the SQL of DuckDB. */

/** DuckDB: the last n rows. */
export const lastRows = (n: number) => `OVER (ORDER BY i ROWS ${n - 1} PRECEDING)`;

/** DuckDB: an expression where none of the last n values is missing. */
export const whereFull = (x: string, n: number, expression: string) =>
  `CASE WHEN count(${x}) ${lastRows(n)} = ${n} THEN ${expression} END`;

export const ALL_ROWS_SO_FAR = "OVER (ORDER BY i)";

/** DuckDB: the value n rows before. */
export const earlierRow = (x: string, n: number) => `lag(${x}, ${n}) OVER (ORDER BY i)`;

/** DuckDB: the differences of the last n values from the latest. */
export const differences = (x: string, n: number) => `[v - ${x} FOR v IN list(${x}) ${lastRows(n)}]`;

/** DuckDB: a value's difference from the first one. */
export const fromFirst = (x: string, table: string) =>
  `${x} - (SELECT first(${x} ORDER BY i) FILTER (${x} IS NOT NULL) FROM ${table})`;
