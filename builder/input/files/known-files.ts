/** Matches today's files with those of the last build, by their digests alone. */

import type { FileDigest } from "./files.ts";

/** What the files are that a full build reads from the start: transfers, the times of their blocks, and balances of a snapshot. */
export const HISTORY_ROLES = ["transfers", "blocks", "balances"] as const;
export type HistoryRole = (typeof HISTORY_ROLES)[number];

/** A file of transfers or blocks, as a checkpoint records it. */
export interface KnownFile {
  role: HistoryRole;
  file: string;
  sha256: string;
  bytes: number;
  rows: number;
  /** Files of transfers only: the asset's rows up to the checkpoint's last block. */
  settled?: number;
  /** Files of transfers only: the asset's rows after that block. */
  rowsAfter?: number;
}

/** A file of today's input. */
export interface DigestedFile extends FileDigest {
  role: string;
  name: string;
}

export interface FileMatch {
  /** The known file that it equals or has grown from; undefined for a new file. */
  known?: KnownFile;
  /** Whether it equals the known file byte for byte. */
  isSame: boolean;
}

/**
 * Finds each of today's files among the known ones: by content, whatever its name; or by name, if it has grown.
 *
 * @returns a match for each of `files`, in order, and the known files that were not matched
 */
export function matchFiles(
  known: readonly KnownFile[],
  files: readonly DigestedFile[],
): { matches: FileMatch[]; unmatched: KnownFile[] } {
  const unmatched = new Set(known);
  const matches = files.map(({ role, name, sha256, prefixSha256 }): FileMatch => {
    const candidates = [...unmatched].filter((file) => file.role === role);
    const same = candidates.find((file) => file.sha256 === sha256);
    const match = same ?? candidates.find((file) => file.file === name && file.sha256 === prefixSha256);
    if (match) unmatched.delete(match);
    return { ...(match && { known: match }), isSame: same !== undefined };
  });
  return { matches, unmatched: [...unmatched] };
}
