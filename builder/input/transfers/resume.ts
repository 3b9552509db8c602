/** A history that resumes from a checkpoint. */

import { sharedWords } from "../../columns/shared.ts";
import type { Holders } from "../../engine/checkpoint.ts";
import type { History } from "../../engine/history.ts";
import { ADDRESS_WORDS, AddressTable } from "../addresses.ts";
import { CHUNK_ROWS } from "../duckdb/vectors.ts";

/** The history with the holders as its first addresses, in their order, whether they appear in it or not. */
export function resumeHistory(history: History, holders: Holders): History {
  const table = new AddressTable();
  insertAll(table, holders.addresses);
  const numbers = insertAll(table, history.addresses);
  return {
    ...history,
    from: renumber(history.from, numbers),
    to: renumber(history.to, numbers),
    addresses: table.bytes(),
  };
}

/** @returns the number of each address */
function insertAll(table: AddressTable, addresses: Uint8Array<SharedArrayBuffer>): Uint32Array {
  const words = new Uint32Array(addresses.buffer);
  const numbers = new Uint32Array(words.length / ADDRESS_WORDS);
  for (let begin = 0; begin < numbers.length; begin += CHUNK_ROWS) {
    const end = Math.min(begin + CHUNK_ROWS, numbers.length);
    table.words(0).set(words.subarray(begin * ADDRESS_WORDS, end * ADDRESS_WORDS));
    table.insert(end - begin, 1);
    numbers.set(table.numbers(0).subarray(0, end - begin), begin);
  }
  return numbers;
}

function renumber(column: Uint32Array, numbers: Uint32Array): Uint32Array<SharedArrayBuffer> {
  const renumbered = sharedWords(column.length);
  for (let row = 0; row < column.length; row++) renumbered[row] = numbers[column[row]!]!;
  return renumbered;
}
