/** A table → a stream of Arrow's IPC format. */

import { SERIES_INFO_KEY } from "../../data-schema/parquet.ts";
import type { Lease } from "../budget.ts";
import { type ArrowColumn, arrowBatch, arrowEnd, arrowSchema, arrowTime } from "../format/arrow.ts";
import type { Rows, TextPiece } from "../format/rows-and-pieces.ts";
import { columnName } from "../read/outputs.ts";
import type { Table } from "../read/table-parts.ts";
import type { TimeForm } from "../request/parameters/table-parameters.ts";
import { seriesFacts, type TableFacts } from "./table-facts.ts";

/** Values of a batch: half a megabyte. */
const BATCH_CELLS = 65_536;

/**
 * The messages of a table. The memory of chunks is freed when they have been written.
 */
export async function* arrowStream(
  chunks: AsyncIterable<Rows>,
  { outputs, resolution }: Table,
  facts: TableFacts,
  time: TimeForm,
  lease: Lease,
): AsyncGenerator<TextPiece> {
  const fields: ArrowColumn[] = [
    arrowTime("t", time),
    ...(resolution === "block" ? [{ name: "block", type: "integer" } as const] : []),
    ...outputs.map((output) => ({ name: columnName(output), type: "double" }) as const),
  ];
  const about = { [SERIES_INFO_KEY]: JSON.stringify({ ...facts, series: outputs.map(seriesFacts) }) };
  yield { text: arrowSchema(fields, about), points: 0 };
  const rowsOfBatch = Math.max(1, Math.floor(BATCH_CELLS / (outputs.length + 1)));
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.t.length; from += rowsOfBatch) {
      const to = Math.min(from + rowsOfBatch, chunk.t.length);
      const values = [chunk.t, ...(chunk.block ? [chunk.block] : []), ...chunk.columns];
      yield { text: arrowBatch(fields, values, from, to), points: (to - from) * outputs.length };
    }
    lease.free([chunk.t]);
  }
  yield { text: arrowEnd(), points: 0 };
}
