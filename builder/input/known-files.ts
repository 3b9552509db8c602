/** How today's files relate to those that an earlier build has read. Pure: digests in, matches out. */

/** What a checkpoint records of a file of transfers or of blocks. */
export interface KnownFile {
  role: "transfers" | "blocks";
  file: string;
  sha256: string;
  bytes: number;
  rows: number;
  /** Of transfers: the asset's rows up to the checkpoint's last block, and after it. */
  settled?: number;
  later?: number;
}

/** A file of today, digested. */
export interface DigestedFile {
  role: string;
  name: string;
  sha256: string;
  /** SHA-256 of the bytes that the file had at the checkpoint, if a line ended there. */
  before?: string;
}

export interface FileMatch {
  /** The file that it is, or that it grew from; undefined for a new one. */
  known?: KnownFile;
  /** Whether it is that file byte for byte. */
  isSame: boolean;
}

/**
 * Finds each of today's files among the known ones: by content, under whatever name, or by name if it has grown.
 *
 * @returns a match for each file, in their order, and the known files that none of them contains
 */
export function matchFiles(
  known: readonly KnownFile[],
  files: readonly DigestedFile[],
): { matches: FileMatch[]; lost: KnownFile[] } {
  const lost = new Set(known);
  const matches = files.map(({ role, name, sha256, before }): FileMatch => {
    const candidates = [...lost].filter((file) => file.role === role);
    const same = candidates.find((file) => file.sha256 === sha256);
    const match = same ?? candidates.find((file) => file.file === name && file.sha256 === before);
    if (match) lost.delete(match);
    return { ...(match && { known: match }), isSame: same !== undefined };
  });
  return { matches, lost: [...lost] };
}
