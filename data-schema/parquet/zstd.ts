import { joinBytes } from "../text/bytes.ts";

/** Level 2 makes a block series 2 % smaller and its encoding 7 % slower; level -2 makes it 14 % larger. */
const LEVEL = 1;

// Not imported: a Worker would take 6 ms longer to start.
const load = () => process.getBuiltinModule("node:zlib");
let zlib: ReturnType<typeof load> | undefined;

/** workerd's zlib fails on more than about 40,000 bytes that do not compress (github.com/cloudflare/workerd/issues/6769). */
const LEAST_FAILING_BYTES = 40_000;
const SMALL_FRAME_BYTES = 32_768;

/**
 * One zstd frame, or in workerd several where it cannot make one: readers accept them in place of one. The bytes depend on
 * the version of zstd that Node comes with.
 */
export function compress(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  try {
    return frame(bytes);
  } catch (error) {
    if (bytes.length < LEAST_FAILING_BYTES) throw error;
    const parts = Array.from({ length: Math.ceil(bytes.length / SMALL_FRAME_BYTES) }, (_, index) =>
      frame(bytes.subarray(index * SMALL_FRAME_BYTES, (index + 1) * SMALL_FRAME_BYTES)),
    );
    return joinBytes(parts);
  }
}

function frame(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  zlib ??= load();
  return zlib.zstdCompressSync(bytes, {
    // Room for the largest possible output: zstd then makes it in one piece, without copying its input.
    chunkSize: bytes.length + Math.ceil(bytes.length / 256) + 1024,
    params: { [zlib.constants.ZSTD_c_compressionLevel]: LEVEL },
  });
}
