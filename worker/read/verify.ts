/** Whether bytes are those that were written. */

import { SHA256_METADATA } from "../../data-schema/objects.ts";
import { damaged } from "../problems.ts";

/**
 * Compares the SHA-256 of bytes with its first hex digits.
 *
 * @param name of what the bytes are, for the operator
 * @throws {Problem} 500 they are other bytes
 */
export async function verify(bytes: Uint8Array<ArrayBuffer>, digits: string, name: string): Promise<void> {
  if (!hex(await crypto.subtle.digest("SHA-256", bytes)).startsWith(digits)) {
    throw damaged(`the bytes of ${name} are not those that were published`);
  }
}

/**
 * The SHA-256 with which an object was stored, in hex: R2's own, or what the S3 API left. Undefined when it was stored
 * without one.
 */
export function storedSha256({ checksums, customMetadata }: R2Object): string | undefined {
  return checksums.sha256 ? hex(checksums.sha256) : customMetadata?.[SHA256_METADATA];
}

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function hex(digest: ArrayBuffer): string {
  let text = "";
  for (const byte of new Uint8Array(digest)) text += DIGITS[byte];
  return text;
}
