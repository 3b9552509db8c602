/** A stored object as a stream: its bytes pass through without being kept. */

import { SYMBOL_PATTERN } from "../../data-schema/asset.ts";
import type { Context } from "../context.ts";
import { damaged, storeUnavailable } from "../problems/problem.ts";
import { type ByteRange, type Part, partOf } from "../request/byte-range.ts";
import { type FilePath, fileKey } from "../request/file-path.ts";
import { again } from "./read-twice.ts";
import { storedSha256 } from "./verify-bytes.ts";

export interface StoredFile {
  /** The size of the whole object, in bytes. */
  size: number;
  /** What was asked for; null if the object ends before. */
  part: Part | null;
  /** Null if no bytes were asked for, or the object ends before them. */
  body: ReadableStream<Uint8Array> | null;
}

/**
 * A file, or a part of it.
 *
 * @param range null for all bytes
 * @param isWanted whether its bytes are
 * @returns null if there is no such file
 * @throws {Problem} 500 it is not what was published under this name; 503 the store is out of reach
 */
export async function readFile(
  symbol: string,
  path: FilePath,
  range: ByteRange | null,
  isWanted: boolean,
  context: Context,
): Promise<StoredFile | null> {
  const key = fileKey(symbol, path);
  const object = SYMBOL_PATTERN.test(symbol) ? await readStored(key, range, isWanted, context) : null;
  if (object === null) return null;
  if (!storedSha256(object)?.startsWith(path.hash)) throw damaged(`${key} is not what was published`);
  const body = "body" in object ? (object as R2ObjectBody).body : null;
  return { size: object.size, part: partOf(range, object.size), body };
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
