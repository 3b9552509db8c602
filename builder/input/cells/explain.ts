/** Finds and quotes the cell that made bulk reading refuse a row. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../failure.ts";
import { type Table, tableChunks, textSql } from "../duckdb/table.ts";
import type { ReadableColumn } from "./columns.ts";
import { cellProblem, placeText } from "./rules.ts";

/** The Failure for a refused row: its first bad cell in the order of `checked`. `row` counts from 0. */
export async function explainRow(
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
  return new Failure(`${placeText(place)}: cannot be read; export the file again.`);
}
