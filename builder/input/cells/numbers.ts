/** Block numbers, log indexes and times in bulk, by the rules of cells.ts. */

import type { DuckDBDataChunk } from "@duckdb/node-api";
import { doubles, release, type Texts, textOf, textRoom, texts } from "../duckdb/vectors.ts";
import type { ByFamily } from "./columns.ts";
import { BLOCK_NUMBER, LOG_INDEX, type NumberRule, TIME } from "./rules.ts";

export interface NumberDecoder {
  /** SQL for a cell, never NULL. */
  sql(column: string, type: string): string;
  /** Reads the rows of a chunk; NaN for a cell that the rule refuses. */
  decode(chunk: DuckDBDataChunk, column: number, out: Float64Array): void;
}

const room = textRoom();

/** So many digits are always a block number, a time, or a log index unless it is over its limit. */
const FEW_DIGITS = 11;

function fromText(rule: NumberRule): NumberDecoder {
  // Texts that are not mere digits are dates, and the transfers of a block share one.
  let lastText = "";
  let lastNumber = Number.NaN;
  const parse = (text: string) => {
    if (text !== lastText) {
      lastText = text;
      lastNumber = rule.parse(text) ?? Number.NaN;
    }
    return lastNumber;
  };
  return {
    sql: (column) => `coalesce(${column}, '')`,
    decode(chunk, column, out) {
      const cells = texts(chunk, column, room);
      for (let row = 0; row < cells.rows; row++) {
        const number = fewDigits(cells, row);
        out[row] = number < rule.limit ? number : parse(textOf(cells, row));
      }
    },
  };
}

/** The number that a text of 1 to 11 digits writes; NaN for any other text. */
function fewDigits({ bytes, starts, lengths }: Texts, row: number): number {
  const length = lengths[row]!;
  if (length === 0 || length > FEW_DIGITS) return Number.NaN;
  let number = 0;
  const start = starts[row]!;
  for (let at = start; at < start + length; at++) {
    const digit = bytes[at]! - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

/** Numbers by SQL, NULL where the cell is refused. */
function fromDouble(rule: NumberRule, sql: NumberDecoder["sql"]): NumberDecoder {
  return {
    sql: (column, type) => `coalesce(CAST(${sql(column, type)} AS DOUBLE), 'NaN')`,
    decode(chunk, column, out) {
      const numbers = doubles(chunk, column);
      for (let row = 0; row < numbers.length; row++) {
        const number = numbers[row]!;
        out[row] = number >= 0 && number < rule.limit ? number : Number.NaN;
      }
      release(numbers);
    },
  };
}

const wholeNumbers = (rule: NumberRule): ByFamily<NumberDecoder> => ({
  text: fromText(rule),
  integer: fromDouble(rule, (column) => column),
});

/** Whole seconds of dates and timestamps of any precision. */
function secondsSql(column: string, type: string): string {
  const [count, perSecond] = type === "TIMESTAMP_NS" ? [`epoch_ns(${column})`, 1e9] : [`epoch_us(${column})`, 1e6];
  return `CASE WHEN ${count} % ${perSecond} = 0 THEN ${count} // ${perSecond} END`;
}

export const BLOCK_NUMBERS = wholeNumbers(BLOCK_NUMBER);
export const LOG_INDEXES = wholeNumbers(LOG_INDEX);
export const TIMES: ByFamily<NumberDecoder> = { ...wholeNumbers(TIME), time: fromDouble(TIME, secondsSql) };
