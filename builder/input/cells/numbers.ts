/** Decodes block numbers, log indexes and times in bulk, by the rules of rules.ts. */

import type { DuckDBDataChunk } from "@duckdb/node-api";
import { doubles, release, type Texts, textBuffer, texts, vectorText } from "../duckdb/vectors.ts";
import type { ByFamily } from "./cell-columns.ts";
import { BLOCK_NUMBER, LOG_INDEX, type NumberRule, TIME } from "./rules.ts";

export interface NumberDecoder {
  /** SQL for a cell, never NULL. */
  sql(column: string, type: string): string;
  /** Decodes a column of a chunk; a cell that the rule refuses becomes NaN. */
  decode(chunk: DuckDBDataChunk, column: number, out: Float64Array): void;
  /** Numbers are below it. */
  limit: number;
}

const buffer = textBuffer();

/** Numbers of up to 11 digits are exact, and below the limits of block numbers and times. */
const FEW_DIGITS = 11;

function fromText(rule: NumberRule): NumberDecoder {
  // Texts other than digits are dates, and all transfers of a block have the same.
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
    limit: rule.limit,
    sql: (column) => `coalesce(${column}, '')`,
    decode(chunk, column, out) {
      const cells = texts(chunk, column, buffer);
      for (let row = 0; row < cells.rows; row++) {
        const number = fewDigits(cells, row);
        out[row] = number < rule.limit ? number : parse(vectorText(cells, row));
      }
    },
  };
}

/** The value of a text of 1 to 11 digits; NaN for any other text. */
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

/** A decoder of numbers from SQL, which is NULL where the cell is refused. */
function fromDouble(rule: NumberRule, sql: NumberDecoder["sql"]): NumberDecoder {
  return {
    limit: rule.limit,
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

/** SQL for the seconds of a date or a timestamp of any precision; NULL unless they are whole. */
function secondsSql(column: string, type: string): string {
  const [count, perSecond] = type === "TIMESTAMP_NS" ? [`epoch_ns(${column})`, 1e9] : [`epoch_us(${column})`, 1e6];
  return `CASE WHEN ${count} % ${perSecond} = 0 THEN ${count} // ${perSecond} END`;
}

export const BLOCK_NUMBERS = wholeNumbers(BLOCK_NUMBER);
export const LOG_INDEXES = wholeNumbers(LOG_INDEX);
export const TIMES: ByFamily<NumberDecoder> = { ...wholeNumbers(TIME), time: fromDouble(TIME, secondsSql) };
