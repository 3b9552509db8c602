/** A folder on a disk, of this machine or shared. Files are written under another name first. */

import { randomBytes } from "node:crypto";
import { type FileHandle, glob, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Codec } from "../../../data-schema/parquet.ts";
import { writing } from "../../lib/failure.ts";
import type { FetchedTable, Pieces, StageFolder } from "./folder.ts";

/** Bytes that are gathered before they are written. */
const WRITE_BYTES = 1 << 20;

export class LocalFolder implements StageFolder {
  readonly name: string;
  readonly assetPath: string;
  readonly codec: Codec;
  readonly scratch: string;
  readonly #isShared: boolean;

  /**
   * @param isShared whether other machines go on from what is written: then it must survive a power cut, and be small.
   *   One machine finds it in the system's cache, where it takes less time to copy than to compress
   */
  constructor(path: string, assetPath: string, isShared: boolean) {
    this.name = path;
    this.assetPath = assetPath;
    this.codec = isShared ? "ZSTD" : "UNCOMPRESSED";
    this.scratch = path;
    this.#isShared = isShared;
  }

  async make(): Promise<void> {
    await writing(this.scratch, () => mkdir(this.scratch, { recursive: true }));
    for await (const part of glob("**/*.part", { cwd: this.scratch }))
      await rm(join(this.scratch, part), { force: true });
  }

  async write(name: string, pieces: Pieces): Promise<void> {
    const path = join(this.scratch, name);
    const part = `${path}.${randomBytes(6).toString("hex")}.part`;
    await writing(path, () => mkdir(dirname(path), { recursive: true }));
    try {
      const file = await writing(path, () => open(part, "w"));
      try {
        for await (const batch of batches(pieces)) await writing(path, () => writeBatch(file, batch));
        if (this.#isShared) await writing(path, () => file.datasync());
      } finally {
        await file.close();
      }
      await writing(path, () => rename(part, path));
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }

  /** What is in `scratch` is here. */
  async keep(name: string): Promise<void> {
    if (!this.#isShared) return;
    const path = join(this.scratch, name);
    const file = await open(path, "r+");
    try {
      await writing(path, () => file.datasync());
    } finally {
      await file.close();
    }
  }

  async copy(): Promise<void> {}

  async readText(name: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.scratch, name), "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async table(name: string): Promise<FetchedTable> {
    return { path: join(this.scratch, name), fetch: async () => {} };
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.scratch, name), { recursive: true, force: true });
  }
}

/** Gathers small pieces: a system call for each would take longer. */
async function* batches(pieces: Pieces): AsyncGenerator<Uint8Array[]> {
  let [batch, bytes]: [Uint8Array[], number] = [[], 0];
  for await (const piece of pieces) {
    if (piece.length === 0) continue;
    batch.push(piece);
    bytes += piece.length;
    if (bytes < WRITE_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

async function writeBatch(file: FileHandle, batch: Uint8Array[]): Promise<void> {
  const bytes = batch.reduce((sum, { length }) => sum + length, 0);
  const { bytesWritten } = await file.writev(batch);
  // A full disk takes a part, without an error: writing the rest throws it.
  if (bytesWritten < bytes) await file.writeFile(Buffer.concat(batch).subarray(bytesWritten));
}
