/**
 * The digests of row groups in a file's own footer. The writer takes the footer's entry before there are bytes to
 * digest, so it gets digits to be filled in; their number does not change, and no length around them does.
 */

import { createHash } from "node:crypto";
import { parquetMetadata } from "hyparquet";
import { DIGEST_DIGITS } from "../../data-schema/series.ts";

/** What stands for the digests until they are known. */
export function unknownDigests(rowGroups: number): string {
  return "0".repeat(DIGEST_DIGITS * rowGroups);
}

/** Writes the digests of a file's row groups over `unknownDigests` in its footer. */
export function fillDigests(file: Uint8Array, rowGroups: number): void {
  const buffer = Buffer.from(file.buffer, file.byteOffset, file.length);
  const metadata = parquetMetadata(file);
  const digests = metadata.row_groups.map(({ columns }) => {
    const chunks = columns.flatMap(({ meta_data }) =>
      meta_data && ["t", "v"].includes(meta_data.path_in_schema.join()) ? [meta_data] : [],
    );
    const start = Math.min(...chunks.map((chunk) => Number(chunk.data_page_offset)));
    const end = Math.max(...chunks.map((chunk) => Number(chunk.data_page_offset + chunk.total_compressed_size)));
    return createHash("sha256").update(file.subarray(start, end)).digest("hex").slice(0, DIGEST_DIGITS);
  });
  // With its name: a symbol may be nothing but zeros, too.
  const name = '"digests":"';
  const entry = buffer.indexOf(name + unknownDigests(rowGroups), buffer.length - 8 - metadata.metadata_length);
  buffer.write(digests.join(""), entry + name.length, "ascii");
}
