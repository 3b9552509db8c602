/**
 * A prefix of a bucket. A file is one object, written by one PUT. Of tables, only the footer and the row groups that a task
 * needs are read, as ranges, into a copy on this machine, which has holes for the rest.
 */

import { randomUUID } from "node:crypto";
import { createReadStream, openAsBlob } from "node:fs";
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PARQUET_TRAILER_BYTES } from "../../../data-schema/parquet.ts";
import { viewOf } from "../../input/address-order.ts";
import { writing } from "../../lib/failure.ts";
import { TableFile } from "../../lib/fixed-width-table.ts";
import { DIGESTS, type Digests, digestPieces, piecesOf, writePieces } from "../../store/pieces.ts";
import type { ByteRange, ObjectStore } from "../../store/store.ts";
import type { FetchedTable, Pieces, StageFolder } from "./folder.ts";

/** How much of a table's end is read first: most footers fit. */
const END_BYTES = 64 * 1024;

/** A longer stretch is read in several requests: each is in memory whole. */
const RANGE_BYTES = 8 * 1024 * 1024;

export class BucketFolder implements StageFolder {
  readonly name: string;
  readonly assetPath: string;
  readonly codec = "ZSTD";
  readonly scratch: string;
  readonly #store: ObjectStore;
  readonly #prefix: string;
  /** By folder. Later stages read what earlier ones have left: its sizes don't change. */
  readonly #sizes = new Map<string, Promise<ReadonlyMap<string, number>>>();
  /** The row groups that have been fetched, by the name of the table. */
  readonly #tables = new Map<string, Promise<Set<number>>>();

  /** @param prefix of the keys, with a slash at its end */
  constructor(store: ObjectStore, prefix: string, assetPath: string, scratch: string) {
    this.name = `${store.name}/${prefix}`;
    this.assetPath = assetPath;
    this.scratch = scratch;
    this.#store = store;
    this.#prefix = prefix;
  }

  /** `scratch` is there. */
  async make(): Promise<void> {}

  async write(name: string, pieces: Pieces): Promise<void> {
    const path = join(this.scratch, `${randomUUID()}.part`);
    try {
      await this.#put(name, path, await writePieces(path, pieces, DIGESTS));
    } finally {
      await rm(path, { force: true });
    }
  }

  async keep(name: string): Promise<void> {
    const path = join(this.scratch, name);
    await this.#put(name, path, await digestPieces(createReadStream(path), DIGESTS));
  }

  async copy(name: string): Promise<void> {
    const size = await this.#sizeOf(name);
    const copy = await writePieces(await this.#pathOf(name), piecesOf(this.#store, this.#keyOf(name), size), DIGESTS);
    if (copy.size !== size) throw this.#changed(name);
  }

  async readText(name: string): Promise<string | undefined> {
    const object = await this.#store.get(this.#keyOf(name));
    return object && new TextDecoder().decode(object.bytes);
  }

  async table(name: string): Promise<FetchedTable> {
    const begun = this.#tables.get(name) ?? this.#fetchFooter(name);
    this.#tables.set(name, begun);
    const [fetched, path] = [await begun, await this.#pathOf(name)];
    return {
      path,
      fetch: async (groups) => {
        const wanted = [...groups].filter((group) => !fetched.has(group));
        if (wanted.length === 0) return;
        const table = new TableFile(path, {});
        await this.#fetch(name, "r+", joined(wanted.map((group) => table.rangeOf(group))));
        for (const group of wanted) fetched.add(group);
      },
    };
  }

  async remove(name: string): Promise<void> {
    await this.#store.delete([this.#keyOf(name)]);
  }

  #keyOf(name: string): string {
    return `${this.#prefix}${name}`;
  }

  #changed(name: string): Error {
    return new Error(`${this.name}${name} is missing or has changed`);
  }

  /** The path of the copy on this machine. */
  async #pathOf(name: string): Promise<string> {
    const path = join(this.scratch, name);
    await mkdir(dirname(path), { recursive: true });
    return path;
  }

  async #put(name: string, path: string, { sha256, md5 }: Digests): Promise<void> {
    await this.#store.put(this.#keyOf(name), await openAsBlob(path), {
      contentType: "application/octet-stream",
      sha256,
      md5,
    });
  }

  /** @throws {Error} there is no such file */
  async #sizeOf(name: string): Promise<number> {
    const folder = name.includes("/") ? `${dirname(name)}/` : name;
    const list = async () => {
      const objects = await this.#store.list(this.#keyOf(folder));
      return new Map([...objects].map(([key, { size }]) => [key, size]));
    };
    const listed = this.#sizes.get(folder) ?? list();
    this.#sizes.set(folder, listed);
    const size = (await listed).get(this.#keyOf(name));
    if (size === undefined) throw new Error(`${this.name}${name} is missing`);
    return size;
  }

  async #fetchFooter(name: string): Promise<Set<number>> {
    const size = await this.#sizeOf(name);
    const end = Math.max(0, size - END_BYTES);
    const bytes = await this.#fetch(name, "w", [{ offset: end, length: size - end }]);
    const footerLength = viewOf(bytes).getUint32(bytes.length - PARQUET_TRAILER_BYTES, true);
    const footer = size - PARQUET_TRAILER_BYTES - footerLength;
    if (footer < end) await this.#fetch(name, "r+", [{ offset: footer, length: end - footer }]);
    return new Set();
  }

  /**
   * Reads ranges into the copy.
   *
   * @returns the last bytes that were read: all of a single range up to `RANGE_BYTES`
   * @throws {Failure} the disk is full
   */
  async #fetch(name: string, flags: "w" | "r+", ranges: readonly ByteRange[]): Promise<Uint8Array> {
    const path = await this.#pathOf(name);
    const file = await open(path, flags);
    try {
      let last: Uint8Array = new Uint8Array();
      for (const { offset, length } of ranges) {
        for (let done = 0; done < length; done += last.length) {
          const range = { offset: offset + done, length: Math.min(RANGE_BYTES, length - done) };
          const object = await this.#store.get(this.#keyOf(name), range);
          if (object?.bytes.length !== range.length) throw this.#changed(name);
          last = object.bytes;
          await writing(path, () => writeAt(file, last, range.offset));
        }
      }
      return last;
    } finally {
      await file.close();
    }
  }
}

async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  // A full disk takes a part, without an error: writing the rest throws it.
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/** Joins ranges that follow each other. */
function joined(ranges: readonly ByteRange[]): ByteRange[] {
  const found: ByteRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.offset - b.offset)) {
    const last = found.at(-1);
    if (last && last.offset + last.length === range.offset) last.length += range.length;
    else found.push({ ...range });
  }
  return found;
}
