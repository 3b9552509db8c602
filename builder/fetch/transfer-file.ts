/**
 * Files of transfers: Parquet that any tool reads. All columns are PLAIN and zstd, in row groups of a fixed number of rows:
 * with the same version of zstd, the same transfers always give the same bytes. Source: docs/chain.md#layout.
 */

import { createHash } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { parquetMetadata, type RowGroup } from "hyparquet";
import { type Chunk, encodeChunk } from "../../data-schema/parquet/chunk.ts";
import {
  type Column,
  type ColumnChunk,
  fileEnd,
  fileMetadata,
  MAGIC,
  PARQUET_TRAILER_BYTES,
  rowGroup,
} from "../../data-schema/parquet/metadata.ts";
import { list, type Thrift } from "../../data-schema/parquet/thrift.ts";
import { Failure } from "../lib/failure.ts";
import { ADDRESS_BYTES, copyRows, emptyColumns, type TransferColumns, VALUE_BYTES } from "./columns.ts";
import { writeFailure } from "./durable.ts";

/** Rows of a row group: 6 MB of columns, which writer and reader hold in memory. */
const GROUP_ROWS = 65_536;

const ADDRESS = { type: "FIXED_LEN_BYTE_ARRAY", width: ADDRESS_BYTES } as const;

const COLUMNS = [
  { name: "block_number", type: "INT64" },
  { name: "log_index", type: "INT32" },
  { name: "block_timestamp", type: "INT64" },
  { name: "from_address", ...ADDRESS },
  { name: "to_address", ...ADDRESS },
  { name: "value_binary", type: "FIXED_LEN_BYTE_ARRAY", width: VALUE_BYTES },
] as const satisfies Column[];

/** What a written file is, for fetch.json. */
export interface WrittenFile {
  rows: number;
  bytes: number;
  /** In hex. */
  sha256: string;
}

/**
 * Writes transfers as a file, and flushes it.
 *
 * @param pages in the order of blocks and log indexes
 * @throws {Failure} the disk is full, or the file can't be written
 */
export async function writeTransferFile(
  path: string,
  pages: AsyncIterable<TransferColumns> | Iterable<TransferColumns>,
): Promise<WrittenFile> {
  const output = await open(path, "w").catch((error) => {
    throw writeFailure(path, error);
  });
  try {
    const writer = new Writer(output, path);
    for await (const page of pages) await writer.append(page);
    return await writer.end();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await output.close();
  }
}

class Writer {
  readonly #output: FileHandle;
  readonly #path: string;
  readonly #hash = createHash("sha256");
  readonly #groups: Thrift[] = [];
  /** Rows that are in no row group yet. */
  readonly #waiting = emptyColumns(GROUP_ROWS);
  #waitingRows = 0;
  #rows = 0;
  #bytes = 0;

  constructor(output: FileHandle, path: string) {
    this.#output = output;
    this.#path = path;
  }

  async append(page: TransferColumns): Promise<void> {
    for (let row = 0; row < page.rows; ) {
      const count = Math.min(page.rows - row, GROUP_ROWS - this.#waitingRows);
      copyRows(page, row, row + count, this.#waiting, this.#waitingRows);
      row += count;
      this.#waitingRows += count;
      if (this.#waitingRows === GROUP_ROWS) await this.#writeGroup();
    }
  }

  async end(): Promise<WrittenFile> {
    if (this.#waitingRows > 0) await this.#writeGroup();
    if (this.#bytes === 0) await this.#write(MAGIC);
    const metadata = fileMetadata({ columns: COLUMNS, rows: this.#rows, groups: list(this.#groups) });
    for (const piece of fileEnd(metadata)) await this.#write(piece);
    await this.#output.sync().catch((error) => {
      throw writeFailure(this.#path, error);
    });
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }

  async #writeGroup(): Promise<void> {
    if (this.#bytes === 0) await this.#write(MAGIC);
    const rows = this.#waitingRows;
    const entries: ColumnChunk[] = [];
    for (const chunk of encodeColumns(this.#waiting, rows)) {
      entries.push(chunk.entryAt(this.#bytes));
      await this.#write(chunk.bytes);
    }
    this.#groups.push(rowGroup(entries, rows));
    this.#rows += rows;
    this.#waitingRows = 0;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#output.writeFile(bytes).catch((error) => {
      throw writeFailure(this.#path, error);
    });
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }
}

/** The first rows of columns, as the chunks of `COLUMNS`. */
function encodeColumns(columns: TransferColumns, rows: number): Chunk[] {
  const { logIndex, block, time, from, to, value } = columns;
  const blocks = longs(block.subarray(0, rows));
  const data: Record<(typeof COLUMNS)[number]["name"], Uint8Array> = {
    block_number: blocks,
    log_index: new Uint8Array(logIndex.buffer, logIndex.byteOffset, 4 * rows),
    block_timestamp: longs(time.subarray(0, rows)),
    from_address: from.subarray(0, ADDRESS_BYTES * rows),
    to_address: to.subarray(0, ADDRESS_BYTES * rows),
    value_binary: value.subarray(0, VALUE_BYTES * rows),
  };
  return COLUMNS.map(({ name, type }) =>
    encodeChunk({
      ...{ name, type, codec: "ZSTD", rows, encoding: "PLAIN", data: data[name] },
      // Rows are in the order of blocks. A build that resumes skips row groups by it.
      ...(name === "block_number" && { range: { min: blocks.subarray(0, 8), max: blocks.subarray(-8) } }),
    }),
  );
}

/** Whole numbers as 64-bit integers, little-endian. */
function longs(numbers: Float64Array): Uint8Array {
  const words = new Int32Array(2 * numbers.length);
  for (let index = 0; index < numbers.length; index++) {
    words[2 * index] = numbers[index]! % 2 ** 32;
    words[2 * index + 1] = Math.floor(numbers[index]! / 2 ** 32);
  }
  return new Uint8Array(words.buffer);
}

function fromLongs(bytes: Uint8Array, into: Float64Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let index = 0; index < into.length; index++) {
    into[index] = view.getInt32(8 * index + 4, true) * 2 ** 32 + view.getUint32(8 * index, true);
  }
}

const decompress = promisify(zstdDecompress);

/**
 * Reads a file that `writeTransferFile` wrote, a row group at a time: the memory it needs does not depend on the file's
 * size.
 *
 * @throws {Failure} the file is missing or damaged
 */
export async function* streamTransfers(path: string): AsyncGenerator<TransferColumns> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(
      `${path} can't be read (${error.code}): run soprano fetch with --repair, which fetches it again.`,
    );
  });
  try {
    for (const group of await readGroups(file)) yield await readGroup(file, group);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const why = (error as Error).message;
    throw new Failure(`${path} is damaged (${why}): run soprano fetch with --repair, which fetches it again.`, {
      cause: error,
    });
  } finally {
    await file.close();
  }
}

async function readGroups(file: FileHandle): Promise<RowGroup[]> {
  const { size } = await file.stat();
  const trailer = await readBytes(file, size - PARQUET_TRAILER_BYTES, PARQUET_TRAILER_BYTES);
  const length = trailer.readUInt32LE(0) + PARQUET_TRAILER_BYTES;
  const footer = await readBytes(file, size - length, length);
  return parquetMetadata(footer, { geoparquet: false }).row_groups;
}

async function readGroup(file: FileHandle, { columns: chunks, num_rows }: RowGroup): Promise<TransferColumns> {
  const columns = emptyColumns(Number(num_rows));
  const { rows, logIndex } = columns;
  const read = async (index: number, width: number): Promise<Buffer> => {
    const chunk = chunks[index]?.meta_data;
    if (chunk?.path_in_schema.join() !== COLUMNS[index]!.name)
      throw new Error("its columns are not those of transfers");
    const bytes = await readBytes(file, Number(chunk.data_page_offset), Number(chunk.total_compressed_size));
    // The chunk is one page: a header, then the values.
    const header = Number(chunk.total_uncompressed_size) - width * rows;
    const values = await decompress(bytes.subarray(header));
    if (values.length !== width * rows) throw new Error(`it has ${values.length} bytes of ${COLUMNS[index]!.name}`);
    return values;
  };
  fromLongs(await read(0, 8), columns.block);
  new Uint8Array(logIndex.buffer, logIndex.byteOffset, logIndex.byteLength).set(await read(1, 4));
  fromLongs(await read(2, 8), columns.time);
  columns.from.set(await read(3, ADDRESS_BYTES));
  columns.to.set(await read(4, ADDRESS_BYTES));
  columns.value.set(await read(5, VALUE_BYTES));
  return columns;
}

async function readBytes(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.max(0, length));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, Math.max(0, offset));
  if (offset < 0 || bytesRead < length) throw new Error("it is cut off");
  return bytes;
}
