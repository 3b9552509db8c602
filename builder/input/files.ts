/** The files an asset names: found, measured and fingerprinted. */

import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { access, glob, open, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Failure } from "../failure.ts";

export interface InputFile {
  /** As messages and the report name it: relative to the folder of ASSET.json, with `/`. */
  name: string;
  path: string;
  bytes: number;
}

/**
 * The files of a list of paths and globs, relative to `folder`: in the order written, those of a glob in the order of
 * their names, each file once.
 *
 * @param key the key of ASSET.json, for messages
 * @throws Failure if a path does not exist or a glob matches nothing
 */
export async function findFiles(folder: string, patterns: readonly string[], key: string): Promise<InputFile[]> {
  const files = new Map<string, InputFile>();
  for (const pattern of patterns) {
    for (const path of await matches(folder, pattern, key)) {
      const name = isAbsolute(pattern) ? path : relative(folder, path).split(sep).join("/");
      const { size } = await stat(path);
      await access(path, constants.R_OK).catch(() => {
        throw new Failure(`${name} (${key}) may not be read by this user; change its permissions.`);
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
    // Follows links: a linked file is as good as another.
    if ((await stat(match)).isFile()) paths.push(match);
  }
  if (paths.length === 0) throw new Failure(`${pattern} (${key}) matches no file; globs are relative to ASSET.json.`);
  return paths.sort();
}

/** SHA-256 of a file, in hex. */
export interface FileDigest {
  sha256: string;
  /** Of the part that it had at an earlier time, if that ended with a line. */
  before?: string;
}

/**
 * Reads a file piece by piece into the same memory, for its digest.
 *
 * @param earlier bytes that it had at an earlier time
 */
export async function digestFile(
  path: string,
  onBytes?: (bytes: number) => void,
  earlier = Number.POSITIVE_INFINITY,
): Promise<FileDigest> {
  const hash = createHash("sha256");
  let before: string | undefined;
  const piece = Buffer.alloc(1 << 20);
  const file = await open(path);
  try {
    const read = async () => (await file.read(piece)).bytesRead;
    let done = 0;
    for (let bytes = await read(); bytes > 0; bytes = await read()) {
      const rest = earlier - done;
      if (rest > 0 && rest < bytes) {
        hash.update(piece.subarray(0, rest));
        // Otherwise what was added goes on with the last line, and changes it.
        if (isLineEnd(piece[rest - 1]!) || isLineEnd(piece[rest]!)) before = hash.copy().digest("hex");
        hash.update(piece.subarray(rest, bytes));
      } else {
        hash.update(piece.subarray(0, bytes));
        if (rest === bytes && isLineEnd(piece[bytes - 1]!)) before = hash.copy().digest("hex");
      }
      done += bytes;
      onBytes?.(bytes);
    }
  } finally {
    await file.close();
  }
  return { sha256: hash.digest("hex"), ...(before === undefined ? {} : { before }) };
}

const isLineEnd = (byte: number) => byte === 0x0a || byte === 0x0d;

/**
 * Reads a .gz file to its end: DuckDB takes a truncated one for a shorter one, and never looks at its checksum.
 *
 * @throws Failure if it is damaged
 */
export async function checkGzip({ name, path }: InputFile): Promise<void> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    await pipeline(createReadStream(path), createGunzip(), nowhere);
  } catch {
    throw new Failure(`${name} is not an intact gzip file; export or download it again.`);
  }
}
