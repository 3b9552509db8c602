/** What is used of Node's zlib, which Workers have since the compatibility date 2026-08-04 without a flag. */
declare module "node:zlib" {
  const constants: { ZSTD_c_compressionLevel: number };
  function zstdCompressSync(
    bytes: Uint8Array,
    options: { chunkSize: number; params: Record<number, number> },
  ): Uint8Array<ArrayBuffer>;
}
