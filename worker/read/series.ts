/** Query and manifest → points, in as few and as parallel reads as there can be. */

import type { Manifest } from "../../data-schema/manifest.ts";
import { BUCKET_SECONDS } from "../../data-schema/resolutions.ts";
import type { Context } from "../context.ts";
import { damaged, Problem } from "../problems.ts";
import type { Query } from "../validate.ts";
import { ahead } from "./ahead.ts";
import { decode } from "./decode.ts";
import { excerpt } from "./excerpt.ts";
import { type SeriesFile, seriesFiles } from "./files.ts";
import { fillZeros } from "./fill.ts";
import { type Footer, parseFooter } from "./footer.ts";
import { planRuns, RUN_ROWS, type Run } from "./plan.ts";
import { type RangeRead, readRange } from "./ranges.ts";
import { type Slice, within } from "./slice.ts";

/** Up to this size, in bytes, an object is read whole: one read, and all its bytes checked. */
export const WHOLE_BYTES = 256 * 1024;

/** Objects opened ahead. Every year of an hour series fits, so that their reads go side by side. */
const OBJECTS_AHEAD = 12;

/** Rows read ahead: three full runs, three megabytes of points. */
const ROWS_AHEAD = 3 * RUN_ROWS;

/** Longer slices pass through without being remembered: one long series would push out everything else. */
const REMEMBERED_ROWS = 32_768;

/**
 * How long what the decoder failed on is kept from it. A panic of the decoder loses a little of its stack for good,
 * and after some seven hundred of them it decodes nothing any more.
 */
const UNDECODABLE_MS = 60_000;

interface Opened {
  file: SeriesFile;
  footer: Footer;
  /** The whole object, where it has just been read to get at its footer. */
  whole: RangeRead | null;
}

/**
 * The points of a query, ascending, slice by slice. Cold, two reads follow each other: footers, then row groups;
 * one where the footer is known or the object is small; none where the slices are remembered.
 *
 * @throws {Problem} 400 the resolution is not published; 500 or 503 as `readRange`; thrown before the first slice
 *   or between two
 */
export function readSeries(query: Query, manifest: Manifest, context: Context): AsyncGenerator<Slice> {
  const published = manifest.resolutions[query.resolution];
  if (published === undefined) {
    throw new Problem("unavailable-resolution", `This asset is published without the resolution ${query.resolution}.`, {
      parameter: "r",
      allowed: Object.keys(manifest.resolutions),
    });
  }
  let { since, until } = query;
  if (query.resolution !== "block") {
    const { first, last } = manifest.resolutions[query.resolution]!;
    since = Math.max(since, first ?? Number.POSITIVE_INFINITY);
    until = Math.min(until, last ?? Number.NEGATIVE_INFINITY);
  }
  const files = seriesFiles(query, manifest.symbol, published.periods, since, until);
  const slices = readFiles(files, query.selector, since, until, context);
  if (query.resolution === "block" || query.shape === "ratio") return slices;
  const step = BUCKET_SECONDS[query.resolution];
  return fillZeros(slices, Math.ceil(since / step) * step, until, step);
}

async function* readFiles(
  files: SeriesFile[],
  selector: string,
  since: number,
  until: number,
  context: Context,
): AsyncGenerator<Slice> {
  async function* runs() {
    const opened = ahead(
      files,
      (file) => open(file, context),
      () => 1,
      OBJECTS_AHEAD,
    );
    for await (const object of opened) {
      for (const run of planRuns(object.footer, selector, since, until)) yield { object, run };
    }
  }
  const slices = ahead(
    runs(),
    ({ object, run }) => readRun(object, run, selector, context),
    ({ run }) => run.rows,
    ROWS_AHEAD,
  );
  for await (const slice of slices) {
    const points = within(slice, since, until);
    if (points.t.length > 0) yield points;
  }
}

async function open(file: SeriesFile, context: Context): Promise<Opened> {
  const { footers } = context.isolate;
  const known = footers.get(file.key);
  if (known !== undefined) return { file, footer: known, whole: null };
  const length = isSmall(file) ? file.size : file.footer + 8;
  const read = await readRange(file, file.size - length, length, context);
  const footer = parseFooter(read.bytes, file);
  read.keep();
  footers.set(file.key, footer);
  return { file, footer, whole: isSmall(file) ? read : null };
}

async function readRun(opened: Opened, run: Run, selector: string, context: Context): Promise<Slice> {
  const { slices, undecodable } = context.isolate;
  const { file, whole } = opened;
  const name = `${file.key} ${selector} ${run.first}+${run.groups.length}`;
  const known = slices.get(name);
  if (known !== undefined) return known;
  const failedAt = undecodable.get(name);
  if (failedAt !== undefined && context.now() - failedAt < UNDECODABLE_MS) {
    throw damaged(`${file.key} could not be decoded a moment ago`);
  }

  const [offset, length] = isSmall(file) ? [0, file.size] : [run.offset, run.length];
  const read = whole ?? (await readRange(file, offset, length, context));
  const start = run.offset - offset;
  let slice: Slice;
  try {
    slice = decodeRun(read.bytes.subarray(start, start + run.length), run, opened);
  } catch (cause) {
    undecodable.set(name, context.now());
    throw damaged(`${file.key} cannot be decoded`, cause);
  }
  if (read !== whole) read.keep();
  if (run.rows <= REMEMBERED_ROWS) slices.set(name, slice);
  return slice;
}

function decodeRun(bytes: Uint8Array, run: Run, { file: { period }, footer }: Opened): Slice {
  const slice = decode(excerpt(bytes, run.offset, footer.columns, run.groups), run.skip, run.rows);
  if (slice.t[0]! < period.from || slice.t[run.rows - 1]! >= period.to) throw new Error("points outside the period");
  return slice;
}

function isSmall(file: SeriesFile): boolean {
  return file.size <= WHOLE_BYTES;
}
