/** A table → a stream of Arrow's IPC format. */

import { SERIES_INFO_KEY } from "../../data-schema/series.ts";
import type { Lease } from "../budget.ts";
import { arrowBatch, arrowEnd, arrowSchema } from "../format/arrow.ts";
import type { Piece, Rows } from "../format/pieces.ts";
import type { Table } from "../read/table.ts";
import type { TimeForm } from "../request/table-parameters.ts";
import { columnName, type Facts, seriesFacts } from "./facts.ts";

/** Values of a batch: half a megabyte. */
const BATCH_CELLS = 65_536;

/**
 * The messages of a table. The memory of chunks is freed when they have been written.
 */
export async function* arrowStream(
  chunks: AsyncIterable<Rows>,
  { columns, resolution }: Table,
  facts: Facts,
  time: TimeForm,
  lease: Lease,
): AsyncGenerator<Piece> {
  const names = columns.map(columnName);
  const about = { [SERIES_INFO_KEY]: JSON.stringify({ ...facts, series: columns.map(seriesFacts) }) };
  yield { text: arrowSchema(names, resolution === "block", time, about), points: 0 };
  const rowsOfBatch = Math.max(1, Math.floor(BATCH_CELLS / (names.length + 1)));
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.t.length; from += rowsOfBatch) {
      const to = Math.min(from + rowsOfBatch, chunk.t.length);
      yield { text: arrowBatch(chunk, from, to, time), points: (to - from) * names.length };
    }
    lease.free([chunk.t]);
  }
  yield { text: arrowEnd(), points: 0 };
}
