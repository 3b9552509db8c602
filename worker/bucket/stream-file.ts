/** Bytes of a file as a stream: they pass through without being kept. */

import type { Pack } from "../../data-schema/stored.ts";
import type { Context } from "../context.ts";
import { damaged, storeUnavailable } from "../problems/problem.ts";
import { type ByteRange, type Part, partOf } from "../request/byte-range.ts";
import { placeName } from "./ranges.ts";
import { again } from "./read-twice.ts";
import { storedSha256 } from "./verify-bytes.ts";

export interface StoredFile {
  /** The size of the whole file, in bytes. */
  size: number;
  /** What was asked for; null if the file ends before. */
  part: Part | null;
  /** Null if no bytes were asked for, or the file ends before them. */
  body: ReadableStream<Uint8Array> | null;
}

/** Where a file's bytes may be. */
export interface FilePlace {
  key: string;
  /** The SHA-256 of its bytes, hex, or the first 32 digits. */
  hash: string;
  /** The pack that has the file, and the file's size in it; absent for an object of its own. */
  packed?: { pack: Pack; size: number };
}

/**
 * A file, or a part of it.
 *
 * @param range null for all bytes
 * @param isWanted whether its bytes are
 * @returns null if there is no such object, or pack
 * @throws {Problem} 500 it is not what was published under this name; 503 the store is out of reach
 */
export async function readFile(
  place: FilePlace,
  range: ByteRange | null,
  isWanted: boolean,
  context: Context,
): Promise<StoredFile | null> {
  const { pack, size } = place.packed ?? {};
  const { key, hash } = pack ?? place;
  const inPack = pack && partOf(range, size!);
  const read = inPack ? { offset: pack.offset + inPack.offset, length: inPack.length } : range;
  const object = await readStored(key, read, isWanted && inPack !== null, context);
  if (object === null) return null;
  const isPublished = storedSha256(object)?.startsWith(hash) && object.size === (pack?.size ?? object.size);
  if (!isPublished) throw damaged(`${placeName({ ...place, ...(pack && { pack }) })} is not what was published`);
  const body = "body" in object ? (object as R2ObjectBody).body : null;
  return { size: size ?? object.size, part: partOf(range, size ?? object.size), body };
}

async function readStored(
  key: string,
  range: ByteRange | null,
  isWanted: boolean,
  { bindings: { BUCKET } }: Context,
): Promise<R2Object | R2ObjectBody | null> {
  const head = () => BUCKET.head(key);
  // R2 has no word for the last 0 bytes.
  const isEmpty = range !== null && "suffix" in range && range.suffix === 0;
  const read = isWanted && !isEmpty ? () => BUCKET.get(key, range === null ? {} : { range }) : head;
  try {
    return await again(read);
  } catch (cause) {
    // A read beyond the end fails as if the store were down.
    const found = await head().catch(() => undefined);
    if (found === null || (found && partOf(range, found.size) === null)) return found;
    throw storeUnavailable(cause);
  }
}
