/** The parts of a build, and the packs that they are put into: in memory, or in files if they are many. */

import { openAsBlob } from "node:fs";
import { appendFile, type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { writing } from "../../lib/failure.ts";
import { type TemporaryFolder, temporaryFolder } from "../../lib/files/temporary-folder.ts";
import { DIGESTS, type Digests, digestPieces, writePieces } from "../../store/pieces.ts";

/** What stays in memory of all parts, and so large is a pack that is made there, bytes. */
const MOST_IN_MEMORY = 8 * 1024 * 1024;

/** Where the bytes of a part are: themselves, or their place in the file. */
type Held = Uint8Array | { offset: number };

export interface GatheredPart {
  key: string;
  size: number;
}

export class GatheredParts {
  /** Where the files are. */
  readonly #parent: string;
  readonly #held = new Map<string, { size: number; held: Held }>();
  #inMemory = 0;
  #folder: TemporaryFolder | undefined;
  /** How much the file has. */
  #size = 0;
  #packs = 0;
  /** The write that is under way: each begins where the one before ends. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(parent: string) {
    this.#parent = parent;
  }

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

  /**
   * The parts one after the other.
   *
   * @returns a Blob, if they are many, which lasts until all is forgotten
   * @throws {DiskFailure} the file can't be written
   */
  async joined(parts: readonly GatheredPart[]): Promise<{ content: Uint8Array | Blob; digests: Digests }> {
    const file = this.#size > 0 ? await open(this.#path("parts")) : undefined;
    const pieces = () => this.#read(parts, file);
    try {
      const size = parts.reduce((sum, part) => sum + part.size, 0);
      if (size <= MOST_IN_MEMORY) {
        const content = new Uint8Array(size);
        let at = 0;
        const digests = await digestPieces(pieces(), DIGESTS, async (piece) => {
          content.set(piece, at);
          at += piece.length;
        });
        return { content, digests };
      }
      const path = this.#path(`pack-${this.#packs++}`);
      const digests = await writePieces(path, pieces(), DIGESTS);
      return { content: await openAsBlob(path), digests };
    } finally {
      await file?.close();
    }
  }

  async *#read(parts: readonly GatheredPart[], file: FileHandle | undefined): AsyncGenerator<Uint8Array> {
    for (const { key, size } of parts) {
      const { held } = this.#held.get(key)!;
      if (held instanceof Uint8Array) yield held;
      else yield (await file!.read(new Uint8Array(size), 0, size, held.offset)).buffer;
    }
  }

  /** Forgets all. */
  clear(): void {
    this.#held.clear();
    this.#inMemory = 0;
    this.#folder?.remove();
    this.#folder = undefined;
    this.#size = 0;
  }

  /** @returns where in the file */
  async #write(bytes: Uint8Array): Promise<number> {
    const offset = this.#size;
    const path = this.#path("parts");
    await writing(path, () => appendFile(path, bytes));
    this.#size += bytes.length;
    return offset;
  }

  #path(name: string): string {
    this.#folder ??= temporaryFolder(this.#parent, "soprano-parts");
    return join(this.#folder.path, name);
  }
}
