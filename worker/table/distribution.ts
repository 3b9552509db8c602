/** A distribution → the body of a response, in its format. */

import { joinBytes } from "../../data-schema/bytes.ts";
import { type Bucket, DISTRIBUTION_FIELDS, DISTRIBUTIONS } from "../../data-schema/distributions.ts";
import { metricByName } from "../../data-schema/metrics.ts";
import { SERIES_INFO_KEY } from "../../data-schema/series.ts";
import type { SeriesContext } from "../context.ts";
import { type ArrowColumn, arrowBatch, arrowEnd, arrowSchema, arrowTime } from "../format/arrow.ts";
import { type Body, body } from "../format/body.ts";
import { ParquetWriter, type WrittenColumn } from "../format/parquet.ts";
import type { Piece } from "../format/pieces.ts";
import { RowWriter } from "../format/table-rows.ts";
import { isoTime } from "../format/time.ts";
import { bucketsOf, type Distribution, mostCells, openYears, readField, readsOf } from "../read/distribution.ts";
import { spendReads } from "../read/rows.ts";
import type { DistributionQuery } from "../request/distribution-query.ts";
import type { TableFormat } from "../request/table-formats.ts";
import type { TimeForm } from "../request/table-parameters.ts";
import { NUMBERS } from "./columnar.ts";
import { type Answer, columnsOf, ENDS, filledRows, numbersOfRows } from "./distribution-rows.ts";

/**
 * The body, once its first rows have been read.
 *
 * @throws {Problem} 400 too many cells; 500 or 503 as `readRange`; 503 there is no place in memory
 */
export async function distributionBody(
  { time, format }: DistributionQuery,
  distribution: Distribution,
  context: SeriesContext,
): Promise<Body> {
  const { lease, entry } = context;
  try {
    const years = await openYears(distribution, context);
    const cells = mostCells(distribution, years);
    // Rows leave garbage behind, which grows with their number.
    const numbers = cells + (format === "json" ? 0 : numbersOfRows(cells, distribution));
    await lease.grow(READ_BYTES + Float64Array.BYTES_PER_ELEMENT * numbers);
    spendReads(readsOf(distribution, years), context);
    const buckets = await bucketsOf(distribution, years, context);
    const pieces = WRITERS[format]({ distribution, years, buckets, time }, context);
    return await body(pieces, null, entry.id, lease);
  } catch (error) {
    lease.end();
    throw error;
  }
}

/** Bytes of the batches that are read at once. */
const READ_BYTES = 3 << 20;

type Writer = (answer: Answer, context: SeriesContext) => AsyncGenerator<Piece>;

/** Bytes of a piece, roughly. */
const PIECE_BYTES = 65_536;
const encoder = new TextEncoder();
const [OPEN, CLOSE, COMMA] = Uint8Array.from("[],", (character) => character.charCodeAt(0));

/** Columnar: a matrix a field, with a row for each t. */
async function* json({ distribution, years, buckets, time }: Answer, context: SeriesContext): AsyncGenerator<Piece> {
  const { t } = distribution;
  const head = {
    ...factsOf(distribution),
    buckets: buckets.map((bucket) => ({ name: bucket.name, ...endsOf(distribution, bucket, time) })),
    t: Array.from(t, (seconds) => timeOf(seconds, time)),
  };
  yield { text: encoder.encode(JSON.stringify(head).slice(0, -1)), points: 0 };
  for (const field of DISTRIBUTION_FIELDS) {
    yield { text: encoder.encode(`,"${field}":[`), points: 0 };
    const matrix = await readField(distribution, years, field, buckets, context);
    yield* matrixText(matrix, t.length, buckets.length);
    context.lease.free([matrix]);
    yield { text: encoder.encode("]"), points: 0 };
  }
  yield { text: encoder.encode("}"), points: 0 };
}

/** The rows of a matrix as arrays, separated by commas. */
function* matrixText(matrix: Float64Array, rows: number, width: number): Generator<Piece> {
  const writer = new RowWriter(NUMBERS);
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let points = 0;
  for (let row = 0; row < rows; row++) {
    const values = matrix.subarray(row * width, (row + 1) * width);
    parts.push(row === 0 ? Uint8Array.of(OPEN!) : Uint8Array.of(COMMA!, OPEN!));
    for (let from = 0; from < width; from += writer.capacity) {
      const to = Math.min(from + writer.capacity, width);
      const text = writer.write({ t: values, block: null, columns: [values] }, from, to);
      // The first entry has no comma before it.
      parts.push(from === 0 ? text.subarray(1) : text);
      bytes += text.length;
    }
    parts.push(Uint8Array.of(CLOSE!));
    points += width;
    if (bytes < PIECE_BYTES && row < rows - 1) continue;
    yield { text: joinAndFree(parts), points };
    [parts, bytes, points] = [[], 0, 0];
  }
}

/** One text of several, whose memory would be garbage that waits for a collection. */
function joinAndFree(parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array {
  const text = joinBytes(parts);
  for (const { buffer } of parts) buffer.transfer(0);
  return text;
}

/** How the line of a row is written: what stands before its numbers depends on its time, and on its bucket. */
interface LineLayout {
  head: string;
  time: (t: string | number) => string;
  place: (name: string, ends: ReturnType<typeof endsOf>) => string;
  beforeValues: readonly string[];
  close: string;
}

/** A line a row. */
const inLines = ({ head, time: timeText, place: placeText, beforeValues, close }: LineLayout): Writer =>
  async function* (answer, context) {
    if (head !== "") yield { text: encoder.encode(head), points: 0 };
    const { distribution, buckets, time } = answer;
    const places = buckets.map((bucket) => encoder.encode(placeText(bucket.name, endsOf(distribution, bucket, time))));
    const writer = new RowWriter({ ...NUMBERS, beforeValues, close });
    for await (const { t, bucket, fields } of filledRows(answer, context)) {
      for (let from = 0, to = 0; from < t.length; from = to) {
        to = Math.min(from + writer.capacity, t.length);
        const numbers = writer.write({ t, block: null, columns: fields }, from, to);
        const times = new Map<number, Uint8Array>();
        for (let row = from; row < to; row++) {
          if (!times.has(t[row]!)) times.set(t[row]!, encoder.encode(timeText(timeOf(t[row]!, time))));
        }
        const begins = (row: number) => [times.get(t[row]!)!, places[bucket[row]!]!] as const;
        yield { text: interleave(numbers, from, to, begins), points: (to - from) * fields.length };
      }
      context.lease.free([t]);
    }
  };

const LINE_END = "\n".charCodeAt(0);

/** Puts what each line begins with before its numbers, which are freed. */
function interleave(
  numbers: Uint8Array<ArrayBuffer>,
  from: number,
  to: number,
  begins: (row: number) => readonly Uint8Array[],
): Uint8Array {
  let length = numbers.length;
  for (let row = from; row < to; row++) for (const part of begins(row)) length += part.length;
  const text = new Uint8Array(length);
  let end = 0;
  for (let row = from, line = 0; row < to; row++) {
    for (const part of begins(row)) {
      text.set(part, end);
      end += part.length;
    }
    const next = numbers.indexOf(LINE_END, line) + 1;
    text.set(numbers.subarray(line, next), end);
    end += next - line;
    line = next;
  }
  numbers.buffer.transfer(0);
  return text;
}

/** Rows of an Arrow batch. */
const BATCH_ROWS = 8_192;

async function* arrow(answer: Answer, context: SeriesContext): AsyncGenerator<Piece> {
  const { distribution, buckets, time } = answer;
  const isTime = DISTRIBUTIONS[distribution.name].key === "time";
  const columns: ArrowColumn[] = [
    arrowTime("t", time),
    { name: "bucket", type: "text", texts: buckets.map(({ name }) => name) },
    ...ENDS.map((name): ArrowColumn => (isTime ? arrowTime(name, time) : { name, type: "double" })),
    ...DISTRIBUTION_FIELDS.map((name) => ({ name, type: "double" }) as const),
  ];
  yield { text: arrowSchema(columns, aboutOf(distribution)), points: 0 };
  for await (const rows of filledRows(answer, context)) {
    const values = columnsOf(rows);
    for (let from = 0; from < rows.t.length; from += BATCH_ROWS) {
      const to = Math.min(from + BATCH_ROWS, rows.t.length);
      yield { text: arrowBatch(columns, values, from, to), points: (to - from) * DISTRIBUTION_FIELDS.length };
    }
    context.lease.free([rows.t]);
  }
  yield { text: arrowEnd(), points: 0 };
}

/** A row group a part. */
async function* parquet(answer: Answer, context: SeriesContext): AsyncGenerator<Piece> {
  const { distribution, buckets, time } = answer;
  const isTime = DISTRIBUTIONS[distribution.name].key === "time";
  const writer = new ParquetWriter([
    { name: "t", time },
    { name: "bucket", texts: buckets.map(({ name }) => name) },
    ...ENDS.map((name): WrittenColumn => (isTime ? { name, time } : { name, unit: "usd_per_token" })),
    ...DISTRIBUTION_FIELDS.map((name) => ({ name, unit: metricByName(name).unit })),
  ]);
  yield { text: writer.begin(), points: 0 };
  for await (const rows of filledRows(answer, context)) {
    if (rows.t.length > 0) yield* writer.endGroup(columnsOf(rows));
    context.lease.free([rows.t]);
  }
  yield { text: writer.end(aboutOf(distribution)), points: 0 };
}

/** The metadata of Arrow and Parquet: what JSON says beside the numbers. */
const aboutOf = (distribution: Distribution) => ({ [SERIES_INFO_KEY]: JSON.stringify(factsOf(distribution)) });

/** What an answer says beside its numbers. */
export const factsOf = ({ name, selector, resolution, manifest }: Distribution) => ({
  asset: manifest.symbol,
  build: manifest.build,
  asOf: manifest.asOf,
  distribution: name,
  selector,
  resolution,
});

const WRITERS: Record<TableFormat, Writer> = {
  json,
  csv: inLines({
    head: `${["t", "bucket", ...ENDS, ...DISTRIBUTION_FIELDS].join(",")}\n`,
    time: (t) => `${t},`,
    place: (name, { from, to }) => `${name},${from ?? ""},${to ?? ""}`,
    beforeValues: DISTRIBUTION_FIELDS.map(() => ","),
    close: "\n",
  }),
  ndjson: inLines({
    head: "",
    time: (t) => `{"t":${JSON.stringify(t)},`,
    place: (name, ends) => JSON.stringify({ bucket: name, ...ends }).slice(1, -1),
    beforeValues: DISTRIBUTION_FIELDS.map((field) => `,"${field}":`),
    close: "}\n",
  }),
  arrow,
  parquet,
};

const timeOf = (seconds: number, time: TimeForm) => (time === "unix" ? seconds : isoTime(seconds));

/** The ends of a bucket: costs, or times in the form of the answer; null where it has none. */
export function endsOf({ name }: Distribution, { from, to }: Bucket, time: TimeForm) {
  const isTime = DISTRIBUTIONS[name].key === "time";
  const text = (end: number | null) => (isTime && end !== null ? timeOf(end, time) : end);
  return { from: text(from), to: text(to) };
}
