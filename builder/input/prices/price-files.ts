/**
 * Reads price observations: columns `timestamp`, or `close_time`, and `price_usd`, rows in any order. Source: docs/methodology.md
 * §1, docs/building.md#candles.
 */

import type { DuckDBConnection } from "@duckdb/node-api";
import { isoTime } from "../../../data-schema/text.ts";
import type { Prices } from "../../engine/history.ts";
import { orderBy } from "../../lib/columns/order.ts";
import { sharedDoubles, withRoom } from "../../lib/columns/shared.ts";
import { Failure } from "../../lib/failure.ts";
import { counted } from "../../lib/terminal/amount-text.ts";
import { type PriceStamp, secondsToClose } from "../asset/price-stamp.ts";
import { PRICE, readCell, rowPlace } from "../cells/rules.ts";
import { RowPlaces, type Table, textRows } from "../duckdb/input-table.ts";
import type { InputFile } from "../files/files.ts";
import { correctPrices, type HeldCorrection } from "./corrections.ts";
import type { PlainPrices } from "./plain-prices.ts";
import { leaps } from "./price-leaps.ts";
import { asPriceTable, candleLength } from "./price-table.ts";

/** A day without trades, as exports of candles write it. */
const NO_PRICE = /^(null|none|nan)?$/i;

/** Rows for which there is room at first. */
const FIRST_ROWS = 1 << 12;

const doubles = (length: number) => new Float64Array(length);

export interface ReadPrices {
  prices: Prices;
  /** Sentences for the user about prices that may be wrong. */
  notices: string[];
}

interface PriceOptions {
  /** What the times are; without, a column `close_time` counts before `timestamp`. */
  stamp?: PriceStamp | undefined;
  mayBeEmpty?: boolean;
  /** In the order of time. */
  corrections?: readonly HeldCorrection[];
}

/**
 * @param tables may be empty, which makes every price 0
 * @returns the observations of all files, sorted by time, with the corrections
 * @throws {Failure} a cell is invalid, a time has two prices, candles overlap, or the files have no rows and may not be empty
 */
export async function readPrices(
  connection: DuckDBConnection,
  tables: readonly (Table | PlainPrices)[],
  onFile: (file: InputFile) => void,
  { stamp, mayBeEmpty = false, corrections = [] }: PriceOptions = {},
): Promise<ReadPrices> {
  const period = secondsToClose(stamp);
  const places = new RowPlaces();
  let [timestamp, usd] = [doubles(FIRST_ROWS), doubles(FIRST_ROWS)];
  let count = 0;
  for (const file of tables) {
    if ("times" in file) {
      timestamp = withRoom(timestamp, count + file.rows, doubles);
      usd = withRoom(usd, count + file.rows, doubles);
      timestamp.set(file.times, count);
      usd.set(file.usd, count);
      places.addAll(file.file.name, file.rows);
      count += file.rows;
      onFile(file.file);
      continue;
    }
    const { table, time, rule, toClose, hasGaps } = await asPriceTable(connection, file, stamp);
    const first = count;
    for await (const all of textRows(connection, [table], [time, "price_usd"], onFile)) {
      const rows = hasGaps ? all.filter(({ cells }) => !NO_PRICE.test(cells[1]!)) : all;
      places.add(rows);
      timestamp = withRoom(timestamp, count + rows.length, doubles);
      usd = withRoom(usd, count + rows.length, doubles);
      for (const { place, columns, cells } of rows) {
        timestamp[count] = readCell(rule, cells[0]!, place, columns[0]!) + (toClose ?? 0);
        usd[count++] = readCell(PRICE, cells[1]!, place, columns[1]!);
      }
    }
    file.rows = table.rows;
    if (toClose === undefined && count > first) {
      const times = timestamp.subarray(first, count);
      const length = candleLength(table, times);
      for (let row = 0; row < times.length; row++) times[row]! += length;
    }
  }
  if (tables.length > 0 && count === 0 && !mayBeEmpty) {
    const names = tables.map(({ file }) => file.name).join(", ");
    throw new Failure(`${names} has no rows; add prices, or leave the key "prices" out.`);
  }
  const order = orderBy(count, [timestamp]);
  const prices = { timestamp: sharedDoubles(count), usd: sharedDoubles(count) };
  for (const [index, row] of order.entries()) {
    const time = timestamp[row]!;
    const since = index === 0 ? Number.POSITIVE_INFINITY : time - prices.timestamp[index - 1]!;
    const both = () => [order[index - 1]!, row].map((row) => rowPlace(places.of(row))).join(" and ");
    if (since === 0) {
      throw new Failure(`There are two prices for ${isoTime(time)} (Unix ${time}): ${both()}; remove one.`);
    }
    if (stamp?.stamp === "open" && since < period) {
      throw new Failure(
        `The candles of ${both()} open less than ${stamp.period} apart; correct "period" of the prices in ASSET.json.`,
      );
    }
    prices.timestamp[index] = time;
    prices.usd[index] = usd[row]!;
  }
  const corrected = correctPrices(prices, corrections);
  const placeOf = (index: number) => {
    const row = corrected.origin[index]!;
    return row < 0 ? "A corrected price" : rowPlace(places.of(order[row]!));
  };
  return { prices: corrected.prices, notices: leapNotices(corrected.prices, placeOf) };
}

/** @param placeOf where a price is, by its number in the order of time */
function leapNotices({ timestamp, usd }: Prices, placeOf: (index: number) => string): string[] {
  const [first, ...others] = leaps(usd);
  if (!first) return [];
  const { index, count, isUp } = first;
  const what = isUp ? "at least 1,000 times" : "at most a thousandth of";
  const run = count === 1 ? "" : `, and each of the ${counted(count - 1, "price")} after it`;
  const more = others.length === 0 ? "" : ` It is the first of ${others.length + 1} such places.`;
  return [
    `${placeOf(index)}: the price of ${isoTime(timestamp[index]!)}, ${usd[index]}${run}, is ${what} those before and ` +
      `after it; correct it if its decimal point is misplaced.${more}`,
  ];
}
