/**
 * Rows of holders as they are stored, and the values that they stand for. Source: docs/formats.md#holders and
 * docs/methodology.md §12.
 */

import type { Inflate } from "../../parquet/plain-pages.ts";
import { plainColumns, type RowWidths, sizedColumns } from "../../parquet/plain-pages.ts";
import { EXCHANGE_SELECTORS, type ExchangeSelector } from "../../registry/exchanges.ts";
import type { HolderValues } from "./holder-columns.ts";
import type { HolderGroup, HolderSort, PublishedHolders } from "./holder-objects.ts";
import { crossBits, unpackBeside } from "./stored-numbers.ts";

const ADDRESS_BYTES = 20;

/** A row group of the table or of a list, as arrays. */
export interface HolderColumns {
  rows: number;
  /** 20 bytes each. */
  address: Uint8Array;
  /** 0 none, 1 a contract, from 2 on an exchange, with 64 for one of its deposit addresses. */
  label: Uint32Array;
  /** 32-bit words of each balance, and the balances: raw, little-endian. */
  words: number;
  balance: Uint32Array;
  /** Average purchase price, USD per token, and time, Unix seconds; 0 of an address that holds nothing. */
  basis: Float64Array;
  since: Float64Array;
  /** Unix seconds. */
  firstEvent: Uint32Array;
  lastEvent: Uint32Array;
  /** Profit that its sends have realised, USD. */
  realised: Float64Array;
  /** Whole tokens. What it has received is this and its balance. */
  sent: Float64Array;
  receipts: Uint32Array;
  sends: Uint32Array;
  /** A bit for each own cohort that lists it. */
  cohorts: Uint32Array;
}

/** @throws {Error} the bytes are no row group of holders */
export function decodeHolders(bytes: Uint8Array, inflate?: Inflate): HolderColumns {
  const columns = plainColumns(bytes, 13, inflate);
  const rows = columns[0]!.rows;
  const words = columns[2]!.values.length / (4 * rows);
  const widths = [ADDRESS_BYTES, 4, 4 * words, 8, 8, 4, 4, 4, 8, 8, 4, 4, 4];
  const isWhole = columns.every((column, i) => column.rows === rows && column.values.length === widths[i]! * rows);
  if (rows < 1 || !Number.isInteger(words) || words < 1 || !isWhole) throw new Error("it has other columns");
  const [
    address,
    label,
    balance,
    basis,
    sinceBits,
    firstEvent,
    receiptAfter,
    sendBeside,
    realised,
    sent,
    receipts,
    sends,
    cohorts,
  ] = columns.map(({ values }) => values);
  const doubles = (values: Uint8Array<ArrayBuffer> | undefined) => new Float64Array(values!.buffer, 0, rows);
  const numbers = (values: Uint8Array<ArrayBuffer> | undefined, aRow = 1) =>
    new Uint32Array(values!.buffer, 0, aRow * rows);
  const first = numbers(firstEvent);
  const bits = numbers(sinceBits, 2);
  const balances = numbers(balance, words);
  const lastEvent = numbers(receiptAfter);
  const beside = numbers(sendBeside);
  for (let row = 0; row < rows; row++) {
    const receipt = (first[row]! + lastEvent[row]!) >>> 0;
    if (holdsAnything(balances, row, words)) crossBits(bits, row, receipt);
    lastEvent[row] = Math.max(receipt, unpackBeside(beside[row]!, receipt) ?? 0);
  }
  return {
    rows,
    address: address!,
    label: numbers(label),
    words,
    balance: balances,
    basis: doubles(basis),
    since: doubles(sinceBits),
    firstEvent: first,
    lastEvent,
    realised: doubles(realised),
    sent: doubles(sent),
    receipts: numbers(receipts),
    sends: numbers(sends),
    cohorts: numbers(cohorts),
  };
}

function holdsAnything(balances: Uint32Array, row: number, words: number): boolean {
  for (let word = words * row; word < words * (row + 1); word++) if (balances[word] !== 0) return true;
  return false;
}

/** The largest of the days of a month: an object's only row group, which begins behind its first four bytes. */
export interface LargestColumns {
  rows: number;
  /** Days since 1970-01-01, ascending; of each the largest balances first, and equal ones by address. */
  day: Uint32Array;
  /** 20 bytes each. */
  address: Uint8Array;
  /** 32-bit words of each balance, and the balances: raw, little-endian. */
  words: number;
  balance: Uint32Array;
  /** 32-bit words of the supply at the day's close, which each row repeats, and the supplies. */
  supplyWords: number;
  supply: Uint32Array;
}

/** Bytes of a row in each column: day, address, balance and supply. */
const LARGEST_WIDTHS: RowWidths = [4, ADDRESS_BYTES, "words", "words"];

/** @param object all of its bytes @throws {Error} they are no such object */
export function decodeLargest(object: Uint8Array, inflate?: Inflate): LargestColumns {
  const { rows, values, widths } = sizedColumns(object.subarray(4), LARGEST_WIDTHS, inflate);
  const [words, supplyWords] = [widths[2]! / 4, widths[3]! / 4];
  const numbers = (index: number, aRow = 1) => new Uint32Array(values[index]!.buffer, 0, aRow * rows);
  return {
    rows,
    day: numbers(0),
    address: values[1]!,
    words,
    balance: numbers(2, words),
    supplyWords,
    supply: numbers(3, supplyWords),
  };
}

/** An exact amount of `words` 32-bit words, little-endian. */
export function rawAt(amounts: Uint32Array, row: number, words: number): bigint {
  let raw = 0n;
  for (let word = words - 1; word >= 0; word--) raw = (raw << 32n) | BigInt(amounts[row * words + word]!);
  return raw;
}

/** Powers of ten that a double holds exactly. */
const MOST_EXACT_POWER = 22;

/** A raw amount in whole tokens, correctly rounded. */
export function tokensOfRaw(raw: bigint, decimals: number): number {
  // Both exact, so that one division rounds once.
  if (raw <= Number.MAX_SAFE_INTEGER && decimals <= MOST_EXACT_POWER) return Number(raw) / 10 ** decimals;
  return Number(`${raw}e-${decimals}`);
}

/** The row of an address in a row group of the table; −1 if there is none. @param address 20 bytes */
export function rowOfAddress({ rows, address: addresses }: HolderColumns, address: Uint8Array): number {
  let [low, high] = [0, rows];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareAt(addresses, middle, address, 0) < 0) low = middle + 1;
    else high = middle;
  }
  return low < rows && compareAt(addresses, low, address, 0) === 0 ? low : -1;
}

function compareAt(a: Uint8Array, row: number, b: Uint8Array, other: number): number {
  for (let byte = 0; byte < ADDRESS_BYTES; byte++) {
    const difference = a[ADDRESS_BYTES * row + byte]! - b[ADDRESS_BYTES * other + byte]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

const CONTRACT_LABEL = 1;
const FIRST_EXCHANGE_LABEL = 2;
const DEPOSIT_LABEL = 64;

export function groupOfLabel(label: number): HolderGroup {
  if (label === 0) return "users";
  return label === CONTRACT_LABEL ? "sc" : "cex";
}

/** The exchange of a label; null without. The first exchange is `other`, selector 1. */
export const exchangeOfLabel = (label: number): ExchangeSelector | null =>
  label < FIRST_EXCHANGE_LABEL ? null : EXCHANGE_SELECTORS[(label & ~DEPOSIT_LABEL) - FIRST_EXCHANGE_LABEL + 1]!;

/** What the values of holders depend on beside their rows. */
export interface HolderContext extends Pick<PublishedHolders, "price" | "cohorts"> {
  decimals: number;
  /** Whole tokens. */
  supply: number;
}

/** What is known of the address of a row. */
export function holderValues(columns: HolderColumns, row: number, context: HolderContext): HolderValues {
  const { decimals, supply, price, cohorts = [] } = context;
  const raw = rawAt(columns.balance, row, columns.words);
  const balance = tokensOfRaw(raw, decimals);
  const basis = columns.basis[row]!;
  const holds = raw !== 0n;
  const label = columns.label[row]!;
  const sent = columns.sent[row]!;
  return {
    address: addressText(columns.address, row),
    balance,
    raw: String(raw),
    share: supply === 0 ? null : balance / supply,
    average_price: holds ? basis : null,
    cost: balance * basis,
    value: balance * price,
    unrealised_profit: holds ? balance * (price - basis) : 0,
    realised_profit: columns.realised[row]!,
    received: sent + balance,
    sent,
    receipts: columns.receipts[row]!,
    sends: columns.sends[row]!,
    first_seen: columns.firstEvent[row]!,
    last_active: columns.lastEvent[row]!,
    held_since: holds ? Math.floor(columns.since[row]! + 0.5) : null,
    group: groupOfLabel(label),
    label: exchangeOfLabel(label),
    cohorts: cohorts.filter((_, bit) => ((columns.cohorts[row]! >>> bit) & 1) === 1),
  };
}

/** The address of a row, in lower case. */
export function addressText(addresses: Uint8Array, row: number): string {
  let text = "0x";
  for (let byte = 0; byte < ADDRESS_BYTES; byte++) {
    text += addresses[ADDRESS_BYTES * row + byte]!.toString(16).padStart(2, "0");
  }
  return text;
}

/** Where rows lie that are sorted by one column: larger keys come first in `desc`. Equal ones are sorted by address in both orders. */
export const HOLDER_KEYS: Readonly<Record<HolderSort, (row: HolderKeyFacts, price: number) => number>> = {
  balance: ({ balance }) => balance,
  cost: ({ balance, basis }) => balance * basis,
  unrealised_profit: ({ balance, basis }, price) => (balance === 0 ? 0 : balance * (price - basis)),
  realised_profit: ({ realised }) => realised,
  received: ({ balance, sent }) => sent + balance,
  first_seen: ({ firstEvent }) => firstEvent,
  last_active: ({ lastEvent }) => lastEvent,
};

/** What the keys of a row are made of, by the names of its columns; `balance` in whole tokens. */
export interface HolderKeyFacts {
  balance: number;
  basis: number;
  realised: number;
  sent: number;
  firstEvent: number;
  lastEvent: number;
}
