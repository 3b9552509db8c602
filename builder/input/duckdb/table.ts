/** One input file as a table: its kind, its columns, and the SQL that reads it. */

import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { Failure } from "../../failure.ts";
import type { Place } from "../cells/rules.ts";
import { checkGzip, type InputFile } from "../files.ts";
import { chunks, identifier, literal } from "./database.ts";
import { textOf, textRoom, texts } from "./vectors.ts";

export interface Column {
  /** As the file writes it. */
  name: string;
  /** DuckDB's type: `VARCHAR`, `BLOB`, `DECIMAL(38,0)`, … */
  type: string;
  /** What a SELECT from the table calls it. */
  sql: string;
}

export interface Table {
  file: InputFile;
  csv: boolean;
  columns: Column[];
  /** What a SELECT reads from. */
  relation: string;
  /** Rows read so far: all of them once the file has been read. */
  rows: number;
}

const CSV = /\.csv(\.gz)?$/i;

/** Whether it is a CSV, by its name. */
export function isCsv({ name }: InputFile): boolean {
  return CSV.test(name);
}

const KINDS = [
  [CSV, openCsv],
  [/\.(parquet|pq)$/i, openParquet],
] as const;

/**
 * Opens a CSV (also .gz) or Parquet file and learns its columns.
 *
 * @throws Failure if the file is neither, or is damaged
 */
export async function openTable(connection: DuckDBConnection, file: InputFile): Promise<Table> {
  const open = KINDS.find(([extension]) => extension.test(file.name))?.[1];
  if (!open) throw new Failure(`${file.name} is neither .csv, .csv.gz nor .parquet; rename or convert it.`);
  return open(connection, file);
}

/** DuckDB takes any path for a glob. */
function pathLiteral(path: string): string {
  return literal(path.replaceAll(/[*?[]/g, "[$&]"));
}

async function openCsv(connection: DuckDBConnection, file: InputFile): Promise<Table> {
  if (/\.gz$/i.test(file.name)) await checkGzip(file);
  const path = pathLiteral(file.path);
  // Both are guessed from the path unless told: folders named `key=value` would add columns.
  const storage = `compression = '${/\.gz$/i.test(file.name) ? "gzip" : "none"}', hive_partitioning = false`;
  // Nothing is guessed: DuckDB's sniffer takes a damaged row for another dialect.
  const firstLine = `SELECT line FROM read_csv(${path}, auto_detect = false, header = false, delim = '\x01', quote = '',
    escape = '', columns = {'line': 'VARCHAR'}, ${storage}) LIMIT 1`;
  let header: string | undefined;
  for await (const chunk of tableChunks(connection, file, firstLine)) {
    header = String(chunk.getColumnVector(0).getItem(0) ?? "");
  }
  if (header?.trim() === "") throw new Failure(`${file.name} begins with a blank line; begin it with the header.`);
  if (header === undefined) throw new Failure(`${file.name} is empty; a header line is expected, even without rows.`);
  const names = headerNames(header);
  const columns = names.map((name, index) => ({ name, type: "VARCHAR", sql: `c${index}` }));
  const struct = columns.map(({ sql, type }) => `'${sql}': '${type}'`).join(", ");
  const rows = `read_csv(${path}, auto_detect = false, header = true, delim = ',', quote = '"', escape = '"',
    strict_mode = true, columns = {${struct}}, ${storage})`;
  // Where a row has one cell alone, a blank line is taken for a row.
  const relation = columns.length > 1 ? rows : `(FROM ${rows} WHERE ${columns[0]!.sql} IS NOT NULL)`;
  return { file, csv: true, columns, relation, rows: 0 };
}

/** Column names of a header line; quotes around a name are dropped. */
function headerNames(line: string): string[] {
  return Array.from(`,${line}`.matchAll(/,("(?:[^"]|"")*"|[^,]*)/g), ([, name]) =>
    name!
      .replace(/^"(.*)"$/, "$1")
      .replaceAll('""', '"')
      .trim(),
  );
}

async function openParquet(connection: DuckDBConnection, file: InputFile): Promise<Table> {
  const relation = `read_parquet(${pathLiteral(file.path)}, hive_partitioning = false)`;
  const columns: Column[] = [];
  for await (const chunk of tableChunks(connection, file, `DESCRIBE SELECT * FROM ${relation}`)) {
    for (const [name, type] of chunk.getRows()) {
      columns.push({ name: String(name), type: String(type), sql: identifier(String(name)) });
    }
  }
  return { file, csv: false, columns, relation, rows: 0 };
}

/**
 * The first column, of any case, with one of these names.
 *
 * @throws Failure if the file has that column twice
 */
export function findColumn(table: Table, names: readonly string[]): Column | undefined {
  for (const name of names) {
    const found = table.columns.filter((column) => column.name.toLowerCase() === name);
    if (found.length > 1) throw new Failure(`${table.file.name} has column ${name} ${found.length} times; keep one.`);
    if (found.length === 1) return found[0];
  }
  return undefined;
}

/** As `findColumn`; throws a Failure that lists the file's columns if there is none. */
export function needColumn(table: Table, names: readonly string[]): Column {
  const column = findColumn(table, names);
  if (column) return column;
  const list = table.columns.map(({ name }) => name).join(", ");
  const shown = list.length > 300 ? `${list.slice(0, 297)}…` : list;
  throw new Failure(`${table.file.name} has no column ${names.join(" or ")}; its columns are ${shown}.`);
}

/** A query over a table's file, chunk by chunk; what DuckDB says of a damaged file becomes a Failure. */
export async function* tableChunks(
  connection: DuckDBConnection,
  file: InputFile,
  sql: string,
): AsyncGenerator<DuckDBDataChunk> {
  try {
    yield* chunks(connection, sql);
  } catch (error) {
    throw error instanceof Error ? damage(file, error.message) : error;
  }
}

/**
 * Counts the rows of a table's file.
 *
 * @param relation in place of the table's
 * @returns all rows, and those that meet an SQL condition
 */
export async function countWhere(
  connection: DuckDBConnection,
  { file, ...table }: Table,
  condition: string,
  relation = table.relation,
): Promise<[all: number, some: number]> {
  const query = `SELECT count(*)::DOUBLE, (count(*) FILTER (${condition}))::DOUBLE FROM ${relation}`;
  let counts: [number, number] = [0, 0];
  for await (const chunk of tableChunks(connection, file, query)) {
    counts = chunk.getRows()[0]!.map(Number) as [number, number];
  }
  return counts;
}

/** What DuckDB says of a damaged file, and how we put it. */
const DAMAGES: readonly (readonly [RegExp, (match: RegExpMatchArray) => string])[] = [
  [
    /CSV Error on Line: (\d+)[\s\S]*Expected Number of Columns: (\d+) Found: (\d+)/,
    ([, line, expected, found]) =>
      `line ${line}: has ${found} columns where the header has ${expected}; correct that line`,
  ],
  [
    /CSV Error on Line: (\d+)[\s\S]*[Ii]nvalid unicode/,
    ([, line]) => `line ${line}: is not UTF-8; convert the file to UTF-8`,
  ],
  [
    /CSV Error on Line: (\d+)[\s\S]*quote/,
    ([, line]) => `line ${line}: a quoted text does not end well; correct its quotes`,
  ],
  [
    /CSV Parser state machine reached an invalid state/,
    () => "mixes line ends, \\n and \\r\\n; write all of them alike",
  ],
  [/CSV Error on Line: (\d+)/, ([, line]) => `line ${line}: is not well-formed CSV; correct it`],
  [
    /too small to be a Parquet|No magic bytes|Parquet|parquet|Thrift|thrift/,
    () => "is not an intact Parquet file; export or download it again",
  ],
];

function damage(file: InputFile, message: string): Failure {
  for (const [pattern, sentence] of DAMAGES) {
    const match = message.match(pattern);
    if (match) {
      const text = sentence(match);
      return new Failure(`${file.name}${text.startsWith("line") ? ", " : " "}${text}.`);
    }
  }
  return new Failure(`${file.name} cannot be read: ${message.split("\n")[0]}.`);
}

/** SQL for a column's cell as the text that the rules of cells.ts read: bytes as 0x and hexadecimal. */
export function textSql({ sql, type }: Column): string {
  if (type === "BLOB") return `'0x' || lower(hex(${sql}))`;
  return type === "VARCHAR" ? sql : `CAST(${sql} AS VARCHAR)`;
}

/** A row of a small table. */
export interface TextRow {
  place: Place;
  /** Its cells in the order of the columns; a missing cell is the empty text. */
  cells: string[];
}

/** The rows of a small table, in order, chunk by chunk. */
export async function* textRows(
  connection: DuckDBConnection,
  table: Table,
  columns: readonly Column[],
): AsyncGenerator<TextRow[]> {
  const list = columns.map((column) => `coalesce(${textSql(column)}, '')`).join(", ");
  const rooms = columns.map(textRoom);
  for await (const chunk of tableChunks(connection, table.file, `SELECT ${list} FROM ${table.relation}`)) {
    const cells = rooms.map((room, column) => texts(chunk, column, room));
    yield Array.from({ length: chunk.rowCount }, (_, row) => ({
      place: { file: table.file.name, row: ++table.rows },
      cells: cells.map((column) => textOf(column, row)),
    }));
  }
}
