/** `prices.csv`: a row for each hour that has a price. Rows are only appended, unless hours are computed again. */

import { readFile } from "node:fs/promises";
import { isoTime } from "../../../data-schema/text.ts";
import { Failure } from "../../lib/failure.ts";
import type { HourPrice } from "./hourly.ts";

const HEADER = "timestamp,price_usd";
const ROW = /^(\d{4}-\d\d-\d\dT\d\d:00:00Z),([^,]+)$/;

export interface PriceFile {
  /** Empty if there is no file. */
  text: string;
  rows: number;
  /** Time of the last row, Unix seconds. */
  last: number | undefined;
  /** The rows' times, Unix seconds, and their prices as text. */
  prices: ReadonlyMap<number, string>;
}

export const EMPTY: PriceFile = { text: "", rows: 0, last: undefined, prices: new Map() };

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
  if (text === "") return EMPTY;
  const [header, ...rows] = text.split("\n");
  const refuse = (line: number, what: string) => {
    const restore =
      "soprano fetch alone writes this file: restore it, or compute all prices again with --recheck prices";
    return new Failure(`${path}, line ${line}: ${what}; ${restore}.`);
  };
  if (header !== HEADER) throw refuse(1, `the header is not ${HEADER}`);
  if (rows.pop() !== "") throw refuse(rows.length + 2, "the row is not complete");
  const prices = new Map<number, string>();
  let last: number | undefined;
  for (const [index, row] of rows.entries()) {
    const [, stamp, usd] = row.match(ROW) ?? [];
    const time = stamp === undefined ? Number.NaN : Date.parse(stamp) / 1000;
    if (Number.isNaN(time)) throw refuse(index + 2, "the row is not the end of an hour and a price");
    if (last !== undefined && time <= last) throw refuse(index + 2, "the time is not after that of the row before");
    prices.set(time, usd!);
    last = time;
  }
  return { text, rows: rows.length, last, prices };
}

/** What a file becomes. */
export interface NextPrices {
  text: string;
  rows: number;
}

/** The file with more rows. Those that are not after its last one are left out: what is written is never changed. */
export function appendPrices({ text, rows, last }: PriceFile, hours: readonly HourPrice[]): NextPrices {
  const added = hours.filter(({ end }) => last === undefined || end > last);
  const next = added.length === 0 ? text : (text || `${HEADER}\n`) + linesOf(added);
  return { text: next, rows: rows + added.length };
}

/** The file with its rows up to a time as they are, and then these hours instead of its own. */
export function replacePrices({ prices }: PriceFile, after: number, hours: readonly HourPrice[]): NextPrices {
  const kept = [...prices].filter(([end]) => end <= after).map(([end, usd]) => `${isoTime(end)},${usd}\n`);
  return { text: `${HEADER}\n${kept.join("")}${linesOf(hours)}`, rows: kept.length + hours.length };
}

const linesOf = (hours: readonly HourPrice[]) => hours.map(({ end, usd }) => `${isoTime(end)},${usd}\n`).join("");

/** An hour whose price differs, as text; undefined where it has none. */
export interface ChangedHour {
  end: number;
  before: string | undefined;
  now: string | undefined;
}

/** The hours after a time whose prices differ from those of the file, ascending. */
export function changedHours({ prices }: PriceFile, after: number, hours: readonly HourPrice[]): ChangedHour[] {
  const now = new Map(hours.map(({ end, usd }) => [end, String(usd)]));
  const before = [...prices.keys()].filter((end) => end > after);
  const ends = [...new Set([...before, ...now.keys()])].sort((a, b) => a - b);
  return ends
    .map((end) => ({ end, before: prices.get(end), now: now.get(end) }))
    .filter(({ before, now }) => before !== now);
}
