/**
 * Files of prices in the form that `soprano fetch` writes, read without DuckDB: a header and rows of two cells, without quotes.
 * It explains nothing: of a file in which anything is unusual or wrong, DuckDB reads all.
 */

import { readFile } from "node:fs/promises";
import { PRICE, TIME } from "../cells/rules.ts";
import type { InputFile } from "../files/files.ts";

export interface PlainPrices {
  file: InputFile;
  rows: number;
  /** Unix seconds, in the order of the file. */
  times: Float64Array;
  /** USD per token. */
  usd: Float64Array;
}

const HEADER = "timestamp,price_usd\n";
/** A million rows: larger files are not read as one text. */
const MOST_BYTES = 1 << 25;
/** The shortest row: `0,0` and its end. */
const ROW_BYTES = 4;

/** @returns undefined if the file has no row, or not this form */
export async function readPlainPrices(file: InputFile): Promise<PlainPrices | undefined> {
  if (!/\.csv$/i.test(file.name) || file.bytes > MOST_BYTES) return undefined;
  const text = await readFile(file.path, "latin1");
  if (!text.startsWith(HEADER)) return undefined;
  const most = Math.ceil((text.length - HEADER.length) / ROW_BYTES) + 1;
  const [times, usd] = [new Float64Array(most), new Float64Array(most)];
  let rows = 0;
  for (let at = HEADER.length; at < text.length; ) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const comma = text.indexOf(",", at);
    const time = TIME.parse(text.slice(at, comma));
    const price = PRICE.parse(text.slice(comma + 1, end));
    if (comma < 0 || comma > end || time === undefined || price === undefined) return undefined;
    times[rows] = time;
    usd[rows++] = price;
    at = end + 1;
  }
  return rows === 0 ? undefined : { file, rows, times: times.slice(0, rows), usd: usd.slice(0, rows) };
}
