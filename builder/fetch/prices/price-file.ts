/** `prices.csv`: a row for each hour that has a price. Rows are only ever appended. */

import { readFile } from "node:fs/promises";
import { Failure } from "../../failure.ts";
import { isoTime } from "../periods.ts";
import { HOUR, type HourPrice } from "./hourly.ts";

const HEADER = "timestamp,price_usd";
const ROW = /^(\d{4}-\d\d-\d\dT\d\d:00:00Z),([^,]+)$/;

export interface PriceFile {
  /** Empty if there is no file. */
  text: string;
  rows: number;
  /** Time of the last row, Unix seconds. */
  last: number | undefined;
}

/**
 * Reads a file that `soprano fetch` has written.
 *
 * @throws {Failure} it was changed since
 */
export async function readPriceFile(path: string): Promise<PriceFile> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw new Failure(`${path} can't be read (${error.code}); change its permissions.`);
  });
  if (text === "") return { text, rows: 0, last: undefined };
  const [header, ...rows] = text.split("\n");
  const refuse = (line: number, what: string) => {
    const restore = "soprano fetch only appends to this file: restore it, or remove it to fetch all prices again";
    return new Failure(`${path}, line ${line}: ${what}; ${restore}.`);
  };
  if (header !== HEADER) throw refuse(1, `the header is not ${HEADER}`);
  if (rows.pop() !== "") throw refuse(rows.length + 2, "the row is not complete");
  const times = rows.map((row, index) => {
    const [, stamp] = row.match(ROW) ?? [];
    const time = stamp === undefined ? Number.NaN : Date.parse(stamp) / 1000;
    if (Number.isNaN(time)) throw refuse(index + 2, "the row is not the end of an hour and a price");
    return time;
  });
  const disorder = times.findIndex((time, index) => index > 0 && time <= times[index - 1]!);
  if (disorder >= 0) throw refuse(disorder + 2, "the time is not after that of the row before");
  return { text, rows: times.length, last: times.at(-1) };
}

/** The file with more rows. Those that are not after its last one are left out: what is written is never changed. */
export function appendPrices({ text, rows, last }: PriceFile, hours: readonly HourPrice[]): PriceFile {
  const added = hours.filter(({ end }) => last === undefined || end > last);
  if (added.length === 0) return { text, rows, last };
  const lines = added.map(({ end, usd }) => `${isoTime(end)},${usd}\n`).join("");
  return {
    text: (text || `${HEADER}\n`) + lines,
    rows: rows + added.length,
    last: added.at(-1)!.end,
  };
}

export const floorHour = (seconds: number): number => seconds - (seconds % HOUR);
