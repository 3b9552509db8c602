/** A distribution as text: matrices in JSON, or a line for each row. */

import { type Bucket, bucketFieldsOf } from "../../data-schema/registry.ts";
import { joinBytes } from "../../data-schema/text.ts";
import type { SeriesContext } from "../context.ts";
import type { TextPiece } from "../format/rows-and-pieces.ts";
import { RowWriter } from "../format/table-rows.ts";
import { SIDES } from "../read/around-price.ts";
import { readField } from "../read/distribution.ts";
import { NUMBERS } from "./columnar.ts";
import { distributionFacts, endsOf, timeOf } from "./distribution-facts.ts";
import { type DistributionAnswer, ENDS, filledRows } from "./distribution-rows.ts";

/** Bytes of a piece, roughly. */
const PIECE_BYTES = 65_536;
const encoder = new TextEncoder();
const [OPEN, CLOSE, COMMA] = Uint8Array.from("[],", (character) => character.charCodeAt(0));

/** Columnar: a matrix a field, with a row for each t. */
export async function* distributionJson(
  { distribution, years, layout, time }: DistributionAnswer,
  context: SeriesContext,
): AsyncGenerator<TextPiece> {
  const { t } = distribution;
  const { shown, around } = layout;
  const head = {
    ...distributionFacts(distribution),
    buckets: shown.map((bucket) => ({ name: bucket.name, ...endsOf(distribution, bucket, time) })),
    t: Array.from(t, (seconds) => timeOf(seconds, time)),
    ...(around && {
      price: Array.from(t, (seconds) => around.price.priceAt(seconds)),
      at: Array.from(t, around.placeOfPrice),
    }),
  };
  yield { text: encoder.encode(JSON.stringify(head).slice(0, -1)), points: 0 };
  for (const field of bucketFieldsOf(distribution.selector)) {
    yield { text: encoder.encode(`,"${field}":[`), points: 0 };
    const matrix = await readField(distribution, years, field, layout, context);
    yield* matrixText(matrix, t.length, shown.length);
    context.lease.free([matrix]);
    yield { text: encoder.encode("]"), points: 0 };
  }
  yield { text: encoder.encode("}"), points: 0 };
}

/** The rows of a matrix as arrays, separated by commas. */
function* matrixText(matrix: Float64Array, rows: number, width: number): Generator<TextPiece> {
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
  /** @param columns all of them but the time */
  head: (columns: readonly string[]) => string;
  time: (t: string | number) => string;
  place: (name: string, ends: ReturnType<typeof endsOf>, side: string | undefined) => string;
  beforeValue: (field: string) => string;
  close: string;
}

/** A line a row. */
export const distributionLines = ({ head, time: timeText, place: placeText, beforeValue, close }: LineLayout) =>
  async function* (answer: DistributionAnswer, context: SeriesContext): AsyncGenerator<TextPiece> {
    const { distribution, layout, time } = answer;
    const { shown, around } = layout;
    const names = bucketFieldsOf(distribution.selector);
    const heading = head(["bucket", ...ENDS, ...(around ? ["side"] : []), ...names]);
    if (heading !== "") yield { text: encoder.encode(heading), points: 0 };
    const encoded = (bucket: Bucket, side?: string) =>
      encoder.encode(placeText(bucket.name, endsOf(distribution, bucket, time), side));
    const places = shown.map((bucket) => encoded(bucket));
    const placeAt = (place: number, t: number) => {
      if (around === null) return places[place]!;
      const { bucket, side } = around.at(place, t);
      return encoded(bucket, SIDES[side]);
    };
    const writer = new RowWriter({ ...NUMBERS, beforeValues: names.map(beforeValue), close });
    for await (const { t, bucket, fields } of filledRows(answer, context)) {
      for (let from = 0, to = 0; from < t.length; from = to) {
        to = Math.min(from + writer.capacity, t.length);
        const numbers = writer.write({ t, block: null, columns: fields }, from, to);
        const times = new Map<number, Uint8Array>();
        for (let row = from; row < to; row++) {
          if (!times.has(t[row]!)) times.set(t[row]!, encoder.encode(timeText(timeOf(t[row]!, time))));
        }
        const begins = (row: number) => [times.get(t[row]!)!, placeAt(bucket[row]!, t[row]!)] as const;
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
  const parts = Array.from({ length: to - from }, (_, row) => begins(from + row));
  for (const begin of parts) for (const part of begin) length += part.length;
  const text = new Uint8Array(length);
  let end = 0;
  let line = 0;
  for (const begin of parts) {
    for (const part of begin) {
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

export const CSV_LINES: LineLayout = {
  head: (columns) => `${["t", ...columns].join(",")}\n`,
  time: (t) => `${t},`,
  place: (name, { from, to }, side) => [name, from, to, ...(side ? [side] : [])].join(","),
  beforeValue: () => ",",
  close: "\n",
};

export const JSON_LINES: LineLayout = {
  head: () => "",
  time: (t) => `{"t":${JSON.stringify(t)},`,
  place: (name, ends, side) => JSON.stringify({ bucket: name, ...ends, side }).slice(1, -1),
  beforeValue: (field) => `,"${field}":`,
  close: "}\n",
};
