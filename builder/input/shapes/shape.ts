/**
 * Recognised shapes: the columns that other tools write, and what each becomes. A file of such a shape is read through a
 * view with the plain columns; whatever is behind it knows no shapes. Source: docs/building.md#files-of-other-tools.
 */

import { Failure } from "../../lib/failure.ts";
import { identifier } from "../duckdb/database.ts";
import { type Column, type Table, textSql } from "../duckdb/input-table.ts";

/** What a shape needs to know of the asset. */
export interface ShapeContext {
  /** The asset's, for amounts in whole tokens. */
  decimals: number;
  /** Plain names that further columns of the file must not have, in lower case, as others make them. */
  reserved?: readonly string[];
}

/** How a plain column is made. */
export interface Made {
  /** The columns of the file that it is made of, each by the names that it may have, separated by `|`. */
  of: readonly string[];
  /** SQL for a cell as text, by the columns. Left out: the column as it is. */
  sql?(columns: readonly Column[], context: ShapeContext): string;
  /** What its cells must be, for messages. Left out: the rule of the plain column says that. */
  expected?(context: ShapeContext): string;
  /** Set if the shape can do without. */
  isOptional?: true;
  /** Set if numbers of JSON would have lost digits. */
  isExact?: true;
}

export interface Shape {
  /** Short and unique, such as `dune-evt`. */
  name: string;
  /** Whose files they are, for people. */
  what: string;
  /** The plain columns. */
  columns: Readonly<Record<string, Made>>;
  /** Further columns by which it is told. */
  tells?: readonly string[];
  /** Why such a file can't be read, and what to use instead, as a clause. */
  refused?: string;
}

/** A name as it is compared: tools write `blockNumber`, `block_number` and `Block Number`. */
const compared = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** A column by its names: the first name that the file has. */
export function findAny({ file, columns }: Table, names: string): Column | undefined {
  for (const name of names.split("|")) {
    const found = columns.filter((column) => compared(column.name) === compared(name));
    if (found.length > 1) {
      const list = found.map(({ name }) => name).join(" and ");
      throw new Failure(`${file.name} has ${found.length} columns of one name, ${list}; keep one.`);
    }
    if (found[0]) return found[0];
  }
  return undefined;
}

/** The columns that a plain column is made of; undefined if the file lacks one. */
function columnsOf(table: Table, { of }: Made): Column[] | undefined {
  const found = of.map((names) => findAny(table, names));
  return found.every((column) => column !== undefined) ? found : undefined;
}

function isOfShape(table: Table, { columns, tells = [] }: Shape): boolean {
  const needed = Object.values(columns).filter(({ isOptional }) => !isOptional);
  return (
    needed.every((made) => columnsOf(table, made) !== undefined) &&
    tells.every((names) => findAny(table, names) !== undefined)
  );
}

/** The first shape of a list that a file is of. */
export const shapeOf = <S extends Shape>(table: Table, shapes: readonly S[]): S | undefined =>
  shapes.find((shape) => isOfShape(table, shape));

/** A plain column of a view, and the columns of the file that it is made of. */
export interface MadeColumn {
  name: string;
  of: readonly string[];
}

/** What each plain column of a shape is made of in a file. */
export function madeColumns(table: Table, { columns }: Shape): MadeColumn[] {
  return Object.entries(columns).flatMap(([name, made]) => {
    const of = columnsOf(table, made);
    return of ? [{ name, of: of.map(({ name }) => name) }] : [];
  });
}

/**
 * A file of a shape as a table with plain columns. Columns that became another are left out; all others are kept, as they
 * may say something about their rows.
 *
 * @throws {Failure} the shape can't be read
 */
export function throughShape(table: Table, shape: Shape, context: ShapeContext): Table {
  const { file } = table;
  if (shape.refused !== undefined) throw new Failure(`${file.name} is ${shape.what}, ${shape.refused}.`);
  const made: Column[] = [];
  const taken = new Set<Column>();
  for (const [name, how] of Object.entries(shape.columns)) {
    const of = columnsOf(table, how);
    if (!of) continue;
    const inexact = how.isExact && of.find(({ isInexact }) => isInexact);
    if (inexact) {
      throw new Failure(
        `${file.name}, column ${inexact.name}: has numbers with a fraction, which lose digits; export the amounts again as text, in quotes.`,
      );
    }
    if (of.length === 1) taken.add(of[0]!);
    made.push({
      name,
      type: how.sql ? "VARCHAR" : of[0]!.type,
      sql: how.sql ? how.sql(of, context) : of[0]!.sql,
      shown: of.map(({ name }) => name).join(" and "),
      ...(how.expected && { expected: how.expected(context) }),
    });
  }
  const names = new Set([...made.map(({ name }) => name), ...(context.reserved ?? [])]);
  const kept = table.columns.filter((column) => !taken.has(column) && !names.has(column.name.toLowerCase()));
  const list = [...made, ...kept].map(({ sql }, index) => `${sql} AS s${index}`);
  const columns = [...made, ...kept].map((column, index) => ({ ...column, sql: identifier(`s${index}`) }));
  return { ...table, shape: shape.name, columns, relation: `(SELECT ${list} FROM ${table.relation})` };
}

/** The column as it is, by any of these names. */
export const renamed = (...names: readonly string[]): Made => ({ of: [names.join("|")] });

/** SQL for the text of a column, never NULL. */
export const cell = (column: Column): string => `coalesce(${textSql(column)}, '')`;

/** A column that a shape can do without. */
export const optional = (made: Made): Made => ({ ...made, isOptional: true });
