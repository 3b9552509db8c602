/**
 * The lists of holders: of each group, the first by each column and in both orders. They are chosen as the rows of the table
 * pass by. Source: docs/formats.md#holders.
 */

import { groupOfLabel, HOLDER_KEYS, type HolderKeyFacts, type HolderListsIndex } from "../../../data-schema/holders.ts";
import {
  GROUP_LETTERS,
  HOLDER_GROUPS,
  HOLDER_ORDERS,
  HOLDER_SORTS,
  type HolderGroup,
  type HolderOrder,
  type HolderSort,
  type IndexPlace,
  MOST_LISTED,
} from "../../../data-schema/stored.ts";
import { isZero, TokenUnit } from "../../engine/history.ts";
import { TableEncoder } from "../../lib/fixed-width-table.ts";
import { type CheckpointRows, emptyRows } from "../checkpoint/checkpoint-rows.ts";
import { encodeIndex, servedGroup, servedLayout } from "../checkpoint/served-groups.ts";
import { FirstRows } from "./first-rows.ts";
import { KeptRows } from "./kept-rows.ts";

/** Rows of a row group: a page of an answer reads one or two. */
const LIST_GROUP_ROWS = 5_000;

/** A list that is being made: its rows have the least of the numbers that it is sorted by, times its sign. */
interface List {
  sort: HolderSort;
  order: HolderOrder;
  sign: 1 | -1;
  first: FirstRows;
}

const SORT_KEYS = HOLDER_SORTS.map((sort) => HOLDER_KEYS[sort]);

/** What the numbers of holders depend on. */
export interface ListFacts {
  decimals: number;
  /** At the close, USD per token. */
  price: number;
  /** 32-bit words of each balance. */
  words: number;
}

/** Chooses the rows of the lists. */
export class HolderLists {
  readonly #facts: ListFacts;
  readonly #unit: TokenUnit;
  readonly #kept: KeptRows;
  readonly #lists: Readonly<Record<HolderGroup, List[]>>;
  /** The last number of each list that may still be among the first. */
  readonly #limits: Readonly<Record<HolderGroup, Float64Array>>;

  /** @param wanted rows of a list */
  constructor(facts: ListFacts, wanted = MOST_LISTED) {
    this.#facts = facts;
    this.#unit = new TokenUnit(facts.decimals);
    this.#kept = new KeptRows(facts.words);
    const lists = () => HOLDER_SORTS.flatMap((sort) => HOLDER_ORDERS.map((order) => this.#list(sort, order, wanted)));
    this.#lists = { users: lists(), sc: lists(), cex: lists() };
    const limits = () => new Float64Array(2 * HOLDER_SORTS.length).fill(Number.POSITIVE_INFINITY);
    this.#limits = { users: limits(), sc: limits(), cex: limits() };
    this.wanted = wanted;
  }

  readonly wanted: number;

  #list(sort: HolderSort, order: HolderOrder, wanted: number): List {
    const sign = order === "desc" ? -1 : 1;
    // Balances are compared exactly: doubles round them.
    const first =
      sort === "balance"
        ? new FirstRows(wanted, (row, other) => sign * this.#kept.compareBalances(row, other))
        : new FirstRows(wanted);
    return { sort, order, sign, first };
  }

  /** Adds rows, in ascending order of their addresses. */
  add(batch: CheckpointRows): void {
    const { words, price } = this.#facts;
    const facts: HolderKeyFacts = { balance: 0, basis: 0, realised: 0, sent: 0, firstEvent: 0, lastEvent: 0 };
    let number = 0;
    for (let row = 0; row < batch.rows; row++) {
      facts.balance = isZero(batch.balances, words * row, words)
        ? 0
        : this.#unit.tokens(batch.balances, words * row, words);
      facts.basis = batch.basis[row]!;
      facts.realised = batch.realised[row]!;
      facts.sent = batch.sent[row]!;
      facts.firstEvent = batch.firstEvent[row]!;
      facts.lastEvent = Math.max(batch.lastSend[row]!, batch.lastReceipt[row]!);
      const group = groupOfLabel(batch.labels[row]!);
      const lists = this.#lists[group];
      const limits = this.#limits[group];
      let kept = -1;
      let isListed = false;
      for (let list = 0; list < lists.length; list++) {
        // Both orders of a sort follow each other, the falling one first; the sum with 0 has no negative zero.
        if (list % 2 === 0) number = -SORT_KEYS[list >> 1]!(facts, price) + 0;
        else number = 0 - number;
        // Nearly all rows end here.
        if (number > limits[list]!) continue;
        const { first } = lists[list]!;
        if (!first.mayTake(number)) continue;
        if (kept < 0) kept = this.#kept.add(batch, row);
        if (first.add(number, kept)) isListed = true;
        limits[list] = first.last;
      }
      if (kept >= 0 && !isListed) this.#kept.drop();
    }
  }

  /** The object of the lists, in pieces. @returns where in it its index is */
  *encode(): Generator<Uint8Array, IndexPlace> {
    const encoder = new TableEncoder(servedLayout(this.#facts.words));
    const index: HolderListsIndex = { groups: [], lists: placesOf(), mixes: mixesOf() };
    const room = emptyRows(LIST_GROUP_ROWS, this.#facts.words);
    const chosen = HOLDER_GROUPS.map((group) => this.#lists[group].map(({ first }) => first.end()));
    for (const [g, group] of HOLDER_GROUPS.entries()) {
      const written = new Map<string, number>();
      for (const [l, { sort, order }] of this.#lists[group].entries()) {
        const { rows } = chosen[g]![l]!;
        const name = Buffer.from(rows.buffer).toString("latin1");
        const same = written.get(name);
        const place = { group: same ?? index.groups.length, rows: rows.length };
        index.lists[group][sort][order] = place;
        if (same !== undefined) continue;
        written.set(name, place.group);
        for (let begin = 0; begin < rows.length; begin += LIST_GROUP_ROWS) {
          const picked = this.#kept.pick(rows.subarray(begin, begin + LIST_GROUP_ROWS), room);
          index.groups.push(yield* servedGroup(encoder, picked));
        }
      }
    }
    for (const [l, { sort, order, sign }] of this.#lists.users.entries()) {
      const compare = (a: number, b: number) =>
        (sort === "balance" ? sign * this.#kept.compareBalances(a, b) : 0) || a - b;
      index.mixes[sort][order] = mixOf(
        chosen.map((lists) => lists[l]!),
        compare,
        this.wanted,
      );
    }
    const { bytes, place } = encodeIndex(index, encoder.written.end);
    yield bytes;
    yield* encoder.end();
    return place;
  }
}

/** The letters of the groups whose rows come first, one after the other. */
function mixOf(
  lists: readonly { rows: Uint32Array; numbers: Float64Array }[],
  compareEqual: (row: number, other: number) => number,
  wanted: number,
): string {
  const next = lists.map(() => 0);
  const letters: string[] = [];
  const isBefore = (one: number, other: number) => {
    const [a, b] = [lists[one]!, lists[other]!];
    const difference = a.numbers[next[one]!]! - b.numbers[next[other]!]!;
    return difference < 0 || (difference === 0 && compareEqual(a.rows[next[one]!]!, b.rows[next[other]!]!) < 0);
  };
  while (letters.length < wanted) {
    let best = -1;
    for (let i = 0; i < lists.length; i++) {
      if (next[i]! < lists[i]!.rows.length && (best < 0 || isBefore(i, best))) best = i;
    }
    if (best < 0) break;
    next[best]!++;
    letters.push(GROUP_LETTERS[HOLDER_GROUPS[best]!]);
  }
  return letters.join("");
}

const bySort = <Of>(of: () => Of) =>
  Object.fromEntries(HOLDER_SORTS.map((sort) => [sort, of()])) as Record<HolderSort, Of>;
const mixesOf = () => bySort(() => ({ desc: "", asc: "" }));
const placesOf = () => {
  const lists = () => bySort(() => ({ desc: { group: 0, rows: 0 }, asc: { group: 0, rows: 0 } }));
  return { users: lists(), sc: lists(), cex: lists() };
};
