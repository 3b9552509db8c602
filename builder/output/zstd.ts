import { constants, zstdCompressSync } from "node:zlib";

/** Level 2 takes a fiftieth off a block series for a fifteenth more time, all in all; -2 adds a seventh. */
const LEVEL = 1;

/** One frame of zstd. The bytes are those of Node's own version of it. */
export function compress(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, {
    // Room for whatever comes out: in one piece, zstd reads its input where it is.
    chunkSize: bytes.length + Math.ceil(bytes.length / 256) + 1024,
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
  });
}
