/** Whether stored bytes are those that a manifest lists. */

import { hash } from "node:crypto";
import { PARQUET_TRAILER_BYTES } from "../../data-schema/parquet.ts";
import type { ManifestObject } from "../../data-schema/stored.ts";
import type { StoredObject } from "./store.ts";

export const sha256Hex = (bytes: Uint8Array) => hash("sha256", bytes);

/** A sentence if these are not the bytes that the manifest lists. */
export function byteProblems({ key, entry }: ManifestObject, { bytes, isDamaged }: StoredObject): string[] {
  const { size, hash, footer, footerHash } = entry;
  if (isDamaged) return [`${key} is damaged: its bytes are not those that were stored.`];
  if (bytes.length !== size) return [`${key} has ${bytes.length} bytes, but the manifest lists ${size}.`];
  if (!sha256Hex(bytes).startsWith(hash)) return [`${key} is damaged: its checksum is not the one in the manifest.`];
  const footerAndTrailer = bytes.subarray(-footer - PARQUET_TRAILER_BYTES);
  if (!sha256Hex(footerAndTrailer).startsWith(footerHash)) {
    return [`${key}: its footer has another length or checksum than the manifest lists.`];
  }
  return [];
}
