/** The parts of a build until its packs are written: in memory, or in a file if they are many. */

import { appendFile, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writing } from "../../lib/failure.ts";
import { type TemporaryFolder, temporaryFolder } from "../../lib/files/temporary-folder.ts";

/** What stays in memory, bytes. */
const MOST_IN_MEMORY = 32 * 1024 * 1024;

/** Where the bytes of a part are: themselves, or their place in the file. */
type Held = Uint8Array | { offset: number };

export interface GatheredPart {
  key: string;
  size: number;
}

export class GatheredParts {
  readonly #held = new Map<string, { size: number; held: Held }>();
  #inMemory = 0;
  #file: { folder: TemporaryFolder; path: string; size: number } | undefined;
  /** The write that is under way: each begins where the one before ends. */
  #writing: Promise<unknown> = Promise.resolve();

  /** @throws {DiskFailure} the file can't be written */
  async add(key: string, bytes: Uint8Array): Promise<void> {
    if (this.#held.has(key)) return;
    const part: { size: number; held: Held } = { size: bytes.length, held: bytes };
    this.#held.set(key, part);
    if (this.#inMemory + bytes.length <= MOST_IN_MEMORY) {
      this.#inMemory += bytes.length;
      return;
    }
    const written = this.#writing.then(async () => {
      part.held = { offset: await this.#write(bytes) };
    });
    this.#writing = written;
    await written;
  }

  all(): GatheredPart[] {
    return Array.from(this.#held, ([key, { size }]) => ({ key, size }));
  }

  /** The parts one after the other. */
  async joined(parts: readonly GatheredPart[]): Promise<Uint8Array> {
    const bytes = new Uint8Array(parts.reduce((sum, { size }) => sum + size, 0));
    const file = this.#file && (await open(this.#file.path));
    try {
      let at = 0;
      for (const { key, size } of parts) {
        const { held } = this.#held.get(key)!;
        if (held instanceof Uint8Array) bytes.set(held, at);
        else await file!.read(bytes, at, size, held.offset);
        at += size;
      }
    } finally {
      await file?.close();
    }
    return bytes;
  }

  /** Forgets all. */
  clear(): void {
    this.#held.clear();
    this.#inMemory = 0;
    this.#file?.folder.remove();
    this.#file = undefined;
  }

  /** @returns where in the file */
  async #write(bytes: Uint8Array): Promise<number> {
    if (!this.#file) {
      const folder = temporaryFolder(tmpdir(), "soprano-parts");
      this.#file = { folder, path: join(folder.path, "parts"), size: 0 };
    }
    const { path, size } = this.#file;
    await writing(path, () => appendFile(path, bytes));
    this.#file.size += bytes.length;
    return size;
  }
}
