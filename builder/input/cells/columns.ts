/** Chooses the decoder of a column by its type. */

import { Failure } from "../../failure.ts";
import type { Column, Table } from "../duckdb/table.ts";
import type { CellRule } from "./rules.ts";

type Family = "text" | "integer" | "decimal" | "bytes" | "time";

/** DuckDB's types by what they hold. DOUBLE and FLOAT are missing on purpose: they silently lose digits. */
const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [/^VARCHAR$/, "text"],
  [/^U?(TINYINT|SMALLINT|INTEGER|BIGINT)$/, "integer"],
  [/^DECIMAL\(/, "decimal"],
  [/^BLOB$/, "bytes"],
  [/^(DATE$|TIMESTAMP)/, "time"],
];

/** A decoder for each family of types that may hold a cell. */
export type ByFamily<D> = Partial<Record<Family, D>>;

/** A column with the rule and the decoder of its cells. */
export interface ReadableColumn<D> {
  column: Column;
  rule: CellRule<unknown>;
  decoder: D;
}

/**
 * Joins a column with its rule and decoder.
 *
 * @throws {Failure} the column's type can't hold such cells
 */
export function readable<D>(
  table: Table,
  column: Column,
  rule: CellRule<unknown>,
  decoders: ByFamily<D>,
): ReadableColumn<D> {
  const family = FAMILIES.find(([pattern]) => pattern.test(column.type))?.[1];
  const decoder = family && decoders[family];
  if (decoder) return { column, rule, decoder };
  throw new Failure(
    `${table.file.name}, column ${column.name}: has the type ${column.type}; expected ${rule.expected}, as ${Object.keys(decoders).join(" or ")}.`,
  );
}
