/** Formatting alone: points of full precision in memory, to bytes, repeatedly. */

import type { Slice } from "../../../data-schema/series.ts";
import { LAYOUTS } from "../../../worker/format/layouts.ts";
import { CAPACITY, writeRows } from "../../../worker/format/rows.ts";
import { FORMATTED_POINTS, HISTORY, HOUR } from "../queries.ts";
import { concatenate } from "./concatenation.ts";

/** As many hours as one chunk of a stream has. */
const points: Slice = {
  t: Float64Array.from({ length: CAPACITY }, (_, index) => HISTORY.from + index * HOUR),
  v: Float64Array.from({ length: CAPACITY }, (_, index) => 1e6 * Math.abs(Math.sin(index + 1))),
};

/** Bytes of text of `FORMATTED_POINTS` points. */
export const formatting = {
  kernel: () => repeat(() => writeRows([points], LAYOUTS.json, "", "").length),
  concatenation: () => {
    const encoder = new TextEncoder();
    return repeat(() => encoder.encode(concatenate(points, 0, CAPACITY, LAYOUTS.json)).length);
  },
};

function repeat(format: () => number): number {
  let bytes = 0;
  for (let done = 0; done < FORMATTED_POINTS; done += CAPACITY) bytes += format();
  return bytes;
}
