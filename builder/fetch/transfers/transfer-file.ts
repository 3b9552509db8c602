/**
 * Files of transfers, as Parquet in its plainest form. All columns are PLAIN and zstd, in row groups of a fixed number of rows:
 * with the same version of zstd, the same transfers always give the same bytes. Source: docs/chain.md#layout.
 */

import { createHash } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { Failure } from "../../lib/failure.ts";
import { type Layout, TableEncoder, TableFile } from "../../lib/fixed-width-table.ts";
import { ADDRESS_BYTES, VALUE_BYTES } from "../../lib/widths.ts";
import { writeFailure } from "../kept/durable.ts";
import { copyRows, emptyColumns, type TransferColumns } from "./fetched-columns.ts";

/** Rows of a row group: 6 MB of columns, which writer and reader hold in memory. */
const GROUP_ROWS = 65_536;

const LAYOUT = {
  block_number: "i64",
  log_index: "i32",
  block_timestamp: "i64",
  from_address: ["u8", ADDRESS_BYTES],
  to_address: ["u8", ADDRESS_BYTES],
  value_binary: ["u8", VALUE_BYTES],
} as const satisfies Layout;

/** What a written file is, for fetch.json. */
export interface WrittenFile {
  rows: number;
  bytes: number;
  /** The digest of the file, in hex. */
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
  // A build that resumes skips row groups by their blocks.
  readonly #encoder = new TableEncoder(LAYOUT, "ZSTD", "block_number");
  /** Rows that are in no row group yet. */
  readonly #waiting = emptyColumns(GROUP_ROWS);
  #waitingRows = 0;
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
    await this.#write(this.#encoder.end());
    await this.#output.sync().catch((error) => {
      throw writeFailure(this.#path, error);
    });
    return { rows: this.#encoder.written.rows, bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }

  async #writeGroup(): Promise<void> {
    const { block, logIndex, time, from, to, value } = this.#waiting;
    const cells = {
      block_number: block,
      log_index: logIndex,
      block_timestamp: time,
      from_address: from,
      to_address: to,
      value_binary: value,
    };
    await this.#write(this.#encoder.group(this.#waitingRows, cells));
    this.#waitingRows = 0;
  }

  async #write(pieces: Iterable<Uint8Array>): Promise<void> {
    for (const bytes of pieces) {
      await this.#output.writeFile(bytes).catch((error) => {
        throw writeFailure(this.#path, error);
      });
      this.#hash.update(bytes);
      this.#bytes += bytes.length;
    }
  }
}

/**
 * Reads a file that `writeTransferFile` wrote, a row group at a time: the memory it needs does not depend on the file's
 * size.
 *
 * @throws {Failure} the file is missing or damaged
 */
export function* streamTransfers(path: string): Generator<TransferColumns> {
  try {
    for (const group of new TableFile(path, LAYOUT).read()) {
      yield {
        rows: group.count,
        block: group.block_number,
        logIndex: group.log_index,
        time: group.block_timestamp,
        from: group.from_address,
        to: group.to_address,
        value: group.value_binary,
      };
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const what = /^E[A-Z]/.test(code ?? "") ? `can't be read (${code})` : `is damaged (${message})`;
    throw new Failure(`${path} ${what}: run soprano fetch with --repair, which fetches it again.`, { cause: error });
  }
}
