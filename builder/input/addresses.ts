/** A dictionary from 20-byte addresses to numbers. */

import { readFileSync } from "node:fs";
import { sharedBytes } from "../lib/columns/shared.ts";
import { Failure } from "../lib/failure.ts";
import { ADDRESS_BYTES } from "../lib/widths.ts";
import { VECTOR_ROWS } from "./duckdb/vectors.ts";

/** 32-bit words of an address: its bytes in order, read as little-endian. */
export const ADDRESS_WORDS = 5;

/** The words of a valid `0x…` address. */
export function addressWords(address: string): Uint32Array {
  return new Uint32Array(new Uint8Array(Buffer.from(address.slice(2), "hex")).buffer);
}

/** The senders and receivers of a chunk. */
const MOST_COLUMNS = 2;
const FIRST_SLOTS = 1 << 17;

/** Stands for an address that is not in the dictionary. */
export const NO_NUMBER = 0xffff_ffff;

const compiled = new WebAssembly.Module(readFileSync(new URL("assembly/addresses.wasm", import.meta.url)));

/** Exports of assembly/addresses.ts. The globals hold the memory addresses of its columns. */
interface Kernel extends Record<"words" | "numbers" | "keys" | "size", { value: number }> {
  memory: { buffer: ArrayBuffer };
  setup(rows: number, columns: number, slots: number): void;
  insert(rows: number, columns: number): void;
  find(rows: number, columns: number): void;
}

/** Numbers addresses 0, 1, 2 … in the order of insertion. The zero address is always 0. */
export class AddressTable {
  readonly #kernel: Kernel;

  constructor() {
    const outOfMemory = () => {
      throw new Failure("The addresses of the transfers take more than 4 GB of memory, which is not supported.");
    };
    const imports = { memory: { outOfMemory }, addresses: { outOfMemory } };
    this.#kernel = new WebAssembly.Instance(compiled, imports).exports as unknown as Kernel;
    this.#kernel.setup(VECTOR_ROWS, MOST_COLUMNS, FIRST_SLOTS);
    this.words(0).fill(0, 0, ADDRESS_WORDS);
    this.insert(1, 1);
  }

  get size(): number {
    return this.#kernel.size.value;
  }

  /** The kernel's input: write the words of up to CHUNK_ROWS addresses here before `insert` or `find`. */
  words(column: number): Uint32Array<ArrayBuffer> {
    const { memory, words } = this.#kernel;
    const length = ADDRESS_WORDS * VECTOR_ROWS;
    return new Uint32Array(memory.buffer, words.value + 4 * length * column, length);
  }

  /** The kernel's output: the numbers of the addresses that were inserted or found last. */
  numbers(column: number): Uint32Array<ArrayBuffer> {
    const { memory, numbers } = this.#kernel;
    return new Uint32Array(memory.buffer, numbers.value + 4 * VECTOR_ROWS * column, VECTOR_ROWS);
  }

  /** Looks up the addresses of 1 or 2 columns, and adds those that are new, row by row. */
  insert(rows: number, columns: number): void {
    this.#kernel.insert(rows, columns);
  }

  /** Looks up the addresses of 1 or 2 columns. An address that was never inserted gets NO_NUMBER. */
  find(rows: number, columns: number): void {
    this.#kernel.find(rows, columns);
  }

  /** Inserts or finds any number of addresses, 20 bytes each, and returns their numbers. */
  numbersOf(addresses: Uint8Array, verb: "insert" | "find"): Uint32Array {
    const { buffer, byteOffset, length } = addresses;
    const words = new Uint32Array(buffer, byteOffset, length / 4);
    const numbers = new Uint32Array(length / ADDRESS_BYTES);
    for (let begin = 0; begin < numbers.length; begin += VECTOR_ROWS) {
      const end = Math.min(begin + VECTOR_ROWS, numbers.length);
      this.words(0).set(words.subarray(begin * ADDRESS_WORDS, end * ADDRESS_WORDS));
      this[verb](end - begin, 1);
      numbers.set(this.numbers(0).subarray(0, end - begin), begin);
    }
    return numbers;
  }

  /** Copies of some addresses, 20 bytes each. */
  pick(numbers: Uint32Array): Uint8Array {
    const bytes = new Uint8Array(ADDRESS_BYTES * numbers.length);
    const keys = new Uint8Array(this.#kernel.memory.buffer, this.#kernel.keys.value, ADDRESS_BYTES * this.size);
    for (let i = 0; i < numbers.length; i++) {
      const at = ADDRESS_BYTES * numbers[i]!;
      bytes.set(keys.subarray(at, at + ADDRESS_BYTES), ADDRESS_BYTES * i);
    }
    return bytes;
  }

  /** A copy of all addresses, 20 bytes each, by number. */
  bytes(): Uint8Array<SharedArrayBuffer> {
    const bytes = sharedBytes(ADDRESS_BYTES * this.size);
    bytes.set(new Uint8Array(this.#kernel.memory.buffer, this.#kernel.keys.value, bytes.length));
    return bytes;
  }
}
