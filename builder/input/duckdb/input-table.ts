/** An input file as a table: its format, its columns, and the SQL that reads it. */

import type { DuckDBConnection, DuckDBDataChunk, DuckDBValue } from "@duckdb/node-api";
import { Failure } from "../../lib/failure.ts";
import { type CsvHeader, findHeader, MOST_LINES_BEFORE_HEADER } from "../../lib/files/csv-header.ts";
import { type Compression, checkCompressed, compressionOf, headOf, lastByteOf } from "../files/compressed.ts";
import { checkLastLine, type InputFile } from "../files/files.ts";
import { damage, PARQUET } from "./damage.ts";
import { chunks, identifier, literal } from "./database.ts";
import type { ListRange } from "./json-lists.ts";
import {
  type Envelope,
  hasListSql,
  type JsonColumn,
  type JsonLayout,
  jsonColumns,
  layoutOf,
  recordsSql,
} from "./json-records.ts";
import { checkedEnvelope, lacksList, MOST_VALUE, recordLists, unpacked } from "./unpacked-json.ts";
import { textBuffer, texts, vectorText } from "./vectors.ts";

/** A row of a file, for messages. `row` counts from 1, without the header and blank lines. */
export interface Place {
  file: string;
  row: number;
}

export interface Column {
  /** The name, as written in the file. */
  name: string;
  /** DuckDB's type: `VARCHAR`, `BLOB`, `DECIMAL(38,0)`, … Of decimals that are too long for DuckDB, the file's. */
  type: string;
  /** The column in SQL. */
  sql: string;
  /** What messages call it, if a recognised shape has made it of other columns. */
  shown?: string;
  /** What its cells must be, for messages, if a recognised shape reads them by a rule of its own. */
  expected?: string;
  /** Whether JSON has it as numbers, whose digits may be lost. */
  isInexact?: true;
}

export interface Table {
  file: InputFile;
  /** Whether the file is CSV or JSON: its cells are texts, and only reading tells how many rows it has. */
  isText: boolean;
  /** The recognised shape that its columns have been made of. */
  shape?: string;
  columns: Column[];
  /** For transfers, the column of contracts, if it has a name of its own; null if there is none. */
  contractColumn?: Column | null;
  /** For transfers of a contract that the token had before: that contract. */
  formerContract?: string;
  /** The table in SQL, for a FROM clause. */
  relation: string;
  /** If the relation is a part of the file. */
  part?: Part;
  /** Rows read so far; in the end all rows of the file. */
  rows: number;
}

/** Where the rows of a part of a file come from. */
export interface Part {
  /** The whole file in SQL, for a FROM clause. */
  whole: string;
  /** SQL condition: the row is in the part. */
  condition: string;
  /** SQL for the number of a row in the file, from 0. Left out: its number in `whole`. */
  row?: string;
  /** The range of `condition`, if the column has whole numbers. */
  blocks: NumberRange;
}

/** Rows whose number in a column is from `from` up to, but not including, `to`. */
export interface NumberRange {
  column: Column;
  from: number;
  to: number;
}

const FORMATS = [
  [/\.(csv|tsv)(\.gz|\.zst)?$/i, openCsv],
  [/\.(json|jsonl|ndjson)(\.gz|\.zst)?$/i, openJson],
  [PARQUET, openParquet],
] as const;

/**
 * Opens a CSV, JSON (both also .gz and .zst) or Parquet file and reads its columns.
 *
 * @throws {Failure} the file is none of these, or is damaged
 */
export async function openInputTable(connection: DuckDBConnection, file: InputFile): Promise<Table> {
  const open = FORMATS.find(([extension]) => extension.test(file.name))?.[1];
  if (!open) {
    throw new Failure(
      `${file.name} is none of .csv, .json, .jsonl (each also .gz and .zst) and .parquet; rename or convert it.`,
    );
  }
  return open(connection, file);
}

/** Escapes wildcards: DuckDB treats every path as a glob. */
export function pathLiteral(path: string): string {
  return literal(path.replaceAll(/[*?[]/g, "[$&]"));
}

/** Files that have been read to their end: once is enough, though they are opened again for each step. */
const intact = new WeakSet<InputFile>();

async function openCsv(connection: DuckDBConnection, file: InputFile): Promise<Table> {
  const compression = compressionOf(file);
  if (compression !== "none" && !intact.has(file)) {
    await checkCompressed(file, true);
    intact.add(file);
  }
  const path = pathLiteral(file.path);
  // DuckDB would guess both from the path; folders named `key=value` would add columns.
  const storage = `compression = '${compression}', hive_partitioning = false`;
  const header = await readHeader(connection, file, path, storage);
  const { skip, separator } = header;
  if (compression === "none") await checkLastLine(file);
  // No column is called a number: such a file begins with its first row, as Binance's archives do.
  const hasHeader = header.names.length < 2 || !header.names.every((name) => NUMBER.test(name));
  const names = hasHeader ? header.names : header.names.map((_, index) => String(index));
  const columns = names.map((name, index) => ({ name, type: "VARCHAR", sql: `c${index}` }));
  const struct = columns.map(({ sql, type }) => `'${sql}': '${type}'`).join(", ");
  const rows = `read_csv(${path}, auto_detect = false, header = ${hasHeader}, skip = ${skip}, delim = '${separator}', quote = '"',
    escape = '"', strict_mode = true, columns = {${struct}}, ${storage})`;
  // With a single column, DuckDB reads a blank line as a row.
  const relation = columns.length > 1 ? rows : `(FROM ${rows} WHERE ${columns[0]!.sql} IS NOT NULL)`;
  return { file, isText: true, columns, relation, rows: 0 };
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** What is known of a JSON file that has been read to its end. */
interface KnownJson {
  columns: readonly JsonColumn[];
  layout: JsonLayout;
  envelope: Envelope | undefined;
  /** Where the records are, if they have to be unpacked. */
  lists: readonly ListRange[] | undefined;
}

const knownJson = new WeakMap<InputFile, KnownJson>();

async function openJson(connection: DuckDBConnection, file: InputFile): Promise<Table> {
  const known = knownJson.get(file) ?? (await lookAtJson(connection, file));
  knownJson.set(file, known);
  const { columns } = known;
  const cells = columns.map(({ path }, index) => `json_extract_string(j, ${literal(path)}) AS c${index}`);
  return {
    file,
    isText: true,
    columns: columns.map(({ name, isInexact }, index) => ({
      name,
      type: "VARCHAR",
      sql: `c${index}`,
      ...(isInexact && { isInexact }),
    })),
    relation: `(SELECT ${cells} FROM ${await jsonRecords(connection, file, known)})`,
    rows: 0,
  };
}

/** Bytes of a JSON file by which its layout is told. */
const HEAD_BYTES = 1 << 16;

/** The values of a JSON file in SQL, for a FROM clause, as `json`. */
function jsonValues(path: string, layout: JsonLayout, compression: Compression): string {
  const storage = `compression = '${compression === "none" ? "uncompressed" : compression}', hive_partitioning = false`;
  return `read_json_objects(${pathLiteral(path)}, format = '${layout}', maximum_object_size = ${MOST_VALUE}, ${storage})`;
}

/** The records of a JSON file in SQL, for a FROM clause, as `j`. */
async function jsonRecords(
  connection: DuckDBConnection,
  file: InputFile,
  { layout, envelope, lists }: Omit<KnownJson, "columns">,
): Promise<string> {
  if (lists) return `(SELECT json AS j FROM ${jsonValues(await unpacked(connection, file, lists), "array", "none")})`;
  const values = jsonValues(file.path, layout, compressionOf(file));
  return `(SELECT ${envelope ? recordsSql("json", envelope) : "json AS j"} FROM ${values})`;
}

async function lookAtJson(connection: DuckDBConnection, file: InputFile): Promise<KnownJson> {
  const compression = compressionOf(file);
  const last = compression === "none" ? await lastByteOf(file) : await checkCompressed(file, false);
  if (last === undefined) throw new Failure(`${file.name} is empty; export it again.`);
  const layout = layoutOf(await headOf(file, HEAD_BYTES));
  if (!layout) throw new Failure(`${file.name} is not JSON: it begins with neither { nor [; rename or convert it.`);
  // DuckDB would accept a list that ends after a comma.
  if (layout === "array" && last !== "]".charCodeAt(0)) {
    throw new Failure(`${file.name} ends in the middle of its list; export or download it again.`);
  }
  const lists = layout === "array" ? undefined : await recordLists(file);
  const one = async (sql: string) => {
    for await (const chunk of tableChunks(connection, file, sql)) return chunk.getRows()[0];
    return undefined;
  };
  const envelope = lists ? undefined : await envelopeIn(file, jsonValues(file.path, layout, compression), one);
  const records = await jsonRecords(connection, file, { layout, envelope, lists });
  // DuckDB would hold all records to compare them: one of each form is enough, in the order of the file.
  const forms = `SELECT first(j) AS j, min(place) AS place, max(CASE WHEN json_type(j) = 'ARRAY' THEN json_array_length(j) END) AS items
    FROM (SELECT j, row_number() OVER () AS place FROM ${records}) GROUP BY json_structure(j) ORDER BY place`;
  const [structure, items] =
    (await one(`SELECT CAST(json_group_structure(j) AS VARCHAR), coalesce(max(items), 0)::DOUBLE FROM (${forms})`)) ??
    [];
  const columns = typeof structure === "string" ? jsonColumns(JSON.parse(structure), Number(items)) : [];
  if (columns.length === 0) throw noRecords(file);
  return { columns, layout, envelope, lists };
}

const noRecords = ({ name }: InputFile) => new Failure(`${name} has no records; export it again, or leave it out.`);

/**
 * The envelope of values that DuckDB unpacks: those of a list, and lists that lie side by side.
 *
 * @param one runs SQL for a row
 */
async function envelopeIn(
  file: InputFile,
  values: string,
  one: (sql: string) => Promise<DuckDBValue[] | undefined>,
): Promise<Envelope | undefined> {
  const [text] = (await one(`SELECT CAST(json AS VARCHAR) FROM ${values} LIMIT 1`)) ?? [];
  if (text === undefined) throw noRecords(file);
  const envelope = checkedEnvelope(file, JSON.parse(String(text)));
  if (!envelope) return undefined;
  const bare = `(SELECT json, row_number() OVER () AS value FROM ${values})`;
  const [value] =
    (await one(`SELECT value FROM ${bare} WHERE NOT coalesce(${hasListSql("json", envelope)}, false) LIMIT 1`)) ?? [];
  if (value !== undefined) throw lacksList(file, Number(value), envelope);
  return envelope;
}

async function readHeader(
  connection: DuckDBConnection,
  file: InputFile,
  path: string,
  storage: string,
): Promise<CsvHeader> {
  // No auto-detection: DuckDB's sniffer may take a damaged row for another dialect.
  const lines = `SELECT line FROM read_csv(${path}, auto_detect = false, header = false, delim = '\x01', quote = '',
    escape = '', columns = {'line': 'VARCHAR'}, ${storage})`;
  // Most files begin with the header: of these, nothing else is read.
  for (const most of [1, MOST_LINES_BEFORE_HEADER]) {
    const first: string[] = [];
    for await (const chunk of tableChunks(connection, file, `${lines} LIMIT ${most}`)) {
      first.push(...chunk.getRows().map(([line]) => String(line ?? "")));
    }
    if (first.length === 0) throw new Failure(`${file.name} is empty; a header line is expected, even without rows.`);
    if (first[0]!.trim() === "") {
      throw new Failure(`${file.name} begins with a blank line; begin it with the header.`);
    }
    const header = findHeader(first);
    if (header) return header;
  }
  throw new Failure(`${file.name} has no header after the comments that it begins with; add it.`);
}

/** Opens a Parquet file as `openInputTable` does, whatever its name. */
export async function openParquet(connection: DuckDBConnection, file: InputFile): Promise<Table> {
  const relation = `read_parquet(${pathLiteral(file.path)}, hive_partitioning = false)`;
  const columns: Column[] = [];
  for await (const chunk of tableChunks(connection, file, `DESCRIBE SELECT * FROM ${relation}`)) {
    for (const [name, type] of chunk.getRows()) {
      columns.push({ name: String(name), type: String(type), sql: identifier(String(name)) });
    }
  }
  if (columns.some(({ type }) => type === "DOUBLE")) await nameLongDecimals(connection, file, columns);
  return { file, isText: false, columns, relation, rows: 0 };
}

/** Decimals of more digits than DuckDB's are DOUBLE to DuckDB. Gives their columns the types that the file has. */
async function nameLongDecimals(connection: DuckDBConnection, file: InputFile, columns: Column[]): Promise<void> {
  const sql = `SELECT name, precision, coalesce(scale, 0) FROM parquet_schema(${pathLiteral(file.path)}) WHERE precision > 38`;
  for await (const chunk of tableChunks(connection, file, sql)) {
    for (const [name, precision, scale] of chunk.getRows()) {
      const column = columns.find((column) => column.name === name && column.type === "DOUBLE");
      if (column) column.type = `DECIMAL(${precision},${scale})`;
    }
  }
}

/**
 * Finds the first of `names` that the table has, in any case.
 *
 * @throws {Failure} the file has that column twice
 */
export function findColumn(table: Table, names: readonly string[]): Column | undefined {
  for (const name of names) {
    const found = table.columns.filter((column) => column.name.toLowerCase() === name);
    if (found.length > 1) throw new Failure(`${table.file.name} has column ${name} ${found.length} times; keep one.`);
    if (found.length === 1) return found[0];
  }
  return undefined;
}

/** The column with exactly that name, or made of the one. */
export function exactColumn({ file, columns }: Table, name: string): Column {
  const column = columns.find((column) => column.name === name) ?? columns.find(({ shown }) => shown === name);
  if (!column) throw new Error(`${file.name} has lost its column ${name}`);
  return column;
}

/** A column that a file must have. */
export interface Wanted {
  /** What it may be called, in lower case. The first that the file has counts. */
  names: readonly string[];
  /** What it holds, for messages: `a block number`. Left out: its names say that. */
  what?: string;
  /** What may be there instead. */
  instead?: string;
}

/**
 * Finds columns, as `findColumn`.
 *
 * @throws {Failure} names all that the file lacks, and what it has instead; or one is there twice
 */
export function needColumns<Key extends string>(table: Table, wanted: Record<Key, Wanted>): Record<Key, Column> {
  const found: Partial<Record<Key, Column>> = {};
  const missing: string[] = [];
  for (const key of Object.keys(wanted) as Key[]) {
    const { names, what, instead } = wanted[key];
    const column = findColumn(table, names);
    if (column) found[key] = column;
    else {
      const called = names.join(" or ") + (instead === undefined ? "" : `, or ${instead}`);
      missing.push(what === undefined ? called : `${what} (${called})`);
    }
  }
  if (missing.length === 0) return found as Record<Key, Column>;
  const list = table.columns.map(({ name, shown = name }) => shown).join(", ");
  const shown = list.length > 300 ? `${list.slice(0, 297)}…` : list;
  const what = missing.length === 1 ? "a column" : "columns";
  throw new Failure(`${table.file.name} lacks ${what}: ${missing.join(", ")}. It has: ${shown}.`);
}

/** Streams a query over a file, chunk by chunk. DuckDB's errors about a damaged file become Failures. */
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
 * @param relation replaces the table's own
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

/** SQL for a cell as the text that the rules of rules.ts read; bytes become 0x and hexadecimal digits. */
export function textSql({ sql, type }: Column): string {
  if (type === "BLOB") return `'0x' || lower(hex(${sql}))`;
  return type === "VARCHAR" ? sql : `CAST(${sql} AS VARCHAR)`;
}

/** A row of a small table. */
export interface TextRow {
  place: Place;
  /** The columns' names, as written in the file. */
  columns: string[];
  /** The row's cells in the order of the columns; a missing one is an empty text. */
  cells: string[];
}

/**
 * Streams the named columns of small tables, chunk by chunk, in order.
 *
 * @param onFile called after each file
 * @throws {Failure} a table lacks one of the columns
 */
export async function* textRows(
  connection: DuckDBConnection,
  tables: readonly Table[],
  names: readonly string[],
  onFile: (file: InputFile) => void,
): AsyncGenerator<TextRow[]> {
  const buffers = names.map(textBuffer);
  for (const table of tables) {
    const found = Object.values(needColumns(table, Object.fromEntries(names.map((name) => [name, { names: [name] }]))));
    const columns = found.map(({ name, shown = name }) => shown);
    const list = found.map((column) => `coalesce(${textSql(column)}, '')`).join(", ");
    for await (const chunk of tableChunks(connection, table.file, `SELECT ${list} FROM ${table.relation}`)) {
      const cells = buffers.map((buffer, column) => texts(chunk, column, buffer));
      yield Array.from({ length: chunk.rowCount }, (_, row) => ({
        place: { file: table.file.name, row: ++table.rows },
        columns,
        cells: cells.map((column) => vectorText(column, row)),
      }));
    }
    onFile(table.file);
  }
}

/** Where each row of small tables is, by its number among the rows of all. */
export class RowPlaces {
  readonly #starts: { file: string; row: number; first: number }[] = [];
  #count = 0;

  add(rows: readonly TextRow[]): void {
    for (const { place } of rows) {
      const last = this.#starts.at(-1);
      // Rows may have been left out.
      const isNext = last?.file === place.file && place.row - last.row === this.#count - last.first;
      if (!isNext) this.#starts.push({ ...place, first: this.#count });
      this.#count++;
    }
  }

  /** All rows of a file. */
  addAll(file: string, rows: number): void {
    this.#starts.push({ file, row: 1, first: this.#count });
    this.#count += rows;
  }

  of(index: number): Place {
    const { file, row, first } = this.#starts.findLast(({ first }) => first <= index)!;
    return { file, row: row + index - first };
  }
}
