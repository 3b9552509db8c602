/** SQL that turns a column of any accepted type into numbers, with NULL where the rules of cells.ts refuse the cell. */

import { Failure } from "../failure.ts";
import type { Column, Table } from "./table.ts";
import { integerTimeSql, textTimeSql, timestampTimeSql } from "./time.ts";

type Family = "text" | "integer" | "decimal" | "bytes" | "time";

/** DuckDB's types by what they hold. DOUBLE and FLOAT are in none: they lose digits without a word. */
const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [/^VARCHAR$/, "text"],
  [/^U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$/, "integer"],
  [/^DECIMAL\(/, "decimal"],
  [/^BLOB$/, "bytes"],
  [/^(DATE|TIMESTAMP)/, "time"],
];

/** A conversion for each family of types that may hold the cell. */
export type Conversions = Partial<Record<Family, (column: string, type: string) => string>>;

export const WHOLE_NUMBER: Conversions = {
  text: (column) => `CASE WHEN regexp_full_match(${column}, '[0-9]{1,16}') THEN TRY_CAST(${column} AS UBIGINT) END`,
  integer: (column) => `TRY_CAST(${column} AS UBIGINT)`,
};

export const TIMES: Conversions = { text: textTimeSql, integer: integerTimeSql, time: timestampTimeSql };

/** To the text of an address, unchecked. */
export const ADDRESSES: Conversions = {
  text: (column) => column,
  bytes: (column) => `'0x' || hex(${column})`,
};

/** To UHUGEINT, with NULL also for what needs more than 128 bits. */
export const VALUES: Conversions = {
  text: (column) => `CASE WHEN regexp_full_match(${column}, '[0-9]{1,78}') THEN TRY_CAST(${column} AS UHUGEINT) END`,
  integer: (column) => `TRY_CAST(${column} AS UHUGEINT)`,
  decimal: (column) => `CASE WHEN ${column} = trunc(${column}) THEN TRY_CAST(${column} AS UHUGEINT) END`,
};

/** To UHUGEINT from 32 big-endian bytes or their hexadecimal text, with NULL also for what needs more than 128 bits. */
export const BINARY_VALUES: Conversions = {
  text: hexValueSql,
  bytes: (column) => hexValueSql(`('0x' || hex(${column}))`),
};

function hexValueSql(text: string): string {
  const half = (from: number) => `TRY_CAST('0x' || substr(${text}, ${from}, 16) AS UBIGINT)::UHUGEINT`;
  return `CASE WHEN regexp_full_match(${text}, '0[xX]0{32}[0-9a-fA-F]{32}') THEN (${half(35)} << 64) | ${half(51)} END`;
}

/**
 * The conversion of a column.
 *
 * @param source what the SQL calls the column
 * @param expected completes "expected …" in messages
 * @throws Failure if the column's type can't hold such cells
 */
export function convert(
  table: Table,
  column: Column,
  source: string,
  conversions: Conversions,
  expected: string,
): string {
  const family = FAMILIES.find(([pattern]) => pattern.test(column.type))?.[1];
  const conversion = family && conversions[family];
  if (conversion) return conversion(source, column.type);
  throw new Failure(
    `${table.file.name}, column ${column.name}: has the type ${column.type}; expected ${expected}, as ${Object.keys(conversions).join(" or ")}.`,
  );
}
