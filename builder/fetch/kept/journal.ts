/** Pages that have been fetched but are in no file yet: `inputs/<SYMBOL>/.part/`. Survives a kill at any moment. */

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import { firstIndex } from "../../../data-schema/search.ts";
import { Failure } from "../../lib/failure.ts";
import type { BlockRange } from "../chain/logs/pages.ts";
import { type ChainMarks, lastOnChain, writeMarks } from "./chain-marks.ts";
import { writeDurably, writeFailure } from "./durable.ts";

export interface Journal {
  /** The pages that are there, ascending; they do not overlap. */
  readonly pages: readonly BlockRange[];
  /** Stores a page: written, flushed, renamed. */
  put(range: BlockRange, payload: Uint8Array): Promise<void>;
  /** @throws {Failure} the page is damaged; it has been removed and is fetched again by the next run */
  get(range: BlockRange): Promise<Uint8Array>;
  remove(ranges: readonly BlockRange[]): Promise<void>;
}

const MAGIC = Buffer.from("soprano page 1\n\0", "latin1");
const DIGEST_BYTES = 32;
const HEADER_BYTES = MAGIC.length + 2 * DIGEST_BYTES;

/** First and last block of a page, with as many digits as the largest number that a block can have. */
const NAME = /^(\d{16})-(\d{16})\.page$/;
const nameOf = ({ from, to }: BlockRange) => `${String(from).padStart(16, "0")}-${String(to).padStart(16, "0")}.page`;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Pages of at most so many bytes, compressed, are joined once this many lie side by side. */
const SMALL_BYTES = 65_536;
const SMALL_PAGES = 64;

export interface JournalOptions {
  /**
   * Makes one payload of those of adjacent pages, in order. With it, small pages are joined: a node that takes ten blocks
   * a request would leave millions of files.
   */
  join?(payloads: readonly Uint8Array[]): Uint8Array;
  /** Drops pages of blocks that have been replaced since they were read. */
  marks?: ChainMarks;
}

/** A page, and the size of its file. */
interface StoredPage extends BlockRange {
  bytes: number;
}

/**
 * Opens a journal, and drops what is not usable: pages that were being written, damaged ones, those of another identity.
 *
 * @param folder one for each stream of pages, such as `.part/transfers`
 * @param identity what the pages depend on, such as chain, contract and events
 */
export async function openJournal(folder: string, identity: string, options: JournalOptions = {}): Promise<Journal> {
  const identityDigest = sha256(Buffer.from(identity));
  await mkdir(folder, { recursive: true }).catch((error) => {
    throw writeFailure(folder, error);
  });
  const journal = new FolderJournal(folder, identityDigest, await readPages(folder, identityDigest), options);
  const { marks } = options;
  if (!marks) return journal;
  if (journal.pages.length > 0) {
    const last = await lastOnChain(marksOf(folder), marks);
    await journal.remove(journal.pages.filter(({ to }) => to > last));
  }
  // Not before the pages that they are not of are gone.
  if (marks.blocks.length > 0) await writeMarks(marksOf(folder), marks);
  return journal;
}

/** Beside the folder: in it are pages alone. */
const marksOf = (folder: string) => `${folder}.marks`;

/** Removes all of a journal. */
export async function removeJournal(folder: string): Promise<void> {
  for (const path of [folder, marksOf(folder)]) await rm(path, { recursive: true, force: true });
}

/** The usable pages of a folder. All else in it is removed. */
async function readPages(folder: string, identityDigest: Buffer): Promise<StoredPage[]> {
  const found = (await readdir(folder)).map((name) => {
    const [, from, to] = name.match(NAME) ?? [];
    return { name, from: Number(from), to: Number(to) };
  });
  // Where pages overlap, the longer one is what the others were being joined to.
  found.sort((a, b) => a.from - b.from || b.to - a.to);
  const pages: StoredPage[] = [];
  for (const { name, from, to } of found) {
    const mayBePage = !Number.isNaN(from) && from <= to && from > (pages.at(-1)?.to ?? -1);
    const content = mayBePage ? await readFile(join(folder, name)) : undefined;
    if (content && payloadOf(content, { from, to }, identityDigest)) pages.push({ from, to, bytes: content.length });
    else await rm(join(folder, name), { recursive: true, force: true });
  }
  return pages.sort((a, b) => a.from - b.from);
}

class FolderJournal implements Journal {
  readonly #folder: string;
  readonly #identityDigest: Buffer;
  readonly #pages: StoredPage[];
  readonly #options: JournalOptions;
  /** One joins at a time. */
  #joining: Promise<void> = Promise.resolve();

  constructor(folder: string, identityDigest: Buffer, pages: StoredPage[], options: JournalOptions) {
    this.#folder = folder;
    this.#identityDigest = identityDigest;
    this.#pages = pages;
    this.#options = options;
  }

  get pages(): readonly BlockRange[] {
    return this.#pages.map(({ from, to }) => ({ from, to }));
  }

  async put(range: BlockRange, payload: Uint8Array): Promise<void> {
    const pages = this.#pages;
    const at = firstAfter(pages, range.from);
    if ((pages[at - 1]?.to ?? -1) >= range.from || (pages[at]?.from ?? Number.POSITIVE_INFINITY) <= range.to) {
      throw new Error(`The page of blocks ${range.from}–${range.to} overlaps another one.`);
    }
    // Taken before the first pause, so that two pages can't both find the same place free. Not small until it is written.
    const page: StoredPage = { from: range.from, to: range.to, bytes: Number.POSITIVE_INFINITY };
    pages.splice(at, 0, page);
    try {
      page.bytes = await this.#write(range, payload);
    } catch (error) {
      pages.splice(pages.indexOf(page), 1);
      throw error;
    }
    if (!this.#options.join) return;
    this.#joining = this.#joining.then(() => this.#joinAround(page));
    await this.#joining;
  }

  /** @returns the size of the file */
  async #write(range: BlockRange, payload: Uint8Array): Promise<number> {
    const compressed = await compress(payload, COMPRESSION);
    const content = [MAGIC, this.#identityDigest, checksumOf(range, compressed), compressed];
    await writeDurably(this.#pathOf(range), Buffer.concat(content));
    return HEADER_BYTES + compressed.length;
  }

  /** Joins a page with those beside it if there are enough small ones. A kill leaves all of them, or their union. */
  async #joinAround(page: StoredPage): Promise<void> {
    const pages = this.#pages;
    const isJoined = (left: StoredPage | undefined, right: StoredPage | undefined) =>
      left !== undefined && right !== undefined && isSmall(left) && isSmall(right) && left.to + 1 === right.from;
    let first = pages.indexOf(page);
    let end = first + 1;
    while (end - first < SMALL_PAGES && isJoined(pages[first - 1], pages[first])) first--;
    while (end - first < SMALL_PAGES && isJoined(pages[end - 1], pages[end])) end++;
    if (first < 0 || end - first < SMALL_PAGES) return;
    const parts = pages.slice(first, end);
    const payloads: Uint8Array[] = [];
    for (const part of parts) payloads.push(await this.get(part));
    const union = { from: parts[0]!.from, to: parts.at(-1)!.to };
    const bytes = await this.#write(union, this.#options.join!(payloads));
    // Others may have been added before them meanwhile.
    pages.splice(pages.indexOf(parts[0]!), parts.length, { ...union, bytes });
    for (const part of parts) await rm(this.#pathOf(part), { force: true });
  }

  async get(range: BlockRange): Promise<Uint8Array> {
    const compressed = await readFile(this.#pathOf(range)).then(
      (bytes) => payloadOf(bytes, range, this.#identityDigest),
      () => undefined,
    );
    if (compressed !== undefined) return decompress(compressed);
    await this.remove([range]);
    throw new Failure(
      `${this.#pathOf(range)} is damaged and has been removed; run soprano fetch again: it fetches that page again.`,
    );
  }

  async remove(ranges: readonly BlockRange[]): Promise<void> {
    for (const range of ranges) {
      const at = firstAfter(this.#pages, range.from) - 1;
      if (this.#pages[at]?.from === range.from && this.#pages[at].to === range.to) this.#pages.splice(at, 1);
      await rm(this.#pathOf(range), { force: true });
    }
  }

  #pathOf(range: BlockRange): string {
    return join(this.#folder, nameOf(range));
  }
}

const isSmall = ({ bytes }: StoredPage) => bytes <= SMALL_BYTES;

/** The index of the first page that begins after a block. */
const firstAfter = (pages: readonly BlockRange[], block: number): number =>
  firstIndex(pages.length, (index) => pages[index]!.from > block);

/** The compressed payload of a page's file; undefined if it is damaged, or of another identity. */
function payloadOf(bytes: Buffer, range: BlockRange, identityDigest: Uint8Array): Buffer | undefined {
  const [magic, identity, checksum] = [
    bytes.subarray(0, MAGIC.length),
    bytes.subarray(MAGIC.length, MAGIC.length + DIGEST_BYTES),
    bytes.subarray(MAGIC.length + DIGEST_BYTES, HEADER_BYTES),
  ];
  const payload = bytes.subarray(HEADER_BYTES);
  const isIntact =
    MAGIC.equals(magic) && identity.equals(identityDigest) && checksumOf(range, payload).equals(checksum);
  return isIntact ? payload : undefined;
}

/** Covers the range, too, so that a renamed page counts as damaged. */
const checksumOf = (range: BlockRange, payload: Uint8Array) => sha256(Buffer.from(nameOf(range)), payload);

function sha256(...pieces: readonly Uint8Array[]): Buffer {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}
