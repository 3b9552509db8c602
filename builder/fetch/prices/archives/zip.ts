/** Reads a ZIP archive of one file, as data archives have them. Source: APPNOTE.TXT of PKWARE, 6.3. */

import { crc32, inflateRawSync } from "node:zlib";

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;

/** An hour's prices of a month have some 100 KB. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The bytes of the only file.
 *
 * @throws {Error} the archive is damaged, or is not of this simple kind
 */
export function readZip(zip: Buffer): Buffer {
  const end = findEnd(zip);
  const [entries, directory] = [zip.readUInt16LE(end + 10), zip.readUInt32LE(end + 16)];
  if (entries !== 1) throw new Error(`the ZIP archive has ${entries} files, not one`);
  if (directory + 46 > end || zip.readUInt32LE(directory) !== DIRECTORY_ENTRY) throw new Error(DAMAGED);
  const method = zip.readUInt16LE(directory + 10);
  const checksum = zip.readUInt32LE(directory + 16);
  const [packed, size] = [zip.readUInt32LE(directory + 20), zip.readUInt32LE(directory + 24)];
  const header = zip.readUInt32LE(directory + 42);
  if (header + 30 > directory || zip.readUInt32LE(header) !== LOCAL_HEADER) throw new Error(DAMAGED);
  const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
  if (start + packed > directory || size > MOST_BYTES) throw new Error(DAMAGED);
  const bytes = zip.subarray(start, start + packed);
  const content = unpack(bytes, method, size);
  if (content.length !== size || crc32(content) !== checksum) throw new Error(DAMAGED);
  return content;
}

const DAMAGED = "the ZIP archive is damaged";

function unpack(bytes: Buffer, method: number, size: number): Buffer {
  if (method === STORED) return bytes;
  if (method !== DEFLATED) throw new Error(`the ZIP archive is packed by method ${method}`);
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(1, size) });
  } catch {
    throw new Error(DAMAGED);
  }
}

/** The end record is the last one, before a comment. */
function findEnd(zip: Buffer): number {
  const lowest = Math.max(0, zip.length - END_BYTES - LONGEST_COMMENT);
  for (let at = zip.length - END_BYTES; at >= lowest; at--) {
    const isEnd = zip.readUInt32LE(at) === END_OF_DIRECTORY;
    if (isEnd && at + END_BYTES + zip.readUInt16LE(at + 20) === zip.length) return at;
  }
  throw new Error("the file is not a ZIP archive");
}
