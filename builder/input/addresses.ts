/** An exact dictionary from 20-byte addresses to numbers. */

import { readFileSync } from "node:fs";
import { sharedBytes } from "../columns/shared.ts";
import { Failure } from "../failure.ts";
import { CHUNK_ROWS } from "./duckdb/vectors.ts";

export const ADDRESS_BYTES = 20;
/** 32-bit words of an address: its bytes in order, little-endian. */
export const ADDRESS_WORDS = 5;

/** The words of a checked `0x…` address. */
export function addressWords(address: string): Uint32Array {
  return new Uint32Array(new Uint8Array(Buffer.from(address.slice(2), "hex")).buffer);
}

/** A batch may have the senders and receivers of a chunk. */
const MOST_COLUMNS = 2;
const FIRST_SLOTS = 1 << 17;

/** In place of a number: the address is not in the dictionary. */
export const NO_NUMBER = 0xffff_ffff;

const compiled = new WebAssembly.Module(readFileSync(new URL("kernel/addresses.wasm", import.meta.url)));

/** What kernel/addresses.ts exports; the addresses of its columns are globals. */
interface Kernel extends Record<"words" | "numbers" | "keys" | "size", { value: number }> {
  memory: { buffer: ArrayBuffer };
  setup(rows: number, columns: number, slots: number): void;
  insert(rows: number, columns: number): void;
  find(rows: number, columns: number): void;
}

/** Numbers 0, 1, 2 … for addresses in the order of insertion; 0 is the zero address from the start. */
export class AddressTable {
  readonly #kernel: Kernel;

  constructor() {
    const outOfMemory = () => {
      throw new Failure("The addresses of the transfers take more than 4 GB of memory, which is not supported.");
    };
    const imports = { memory: { outOfMemory }, addresses: { outOfMemory } };
    this.#kernel = new WebAssembly.Instance(compiled, imports).exports as unknown as Kernel;
    this.#kernel.setup(CHUNK_ROWS, MOST_COLUMNS, FIRST_SLOTS);
    this.words(0).fill(0, 0, ADDRESS_WORDS);
    this.insert(1, 1);
  }

  get size(): number {
    return this.#kernel.size.value;
  }

  /** Where the words of a batch's addresses are written, up to CHUNK_ROWS of them, before it is inserted or found. */
  words(column: number): Uint32Array<ArrayBuffer> {
    const { memory, words } = this.#kernel;
    const length = ADDRESS_WORDS * CHUNK_ROWS;
    return new Uint32Array(memory.buffer, words.value + 4 * length * column, length);
  }

  /** The numbers of the batch that was inserted or found last. */
  numbers(column: number): Uint32Array<ArrayBuffer> {
    const { memory, numbers } = this.#kernel;
    return new Uint32Array(memory.buffer, numbers.value + 4 * CHUNK_ROWS * column, CHUNK_ROWS);
  }

  /** Finds the numbers of the rows of 1 or 2 columns; addresses that are new are added, row by row. */
  insert(rows: number, columns: number): void {
    this.#kernel.insert(rows, columns);
  }

  /** Finds the numbers of the rows of 1 or 2 columns, NO_NUMBER for an address that was never inserted. */
  find(rows: number, columns: number): void {
    this.#kernel.find(rows, columns);
  }

  /** A copy of all addresses, 20 bytes each, by number. */
  bytes(): Uint8Array<SharedArrayBuffer> {
    const bytes = sharedBytes(ADDRESS_BYTES * this.size);
    bytes.set(new Uint8Array(this.#kernel.memory.buffer, this.#kernel.keys.value, bytes.length));
    return bytes;
  }
}
