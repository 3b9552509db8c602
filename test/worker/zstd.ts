/**
 * Replaces builder/output/zstd.ts in workerd, whose zlib fails on more than about 40,000 bytes that do not compress
 * (github.com/cloudflare/workerd/issues/6769). Readers accept several small frames in place of one.
 */

import { zstdCompressSync } from "node:zlib";
import { joinBytes } from "../../data-schema/bytes.ts";

const FRAME_BYTES = 32_768;

export function compress(bytes: Uint8Array): Uint8Array {
  const frames = Array.from({ length: Math.ceil(bytes.length / FRAME_BYTES) }, (_, index) =>
    zstdCompressSync(bytes.subarray(index * FRAME_BYTES, (index + 1) * FRAME_BYTES)),
  );
  return joinBytes(frames);
}
