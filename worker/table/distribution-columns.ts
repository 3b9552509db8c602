/** A distribution as Arrow or Parquet. */

import { SERIES_INFO_KEY } from "../../data-schema/parquet.ts";
import { bucketFieldsOf, DISTRIBUTIONS, metricByName } from "../../data-schema/registry.ts";
import type { SeriesContext } from "../context.ts";
import { type ArrowColumn, arrowBatch, arrowEnd, arrowSchema, arrowTime } from "../format/arrow.ts";
import { ParquetWriter, type WrittenColumn } from "../format/parquet-writer.ts";
import type { TextPiece } from "../format/rows-and-pieces.ts";
import { SIDES } from "../read/around-price.ts";
import type { Distribution } from "../read/distribution.ts";
import { distributionFacts } from "./distribution-facts.ts";
import { type DistributionAnswer, ENDS, filledRows, valueColumns } from "./distribution-rows.ts";

/** Rows of an Arrow batch. */
const BATCH_ROWS = 8_192;

export async function* distributionArrow(
  answer: DistributionAnswer,
  context: SeriesContext,
): AsyncGenerator<TextPiece> {
  const { distribution, layout, time } = answer;
  const isTime = DISTRIBUTIONS[distribution.name].key === "time";
  const columns: ArrowColumn[] = [
    arrowTime("t", time),
    { name: "bucket", type: "text", texts: layout.shown.map(({ name }) => name) },
    ...ENDS.map((name): ArrowColumn => (isTime ? arrowTime(name, time) : { name, type: "double" })),
    ...(layout.around ? [{ name: "side", type: "text", texts: SIDES } as const] : []),
    ...bucketFieldsOf(distribution.selector).map((name) => ({ name, type: "double" }) as const),
  ];
  yield { text: arrowSchema(columns, aboutOf(distribution)), points: 0 };
  for await (const rows of filledRows(answer, context)) {
    const values = valueColumns(rows);
    for (let from = 0; from < rows.t.length; from += BATCH_ROWS) {
      const to = Math.min(from + BATCH_ROWS, rows.t.length);
      yield { text: arrowBatch(columns, values, from, to), points: (to - from) * rows.fields.length };
    }
    context.lease.free([rows.t]);
  }
  yield { text: arrowEnd(), points: 0 };
}

/** A row group a part. */
export async function* distributionParquet(
  answer: DistributionAnswer,
  context: SeriesContext,
): AsyncGenerator<TextPiece> {
  const { distribution, layout, time } = answer;
  const isTime = DISTRIBUTIONS[distribution.name].key === "time";
  const writer = new ParquetWriter([
    { name: "t", time },
    { name: "bucket", texts: layout.shown.map(({ name }) => name) },
    ...ENDS.map((name): WrittenColumn => (isTime ? { name, time } : { name, unit: "usd_per_token" })),
    ...(layout.around ? [{ name: "side", texts: SIDES }] : []),
    ...bucketFieldsOf(distribution.selector).map((name) => ({ name, unit: metricByName(name).unit })),
  ]);
  yield { text: writer.begin(), points: 0 };
  for await (const rows of filledRows(answer, context)) {
    if (rows.t.length > 0) yield* writer.endGroup(valueColumns(rows));
    context.lease.free([rows.t]);
  }
  yield { text: writer.end(aboutOf(distribution)), points: 0 };
}

/** The metadata of Arrow and Parquet: what JSON says beside the numbers. */
const aboutOf = (distribution: Distribution) => ({
  [SERIES_INFO_KEY]: JSON.stringify(distributionFacts(distribution)),
});
