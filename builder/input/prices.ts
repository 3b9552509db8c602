/** Reads price observations: columns `timestamp` and `price_usd`, rows in any order. Source: docs/methodology.md §1. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { sharedDoubles } from "../columns/shared.ts";
import type { Prices } from "../engine/history.ts";
import { Failure } from "../failure.ts";
import { PRICE, placeText, readCell, TIME } from "./cells/rules.ts";
import { timeText } from "./cells/time.ts";
import { type Place, type Table, textRows } from "./duckdb/table.ts";
import type { InputFile } from "./files.ts";

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
  const observations: { time: number; usd: number; place: Place }[] = [];
  for await (const rows of textRows(connection, tables, ["timestamp", "price_usd"], onFile)) {
    for (const { place, columns, cells } of rows) {
      const time = readCell(TIME, cells[0]!, place, columns[0]!);
      observations.push({ time, usd: readCell(PRICE, cells[1]!, place, columns[1]!), place });
    }
  }
  if (tables.length > 0 && observations.length === 0 && !mayBeEmpty) {
    const names = tables.map(({ file }) => file.name).join(", ");
    throw new Failure(`${names} has no rows; add prices, or leave the key "prices" out.`);
  }
  observations.sort((a, b) => a.time - b.time);
  const prices = { timestamp: sharedDoubles(observations.length), usd: sharedDoubles(observations.length) };
  for (const [index, { time, usd, place }] of observations.entries()) {
    const last = observations[index - 1];
    if (last?.time === time) {
      throw new Failure(
        `There are two prices for ${timeText(time)} (Unix ${time}): ${placeText(last.place)} and ${placeText(place)}; remove one.`,
      );
    }
    prices.timestamp[index] = time;
    prices.usd[index] = usd;
  }
  return prices;
}
