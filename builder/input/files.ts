/** Finds, measures and digests the files that ASSET.json names. */

import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { access, glob, open, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Failure } from "../failure.ts";

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
    for (const path of await matches(folder, pattern, key)) {
      const name = isAbsolute(pattern) ? path : relative(folder, path).split(sep).join("/");
      const { size } = await stat(path);
      await access(path, constants.R_OK).catch(() => {
        throw new Failure(`${name} (${key}) can't be read by this user; change its permissions.`);
      });
      if (!files.has(path)) files.set(path, { name, path, bytes: size });
    }
  }
  return [...files.values()];
}

async function matches(folder: string, pattern: string, key: string): Promise<string[]> {
  const path = resolve(folder, pattern);
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) return [path];
  if (found)
    throw new Failure(`${pattern} (${key}) is not a file; name the files in it, for instance ${pattern}/*.csv.`);
  if (!/[*?[{]/.test(pattern))
    throw new Failure(`${pattern} (${key}) does not exist; paths are relative to ASSET.json.`);

  const paths: string[] = [];
  for await (const name of glob(pattern, { cwd: folder })) {
    const match = resolve(folder, name);
    // stat() follows symbolic links.
    if ((await stat(match)).isFile()) paths.push(match);
  }
  if (paths.length === 0) throw new Failure(`${pattern} (${key}) matches no file; globs are relative to ASSET.json.`);
  return paths.sort();
}

/** SHA-256 in hex. */
export interface FileDigest {
  sha256: string;
  /** Digest of the file's first `knownBytes`, if a line ends there and more bytes follow. */
  prefixSha256?: string;
}

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

const isLineEnd = (byte: number) => byte === 0x0a || byte === 0x0d;

/**
 * Reads a .gz file to its end. DuckDB would accept a truncated file as a shorter one, and never checks the checksum.
 *
 * @throws {Failure} the file is damaged
 */
export async function checkGzip({ name, path }: InputFile): Promise<void> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    await pipeline(createReadStream(path), createGunzip(), nowhere);
  } catch {
    throw new Failure(`${name} is not an intact gzip file; export or download it again.`);
  }
}
