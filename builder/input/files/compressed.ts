/** Text files that are compressed, by gzip or zstd: whether they are intact, how they begin, and how they end. */

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { type Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import { Failure } from "../../lib/failure.ts";
import { type InputFile, isLineEnd, LONGEST_LINE, tooLong } from "./files.ts";

/** The names are DuckDB's. */
export type Compression = "none" | "gzip" | "zstd";

const UNPACK: readonly (readonly [extension: RegExp, Compression, () => Transform])[] = [
  [/\.gz$/i, "gzip", () => zlib.createGunzip()],
  [/\.zst$/i, "zstd", () => zlib.createZstdDecompress()],
];

/** How a file is compressed, by its name. */
export const compressionOf = ({ name }: Pick<InputFile, "name">): Compression =>
  UNPACK.find(([extension]) => extension.test(name))?.[1] ?? "none";

/** Whether appended rows would change the bytes before them. */
export const isCompressed = (file: Pick<InputFile, "name">): boolean => compressionOf(file) !== "none";

function unpacker(file: InputFile): Transform | undefined {
  const found = UNPACK.find(([extension]) => extension.test(file.name));
  if (found?.[1] === "zstd" && typeof zlib.createZstdDecompress !== "function") {
    throw new Failure(
      `${file.name}: reading .zst needs Node.js 22.15 or newer; update it, or compress the file as .gz.`,
    );
  }
  return found?.[2]();
}

/**
 * Reads a compressed file to its end. DuckDB would accept a truncated file as a shorter one, and never checks the checksum.
 *
 * @param hasLines whether its lines are limited, as those of CSV are
 * @returns the last byte of its content that is neither a blank nor the end of a line; undefined if there is none
 * @throws {Failure} the file is damaged, or has a line that is too long
 */
export async function checkCompressed(file: InputFile, hasLines: boolean): Promise<number | undefined> {
  const { name, path } = file;
  let [line, longest] = [0, 0];
  let last: number | undefined;
  const lines = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      const first = chunk.findIndex(isLineEnd);
      longest = Math.max(longest, line + (first === -1 ? chunk.length : first));
      line = first === -1 ? line + chunk.length : chunk.length - 1 - chunk.findLastIndex(isLineEnd);
      last = lastByte(chunk) ?? last;
      done();
    },
  });
  const unpack = unpacker(file)!;
  try {
    await pipeline(createReadStream(path), unpack, lines);
  } catch {
    throw new Failure(`${name} is not an intact ${compressionOf(file)} file; export or download it again.`);
  }
  if (hasLines && longest > LONGEST_LINE) throw tooLong(`${name}: a line`);
  return last;
}

const BLANK = 0x20;
const TAB = 0x09;

/** The last byte that is neither a blank nor the end of a line. */
function lastByte(bytes: Uint8Array): number | undefined {
  return bytes.findLast((byte) => byte !== BLANK && byte !== TAB && !isLineEnd(byte));
}

/** How many bytes at the end of a file are looked at: exports end with a few blank lines at most. */
const TAIL_BYTES = 4096;

/** What `checkCompressed` returns, for a file that is not compressed. */
export async function lastByteOf({ path }: InputFile): Promise<number | undefined> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const { bytesRead } = await file.read(tail, 0, tail.length, size - tail.length);
    return lastByte(tail.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/**
 * The content of a file, piece by piece. The reader may stop at any piece: what is wrong behind it is not reported.
 *
 * @throws {Error} the file is damaged
 */
export async function* contentOf(file: InputFile): AsyncGenerator<Buffer> {
  const stream = createReadStream(file.path, { highWaterMark: 1 << 18 });
  const unpack = unpacker(file);
  try {
    yield* unpack ? stream.pipe(unpack) : stream;
  } finally {
    stream.destroy();
  }
}

/** The first `most` bytes of a file's content, as text; fewer if it ends before. A damaged file has none. */
export async function headOf(file: InputFile, most: number): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of contentOf(file)) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= most) break;
    }
  } catch {
    return "";
  }
  return Buffer.concat(pieces).subarray(0, most).toString("utf8");
}
