/** Numbers the senders and receivers of rows whose addresses are stored in dictionaries. */

import { ADDRESS_WORDS, type AddressTable, NO_NUMBER } from "../addresses.ts";
import { CHUNK_ROWS } from "../duckdb/vectors.ts";
import type { IndexedWords, WordColumn } from "../parquet/columns.ts";

type Sides<T> = readonly [from: T, to: T];

/** An entry that is about to be looked up. */
const PENDING = NO_NUMBER - 1;

/** Takes the next rows, at most CHUNK_ROWS, and numbers their addresses in order of appearance, row by row. */
export function numberSides(table: AddressTable, rows: number, [from, to]: Sides<WordColumn>, out: Sides<Uint32Array>) {
  if (!from.isIndexed || !to.isIndexed) {
    from.take(rows, table.words(0));
    to.take(rows, table.words(1));
    table.insert(rows, 2);
    for (const side of [0, 1] as const) out[side].set(table.numbers(side).subarray(0, rows));
    return;
  }
  const sides = [from.takeIndexes(rows), to.takeIndexes(rows)] as const;
  numberEntries(table, rows, sides);
  for (const side of [0, 1] as const) {
    const { indexes, numbers } = sides[side];
    const into = out[side];
    for (let row = 0; row < rows; row++) into[row] = numbers[indexes[row]!]!;
  }
}

/** The entries that are about to be looked up, each with its side. */
const pendingEntries = new Uint32Array(CHUNK_ROWS);
const pendingSides = new Uint8Array(CHUNK_ROWS);

/** Looks up each entry of a dictionary when the first row has it. */
function numberEntries(table: AddressTable, rows: number, sides: Sides<IndexedWords>): void {
  const [{ indexes: sources, numbers: ofSources }, { indexes: targets, numbers: ofTargets }] = sides;
  let count = 0;
  for (let row = 0; row < rows; row++) {
    // Room for the two of this row.
    if (count > CHUNK_ROWS - 2) count = lookUp(table, count, sides);
    const source = sources[row]!;
    if (ofSources[source] === NO_NUMBER) {
      ofSources[source] = PENDING;
      pendingEntries[count] = source;
      pendingSides[count++] = 0;
    }
    const target = targets[row]!;
    if (ofTargets[target] === NO_NUMBER) {
      ofTargets[target] = PENDING;
      pendingEntries[count] = target;
      pendingSides[count++] = 1;
    }
  }
  lookUp(table, count, sides);
}

/** @returns how many are pending after that: none */
function lookUp(table: AddressTable, count: number, sides: Sides<IndexedWords>): 0 {
  const room = table.words(0);
  for (let i = 0; i < count; i++) {
    const { words } = sides[pendingSides[i] as 0 | 1];
    const first = ADDRESS_WORDS * pendingEntries[i]!;
    for (let word = 0; word < ADDRESS_WORDS; word++) room[ADDRESS_WORDS * i + word] = words[first + word]!;
  }
  table.insert(count, 1);
  const found = table.numbers(0);
  for (let i = 0; i < count; i++) sides[pendingSides[i] as 0 | 1].numbers[pendingEntries[i]!] = found[i]!;
  return 0;
}
