/** Query and manifest → points, in as few and as parallel reads as there can be. */

import type { Manifest } from "../../data-schema/manifest.ts";
import { PARQUET_TRAILER_BYTES } from "../../data-schema/parquet.ts";
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
import { readRange } from "./ranges.ts";
import { type Slice, within } from "./slice.ts";
import { verify } from "./verify.ts";

/** Up to this size, in bytes, an object is read whole: one read, and all its bytes checked. */
export const WHOLE_BYTES = 256 * 1024;

/** Objects opened ahead. Every year of an hour series fits, so that their reads go side by side. */
const OBJECTS_AHEAD = 12;

/** Rows read ahead: three full runs, three megabytes of points. */
const ROWS_AHEAD = 3 * RUN_ROWS;

/** Longer slices pass through without being remembered: one long series would push out everything else. */
const REMEMBERED_ROWS = 32_768;

interface Opened {
  file: SeriesFile;
  footer: Footer;
  /** The whole object, where it has just been read to get at its footer. */
  whole: Uint8Array<ArrayBuffer> | null;
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
  const step = query.resolution === "block" ? 0 : BUCKET_SECONDS[query.resolution];
  const slices = readFiles(files, query.selector, since, until, step, context);
  if (query.resolution === "block" || query.shape === "ratio") return slices;
  return fillZeros(slices, Math.ceil(since / step) * step, until, step);
}

async function* readFiles(
  files: SeriesFile[],
  selector: string,
  since: number,
  until: number,
  step: number,
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
      const { from, to } = object.file.period;
      const found = planRuns(object.footer, selector, since, until, { from, to, step });
      for (const run of found) yield { object, run };
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
  const whole = isSmall(file) ? await readWhole(file, context) : null;
  const footer = parseFooter(whole ?? (await readFooter(file, context)), file);
  footers.set(file.key, footer);
  return { file, footer, whole };
}

async function readRun({ file, whole }: Opened, run: Run, selector: string, context: Context): Promise<Slice> {
  const { slices } = context.isolate;
  const name = `${file.key} ${selector} ${run.first}+${run.groups.length}`;
  const known = slices.get(name);
  if (known !== undefined) return known;
  const bytes = isSmall(file)
    ? (whole ?? (await readWhole(file, context))).subarray(run.offset, run.offset + run.length)
    : await readRowGroups(file, run, context);
  let slice: Slice;
  try {
    slice = decode(excerpt(bytes, run.offset, run.groups), run.skip, run.rows);
    if (slice.t[0]! < file.period.from || slice.t[run.rows - 1]! >= file.period.to) throw new Error("another period");
  } catch (cause) {
    throw damaged(`${file.key} cannot be decoded`, cause);
  }
  if (run.rows <= REMEMBERED_ROWS) slices.set(name, slice);
  return slice;
}

function readWhole(file: SeriesFile, context: Context): Promise<Uint8Array<ArrayBuffer>> {
  return readRange(file, 0, file.size, (bytes) => verify(bytes, file.hash, file.key), context);
}

function readFooter(file: SeriesFile, context: Context): Promise<Uint8Array<ArrayBuffer>> {
  const length = file.footer + PARQUET_TRAILER_BYTES;
  const check = (bytes: Uint8Array<ArrayBuffer>) => verify(bytes, file.footerHash, `the footer of ${file.key}`);
  return readRange(file, file.size - length, length, check, context);
}

/** Each row group has a digest of its own: a run may be any of them in a row. */
function readRowGroups(file: SeriesFile, run: Run, context: Context): Promise<Uint8Array<ArrayBuffer>> {
  const check = async (bytes: Uint8Array<ArrayBuffer>) => {
    const checks = run.groups.map(({ chunks: [t, v], digest }, index) => {
      const group = bytes.subarray(t.offset - run.offset, v.offset + v.compressedBytes - run.offset);
      return verify(group, digest, `row group ${run.first + index} of ${file.key}`);
    });
    await Promise.all(checks);
  };
  return readRange(file, run.offset, run.length, check, context);
}

function isSmall(file: SeriesFile): boolean {
  return file.size <= WHOLE_BYTES;
}
