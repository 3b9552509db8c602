/** Objects that are too large for memory: read and written piece by piece. */

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { writing } from "../lib/failure.ts";
import { prefetchEach } from "./prefetch.ts";
import type { ObjectStore } from "./store.ts";

/** A few of them are in memory at once. */
const PIECE_BYTES = 8 * 1024 * 1024;

/**
 * Reads an object in order. Whether all of it is as it was stored shows in its digest.
 *
 * @param size of the object, in bytes
 * @returns fewer bytes if the object is missing, shorter or damaged
 */
export async function* piecesOf(store: ObjectStore, key: string, size: number): AsyncGenerator<Uint8Array> {
  const offsets = Array.from({ length: Math.ceil(size / PIECE_BYTES) }, (_, piece) => piece * PIECE_BYTES);
  const read = (offset: number) => store.get(key, { offset, length: Math.min(PIECE_BYTES, size - offset) });
  for await (const { object } of prefetchEach(offsets, read)) if (object) yield object.bytes;
}

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** MD5 takes twice as long as SHA-256, so it is left out where it is known or not needed. */
type Algorithm = "sha256" | "md5";
export const DIGESTS = ["sha256", "md5"] as const;

/** The digests of what was read, in hex, and its size in bytes. */
type DigestsBy<A extends Algorithm> = Record<A, string> & { size: number };
export type Digests = DigestsBy<Algorithm>;

/** @param use what else is done with each piece */
export async function digestPieces<A extends Algorithm>(
  pieces: Pieces,
  algorithms: readonly A[],
  use: (piece: Uint8Array) => Promise<void> = async () => {},
): Promise<DigestsBy<A>> {
  const hashes = algorithms.map((algorithm) => ({ algorithm, hash: createHash(algorithm) }));
  let size = 0;
  for await (const piece of pieces) {
    for (const { hash } of hashes) hash.update(piece);
    size += piece.length;
    await use(piece);
  }
  const digests = hashes.map(({ algorithm, hash }) => [algorithm, hash.digest("hex")]);
  return { ...(Object.fromEntries(digests) as Record<A, string>), size };
}

/** Writes a file on this machine. @throws {Failure} the disk is full, or the file can't be written */
export async function writePieces<A extends Algorithm>(
  path: string,
  pieces: Pieces,
  algorithms: readonly A[],
): Promise<DigestsBy<A>> {
  const file = await writing(path, () => open(path, "w"));
  try {
    return await digestPieces(pieces, algorithms, (piece) => writing(path, () => file.writeFile(piece)));
  } finally {
    await file.close();
  }
}
