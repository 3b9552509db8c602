/** How the formats of a table, of a single series and of a distribution are written. */

import type { SeriesContext } from "../context.ts";
import type { TextPiece } from "../format/pieces.ts";
import { columnName } from "../read/outputs.ts";
import type { TablePlan, Use } from "../read/plan-table.ts";
import { readTable } from "../read/rows.ts";
import type { Format } from "../request/parameters/parameters.ts";
import type { TableFormat } from "../request/parameters/table-formats.ts";
import type { TimeForm } from "../request/parameters/table-parameters.ts";
import { arrowStream } from "./arrow.ts";
import { columnarText } from "./columnar.ts";
import { distributionArrow, distributionParquet } from "./distribution-columns.ts";
import type { DistributionAnswer } from "./distribution-rows.ts";
import { CSV_LINES, distributionJson, distributionLines, JSON_LINES } from "./distribution-text.ts";
import type { TableFacts } from "./facts.ts";
import { quote, RowForm, type RowLayout, rowText } from "./lines.ts";
import { parquetFile } from "./parquet.ts";

interface Writer {
  /** What it does with the rows. */
  use: Use;
  write(plan: TablePlan, facts: TableFacts, time: TimeForm, context: SeriesContext): AsyncGenerator<TextPiece>;
}

/** Formulas may have commas, quotes and line breaks. Source: RFC 4180. */
export const csvField = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const CSV: RowLayout = {
  head: (names, hasBlock) => `${["t", ...(hasBlock ? ["block"] : []), ...names.map(csvField)].join(",")}\n`,
  row: (names, hasBlock, time) => ({
    open: "",
    time,
    afterTime: "",
    beforeBlock: hasBlock ? "," : null,
    beforeValues: names.map(() => ","),
    missing: "",
    close: "\n",
  }),
  separatorBytes: 0,
  tail: "",
};

const LINES: RowLayout = {
  head: () => "",
  row: (names, hasBlock, time) => ({
    open: `{"t":${quote(time)}`,
    time,
    afterTime: quote(time),
    beforeBlock: hasBlock ? ',"block":' : null,
    beforeValues: names.map((name) => `,${JSON.stringify(name)}:`),
    missing: "null",
    close: "}\n",
  }),
  separatorBytes: 0,
  tail: "",
};

/** One array of objects. */
const ARRAY: RowLayout = {
  head: () => "[",
  separatorBytes: ",".length,
  row: (names, hasBlock, time) => ({ ...LINES.row(names, hasBlock, time), open: `,{"t":${quote(time)}`, close: "}" }),
  tail: "]",
};

/** A single series is a table of one column. */
const seriesForm = (layout: RowLayout) => new RowForm(layout, ["v"], false, "iso");
export const SERIES_FORMS: Record<Format, RowForm> = { json: seriesForm(ARRAY), csv: seriesForm(CSV) };

const inRows = (layout: RowLayout): Writer => ({
  use: "stream",
  write: (plan, _, time, context) => {
    const { outputs, resolution } = plan.table;
    const form = new RowForm(layout, outputs.map(columnName), resolution === "block", time);
    return rowText(readTable(plan, context), form, context.lease);
  },
});

export const WRITERS: Record<TableFormat, Writer> = {
  json: { use: "hold", write: columnarText },
  csv: inRows(CSV),
  ndjson: inRows(LINES),
  arrow: {
    use: "stream",
    write: (plan, facts, time, context) =>
      arrowStream(readTable(plan, context), plan.table, facts, time, context.lease),
  },
  parquet: {
    use: "gather",
    write: (plan, facts, time, context) =>
      parquetFile(readTable(plan, context), plan.table, facts, time, context.lease),
  },
};

export const DISTRIBUTION_WRITERS: Record<
  TableFormat,
  (answer: DistributionAnswer, context: SeriesContext) => AsyncGenerator<TextPiece>
> = {
  json: distributionJson,
  csv: distributionLines(CSV_LINES),
  ndjson: distributionLines(JSON_LINES),
  arrow: distributionArrow,
  parquet: distributionParquet,
};
