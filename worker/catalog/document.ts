/** Documents with their entity tags. */

import { hex } from "../../data-schema/bytes.ts";
import type { Document } from "../isolate.ts";

/** A document whose tag is a digest of its text. */
export async function document(text: string, maxAge: number, mediaType = "application/json"): Promise<Document> {
  if (maxAge === 0) return { mediaType, text, maxAge, tag: null };
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return { mediaType, text, maxAge, tag: `"${hex(digest).slice(0, 32)}"` };
}
