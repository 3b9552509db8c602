/**
 * Transfer files: Parquet with the columns of ethereum-etl and of the BigQuery public data set
 * (crypto_ethereum.token_transfers), but without transaction_hash, which the builder doesn't read.
 */

import {
  Dictionary,
  Int32,
  Int64,
  makeData,
  makeVector,
  Table,
  TimestampMicrosecond,
  tableToIPC,
  Utf8,
  type Vector,
} from "apache-arrow";
import { Compression, Encoding, Table as WasmTable, WriterPropertiesBuilder, writeParquet } from "parquet-wasm";
import { ADDRESS_LENGTH, type AddressBook, TOKEN_CONTRACT } from "./simulated-addresses.ts";
import type { TransferEvent } from "./simulated-history.ts";
import { LOW_DIGITS } from "./simulated-ledger.ts";

/** Rows of a full file: they are buffered. */
const ROWS_PER_FILE = 500_000;

/** Small enough that several threads can read one file. */
const ROW_GROUP_ROWS = 125_000;

/** Enough for all addresses of a row group, each stored once. */
const DICTIONARY_BYTES = 16 * 1024 * 1024;

/** Digits of the largest amount: the maximal supply has 10 + 18. */
const VALUE_LENGTH = 28;

const HALF_DIGITS = LOW_DIGITS / 2;
const HALF_BASE = 10 ** HALF_DIGITS;
const TWO_32 = 2 ** 32;
const ZERO_DIGIT = 0x30;

/**
 * Writes a little-endian 64-bit integer as halves: a BigInt would cost more than the rest of the row.
 *
 * @param value a whole number in [0, 2^53)
 */
function setInt64(halves: Uint32Array, row: number, value: number): void {
  halves[row * 2] = value % TWO_32;
  halves[row * 2 + 1] = value / TWO_32;
}

function digitCount(value: number): number {
  let digits = 1;
  for (let power = 10; power <= value; power *= 10) digits++;
  return digits;
}

/** Writes the last `digits` digits of a 32-bit value, padded with zeros; returns where they end. */
function writeDigits(text: Uint8Array, start: number, value: number, digits: number): number {
  let rest = value;
  for (let position = start + digits - 1; position >= start; position--) {
    const tenth = (rest / 10) | 0;
    text[position] = ZERO_DIGIT + rest - tenth * 10;
    rest = tenth;
  }
  return start + digits;
}

/** Buffers transfers, and encodes them as Parquet, one file at a time. */
export class TransferBuffer {
  rows = 0;
  readonly #addresses: AddressBook;
  readonly #block = new BigInt64Array(ROWS_PER_FILE);
  readonly #blockHalves = new Uint32Array(this.#block.buffer);
  readonly #timestamp = new BigInt64Array(ROWS_PER_FILE);
  readonly #timestampHalves = new Uint32Array(this.#timestamp.buffer);
  readonly #logIndex = new Int32Array(ROWS_PER_FILE);
  readonly #from = new Int32Array(ROWS_PER_FILE);
  readonly #to = new Int32Array(ROWS_PER_FILE);
  readonly #valueEnds = new Int32Array(ROWS_PER_FILE + 1);
  readonly #valueText = new Uint8Array(ROWS_PER_FILE * VALUE_LENGTH);
  /** Seven digits each, the most significant first. */
  readonly #valueParts = new Int32Array(4);

  /** The accounts of this file in order of appearance, and by account its position among them plus one. */
  readonly #listed: Uint32Array;
  #listedCount = 0;
  readonly #placePlusOne: Int32Array;

  /** @param accounts the most there can be, the zero address included */
  constructor(addresses: AddressBook, accounts: number) {
    this.#addresses = addresses;
    this.#listed = new Uint32Array(Math.min(accounts, ROWS_PER_FILE * 2));
    this.#placePlusOne = new Int32Array(accounts);
  }

  get isFull(): boolean {
    return this.rows === ROWS_PER_FILE;
  }

  append({ block, logIndex, timestamp, from, to, high, low }: TransferEvent): void {
    const row = this.rows++;
    setInt64(this.#blockHalves, row, block);
    setInt64(this.#timestampHalves, row, timestamp * 1e6);
    this.#logIndex[row] = logIndex;
    this.#from[row] = this.#place(from);
    this.#to[row] = this.#place(to);
    this.#valueEnds[row + 1] = this.#writeValue(this.#valueEnds[row]!, high, low);
  }

  #place(account: number): number {
    if (this.#placePlusOne[account] === 0) {
      this.#listed[this.#listedCount++] = account;
      this.#placePlusOne[account] = this.#listedCount;
    }
    return this.#placePlusOne[account]! - 1;
  }

  /** Writes the digits of high · 10^14 + low, without leading zeros; returns where they end. */
  #writeValue(start: number, high: number, low: number): number {
    const parts = this.#valueParts;
    parts[0] = Math.floor(high / HALF_BASE);
    parts[1] = high - parts[0] * HALF_BASE;
    parts[2] = Math.floor(low / HALF_BASE);
    parts[3] = low - parts[2] * HALF_BASE;
    let part = 0;
    while (part < 3 && parts[part] === 0) part++;
    let position = writeDigits(this.#valueText, start, parts[part]!, digitCount(parts[part]!));
    for (part++; part < 4; part++) position = writeDigits(this.#valueText, position, parts[part]!, HALF_DIGITS);
    return position;
  }

  /** Encodes the buffered transfers as a Parquet file, and empties the buffer. */
  takeFile(): Uint8Array {
    const { rows } = this;
    const accounts = this.#texts(this.#listed.subarray(0, this.#listedCount));
    const ends = this.#valueEnds.subarray(0, rows + 1);
    const text = this.#valueText.subarray(0, ends[rows]);
    const table = new Table({
      token_address: references(new Int32Array(rows), this.#texts([TOKEN_CONTRACT])),
      from_address: references(this.#from.subarray(0, rows), accounts),
      to_address: references(this.#to.subarray(0, rows), accounts),
      value: makeVector(makeData({ type: new Utf8(), length: rows, valueOffsets: ends, data: text })),
      log_index: makeVector(makeData({ type: new Int32(), data: this.#logIndex.subarray(0, rows) })),
      block_timestamp: makeVector(
        makeData({ type: new TimestampMicrosecond("UTC"), data: this.#timestamp.subarray(0, rows) }),
      ),
      block_number: makeVector(makeData({ type: new Int64(), data: this.#block.subarray(0, rows) })),
    });
    for (let place = 0; place < this.#listedCount; place++) this.#placePlusOne[this.#listed[place]!] = 0;
    this.#listedCount = 0;
    this.rows = 0;
    return writeParquet(WasmTable.fromIPCStream(tableToIPC(table, "stream")), writerProperties());
  }

  #texts(accounts: ArrayLike<number>): Vector<Utf8> {
    const { length } = accounts;
    const text = new Uint8Array(length * ADDRESS_LENGTH);
    const ends = new Int32Array(length + 1);
    for (let place = 0; place < length; place++) {
      this.#addresses.write(accounts[place]!, text, place * ADDRESS_LENGTH);
      ends[place + 1] = (place + 1) * ADDRESS_LENGTH;
    }
    return makeVector(makeData({ type: new Utf8(), length, valueOffsets: ends, data: text }));
  }
}

/** A column of references into `texts`. */
function references(places: Int32Array, texts: Vector<Utf8>): Vector<Dictionary<Utf8, Int32>> {
  return makeVector(
    makeData({ type: new Dictionary(new Utf8(), new Int32()), length: places.length, data: places, dictionary: texts }),
  );
}

/** The properties for one file: the writer consumes them. */
function writerProperties() {
  return new WriterPropertiesBuilder()
    .setCompression(Compression.ZSTD)
    .setMaxRowGroupSize(ROW_GROUP_ROWS)
    .setDictionaryPageSizeLimit(DICTIONARY_BYTES)
    .setColumnDictionaryEnabled("value", false)
    .setColumnDictionaryEnabled("block_timestamp", false)
    .setColumnEncoding("block_timestamp", Encoding.DELTA_BINARY_PACKED)
    .setColumnDictionaryEnabled("block_number", false)
    .setColumnEncoding("block_number", Encoding.DELTA_BINARY_PACKED)
    .build();
}
