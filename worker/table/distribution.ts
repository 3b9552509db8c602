/** A distribution → the body of a response, in its format. */

import { type Bucket, DISTRIBUTION_FIELDS, DISTRIBUTIONS } from "../../data-schema/distributions.ts";
import { yearStart } from "../../data-schema/resolutions.ts";
import type { SeriesContext } from "../context.ts";
import { type Body, body } from "../format/body.ts";
import type { Piece } from "../format/pieces.ts";
import { type RowTexts, RowWriter } from "../format/table-rows.ts";
import { isoTime } from "../format/time.ts";
import { bucketsOf, type Distribution, openYears, readField } from "../read/distribution.ts";
import type { Opened } from "../read/open.ts";
import type { DistributionFormat, DistributionQuery } from "../request/distribution-query.ts";
import type { TimeForm } from "../request/table-parameters.ts";

/** What the writers know of an answer. */
interface Answer {
  distribution: Distribution;
  years: readonly Opened[];
  buckets: readonly Bucket[];
  time: TimeForm;
}

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
    const buckets = await bucketsOf(distribution, years, context);
    const pieces = WRITERS[format]({ distribution, years, buckets, time }, context);
    return await body(pieces, null, entry.id, lease);
  } catch (error) {
    lease.end();
    throw error;
  }
}

type Writer = (answer: Answer, context: SeriesContext) => AsyncGenerator<Piece>;

/** A number after a comma. */
const NUMBERS: RowTexts = {
  open: "",
  time: null,
  afterTime: "",
  beforeBlock: null,
  beforeValues: [","],
  missing: "",
  close: "",
};

/** Bytes of a piece, roughly. */
const PIECE_BYTES = 65_536;
const encoder = new TextEncoder();
const [OPEN, CLOSE, COMMA] = Uint8Array.from("[],", (character) => character.charCodeAt(0));

/** Columnar: a matrix a field, with a row for each t. */
async function* json({ distribution, years, buckets, time }: Answer, context: SeriesContext): AsyncGenerator<Piece> {
  const { name, selector, resolution, manifest, t } = distribution;
  const head = {
    asset: manifest.symbol,
    build: manifest.build,
    asOf: manifest.asOf,
    distribution: name,
    selector,
    resolution,
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
  let parts: Uint8Array[] = [];
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
    yield { text: joined(parts), points };
    [parts, bytes, points] = [[], 0, 0];
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const text = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    text.set(part, at);
    at += part.length;
  }
  return text;
}

/** A row for each bucket that is not empty, in the order of t, then of buckets. */
const inRows = (
  head: string,
  row: (t: string | number, place: string, values: readonly number[]) => string,
  place: PlaceText,
): Writer =>
  async function* (answer, context) {
    if (head !== "") yield { text: encoder.encode(head), points: 0 };
    const { buckets, time } = answer;
    const places = buckets.map((bucket) => place(bucket.name, endsOf(answer.distribution, bucket, time)));
    // A year at a time: three fields are held together.
    const { distribution } = answer;
    for (let from = 0, to = 0; from < distribution.t.length; from = to) {
      const year = yearStart(distribution.t[from]!);
      while (to < distribution.t.length && yearStart(distribution.t[to]!) === year) to++;
      const part = { ...distribution, t: distribution.t.subarray(from, to) };
      const years = answer.years.filter(
        ({ object }) => object.period.from <= part.t.at(-1)! && object.period.to > year,
      );
      const fields: Float64Array[] = [];
      for (const field of DISTRIBUTION_FIELDS) fields.push(await readField(part, years, field, buckets, context));
      yield* rowTexts(part, fields);
      context.lease.free(fields);
    }

    function* rowTexts({ t }: Distribution, fields: readonly Float64Array[]): Generator<Piece> {
      let text = "";
      let points = 0;
      for (const [index, seconds] of t.entries()) {
        const start = timeOf(seconds, time);
        for (const [bucket, place] of places.entries()) {
          const values = fields.map((field) => field[index * places.length + bucket]!);
          if (values.at(-1) === 0) continue;
          text += row(start, place, values);
          points += values.length;
        }
        if (text.length < PIECE_BYTES && index < t.length - 1) continue;
        yield { text: encoder.encode(text), points };
        [text, points] = ["", 0];
      }
    }
  };

type Ends = ReturnType<typeof endsOf>;
type PlaceText = (name: string, ends: Ends) => string;

const WRITERS: Record<DistributionFormat, Writer> = {
  json,
  csv: inRows(
    `${["t", "bucket", "from", "to", ...DISTRIBUTION_FIELDS].join(",")}\n`,
    (t, place, values) => `${t},${place},${values.join(",")}\n`,
    (name, { from, to }) => `${name},${from ?? ""},${to ?? ""}`,
  ),
  ndjson: inRows(
    "",
    (t, place, values) =>
      `{"t":${JSON.stringify(t)},${place}${DISTRIBUTION_FIELDS.map((field, i) => `,"${field}":${values[i]}`).join("")}}\n`,
    (name, ends) => JSON.stringify({ bucket: name, ...ends }).slice(1, -1),
  ),
};

const timeOf = (seconds: number, time: TimeForm) => (time === "unix" ? seconds : isoTime(seconds));

/** The ends of a bucket: costs, or times in the form of the answer; null where it has none. */
function endsOf({ name }: Distribution, { from, to }: Bucket, time: TimeForm) {
  const isTime = DISTRIBUTIONS[name].key === "time";
  const text = (end: number | null) => (isTime && end !== null ? timeOf(end, time) : end);
  return { from: text(from), to: text(to) };
}
