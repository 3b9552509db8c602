/**
 * The folder in which the stages of one build leave what they have made. Files appear in it whole: they are written under
 * another name first. Several attempts at a task may run at once, because they write the same bytes.
 */

import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Codec } from "../../data-schema/parquet/metadata.ts";
import { Failure, writeProblem } from "../failure.ts";
import { fromJson, toJson } from "./json.ts";

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Bytes that are gathered before they are written. */
const WRITE_BYTES = 1 << 20;

export class StageFolder {
  readonly path: string;
  /** Of its tables. */
  readonly codec: Codec;
  readonly #isShared: boolean;

  /**
   * @param isShared whether other machines go on from what is written: then it must survive a power cut, and be small.
   *   One machine finds it in the system's cache, where it takes less time to copy than to compress
   */
  constructor(path: string, isShared: boolean) {
    this.path = path;
    this.codec = isShared ? "ZSTD" : "UNCOMPRESSED";
    this.#isShared = isShared;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** @throws {Failure} it can't be made */
  async make(): Promise<void> {
    await this.#trying(this.path, () => mkdir(this.path, { recursive: true }));
  }

  /** @throws {Failure} the disk is full, or the file can't be written */
  async write(name: string, pieces: Pieces): Promise<void> {
    const path = this.file(name);
    const part = `${path}.${randomBytes(6).toString("hex")}.part`;
    await this.#trying(path, () => mkdir(dirname(path), { recursive: true }));
    try {
      const file = await this.#trying(path, () => open(part, "w"));
      try {
        for await (const batch of batches(pieces)) await this.#trying(path, () => file.writev(batch));
        if (this.#isShared) await this.#trying(path, () => file.datasync());
      } finally {
        await file.close();
      }
      await this.#trying(path, () => rename(part, path));
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }

  async writeJson(name: string, value: unknown): Promise<void> {
    await this.write(name, [Buffer.from(toJson(value))]);
  }

  async readJson<T>(name: string): Promise<T | undefined> {
    const text = await this.readText(name);
    return text === undefined ? undefined : fromJson<T>(text);
  }

  /** @returns undefined if there is no such file */
  async readText(name: string): Promise<string | undefined> {
    try {
      return await readFile(this.file(name), "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async #trying<T>(path: string, attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      const problem = writeProblem(error);
      throw problem === undefined ? error : new Failure(`${path} can't be written; ${problem}, then try again.`);
    }
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
