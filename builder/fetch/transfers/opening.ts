/** Balances from before the first event, such as a constructor's mint without one: rows of the block before the first. */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { AssetFile } from "../../input/asset/asset.ts";
import { Failure } from "../../lib/failure.ts";
import { cellsOf, findHeader, MOST_LINES_BEFORE_HEADER } from "../../lib/files/csv-header.ts";
import type { Block } from "../chain/blocks.ts";
import { emptyColumns, type TransferColumns } from "./fetched-columns.ts";

const MAX_VALUE = 2n ** 256n - 1n;

/** The table that `openingBalances` names. */
export interface Opening {
  /** Addresses are lower-case. */
  rows: { address: string; value: bigint }[];
  /** Digest of a line `address,value` for each row: it does not depend on how the file is written. */
  sha256: string;
}

/**
 * Reads `openingBalances`.
 *
 * @returns undefined if the asset has none
 * @throws {Failure} names the file, row and column
 */
export async function readOpening(asset: AssetFile): Promise<Opening | undefined> {
  const { openingBalances: name } = asset.source ?? {};
  if (name === undefined) return undefined;
  const text = await readFile(resolve(dirname(asset.path), name), "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${name} (openingBalances) can't be read (${error.code}); paths are relative to ASSET.json.`);
  });
  const rows = parseOpening(name, text);
  const lines = rows.map(({ address, value }) => `${address},${value}\n`);
  return { rows, sha256: createHash("sha256").update(lines.join("")).digest("hex") };
}

/** The block whose rows opening balances are: that before the first. No block is before block 0, which has no logs itself. */
export const openingBlock = (firstBlock: number): number => Math.max(0, firstBlock - 1);

/**
 * Opening balances as transfers: from the zero address, with the first block's time.
 *
 * @param first the asset's first block
 */
export function openingTransfers({ rows }: Opening, first: Block): TransferColumns {
  const columns = emptyColumns(rows.length);
  for (const [row, { address, value }] of rows.entries()) {
    columns.block[row] = openingBlock(first.number);
    columns.logIndex[row] = row;
    columns.time[row] = first.time;
    columns.to.set(Buffer.from(address.slice(2), "hex"), 20 * row);
    columns.value.set(Buffer.from(value.toString(16).padStart(64, "0"), "hex"), 32 * row);
  }
  return columns;
}

/**
 * Parses a table of opening balances: a CSV with the columns `address` and `value`, raw units.
 *
 * @throws {Failure} names the file, row and column
 */
export function parseOpening(name: string, text: string): Opening["rows"] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const header = findHeader(lines.slice(0, MOST_LINES_BEFORE_HEADER));
  if (header?.names.join() !== "address,value") throw new Failure(`${name}: the first line must be address,value.`);
  const seen = new Set<string>();
  const rows: Opening["rows"] = [];
  for (const [index, line] of lines.slice(header.skip + 1).entries()) {
    if (line.trim() === "") continue;
    const [written = "", value = "", ...more] = cellsOf(line, header.separator).map((cell) => cell.trim());
    const address = written.toLowerCase();
    const place = `${name}, row ${index + 1}`;
    const refuse = (column: string, cell: string, what: string) =>
      new Failure(`${place}, column ${column}: ${JSON.stringify(cell)} is not ${what}.`);
    if (more.length > 0) throw new Failure(`${place}: has more than two cells.`);
    if (!/^0x[0-9a-f]{40}$/.test(address)) throw refuse("address", written, "0x and 40 hexadecimal digits");
    if (!/^\d{1,78}$/.test(value) || BigInt(value) > MAX_VALUE) {
      throw refuse("value", value, "a whole number of raw units below 2^256");
    }
    if (seen.has(address)) throw new Failure(`${place}: ${written} appears twice; add its values up.`);
    seen.add(address);
    rows.push({ address, value: BigInt(value) });
  }
  return rows;
}
