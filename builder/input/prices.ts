/** Reads price observations: columns `timestamp` and `price_usd`, rows in any order. Source: docs/methodology.md §1. */

import type { DuckDBConnection } from "@duckdb/node-api";
import type { Prices } from "../engine/history.ts";
import { orderBy } from "../lib/columns/order.ts";
import { sharedDoubles, withRoom } from "../lib/columns/shared.ts";
import { Failure } from "../lib/failure.ts";
import { PRICE, placeText, readCell, TIME } from "./cells/rules.ts";
import { timeText } from "./cells/time.ts";
import { RowPlaces, type Table, textRows } from "./duckdb/input-table.ts";
import type { InputFile } from "./files.ts";

/** Rows for which there is room at first. */
const FIRST_ROWS = 1 << 12;

const doubles = (length: number) => new Float64Array(length);

/**
 * @param tables may be empty, which makes every price 0
 * @returns the observations of all files, sorted by time
 * @throws {Failure} a cell is invalid, a time has two prices, or the files have no rows and may not be empty
 */
export async function readPrices(
  connection: DuckDBConnection,
  tables: readonly Table[],
  onFile: (file: InputFile) => void,
  { mayBeEmpty = false } = {},
): Promise<Prices> {
  const places = new RowPlaces();
  let [timestamp, usd] = [doubles(FIRST_ROWS), doubles(FIRST_ROWS)];
  let count = 0;
  for await (const rows of textRows(connection, tables, ["timestamp", "price_usd"], onFile)) {
    places.add(rows);
    timestamp = withRoom(timestamp, count + rows.length, doubles);
    usd = withRoom(usd, count + rows.length, doubles);
    for (const { place, columns, cells } of rows) {
      timestamp[count] = readCell(TIME, cells[0]!, place, columns[0]!);
      usd[count++] = readCell(PRICE, cells[1]!, place, columns[1]!);
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
    if (index > 0 && time === prices.timestamp[index - 1]) {
      const [first, second] = [order[index - 1]!, row].map((row) => placeText(places.of(row)));
      throw new Failure(
        `There are two prices for ${timeText(time)} (Unix ${time}): ${first} and ${second}; remove one.`,
      );
    }
    prices.timestamp[index] = time;
    prices.usd[index] = usd[row]!;
  }
  return prices;
}
