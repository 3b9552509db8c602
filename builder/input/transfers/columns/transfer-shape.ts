/** Transfers of other tools: which shape a file is of, and the file as the plain form. */

import type { Table } from "../../duckdb/input-table.ts";
import { findColumn } from "../../duckdb/input-table.ts";
import { type Shape, shapeOf, throughShape } from "../../shapes/shape.ts";
import { TRANSFER_SHAPES } from "../../shapes/transfer-shapes.ts";
import { TRANSFER_COLUMNS } from "./transfer-columns.ts";

/** The shape that a file of transfers is read through. JSON. */
export interface ShapeUse {
  name: string;
  /** The asset's, for amounts in whole tokens. */
  decimals: number;
}

/** Whether a file has the plain columns: it is read as it is, whatever else it has. */
const isPlain = (table: Table) =>
  Object.values(TRANSFER_COLUMNS).every(({ names }) => findColumn(table, names) !== undefined);

/** The shape of a file of transfers; undefined if it has the plain columns, or is of no shape that is known. */
export const transferShape = (table: Table): Shape | undefined =>
  isPlain(table) ? undefined : shapeOf(table, TRANSFER_SHAPES);

/**
 * A file through its shape, or as it is without one.
 *
 * @throws {Failure} the shape can't be read
 */
export function throughTransferShape(table: Table, use: ShapeUse | undefined): Table {
  const shape = TRANSFER_SHAPES.find(({ name }) => name === use?.name);
  if (!use || !shape) return table;
  return throughShape(table, shape, { decimals: use.decimals, reserved: TRANSFER_COLUMNS.value.names });
}
