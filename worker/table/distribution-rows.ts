/** A distribution as rows: the buckets that are not empty, a year at a time. */

import { bucketFieldsOf, presenceOf, yearStart } from "../../data-schema/registry.ts";
import type { SeriesContext } from "../context.ts";
import { type Distribution, readField, type ShownBuckets } from "../read/distribution.ts";
import type { Opened } from "../read/objects/open-object.ts";
import type { TimeForm } from "../request/parameters/table-parameters.ts";

/** What the writers know of an answer. */
export interface DistributionAnswer {
  distribution: Distribution;
  years: readonly Opened[];
  layout: ShownBuckets;
  time: TimeForm;
}

/** Cells whose rows are made at once, unless a single time has more, and the numbers of a row. */
const PART_CELLS = 32_768;
const ROW_NUMBERS = 8;

const DAYS_OF_YEAR = 366;

/** Numbers that are held at once while an answer of so many cells is made of rows. */
export function numbersOfRows(cells: number, { t, selector }: Distribution): number {
  const ofYear = Math.min(cells, Math.ceil((cells / t.length) * DAYS_OF_YEAR)) || 0;
  return bucketFieldsOf(selector).length * ofYear + ROW_NUMBERS * PART_CELLS;
}

/** The columns of a bucket. */
export const ENDS = ["from", "to"] as const;

/** Buckets that are not empty, in the order of t, then of buckets: each array has one entry a row. */
export interface FilledRows {
  t: Float64Array;
  /** Places in the answer's buckets. */
  bucket: Float64Array;
  /** The ends of the buckets; NaN where one has none. */
  ends: readonly Float64Array[];
  /** With `around`, one array: places in `SIDES`. */
  side: readonly Float64Array[];
  /** In the order of `bucketFieldsOf`. */
  fields: readonly Float64Array[];
}

/** The rows of an answer, some at a time; the fields of a year are held together. Whoever takes them frees `t`. */
export async function* filledRows(
  { distribution, years, layout }: DistributionAnswer,
  context: SeriesContext,
): AsyncGenerator<FilledRows> {
  const { t } = distribution;
  const most = Math.max(1, Math.floor(PART_CELLS / Math.max(1, layout.shown.length)));
  for (let from = 0, to = 0; from < t.length; from = to) {
    const year = yearStart(t[from]!);
    while (to < t.length && yearStart(t[to]!) === year) to++;
    const part = { ...distribution, t: t.subarray(from, to) };
    const own = years.filter(({ object }) => object.period.from === year);
    const matrices: Float64Array[] = [];
    const fields = bucketFieldsOf(distribution.selector);
    for (const field of fields) matrices.push(await readField(part, own, field, layout, context));
    for (let first = 0; first < part.t.length; first += most) {
      const presence = matrices[fields.indexOf(presenceOf(distribution.selector))]!;
      yield filledOf(part.t, matrices, presence, layout, first, Math.min(first + most, part.t.length), context);
    }
    context.lease.free(matrices);
  }
}

/** The cells of the times `first` to `end`, exclusive, that are not empty: above 0 in one of the matrices. */
function filledOf(
  t: Float64Array,
  matrices: readonly Float64Array[],
  presence: Float64Array,
  { shown, around }: ShownBuckets,
  first: number,
  end: number,
  { lease }: SeriesContext,
): FilledRows {
  const width = shown.length;
  let filled = 0;
  for (let cell = first * width; cell < end * width; cell++) if (presence[cell]! > 0) filled++;
  const sides = around === null ? 0 : 1;
  const memory = new Float64Array(filled * (2 + ENDS.length + sides + matrices.length));
  lease.keep([memory]);
  const column = (index: number) => memory.subarray(index * filled, (index + 1) * filled);
  const rows = {
    t: column(0),
    bucket: column(1),
    ends: ENDS.map((_, index) => column(2 + index)),
    side: Array.from({ length: sides }, () => column(2 + ENDS.length)),
    fields: matrices.map((_, index) => column(2 + ENDS.length + sides + index)),
  };
  let row = 0;
  for (let cell = first * width; cell < end * width; cell++) {
    if (presence[cell] === 0) continue;
    const place = cell % width;
    const time = t[Math.floor(cell / width)]!;
    const { bucket, side } = around?.at(place, time) ?? { bucket: shown[place]! };
    rows.t[row] = time;
    rows.bucket[row] = place;
    for (const [index, end] of ENDS.entries()) rows.ends[index]![row] = bucket[end] ?? Number.NaN;
    if (side !== undefined) rows.side[0]![row] = side;
    for (const [index, matrix] of matrices.entries()) rows.fields[index]![row] = matrix[cell]!;
    row++;
  }
  return rows;
}

/** The values of all columns. */
export const valueColumns = ({ t, bucket, ends, side, fields }: FilledRows) => [t, bucket, ...ends, ...side, ...fields];
