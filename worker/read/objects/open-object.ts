/** Objects and their parts: footers, row groups, or all bytes of a small one; each checked against what was published. */

import { PARQUET_TRAILER_BYTES, parseFooter, type SeriesFooter } from "../../../data-schema/parquet.ts";
import type { ManifestObject } from "../../../data-schema/stored.ts";
import { placeName, readRange } from "../../bucket/ranges.ts";
import { verify } from "../../bucket/verify-bytes.ts";
import type { SeriesContext } from "../../context.ts";
import { damaged } from "../../problems/problem.ts";
import type { Batch } from "./batches.ts";

/** Up to this size, in bytes, an object is read whole: one read, and all its bytes are checked. */
export const WHOLE_BYTES = 256 * 1024;

/** Up to this size, a part is read whole together with others beside it: a read takes as long as so many bytes more, and their check. */
export const JOINED_BYTES = 384 * 1024;

/** An object whose footer is known. */
export interface Opened {
  object: ManifestObject;
  footer: SeriesFooter;
  /** The whole object, if it has just been read for its footer. */
  whole: Uint8Array<ArrayBuffer> | null;
}

/** Reads the footer of an object, or takes it from the cache. */
export async function open(object: ManifestObject, context: SeriesContext): Promise<Opened> {
  const { isolate, lease } = context;
  const cached = isolate.footers.get(object.key);
  if (cached !== undefined) return { object, footer: cached, whole: null };
  const whole = readWhole(object, context);
  const bytes = await (whole ?? readFooter(object, context));
  lease.keep([bytes]);
  const footer = checkedFooter(bytes, object);
  isolate.footers.set(object.key, footer);
  if (whole) return { object, footer, whole: bytes };
  lease.free([bytes]);
  return { object, footer, whole: null };
}

/** All bytes of an object that is small, or comes with its neighbours; undefined of any other. They may count already. */
export function readWhole(
  object: ManifestObject,
  context: SeriesContext,
): Promise<Uint8Array<ArrayBuffer>> | undefined {
  const together = context.neighbours?.take(object, context);
  if (together || !isSmall(object)) return together;
  const { entry } = object;
  return readRange(object, 0, entry.size, (bytes) => verify(bytes, entry.hash, placeName(object)), context);
}

function readFooter(object: ManifestObject, context: SeriesContext): Promise<Uint8Array<ArrayBuffer>> {
  const { entry } = object;
  const length = entry.footer + PARQUET_TRAILER_BYTES;
  const check = (bytes: Uint8Array<ArrayBuffer>) =>
    verify(bytes, entry.footerHash, `the footer of ${placeName(object)}`);
  return readRange(object, entry.size - length, length, check, context);
}

/** The bytes of a batch. Each row group has its own digest, since a batch may consist of any consecutive ones. */
export function readRowGroups(
  object: ManifestObject,
  batch: Pick<Batch, "first" | "groups" | "offset" | "length">,
  context: SeriesContext,
): Promise<Uint8Array<ArrayBuffer>> {
  const check = async (bytes: Uint8Array<ArrayBuffer>) => {
    const checks = batch.groups.map(({ chunks: { t, v }, digest }, index) => {
      const group = bytes.subarray(t.offset - batch.offset, v.offset + v.compressedBytes - batch.offset);
      return verify(group, digest, `row group ${batch.first + index} of ${placeName(object)}`);
    });
    await Promise.all(checks);
  };
  return readRange(object, batch.offset, batch.length, check, context);
}

/** What is read to open an object. */
export function openBytes(object: ManifestObject): number {
  return isSmall(object) ? object.entry.size : object.entry.footer + PARQUET_TRAILER_BYTES;
}

/** Whether an object is always read whole. */
export function isSmall({ entry }: ManifestObject): boolean {
  return entry.size <= WHOLE_BYTES;
}

/**
 * Reads a footer.
 *
 * @param tail the end of the object: at least its footer and trailer
 * @throws {Problem} 500 not a footer, or one that contradicts itself or the manifest
 */
export function checkedFooter(tail: Uint8Array, object: ManifestObject): SeriesFooter {
  const { symbol, metric, resolution, period, entry } = object;
  try {
    const footer = parseFooter(tail, entry.size);
    const found = { ...footer.info, rows: footer.rows, length: footer.length };
    const listed = { symbol, metric, resolution, period: period.name, rows: entry.rows, length: entry.footer };
    for (const [name, value] of Object.entries(listed)) {
      const said = found[name as keyof typeof listed];
      if (said !== value) throw new Error(`its ${name} is ${said} instead of ${value}`);
    }
    return footer;
  } catch (cause) {
    throw damaged(`the footer of ${placeName(object)} cannot be used`, cause);
  }
}
