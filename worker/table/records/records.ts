/** Short lists of rows with named cells, texts among them → the body of an answer, in each format. */

import { SERIES_INFO_KEY } from "../../../data-schema/parquet.ts";
import type { RecordColumn } from "../../../data-schema/stored.ts";
import { isoTimeWithoutZone } from "../../../data-schema/text.ts";
import type { SeriesContext } from "../../context.ts";
import { type ArrowColumn, arrowBatch, arrowEnd, arrowSchema } from "../../format/arrow.ts";
import { type Body, body } from "../../format/body.ts";
import { ParquetWriter, type WrittenColumn } from "../../format/parquet-writer.ts";
import type { TextPiece } from "../../format/rows-and-pieces.ts";
import type { TableFormat } from "../../request/parameters/table-formats.ts";

/** A value of a `RecordColumn`: times are Unix seconds, and null is missing. */
type Cell = string | number | null | readonly string[];

/** What an answer has. */
export interface Records {
  /** What JSON calls its rows. */
  name: "holders" | "transfers" | "events";
  /** What it says beside its rows: JSON at its beginning, Arrow and Parquet in their metadata. */
  facts: Readonly<Record<string, unknown>>;
  columns: readonly RecordColumn[];
  rows: readonly Readonly<Record<string, Cell>>[];
}

/** How a type of column is written. */
interface Form {
  /** A cell that has a value, in JSON. */
  json?: (cell: never) => unknown;
  /** In CSV, and as a text of Arrow and Parquet. */
  text?: (cell: never) => string;
  arrow: "double" | "integer" | "time" | "text";
}

const FORMS: Record<RecordColumn["type"], Form> = {
  text: { arrow: "text" },
  names: { arrow: "text", text: (names: readonly string[]) => names.join(" ") },
  number: { arrow: "double" },
  count: { arrow: "integer" },
  time: { arrow: "time", json: isoTimeWithoutZone, text: isoTimeWithoutZone },
};

const cellOf = (row: Records["rows"][number], { name }: RecordColumn): Cell => row[name] ?? null;

/** A row as JSON has it. */
export function shownRow(row: Records["rows"][number], columns: readonly RecordColumn[]): Record<string, unknown> {
  return Object.fromEntries(
    columns.map((column) => {
      const cell = cellOf(row, column);
      const { json } = FORMS[column.type];
      return [column.name, cell === null || json === undefined ? cell : json(cell as never)];
    }),
  );
}

/** A cell as CSV has it. */
function textOf(row: Records["rows"][number], column: RecordColumn): string {
  const cell = cellOf(row, column);
  if (cell === null) return "";
  return FORMS[column.type].text?.(cell as never) ?? String(cell);
}

/** A cell with a comma or a quotation mark in quotation marks. Source: RFC 4180, 2. */
const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The numbers of a column, NaN for null; of texts, the places in the list of all that it has. */
function numbered({ rows }: Records, column: RecordColumn): { values: Float64Array; texts: readonly string[] } {
  if (FORMS[column.type].arrow !== "text") {
    return {
      values: Float64Array.from(rows, (row) => (cellOf(row, column) as number | null) ?? Number.NaN),
      texts: [],
    };
  }
  const places = new Map<string, number>();
  const values = Float64Array.from(rows, (row) => {
    if (cellOf(row, column) === null) return Number.NaN;
    const text = textOf(row, column);
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return place;
  });
  return { values, texts: [...places.keys()] };
}

const encoder = new TextEncoder();

/** Numbers that an answer has, as the log counts them. */
const pointsOf = ({ columns, rows }: Records): number =>
  rows.length * columns.filter(({ type }) => type === "number").length;

const inText = (write: (records: Records) => string) =>
  async function* (records: Records): AsyncGenerator<TextPiece> {
    yield { text: encoder.encode(write(records)), points: pointsOf(records) };
  };

const aboutOf = ({ facts }: Records) => ({ [SERIES_INFO_KEY]: JSON.stringify(facts) });

async function* arrowOf(records: Records): AsyncGenerator<TextPiece> {
  const columns = records.columns.map((column) => ({ column, ...numbered(records, column) }));
  const fields = columns.map(({ column: { name, type, nullable }, texts }): ArrowColumn => {
    const { arrow } = FORMS[type];
    const shared = { name, ...(nullable && { nullable }) };
    return arrow === "text" ? { ...shared, type: arrow, texts } : { ...shared, type: arrow };
  });
  yield { text: arrowSchema(fields, aboutOf(records)), points: 0 };
  const { length } = records.rows;
  if (length > 0) {
    const values = columns.map((column) => column.values);
    yield { text: arrowBatch(fields, values, 0, length), points: pointsOf(records) };
  }
  yield { text: arrowEnd(), points: 0 };
}

async function* parquetOf(records: Records): AsyncGenerator<TextPiece> {
  const columns = records.columns.map((column) => ({ column, ...numbered(records, column) }));
  const writer = new ParquetWriter(
    columns.map(({ column, texts }): WrittenColumn => {
      const { name, type, nullable } = column;
      if (type === "number") return { name, unit: column.unit };
      const { arrow } = FORMS[type];
      const shared = { name, ...(nullable && { nullable }) };
      return arrow === "text" ? { ...shared, texts } : { ...shared, time: arrow === "time" ? "iso" : "unix" };
    }),
  );
  yield { text: writer.begin(), points: 0 };
  if (records.rows.length > 0) yield* writer.endGroup(columns.map(({ values }) => values));
  yield { text: writer.end(aboutOf(records)), points: 0 };
}

/** The pieces of an answer, by its format. */
const RECORD_WRITERS: Record<TableFormat, (records: Records) => AsyncGenerator<TextPiece>> = {
  json: inText(({ name, facts, columns, rows }) =>
    JSON.stringify({ ...facts, [name]: rows.map((row) => shownRow(row, columns)) }),
  ),
  csv: inText(({ columns, rows }) => {
    const head = columns.map(({ name }) => name).join(",");
    return [head, ...rows.map((row) => columns.map((column) => quoted(textOf(row, column))).join(","))]
      .join("\n")
      .concat("\n");
  }),
  ndjson: inText(({ columns, rows }) => rows.map((row) => `${JSON.stringify(shownRow(row, columns))}\n`).join("")),
  arrow: arrowOf,
  parquet: parquetOf,
};

/**
 * The body, once its rows have been read.
 *
 * @throws {Problem} what `read` throws
 */
export async function recordsBody(
  format: TableFormat,
  read: () => Promise<Records>,
  context: SeriesContext,
): Promise<Body> {
  try {
    return await body(RECORD_WRITERS[format](await read()), null, context);
  } catch (error) {
    context.lease.end();
    throw error;
  }
}
