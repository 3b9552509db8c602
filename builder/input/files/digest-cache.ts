/**
 * The digests of input files, kept from build to build, so that a file that has not changed since need not be read again.
 * A file counts as unchanged if its name, size, inode and times are those of the time when it was digested.
 */

import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import * as v from "valibot";
import { replaceJson } from "../../lib/files/json-file.ts";
import { changedWhileRead, digestFile, type FileDigest, type InputFile } from "./files.ts";

/** The identity of a file, as text: inodes and nanoseconds have more digits than a number. */
const identitySchema = v.strictObject({
  size: v.string(),
  inode: v.string(),
  modified: v.string(),
  changed: v.string(),
});

/** What changes with a file, but for its name. */
export type FileIdentity = v.InferOutput<typeof identitySchema>;

const entrySchema = v.strictObject({
  ...identitySchema.entries,
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});

/** By name, which holds wherever the folder of ASSET.json is. */
const cacheSchema = v.record(v.string(), entrySchema);

/** Within this time, a file system may give a second change the time of the first. In milliseconds. */
const COARSEST_CLOCK = 3_000;

export class DigestCache {
  readonly #path: string | undefined;
  readonly #now: () => number;
  readonly #known: v.InferOutput<typeof cacheSchema>;
  /** Digests of this build's files only. */
  readonly #found: v.InferOutput<typeof cacheSchema> = {};

  private constructor(path: string | undefined, known: v.InferOutput<typeof cacheSchema>, now: () => number) {
    this.#path = path;
    this.#known = known;
    this.#now = now;
  }

  /**
   * Opens the digests of the last build; none if they can't be read.
   *
   * @param path without one, nothing is kept
   * @param isTrusted whether they are used: otherwise each file is digested again
   * @param now milliseconds since 1970
   */
  static async open(path: string | undefined, isTrusted = true, now: () => number = Date.now): Promise<DigestCache> {
    const text = path !== undefined && isTrusted ? await readFile(path, "utf8").catch(() => "{}") : "{}";
    return new DigestCache(path, parseCache(text), now);
  }

  /**
   * Digests a file like `digestFile`, and adds what tells whether the file is still the same.
   *
   * @throws {Failure} it has changed meanwhile
   */
  async digest(
    { name, path, bytes }: InputFile,
    onBytes: (bytes: number) => void,
    knownBytes: number | undefined,
  ): Promise<FileDigest & { identity: FileIdentity }> {
    const began = this.#now();
    const before = await identify(path);
    const known = this.#known[name];
    // The digest of the beginning is wanted, too, if the file has grown since the last build.
    const hasGrown = knownBytes !== undefined && knownBytes < bytes;
    if (known && !hasGrown && isSame(known, before)) {
      this.#found[name] = known;
      onBytes(bytes);
      return { sha256: known.sha256, identity: before };
    }
    const digest = await digestFile(path, onBytes, knownBytes);
    if (!isSame(before, await identify(path))) throw changedWhileRead({ name, path, bytes });
    const isSettled = Number(BigInt(before.changed) / 1_000_000n) < began - COARSEST_CLOCK;
    if (isSettled) this.#found[name] = { ...before, sha256: digest.sha256 };
    return { ...digest, identity: before };
  }

  /** Keeps the digests of this build's files for the next. Failing that, the next build reads the files again. */
  async save(): Promise<void> {
    if (this.#path === undefined) return;
    try {
      await mkdir(dirname(this.#path), { recursive: true });
      await replaceJson(this.#path, this.#found);
    } catch {
      // Nothing is lost but time.
    }
  }
}

function parseCache(text: string): v.InferOutput<typeof cacheSchema> {
  try {
    return v.parse(cacheSchema, JSON.parse(text));
  } catch {
    return {};
  }
}

export async function identify(path: string): Promise<FileIdentity> {
  const { size, ino, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return { size: String(size), inode: String(ino), modified: String(mtimeNs), changed: String(ctimeNs) };
}

export const isSame = (a: FileIdentity, b: FileIdentity) =>
  a.size === b.size && a.inode === b.inode && a.modified === b.modified && a.changed === b.changed;
