/** A folder on a disk, of this machine or shared. Files are written under another name first. */

import { randomBytes } from "node:crypto";
import { closeSync, fdatasyncSync, mkdirSync, openSync, renameSync, writeFileSync, writevSync } from "node:fs";
import { glob, mkdir, open, readFile, rm } from "node:fs/promises";
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
    // At once, not by another thread: what is written stays in the system's cache, and is mostly small.
    const at = <T>(call: () => T) => writing(path, async () => call());
    await at(() => mkdirSync(dirname(path), { recursive: true }));
    try {
      const file = await at(() => openSync(part, "w"));
      try {
        const all = Symbol.iterator in pieces ? batchesOf(pieces) : batches(pieces);
        for await (const batch of all) await at(() => writeBatch(file, batch));
        if (this.#isShared) await at(() => fdatasyncSync(file));
      } finally {
        closeSync(file);
      }
      await at(() => renameSync(part, path));
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
  const gathered = new Batch();
  for await (const piece of pieces) if (gathered.add(piece)) yield gathered.take();
  if (gathered.bytes > 0) yield gathered.take();
}

/** Gathers pieces that are there already: waiting for each would take longer than writing it. */
function* batchesOf(pieces: Iterable<Uint8Array>): Generator<Uint8Array[]> {
  const gathered = new Batch();
  for (const piece of pieces) if (gathered.add(piece)) yield gathered.take();
  if (gathered.bytes > 0) yield gathered.take();
}

class Batch {
  #batch: Uint8Array[] = [];
  bytes = 0;

  /** @returns whether it is time to write */
  add(piece: Uint8Array): boolean {
    if (piece.length > 0) this.#batch.push(piece);
    this.bytes += piece.length;
    return this.bytes >= WRITE_BYTES;
  }

  take(): Uint8Array[] {
    const batch = this.#batch;
    [this.#batch, this.bytes] = [[], 0];
    return batch;
  }
}

/** Writes pieces at the end of an open file. @throws the disk is full */
export function writeBatch(file: number, batch: Uint8Array[]): void {
  const bytes = batch.reduce((sum, { length }) => sum + length, 0);
  const written = writevSync(file, batch);
  // A full disk takes a part, without an error: writing the rest throws it.
  if (written < bytes) writeFileSync(file, Buffer.concat(batch).subarray(written));
}
