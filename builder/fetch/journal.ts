/** Pages that have been fetched but are in no file yet: `inputs/<SYMBOL>/.part/`. Survives a kill at any moment. */

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import type { BlockRange } from "../chain/pages.ts";
import { Failure } from "../failure.ts";
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

/**
 * Opens a journal, and drops what is not usable: pages that were being written, damaged ones, those of another identity.
 *
 * @param folder one for each stream of pages, such as `.part/transfers`
 * @param identity what the pages depend on, such as chain, contract and events
 */
export async function openJournal(folder: string, identity: string): Promise<Journal> {
  const identityDigest = sha256(Buffer.from(identity));
  await mkdir(folder, { recursive: true }).catch((error) => {
    throw writeFailure(folder, error);
  });
  const pathOf = (range: BlockRange) => join(folder, nameOf(range));
  const drop = (name: string) => rm(join(folder, name), { recursive: true, force: true });

  const pages: BlockRange[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const [, from, to] = name.match(NAME) ?? [];
    const range = { from: Number(from), to: Number(to) };
    const isUsable =
      from !== undefined &&
      range.from <= range.to &&
      range.from > (pages.at(-1)?.to ?? -1) &&
      payloadOf(await readFile(join(folder, name)), range, identityDigest) !== undefined;
    if (isUsable) pages.push(range);
    else await drop(name);
  }

  const remove = async (ranges: readonly BlockRange[]) => {
    for (const range of ranges) {
      const at = pages.findIndex(({ from, to }) => from === range.from && to === range.to);
      if (at >= 0) pages.splice(at, 1);
      await drop(nameOf(range));
    }
  };

  return {
    pages,
    remove,

    async put(range, payload) {
      const at = firstAfter(pages, range.from);
      if ((pages[at - 1]?.to ?? -1) >= range.from || (pages[at]?.from ?? Number.POSITIVE_INFINITY) <= range.to) {
        throw new Error(`The page of blocks ${range.from}–${range.to} overlaps another one.`);
      }
      // Taken before the first pause, so that two pages can't both find the same place free.
      const page = { from: range.from, to: range.to };
      pages.splice(at, 0, page);
      try {
        const compressed = await compress(payload, COMPRESSION);
        const checksum = checksumOf(range, compressed);
        await writeDurably(pathOf(range), Buffer.concat([MAGIC, identityDigest, checksum, compressed]));
      } catch (error) {
        pages.splice(pages.indexOf(page), 1);
        throw error;
      }
    },

    async get(range) {
      const compressed = await readFile(pathOf(range)).then(
        (bytes) => payloadOf(bytes, range, identityDigest),
        () => undefined,
      );
      if (compressed !== undefined) return decompress(compressed);
      await remove([range]);
      throw new Failure(
        `${pathOf(range)} is damaged and has been removed; run soprano fetch again: it fetches that page again.`,
      );
    },
  };
}

/** The index of the first page that begins after a block. */
function firstAfter(pages: readonly BlockRange[], block: number): number {
  let [low, high] = [0, pages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pages[middle]!.from > block) high = middle;
    else low = middle + 1;
  }
  return low;
}

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

/** Of the range, too, so that a renamed page is none. */
const checksumOf = (range: BlockRange, payload: Uint8Array) => sha256(Buffer.from(nameOf(range)), payload);

function sha256(...pieces: readonly Uint8Array[]): Buffer {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}
