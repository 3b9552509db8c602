/** A table → a Parquet file. */

import { SERIES_INFO_KEY } from "../../data-schema/parquet.ts";
import { SERIES_GROUP_ROWS } from "../../data-schema/registry.ts";
import type { Lease } from "../budget.ts";
import { ParquetWriter } from "../format/parquet-writer.ts";
import type { Rows, TextPiece } from "../format/rows-and-pieces.ts";
import { columnName } from "../read/outputs.ts";
import type { Table } from "../read/table-parts.ts";
import type { TimeForm } from "../request/parameters/table-parameters.ts";
import { outputUnit, seriesFacts, type TableFacts } from "./table-facts.ts";

/**
 * The file of a table. Blocks come in small chunks, which are gathered into row groups; a window of buckets is one by
 * itself. The memory of chunks is freed when they have been written.
 */
export async function* parquetFile(
  chunks: AsyncIterable<Rows>,
  { outputs, resolution }: Table,
  facts: TableFacts,
  time: TimeForm,
  lease: Lease,
): AsyncGenerator<TextPiece> {
  const hasBlock = resolution === "block";
  const leastRows = hasBlock ? SERIES_GROUP_ROWS.block : 1;
  const writer = new ParquetWriter([
    { name: "t", time },
    ...(hasBlock ? [{ name: "block", time: "unix" } as const] : []),
    ...outputs.map((output) => ({ name: columnName(output), unit: outputUnit(output) })),
  ]);
  let counted = 0;
  const count = (bytes: number) => {
    lease.release(counted);
    lease.reserve(bytes, true);
    counted = bytes;
  };
  yield { text: writer.begin(), points: 0 };
  try {
    for await (const chunk of chunks) {
      const values = [chunk.t, ...(chunk.block ? [chunk.block] : []), ...chunk.columns];
      if (writer.groupRows + chunk.t.length >= leastRows) yield* writer.endGroup(values);
      else writer.add(values);
      lease.free([chunk.t]);
      count(writer.heldBytes);
    }
    if (writer.groupRows > 0) yield* writer.endGroup(null);
    const series = outputs.map(seriesFacts);
    yield { text: writer.end({ [SERIES_INFO_KEY]: JSON.stringify({ ...facts, series }) }), points: 0 };
  } finally {
    count(0);
  }
}
