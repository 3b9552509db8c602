/** What is used of Node's modules, which Workers have since the compatibility date 2026-08-04 without a flag. */
declare const process: {
  getBuiltinModule(name: "node:zlib"): {
    constants: { ZSTD_c_compressionLevel: number };
    zstdCompressSync(
      bytes: Uint8Array,
      options: { chunkSize: number; params: Record<number, number> },
    ): Uint8Array<ArrayBuffer>;
    zstdDecompressSync(bytes: Uint8Array, options?: { chunkSize: number }): Uint8Array<ArrayBuffer>;
  };
};
