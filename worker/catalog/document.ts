/** What anyone may read, as text: the catalog, the OpenAPI document, and others that come from the registry. */

import { hex } from "../read/verify.ts";

export interface Document {
  mediaType: string;
  text: string;
  /** Seconds for which any cache may keep it; 0 for none. */
  maxAge: number;
  /** Its entity tag; null where it is not to be kept. */
  tag: string | null;
}

/** A document that changes with its text alone. */
export async function document(text: string, maxAge: number, mediaType = "application/json"): Promise<Document> {
  if (maxAge === 0) return { mediaType, text, maxAge, tag: null };
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return { mediaType, text, maxAge, tag: `"${hex(digest).slice(0, 32)}"` };
}
