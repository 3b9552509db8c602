/** Finds, measures and digests the files that ASSET.json names. */

import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { access, glob, open, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { Failure } from "../../lib/failure.ts";

export interface InputFile {
  /** For messages and the report: relative to the folder of ASSET.json, with `/`; absolute if written so. */
  name: string;
  path: string;
  bytes: number;
}

/**
 * Finds the files of a list of paths and globs relative to `folder`. They are in the order of the list, those of a glob
 * by name, each file once.
 *
 * @param key the key of ASSET.json, for messages
 * @throws {Failure} a path does not exist or can't be read, or a glob matches nothing
 */
export async function findFiles(folder: string, patterns: readonly string[], key: string): Promise<InputFile[]> {
  const files = new Map<string, InputFile>();
  for (const pattern of patterns) {
    for (const { path, size } of await matches(folder, pattern, key)) {
      const name = nameOf(folder, pattern, path);
      await access(path, constants.R_OK).catch(() => {
        throw new Failure(`${name} (${key}) can't be read by this user; change its permissions.`);
      });
      if (!files.has(path)) files.set(path, { name, path, bytes: size });
    }
  }
  return [...files.values()];
}

const nameOf = (folder: string, pattern: string, path: string) =>
  isAbsolute(pattern) ? path : relative(folder, path).split(sep).join("/");

/** Why a path leads nowhere, by the code of the system's error. */
const NOWHERE: Record<string, string> = {
  ELOOP: "is a symbolic link that leads back to itself; replace it with the file",
  ENAMETOOLONG: "is longer than this system allows; shorten it",
  EACCES: "can't be reached by this user; change the permissions of its folders",
};

const IS_SPECIAL = "is a device, a pipe or a socket; copy what it gives to a file, and name that";

/** The files that a path or a glob stands for. */
async function matches(folder: string, pattern: string, key: string): Promise<{ path: string; size: number }[]> {
  const path = resolve(folder, pattern);
  const found = await look(path);
  const refusal = (name: string, why: string) => new Failure(`${name} (${key}) ${why}.`);
  if (typeof found === "object") {
    if (found.isFile()) return [{ path, size: found.size }];
    const files = `is not a file; name the files in it, for instance ${pattern}/*.csv`;
    throw refusal(pattern, found.isDirectory() ? files : IS_SPECIAL);
  }
  if (!/[*?[{]/.test(pattern)) {
    throw refusal(pattern, NOWHERE[found] ?? "does not exist; paths are relative to ASSET.json");
  }
  const files: { path: string; size: number }[] = [];
  for await (const name of glob(pattern, { cwd: folder })) {
    const match = resolve(folder, name);
    const found = await look(match);
    if (typeof found === "string") {
      const why = NOWHERE[found] ?? "is a symbolic link to a file that does not exist; correct or remove it";
      throw refusal(nameOf(folder, pattern, match), why);
    }
    if (found.isFile()) files.push({ path: match, size: found.size });
    else if (!found.isDirectory()) throw refusal(nameOf(folder, pattern, match), IS_SPECIAL);
  }
  if (files.length === 0) throw refusal(pattern, "matches no file; globs are relative to ASSET.json");
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** What is at a path, behind symbolic links; or else the code of the error, such as `ENOENT`. */
async function look(path: string): Promise<Stats | string> {
  return stat(path).catch((error: NodeJS.ErrnoException) => String(error.code));
}

/** SHA-256 in hex. */
export interface FileDigest {
  sha256: string;
  /** Digest of the file's first `knownBytes`, if a line ends there and more bytes follow. */
  prefixSha256?: string;
}

/** The failure of a file that is not what it was when it was digested. */
export const changedWhileRead = ({ name }: InputFile): Failure =>
  new Failure(`${name} has changed while it was being read: build again once no program writes to it.`);

/**
 * Digests a file, read piece by piece into one buffer.
 *
 * @param knownBytes size of the file when the last build read it; `prefixSha256` tells whether it has only grown since
 */
export async function digestFile(
  path: string,
  onBytes?: (bytes: number) => void,
  knownBytes = Number.POSITIVE_INFINITY,
): Promise<FileDigest> {
  const hash = createHash("sha256");
  let prefixSha256: string | undefined;
  const piece = Buffer.alloc(1 << 20);
  const file = await open(path);
  try {
    const read = async () => (await file.read(piece)).bytesRead;
    let done = 0;
    for (let bytes = await read(); bytes > 0; bytes = await read()) {
      const rest = knownBytes - done;
      if (rest > 0 && rest < bytes) {
        hash.update(piece.subarray(0, rest));
        // Within a line, the added bytes would change the last known row.
        if (isLineEnd(piece[rest - 1]!) || isLineEnd(piece[rest]!)) prefixSha256 = hash.copy().digest("hex");
        hash.update(piece.subarray(rest, bytes));
      } else {
        hash.update(piece.subarray(0, bytes));
        if (rest === bytes && isLineEnd(piece[bytes - 1]!)) prefixSha256 = hash.copy().digest("hex");
      }
      done += bytes;
      onBytes?.(bytes);
    }
  } finally {
    await file.close();
  }
  return { sha256: hash.digest("hex"), ...(prefixSha256 === undefined ? {} : { prefixSha256 }) };
}

export const isLineEnd = (byte: number) => byte === 0x0a || byte === 0x0d;

/** The longest line, in bytes, that DuckDB reads. A last one of more than 32 MB it leaves out without a word. */
export const LONGEST_LINE = 2_000_000;

export const tooLong = (place: string) =>
  new Failure(`${place} is longer than ${LONGEST_LINE} bytes; correct that line, or the quotes before it.`);

/**
 * Makes sure that DuckDB reads a CSV file to its end.
 *
 * @throws {Failure} its last line is too long
 */
export async function checkLastLine({ name, path }: InputFile): Promise<void> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size <= LONGEST_LINE) return;
    const tail = Buffer.alloc(LONGEST_LINE + 3);
    const { bytesRead } = await file.read(tail, 0, tail.length, Math.max(0, size - tail.length));
    const text = tail.subarray(0, bytesRead);
    // Without the line ends after it.
    const end = text.findLastIndex((byte) => !isLineEnd(byte)) + 1;
    if (end > 0 && !text.subarray(0, end).some(isLineEnd)) throw tooLong(`${name}: the last line`);
  } finally {
    await file.close();
  }
}
