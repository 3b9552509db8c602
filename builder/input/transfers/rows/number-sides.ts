/** Numbers the senders and receivers of rows whose addresses are stored in dictionaries. */

import { ADDRESS_WORDS, type AddressTable, NO_NUMBER } from "../../addresses.ts";
import { VECTOR_ROWS } from "../../duckdb/vectors.ts";
import type { IndexedWords, WordColumn } from "../../parquet/stored-columns.ts";

export type Sides<T> = readonly [from: T, to: T];

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
  numberEntries(table, rows, sides, "insert");
  for (const side of [0, 1] as const) {
    const { indexes, numbers } = sides[side];
    const into = out[side];
    for (let row = 0; row < rows; row++) into[row] = numbers[indexes[row]!]!;
  }
}

/** An entry that is in no table: it has been looked for. */
const UNKNOWN = NO_NUMBER - 2;

/**
 * Takes the next rows, at most CHUNK_ROWS, and picks those with an address of a list.
 *
 * @param list the addresses of the list
 * @param table gets the addresses of the picked rows; their numbers are in `table.numbers` then
 * @param picked receives the numbers of the picked rows
 * @returns how many rows those are
 */
export function pickSides(
  list: AddressTable,
  table: AddressTable,
  rows: number,
  [from, to]: Sides<WordColumn>,
  picked: Uint32Array,
): number {
  if (!from.isIndexed || !to.isIndexed) {
    from.take(rows, list.words(0));
    to.take(rows, list.words(1));
    return pickRows(list, table, rows, picked);
  }
  const sides = [from.takeIndexes(rows), to.takeIndexes(rows)] as const;
  numberEntries(list, rows, sides, "find");
  const [{ indexes: sources, numbers: ofSources }, { indexes: targets, numbers: ofTargets }] = sides;
  let count = 0;
  for (let row = 0; row < rows; row++) {
    if (isListed(ofSources[sources[row]!]!) || isListed(ofTargets[targets[row]!]!)) picked[count++] = row;
  }
  for (const side of [0, 1] as const) {
    const { indexes, words } = sides[side];
    const room = table.words(side);
    for (let i = 0; i < count; i++) copyWords(words, indexes[picked[i]!]!, room, i);
  }
  table.insert(count, 2);
  return count;
}

/** Picks rows like `pickSides`; their addresses are the words of `list`. */
export function pickRows(list: AddressTable, table: AddressTable, rows: number, picked: Uint32Array): number {
  list.find(rows, 2);
  const [sources, targets] = [list.numbers(0), list.numbers(1)];
  let count = 0;
  for (let row = 0; row < rows; row++) if (isListed(sources[row]!) || isListed(targets[row]!)) picked[count++] = row;
  for (const side of [0, 1] as const) {
    const [words, room] = [list.words(side), table.words(side)];
    for (let i = 0; i < count; i++) copyWords(words, picked[i]!, room, i);
  }
  table.insert(count, 2);
  return count;
}

/** Number 0 is the zero address, which no list has. */
const isListed = (number: number) => number > 0 && number < UNKNOWN;

function copyWords(from: Uint32Array, place: number, into: Uint32Array, at: number): void {
  for (let word = 0; word < ADDRESS_WORDS; word++) {
    into[ADDRESS_WORDS * at + word] = from[ADDRESS_WORDS * place + word]!;
  }
}

/** The entries that are about to be looked up, each with its side. */
const pendingEntries = new Uint32Array(VECTOR_ROWS);
const pendingSides = new Uint8Array(VECTOR_ROWS);

/** Looks up each entry of a dictionary when the first row has it. */
function numberEntries(table: AddressTable, rows: number, sides: Sides<IndexedWords>, verb: "insert" | "find"): void {
  const [{ indexes: sources, numbers: ofSources }, { indexes: targets, numbers: ofTargets }] = sides;
  let count = 0;
  for (let row = 0; row < rows; row++) {
    // Room for the two of this row.
    if (count > VECTOR_ROWS - 2) count = lookUp(table, count, sides, verb);
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
  lookUp(table, count, sides, verb);
}

/** @returns how many are pending after that: none */
function lookUp(table: AddressTable, count: number, sides: Sides<IndexedWords>, verb: "insert" | "find"): 0 {
  const room = table.words(0);
  for (let i = 0; i < count; i++) {
    copyWords(sides[pendingSides[i] as 0 | 1].words, pendingEntries[i]!, room, i);
  }
  table[verb](count, 1);
  const found = table.numbers(0);
  for (let i = 0; i < count; i++) {
    sides[pendingSides[i] as 0 | 1].numbers[pendingEntries[i]!] = Math.min(found[i]!, UNKNOWN);
  }
  return 0;
}
