/** Entity tags, by which a client asks whether the answer that it has is still the answer. Source: docs/api.md#responses. */

import type { Manifest } from "../../data-schema/stored.ts";
import type { FilePath } from "../request/file-path.ts";

/** Version of the list: raise it if the same build gives another text. */
const LIST_REPRESENTATION = 1;

/** The strong entity tag of the list of files: a build has the same files for ever, at addresses of the host that was asked. */
export function fileListTag({ symbol, build }: Manifest, origin: string): string {
  return `"${[LIST_REPRESENTATION, "files", symbol, build, origin].join(":")}"`;
}

/** The strong entity tag of a file, whose name has the digest of its bytes. */
export function fileTag({ hash }: FilePath): string {
  return `"${hash}"`;
}

/** Whether If-None-Match names the tag, compared weakly (RFC 9110 §13.1.2): the edge weakens the tags of what it compresses. */
export function isKnown(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.match(/"[^"]*"/g)?.includes(tag) ?? false;
}
