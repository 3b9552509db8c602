/** A stored object as a stream: its bytes pass through without being kept. */

import { SYMBOL_PATTERN } from "../../data-schema/asset.ts";
import { listedOf, type Manifest } from "../../data-schema/manifest.ts";
import { namePart } from "../../data-schema/objects.ts";
import type { Context } from "../context.ts";
import { withManifest } from "../locate/locate.ts";
import { damaged, Problem, storeUnavailable } from "../problems/problem.ts";
import { type ByteRange, type Part, partOf } from "../request/byte-range.ts";
import { type FilePath, fileKey, filesPath, pathOf } from "../request/file-path.ts";
import { storedSha256 } from "./verify.ts";

export interface StoredFile {
  /** Of the whole object, in bytes. */
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
 * @throws {Problem} 404 there is no such asset or file; 500 it is not what was published under this name, or missing
 *   although the active build has it; 503 the store is out of reach
 */
export async function readFile(
  symbol: string,
  path: FilePath,
  range: ByteRange | null,
  isWanted: boolean,
  context: Context,
): Promise<StoredFile> {
  const key = fileKey(symbol, path);
  const object = SYMBOL_PATTERN.test(symbol) ? await readStored(key, range, isWanted, context) : null;
  if (object === null) return withManifest(symbol, context, (manifest) => missing(path, manifest));
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
    // Another process that rewrites a local bucket may make one read fail.
    return await read().catch(read);
  } catch (cause) {
    // A read beyond the end fails as if the store were down.
    const found = await head().catch(() => undefined);
    if (found === null || (found && partOf(range, found.size) === null)) return found;
    throw storeUnavailable(cause);
  }
}

/** A file that the store does not have: its successor is that of the same metric and period in the active build. */
async function missing({ resolution, metric, period, hash }: FilePath, manifest: Manifest): Promise<never> {
  const { symbol, resolutions } = manifest;
  const active = resolutions[resolution]?.periods.find(({ name }) => name === period);
  const [listed] = active ? listedOf(symbol, resolution, metric, active) : [];
  if (listed && namePart(listed.entry.hash) === hash) throw damaged(`${listed.key} is missing`);
  throw new Problem(
    "unknown-file",
    "There is no such file, or no longer: GET /v3/files/<ASSET> lists those there are.",
    {
      suggestion: listed && `${filesPath(symbol)}/${pathOf(listed)}`,
    },
  );
}
