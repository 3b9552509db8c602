/**
 * In place of builder/output/zstd.ts. workerd's zlib fails on more than some 40,000 bytes that do not shrink
 * (github.com/cloudflare/workerd/issues/6769): several small frames are as good as one.
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
