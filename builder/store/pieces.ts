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

/** The digests of what was read, in hex. */
export interface Digests {
  sha256: string;
  md5: string;
  /** The size in bytes. */
  size: number;
}

/** @param use what else is done with each piece */
export async function digestsOf(
  pieces: Pieces,
  use: (piece: Uint8Array) => Promise<void> = async () => {},
): Promise<Digests> {
  const [sha256, md5] = [createHash("sha256"), createHash("md5")];
  let size = 0;
  for await (const piece of pieces) {
    sha256.update(piece);
    md5.update(piece);
    size += piece.length;
    await use(piece);
  }
  return { sha256: sha256.digest("hex"), md5: md5.digest("hex"), size };
}

/** Writes a file on this machine. @throws {Failure} the disk is full, or the file can't be written */
export async function writePieces(path: string, pieces: Pieces): Promise<Digests> {
  const file = await writing(path, () => open(path, "w"));
  try {
    return await digestsOf(pieces, (piece) => writing(path, () => file.writeFile(piece)));
  } finally {
    await file.close();
  }
}
