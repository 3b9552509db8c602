/** How the formats of a table and of a distribution are written. */

import type { SeriesContext } from "../context.ts";
import type { TextPiece } from "../format/rows-and-pieces.ts";
import { CSV, LINES, RowForm, type RowLayout, rowText } from "../format/table-rows.ts";
import { columnName } from "../read/outputs.ts";
import type { TablePlan, Use } from "../read/plan-table.ts";
import { readTable } from "../read/read-table.ts";
import type { TableFormat } from "../request/parameters/table-formats.ts";
import type { TimeForm } from "../request/parameters/table-parameters.ts";
import { columnarText } from "./columnar.ts";
import { distributionArrow, distributionParquet } from "./distribution-columns.ts";
import type { DistributionAnswer } from "./distribution-rows.ts";
import { CSV_LINES, distributionJson, distributionLines, JSON_LINES } from "./distribution-text.ts";
import { arrowStream } from "./table-arrow.ts";
import type { TableFacts } from "./table-facts.ts";
import { parquetFile } from "./table-parquet.ts";

interface Writer {
  /** What it does with the rows. */
  use: Use;
  write(plan: TablePlan, facts: TableFacts, time: TimeForm, context: SeriesContext): AsyncGenerator<TextPiece>;
}

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
