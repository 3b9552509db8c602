/** The label of each address of a column. */

import { sharedBytes } from "../columns/shared.ts";
import type { Groups } from "../engine/history.ts";
import { USER } from "../engine/kernel/classification.ts";
import { ADDRESS_BYTES, ADDRESS_WORDS, AddressTable, addressWords, NO_NUMBER } from "./addresses.ts";
import { CHUNK_ROWS } from "./duckdb/vectors.ts";

/**
 * @param addresses 20 bytes each
 * @param labels by address in lower case
 */
export function groupsOf(addresses: Uint8Array<SharedArrayBuffer>, labels: ReadonlyMap<string, number>): Groups {
  const labelled = new AddressTable();
  const byNumber = [USER];
  for (const [address, group] of labels) {
    labelled.words(0).set(addressWords(address));
    labelled.insert(1, 1);
    byNumber.push(group);
  }

  const column = sharedBytes(addresses.length / ADDRESS_BYTES).fill(USER);
  const words = new Uint32Array(addresses.buffer);
  for (let begin = 0; begin < column.length; begin += CHUNK_ROWS) {
    const end = Math.min(begin + CHUNK_ROWS, column.length);
    labelled.words(0).set(words.subarray(begin * ADDRESS_WORDS, end * ADDRESS_WORDS));
    labelled.find(end - begin, 1);
    const numbers = labelled.numbers(0);
    for (let index = begin; index < end; index++) {
      const number = numbers[index - begin]!;
      if (number !== NO_NUMBER) column[index] = byNumber[number]!;
    }
  }
  return column;
}
