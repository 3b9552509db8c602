/** Entity tags of answers whose facts are too many for a header. Source: docs/api.md#responses. */

import { textDigest } from "../data-schema/text.ts";

/** The strong entity tag that is a digest: of the answer's text, or of everything that it depends on. */
export async function digestTag(text: string): Promise<string> {
  return `"${(await textDigest(text)).slice(0, 32)}"`;
}
