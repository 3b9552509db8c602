/** Explains why a decoder has refused a row: reads the row again as text, by the rules. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../failure.ts";
import { type Table, tableChunks, textSql } from "../duckdb/table.ts";
import type { ReadableColumn } from "./columns.ts";
import { cellProblem, placeText } from "./rules.ts";

/**
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
  const sql = `SELECT ${texts} FROM ${table.relation} LIMIT 1 OFFSET ${row}`;
  for await (const chunk of tableChunks(connection, table.file, sql)) {
    const cells = chunk.getRows()[0]!;
    for (const [index, { column, rule }] of checked.entries()) {
      const problem = cellProblem(rule, String(cells[index]), place, column.name);
      if (problem) return new Failure(problem);
    }
  }
  return new Failure(`${placeText(place)}: can't be read; export the file again.`);
}
