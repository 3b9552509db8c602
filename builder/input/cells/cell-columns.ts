/** Chooses the decoder of a column by its type, and explains what a decoder has refused. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../lib/failure.ts";
import { type Column, type Table, tableChunks, textSql } from "../duckdb/input-table.ts";
import { type CellRule, cellProblem, rowPlace } from "./rules.ts";

type Family = "text" | "integer" | "decimal" | "bytes" | "time";

/** Types that lose digits, and what to do. */
const INEXACT: readonly (readonly [RegExp, (name: string) => string])[] = [
  [
    /^(DOUBLE|FLOAT)$/,
    (name) =>
      `which loses digits; export the integers again as text, with CAST(${name} AS VARCHAR) if DuckDB wrote their HUGEINT as DOUBLE`,
  ],
  [
    /^DECIMAL\((39|[4-9]\d|\d{3,}),/,
    (name) =>
      `of which only 38 digits can be read; export the integers again as text, for instance with CAST(${name} AS VARCHAR)`,
  ],
];

/** Whether the digits of a column are those that were written. */
export const isExact = ({ type }: Column) => !INEXACT.some(([pattern]) => pattern.test(type));

/** DuckDB's types by what they hold; those that silently lose digits are missing on purpose. */
const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [/^VARCHAR$/, "text"],
  [/^U?(TINYINT|SMALLINT|INTEGER|BIGINT)$/, "integer"],
  [/^DECIMAL\(/, "decimal"],
  [/^BLOB$/, "bytes"],
  [/^(DATE$|TIMESTAMP)/, "time"],
];

/** A decoder for each family of types that may hold a cell. */
export type ByFamily<D> = Partial<Record<Family, D>>;

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
export function readableColumn<D>(
  table: Table,
  column: Column,
  rule: CellRule<unknown>,
  decoders: ByFamily<D>,
): ReadableColumn<D> {
  const place = `${table.file.name}, column ${column.shown ?? column.name}: has the type ${column.type}`;
  const advice = INEXACT.find(([pattern]) => pattern.test(column.type))?.[1];
  if (advice) throw new Failure(`${place}, ${advice(column.shown ?? column.name)}.`);
  const family = FAMILIES.find(([pattern]) => pattern.test(column.type))?.[1];
  const decoder = family && decoders[family];
  if (decoder) return { column, rule, decoder };
  throw new Failure(`${place}; expected ${rule.expected}, as ${Object.keys(decoders).join(" or ")}.`);
}

/** A rule, in the words of the column's own where it has some. */
const ruleOf = ({ expected }: Column, rule: CellRule<unknown>): CellRule<unknown> =>
  expected === undefined ? rule : { ...rule, expected, problems: [[/^\s*$/, "is empty"]] };

/**
 * Explains why a decoder has refused a row: reads the row again as text, by the rules.
 *
 * @param checked columns that may hold the invalid cell, in the order in which to check them
 * @param row number in the file, from 0
 * @returns the failure to throw; it names the first invalid cell
 */
export async function describeRefusal(
  connection: DuckDBConnection,
  table: Table,
  checked: readonly ReadableColumn<unknown>[],
  row: number,
): Promise<Failure> {
  const place = { file: table.file.name, row: row + 1 };
  const texts = checked.map(({ column }) => `coalesce(${textSql(column)}, '')`).join(", ");
  const sql = `SELECT ${texts} FROM ${table.part?.whole ?? table.relation} LIMIT 1 OFFSET ${row}`;
  for await (const chunk of tableChunks(connection, table.file, sql)) {
    const cells = chunk.getRows()[0]!;
    for (const [index, { column, rule }] of checked.entries()) {
      const problem = cellProblem(ruleOf(column, rule), String(cells[index]), place, column.shown ?? column.name);
      if (problem) return new Failure(problem);
    }
  }
  return new Failure(`${rowPlace(place)}: can't be read; export the file again.`);
}

/** The failure for files that had an invalid cell, and have none when they are read again. */
export function changedMeanwhile(tables: readonly Table[]): Failure {
  const names = tables.map(({ file }) => file.name).join(", ");
  return new Failure(`${names} changed while being read; build again once no program writes to it.`);
}
