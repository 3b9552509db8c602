/** Checks that bytes are those that were published. */

import { SHA256_METADATA } from "../../data-schema/stored.ts";
import { hex } from "../../data-schema/text.ts";
import { damaged } from "../problems/problem.ts";

/**
 * Compares the SHA-256 of bytes with the first hex digits of the expected one.
 *
 * @param name of the bytes, for the operator
 * @throws {Problem} 500 they differ
 */
export async function verify(bytes: Uint8Array<ArrayBuffer>, digits: string, name: string): Promise<void> {
  if (!hex(await crypto.subtle.digest("SHA-256", bytes)).startsWith(digits)) {
    throw damaged(`the bytes of ${name} are not those that were published`);
  }
}

/**
 * The SHA-256 with which an object was stored, in hex: R2's own checksum, or the metadata that a writer through the S3
 * API adds. Undefined if it was stored without one.
 */
export function storedSha256({ checksums, customMetadata }: R2Object): string | undefined {
  return checksums.sha256 ? hex(checksums.sha256) : customMetadata?.[SHA256_METADATA];
}
