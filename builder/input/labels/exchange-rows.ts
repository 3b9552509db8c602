/** The rows of lists of exchanges: in the plain form, or as other tools label addresses. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { findColumn, type Table, type TextRow, textRows } from "../duckdb/input-table.ts";
import type { InputFile } from "../files/files.ts";
import { exchangeOf } from "../shapes/exchanges/exchange-of.ts";
import { LABEL_SHAPES, SAID } from "../shapes/label-shapes.ts";
import { type Shape, shapeOf, throughShape } from "../shapes/shape.ts";

const PLAIN = ["address", "exchange"] as const;

/** The shape of a list; undefined if it has the plain columns, or is of no shape that is known. */
export const labelShape = (table: Table): Shape | undefined =>
  PLAIN.every((name) => findColumn(table, [name]) !== undefined) ? undefined : shapeOf(table, LABEL_SHAPES);

/**
 * Streams address and exchange of each row, chunk by chunk, in order. Of lists in other forms, rows that mean no exchange
 * are left out.
 *
 * @throws {Failure} a table lacks one of the columns
 */
export async function* exchangeRows(
  connection: DuckDBConnection,
  tables: readonly Table[],
  onFile: (file: InputFile) => void,
): AsyncGenerator<TextRow[]> {
  for (const table of tables) {
    const shape = labelShape(table);
    if (shape) yield* shapedRows(connection, table, shape, onFile);
    else yield* textRows(connection, [table], PLAIN, onFile);
  }
}

async function* shapedRows(
  connection: DuckDBConnection,
  table: Table,
  shape: Shape,
  onFile: (file: InputFile) => void,
): AsyncGenerator<TextRow[]> {
  const said = Object.entries(SAID).filter(([, column]) => column in shape.columns);
  const shaped = throughShape(table, shape, { decimals: 0 });
  for await (const rows of textRows(connection, [shaped], ["address", ...said.map(([, column]) => column)], onFile)) {
    yield rows.flatMap(({ place, columns, cells }): TextRow[] => {
      const exchange = exchangeOf(Object.fromEntries(said.map(([key], at) => [key, cells[at + 1]])));
      return exchange === undefined ? [] : [{ place, columns, cells: [cells[0]!, exchange] }];
    });
  }
  table.rows = shaped.rows;
}
