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
    const [{ indexes, numbers }, into] = [sides[side], out[side]];
    for (let row = 0; row < rows; row++) into[row] = numbers[indexes[row]!]!;
  }
}

/** The entries that are about to be looked up, each with its side. */
const pending = { entries: new Uint32Array(CHUNK_ROWS), sides: new Uint8Array(CHUNK_ROWS) };

/** Looks up each entry of a dictionary when the first row has it. */
function numberEntries(table: AddressTable, rows: number, sides: Sides<IndexedWords>): void {
  const [from, to] = sides;
  let room = table.words(0);
  let count = 0;
  const add = (side: 0 | 1, entry: number) => {
    const { numbers, words } = sides[side];
    numbers[entry] = PENDING;
    const [first, at] = [ADDRESS_WORDS * entry, ADDRESS_WORDS * count];
    for (let word = 0; word < ADDRESS_WORDS; word++) room[at + word] = words[first + word]!;
    pending.entries[count] = entry;
    pending.sides[count++] = side;
    if (count === CHUNK_ROWS) lookUp();
  };
  const lookUp = () => {
    table.insert(count, 1);
    const found = table.numbers(0);
    for (let i = 0; i < count; i++) sides[pending.sides[i] as 0 | 1].numbers[pending.entries[i]!] = found[i]!;
    count = 0;
    // Inserting may have moved it.
    room = table.words(0);
  };
  for (let row = 0; row < rows; row++) {
    const [source, target] = [from.indexes[row]!, to.indexes[row]!];
    if (from.numbers[source] === NO_NUMBER) add(0, source);
    if (to.numbers[target] === NO_NUMBER) add(1, target);
  }
  if (count > 0) lookUp();
}
