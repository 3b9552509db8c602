/**
 * The rules for cells of input files: what is valid, and the message for what is not. Small files are read by these
 * rules. Transfers and blocks are read by decoders (numbers.ts, words.ts) that accept exactly the same; the rules then
 * explain what a decoder has refused.
 */

import { Failure } from "../../lib/failure.ts";
import type { Place } from "../duckdb/input-table.ts";
import { parseCloseTime, parseMoment, parseTime, TIME_LIMIT, TIME_PROBLEMS } from "./time.ts";

export interface CellRule<T> {
  /** Completes "expected …". */
  expected: string;
  /** Patterns of invalid texts, and what is wrong with them. The first match counts; without one, "is not valid". */
  problems: readonly (readonly [RegExp, string])[];
  /** The value; undefined if the text is invalid. */
  parse(text: string): T | undefined;
}

/** A rule for numbers from 0 up to, but not including, `limit`. */
export interface NumberRule extends CellRule<number> {
  limit: number;
}

const MAX_VALUE = 2n ** 256n - 1n;

const EMPTY = [/^\s*$/, "is empty"] as const;
const PADDED = [/^\s|\s$/, "has whitespace around it"] as const;
const NEGATIVE = [/^-\d/, "is negative"] as const;
const GROUPED = [
  /^[+-]?\d{1,3}([,' _\u00a0\u2019\u202f]\d{3})+$|^[+-]?\d{1,3}(\.\d{3}){2,}$/,
  "has separators between its digits",
] as const;
const FRACTIONAL = [/^[+-]?\d*\.\d*$/, "is not a whole number"] as const;
const SCIENTIFIC = [/^[+-]?\d[\d.,]*e[+-]?\d+$/i, "is in scientific notation"] as const;

function wholeNumber(name: string, limit: number, limitText: string): NumberRule {
  return {
    expected: `${name}, a whole number from 0 to ${limitText}`,
    problems: [EMPTY, PADDED, NEGATIVE, GROUPED, FRACTIONAL, SCIENTIFIC, [/^\d+$/, "is too large"]],
    limit,
    parse(text) {
      const number = /^\d{1,16}$/.test(text) ? Number(text) : limit;
      return number < limit ? number : undefined;
    },
  };
}

export const BLOCK_NUMBER = wholeNumber("a block number", 2 ** 53, "2^53 − 1");
export const LOG_INDEX = wholeNumber("a log index", 2 ** 32, "2^32 − 1");

export const TIME: NumberRule = {
  expected: "Unix seconds or ISO 8601",
  problems: [EMPTY, PADDED, ...TIME_PROBLEMS],
  limit: TIME_LIMIT,
  parse: parseTime,
};

/** The end of a candle. */
export const CLOSE_TIME: CellRule<number> = {
  expected: "the end of a candle: seconds, milliseconds or microseconds since 1970, or ISO 8601",
  problems: [
    EMPTY,
    PADDED,
    [/^-\d+$/, "is before 1970"],
    [/^\d{4}-\d\d-\d\d/, "is not a valid date and time from 1970 on"],
  ],
  parse: parseCloseTime,
};

/** The time of a price as other tools write it. */
export const MOMENT: CellRule<number> = {
  ...CLOSE_TIME,
  expected: "a time: seconds, milliseconds or microseconds since 1970, or ISO 8601",
  parse: parseMoment,
};

export const ADDRESS: CellRule<string> = {
  expected: "an address, 0x and 40 hexadecimal digits",
  problems: [
    EMPTY,
    PADDED,
    [/^0x0{24}[0-9a-f]{40}$/i, "is a 32-byte log topic: drop its 24 leading zeros"],
    [/^[0-9a-f]{40}$/i, "lacks the 0x prefix"],
    [/^0x[0-9a-f]*$/i, "is not 20 bytes long"],
    [/^0x/i, "is not hexadecimal"],
  ],
  parse: (text) => (/^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : undefined),
};

export const VALUE: CellRule<bigint> = {
  expected: "raw token units, a whole number from 0 to 2^256 − 1",
  problems: [EMPTY, PADDED, NEGATIVE, GROUPED, FRACTIONAL, SCIENTIFIC, [/^\d+$/, "is over 2^256 − 1"]],
  parse(text) {
    const value = /^\d{1,78}$/.test(text) ? BigInt(text) : -1n;
    return value >= 0n && value <= MAX_VALUE ? value : undefined;
  },
};

/** A value as cryo writes it: 32 big-endian bytes, or their hexadecimal digits. */
export const BINARY_VALUE: CellRule<bigint> = {
  expected: "raw token units as 32 big-endian bytes",
  problems: [EMPTY, PADDED, [/^0x[0-9a-f]*$/i, "is not 32 bytes long"]],
  parse: (text) => (/^0x[0-9a-f]{64}$/i.test(text) ? BigInt(text) : undefined),
};

/** A value in decimal digits, or in hexadecimal ones as logs and some exports have it. */
export const HEX_VALUE: CellRule<bigint> = {
  expected: "raw token units: hexadecimal digits after 0x, or a whole number, from 0 to 2^256 − 1",
  problems: [...VALUE.problems, [/^0x[0-9a-f]{65,}$/i, "is over 2^256 − 1"], [/^0x/i, "is not hexadecimal"]],
  parse: (text) => (/^0x[0-9a-f]{1,64}$/i.test(text) ? BigInt(text) : VALUE.parse(text)),
};

/** Far above any real price. Higher prices could overflow sums in dollars. */
const MAX_PRICE = 1e100;

export const PRICE: CellRule<number> = {
  expected: "US dollars per token, a number from 0 to 1e100",
  problems: [
    EMPTY,
    PADDED,
    [/^-[\d.]/, "is negative"],
    [/^\d*,\d+$/, "has a decimal comma: write a point"],
    [/^\+?[\d.]+(e[+-]?\d+)?$/i, "is too large"],
  ],
  parse(text) {
    const price = /^\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
    return price >= 0 && price <= MAX_PRICE ? price : undefined;
  },
};

export const EXCHANGE: CellRule<string> = {
  expected: "the name of an exchange",
  problems: [EMPTY],
  parse: (text) => text.trim().toLowerCase() || undefined,
};

/** A place in words: `transfers.csv, row 3`. */
export function rowPlace({ file, row }: Place): string {
  return `${file}, row ${row}`;
}

/** A cell's text in a message. */
export function shortened(text: string): string {
  return JSON.stringify(text.length > 90 ? `${text.slice(0, 87)}…` : text);
}

/** One sentence: where an invalid cell is, what it holds and what is expected. Undefined for a valid cell. */
export function cellProblem(rule: CellRule<unknown>, text: string, place: Place, column: string): string | undefined {
  if (rule.parse(text) !== undefined) return undefined;
  const problem = rule.problems.find(([pattern]) => pattern.test(text))?.[1] ?? "is not valid";
  const cell = text.trim() === "" ? "the cell" : shortened(text);
  return `${rowPlace(place)}, column ${column}: ${cell} ${problem}; expected ${rule.expected}.`;
}

/** The value of a cell. Throws a `Failure` that names file, row, column and text. */
export function readCell<T>(rule: CellRule<T>, text: string, place: Place, column: string): T {
  const value = rule.parse(text);
  if (value === undefined) throw new Failure(cellProblem(rule, text, place, column) ?? "");
  return value;
}
