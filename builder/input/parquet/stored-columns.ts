/** The columns of a Parquet file. */

import type { SchemaElement } from "hyparquet";
import { NO_NUMBER } from "../addresses.ts";
import type { WordDecoder } from "../cells/words.ts";
import type { Column } from "../duckdb/input-table.ts";
import { type Texts, VECTOR_ROWS } from "../duckdb/vectors.ts";
import type { StoredChunk } from "./chunks.ts";
import { deltas, type IntegerType, plainIntegers, readPlainTexts, runLengths } from "./encodings.ts";
import { type Page, pagesOf } from "./pages.ts";

const isOfDictionary = (encoding: string) => encoding === "RLE_DICTIONARY" || encoding === "PLAIN_DICTIONARY";

/** A column of a file: of one row group after the other, rows are taken in order. */
abstract class StoredColumn {
  /** Rows of the open page that have not been taken. */
  left = 0;
  /** The next row of the open page. */
  protected at = 0;
  #pages: Generator<Page> | undefined;
  readonly column: Column;

  constructor(column: Column) {
    this.column = column;
  }

  /** Begins a row group. */
  start(chunk: StoredChunk): void {
    this.left = 0;
    this.check(chunk.element);
    this.forget();
    this.#pages = pagesOf(chunk.bytes, chunk.metadata, chunk.element.repetition_type !== "REQUIRED");
  }

  /** Opens the next page if all rows of the open one have been taken. Returns `left`. */
  ready(): number {
    while (this.left === 0) {
      const page = this.#pages?.next().value;
      if (!page) throw new Error("too few values");
      if (page.isDictionary) {
        this.openDictionary(page);
        continue;
      }
      this.open(page);
      this.left = page.values;
      this.at = 0;
    }
    return this.left;
  }

  skip(rows: number): void {
    this.at += rows;
    this.left -= rows;
  }

  /** @throws {Error} the column is stored in another way */
  protected abstract check(element: SchemaElement): void;
  protected abstract openDictionary(page: Page): void;
  /** Forgets the dictionary of the row group before. */
  protected abstract forget(): void;
  protected abstract open(page: Page): void;
}

/** Memory for so many numbers: that of the page before, if it is enough. */
const withLength = (before: Uint32Array<ArrayBuffer>, length: number) =>
  before.length < length ? new Uint32Array(length) : before;

/** Reads the indexes of a page into a dictionary of `size` entries. */
function readIndexes({ cursor, values }: Page, size: number, into: Uint32Array): void {
  runLengths(cursor, cursor.byte(), into.subarray(0, values));
  if (cursor.at !== cursor.view.byteLength) throw new Error("more values than rows");
  for (let row = 0; row < values; row++) if (into[row]! >= size) throw new Error("a value that is not there");
}

/** How whole numbers are stored, and what makes seconds of them. */
interface NumberType extends IntegerType {
  divisor: number;
}

const DIVISORS: Record<string, number> = { TIMESTAMP_MILLIS: 1e3, TIMESTAMP_MICROS: 1e6, MILLIS: 1e3, MICROS: 1e6 };

/** Block numbers, log indexes or times. */
export class NumberColumn extends StoredColumn {
  readonly #limit: number;
  #type: NumberType = { bytes: 4, isSigned: true, divisor: 1 };
  #dictionary = new Float64Array(0);
  #indexes = new Uint32Array(0);
  #numbers = new Float64Array(0);

  /** @param limit the numbers are below it */
  constructor(column: Column, limit: number) {
    super(column);
    this.#limit = limit;
  }

  take(rows: number, out: Float64Array | Uint32Array): void {
    // Copying all at once to shared memory takes longer.
    for (let row = 0; row < rows; row++) out[row] = this.#numbers[this.at + row]!;
    this.skip(rows);
  }

  protected check({ type, converted_type, logical_type }: SchemaElement): void {
    const as = this.column.type;
    const bytes = type === "INT32" ? 4 : type === "INT64" ? 8 : undefined;
    const unit = logical_type?.type === "TIMESTAMP" ? logical_type.unit : converted_type;
    const divisor = /INT(EGER)?$/.test(as) ? 1 : as.startsWith("TIMESTAMP") ? DIVISORS[unit ?? ""] : undefined;
    if (!bytes || !divisor) throw new Error(`numbers as ${type} ${unit}`);
    this.#type = { bytes, isSigned: !as.startsWith("U"), divisor };
  }

  protected forget(): void {
    this.#dictionary = new Float64Array(0);
  }

  protected openDictionary(page: Page): void {
    this.#dictionary = new Float64Array(page.values);
    this.#decode({ ...page, encoding: "PLAIN" }, this.#dictionary);
  }

  protected open(page: Page): void {
    const { values } = page;
    if (this.#numbers.length < values) this.#numbers = new Float64Array(values);
    const numbers = this.#numbers.subarray(0, values);
    if (!isOfDictionary(page.encoding)) {
      this.#decode(page, numbers);
      return;
    }
    const dictionary = this.#dictionary;
    this.#indexes = withLength(this.#indexes, values);
    readIndexes(page, dictionary.length, this.#indexes);
    for (let row = 0; row < values; row++) numbers[row] = dictionary[this.#indexes[row]!]!;
  }

  #decode({ cursor, encoding }: Page, out: Float64Array): void {
    const { bytes, isSigned, divisor } = this.#type;
    if (encoding === "PLAIN") plainIntegers(cursor, this.#type, out);
    else if (encoding === "DELTA_BINARY_PACKED") deltas(cursor, out);
    else throw new Error(`numbers as ${encoding}`);
    const limit = this.#limit;
    for (let row = 0; row < out.length; row++) {
      // Differences are those of signed numbers.
      const stored = out[row]!;
      const number = (stored < 0 && !isSigned && bytes === 4 ? stored + 2 ** 32 : stored) / divisor;
      if (!(number >= 0 && number < limit && Number.isInteger(number))) throw new Error("an invalid number");
      out[row] = number;
    }
  }
}

/** Rows as indexes into a dictionary. */
export interface IndexedWords {
  indexes: Uint32Array;
  /** The entries of the dictionary. */
  words: Uint32Array;
  /** Room for a number of each entry; NO_NUMBER until one is written. */
  numbers: Uint32Array;
}

/** Addresses or values. */
export class WordColumn extends StoredColumn {
  readonly #decodeTexts: NonNullable<WordDecoder["decodeTexts"]>;
  readonly #width: number;
  #fixedLength: number | undefined;
  #dictionary = { words: new Uint32Array(0), numbers: new Uint32Array(0) };
  #indexes = new Uint32Array(0);
  #texts: Omit<Texts, "rows"> | undefined;
  #starts = new Uint32Array(0);
  #lengths = new Uint32Array(0);

  /**
   * @param width words of a cell
   * @throws {Error} the cells are numbers
   */
  constructor(column: Column, { decodeTexts }: WordDecoder, width: number) {
    super(column);
    if (!decodeTexts) throw new Error("cells as numbers");
    this.#decodeTexts = decodeTexts;
    this.#width = width;
  }

  /** Whether the rows of the open page are indexes into a dictionary. */
  get isIndexed(): boolean {
    return this.#texts === undefined;
  }

  /** Takes rows of a page that is indexed. */
  takeIndexes(rows: number): IndexedWords {
    const indexes = this.#indexes.subarray(this.at, this.at + rows);
    this.skip(rows);
    return { indexes, ...this.#dictionary };
  }

  take(rows: number, words: Uint32Array): void {
    if (this.#texts) {
      this.#decode(this.#texts, this.at, rows, words);
      this.skip(rows);
      return;
    }
    const width = this.#width;
    const { indexes, words: known } = this.takeIndexes(rows);
    for (let row = 0; row < rows; row++) {
      const from = indexes[row]! * width;
      for (let word = 0; word < width; word++) words[row * width + word] = known[from + word]!;
    }
  }

  protected check({ type, type_length }: SchemaElement): void {
    if (!/BYTE_ARRAY$/.test(type ?? "")) throw new Error(`cells as ${type}`);
    this.#fixedLength = type === "BYTE_ARRAY" ? undefined : type_length;
  }

  protected forget(): void {
    this.#dictionary = { words: new Uint32Array(0), numbers: new Uint32Array(0) };
  }

  protected openDictionary(page: Page): void {
    const texts = this.#textsOf(page);
    const words = new Uint32Array(this.#width * page.values);
    for (let at = 0; at < page.values; at += VECTOR_ROWS) {
      const rows = Math.min(VECTOR_ROWS, page.values - at);
      this.#decode(texts, at, rows, words.subarray(this.#width * at));
    }
    this.#dictionary = { words, numbers: new Uint32Array(page.values).fill(NO_NUMBER) };
  }

  protected open(page: Page): void {
    this.#texts = undefined;
    if (page.encoding === "PLAIN") {
      this.#texts = this.#textsOf(page);
      return;
    }
    if (!isOfDictionary(page.encoding)) throw new Error(`cells as ${page.encoding}`);
    this.#indexes = withLength(this.#indexes, page.values);
    readIndexes(page, this.#dictionary.numbers.length, this.#indexes);
  }

  #textsOf({ cursor, values }: Page): Omit<Texts, "rows"> {
    const { view } = cursor;
    this.#starts = withLength(this.#starts, values);
    this.#lengths = withLength(this.#lengths, values);
    readPlainTexts(cursor, values, this.#fixedLength, this.#starts, this.#lengths);
    const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
    return { bytes, view, starts: this.#starts, lengths: this.#lengths };
  }

  #decode({ bytes, view, starts, lengths }: Omit<Texts, "rows">, at: number, rows: number, words: Uint32Array): void {
    const of = (column: Uint32Array<ArrayBufferLike>) => column.subarray(at, at + rows);
    refused.fill(0);
    this.#decodeTexts({ rows, bytes, view, starts: of(starts), lengths: of(lengths) }, words, refused);
    if (refused.includes(1)) throw new Error("an invalid cell");
  }
}

const refused = new Uint8Array(VECTOR_ROWS);
