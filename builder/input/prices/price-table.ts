/** Prices of other tools: a file as the plain form, and how its times are read. Source: docs/building.md#files-of-other-tools. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { Failure } from "../../lib/failure.ts";
import { type PriceStamp, secondsToClose } from "../asset/price-stamp.ts";
import { type CellRule, CLOSE_TIME, MOMENT, shortened, TIME } from "../cells/rules.ts";
import { findColumn, type Table, tableChunks, textSql } from "../duckdb/input-table.ts";
import { CANDLE_LENGTHS, PRICE_SHAPES, type PriceShape } from "../shapes/price-shapes.ts";
import { findAny, shapeOf, throughShape } from "../shapes/shape.ts";

const PLAIN = ["timestamp", "close_time"];

/** The shape of a file of prices; undefined if it has the plain columns, or is of no shape that is known. */
export function priceShape(table: Table): PriceShape | undefined {
  const isPlain = findColumn(table, ["price_usd"]) !== undefined && findColumn(table, PLAIN) !== undefined;
  return isPlain ? undefined : shapeOf(table, PRICE_SHAPES);
}

/** A file of prices, and how it is read. */
export interface PriceTable {
  table: Table;
  /** The column of times, and its rule. */
  time: string;
  rule: CellRule<number>;
  /** From a time to when its price counts, in seconds; undefined if the distances of the times tell. */
  toClose: number | undefined;
  /** Whether rows without a price are left out. */
  hasGaps: boolean;
}

/**
 * @param stamp what ASSET.json says of the times
 * @throws {Failure} the file has prices of several tokens
 */
export async function asPriceTable(
  connection: DuckDBConnection,
  table: Table,
  stamp: PriceStamp | undefined,
): Promise<PriceTable> {
  const shape = priceShape(table);
  if (!shape) {
    const hasClose = stamp === undefined && findColumn(table, ["close_time"]) !== undefined;
    const [time, rule] = hasClose ? ["close_time", CLOSE_TIME] : ["timestamp", TIME];
    return { table, time, rule, toClose: secondsToClose(stamp), hasGaps: false };
  }
  for (const name of shape.one ?? []) await checkIsOne(connection, table, name);
  const shaped = throughShape(table, shape, { decimals: 0 });
  if (shape.columns.close_time) {
    return { table: shaped, time: "close_time", rule: CLOSE_TIME, toClose: 0, hasGaps: true };
  }
  const own = shape.candle === "open" ? undefined : (shape.candle ?? 0);
  return {
    table: shaped,
    time: "timestamp",
    rule: MOMENT,
    toClose: stamp === undefined ? own : secondsToClose(stamp),
    hasGaps: true,
  };
}

async function checkIsOne(connection: DuckDBConnection, table: Table, name: string): Promise<void> {
  const column = findAny(table, name);
  if (!column) return;
  const text = textSql(column);
  const sql = `SELECT min(${text}), max(${text}) FROM ${table.relation}`;
  for await (const chunk of tableChunks(connection, table.file, sql)) {
    const [least, greatest] = chunk.getRows()[0]!;
    if (least === greatest) continue;
    throw new Failure(
      `${table.file.name} has prices of several tokens, as column ${column.name} says: ${shortened(String(least))} and ` +
        `${shortened(String(greatest))}; keep the rows of one.`,
    );
  }
}

/**
 * The length of a file's candles: the least distance between their times.
 *
 * @param times in any order
 * @throws {Failure} that is no length that candles have
 */
export function candleLength({ file }: Table, times: Float64Array): number {
  const sorted = times.toSorted();
  let least = Number.POSITIVE_INFINITY;
  for (let at = 1; at < sorted.length; at++) {
    const distance = sorted[at]! - sorted[at - 1]!;
    if (distance > 0) least = Math.min(least, distance);
  }
  if (CANDLE_LENGTHS.has(least)) return least;
  throw new Failure(
    `${file.name} has candles, but their times don't tell how long they are; say it in ASSET.json, for instance as ` +
      `"prices": {"file": ${JSON.stringify(file.name)}, "stamp": "open", "period": "1d"}.`,
  );
}
