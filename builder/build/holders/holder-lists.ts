/**
 * The lists of holders: of each group, the first by each column and in both orders. They are chosen as the rows of the table
 * pass by. Source: docs/formats.md#holders.
 */

import {
  groupOfLabel,
  HOLDER_KEYS,
  type HolderKeyFacts,
  type HolderListsIndex,
  type HolderOrderPlace,
  packOrder,
} from "../../../data-schema/holders.ts";
import { DIGEST_DIGITS } from "../../../data-schema/parquet.ts";
import {
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
import { sha256Hex } from "../../store/stored-content.ts";
import { type CheckpointRows, emptyRows } from "../checkpoint/checkpoint-rows.ts";
import { encodeIndex, servedGroup } from "../checkpoint/served-groups.ts";
import { servedLayout } from "../checkpoint/stored-rows.ts";
import { FirstRows } from "./first-rows.ts";
import { KeptRows } from "./kept-rows.ts";

/** Rows of a row group: the first hundred of most lists are in the first one. */
const LIST_GROUP_ROWS = 5_000;

/** A list that is being made: its rows have the least of the numbers that it is sorted by, times its sign. */
interface List {
  sort: HolderSort;
  order: HolderOrder;
  sign: 1 | -1;
  first: FirstRows;
}

/** Where each number of a row is among the numbers of all sorts. */
const PLACES = Object.fromEntries(HOLDER_SORTS.map((sort, place) => [sort, place])) as Record<HolderSort, number>;

/** The numbers of a row by all sorts. One by one, as a loop over functions takes three times as long. */
function writeKeys(row: HolderKeyFacts, price: number, keys: Float64Array): void {
  keys[PLACES.balance] = HOLDER_KEYS.balance(row, price);
  keys[PLACES.cost] = HOLDER_KEYS.cost(row, price);
  keys[PLACES.unrealised_profit] = HOLDER_KEYS.unrealised_profit(row, price);
  keys[PLACES.realised_profit] = HOLDER_KEYS.realised_profit(row, price);
  keys[PLACES.received] = HOLDER_KEYS.received(row, price);
  keys[PLACES.first_seen] = HOLDER_KEYS.first_seen(row, price);
  keys[PLACES.last_active] = HOLDER_KEYS.last_active(row, price);
}

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
    const keys = new Float64Array(HOLDER_SORTS.length);
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
      writeKeys(facts, price, keys);
      let kept = -1;
      let isListed = false;
      for (let list = 0; list < lists.length; list++) {
        // Both orders of a sort follow each other, the falling one first; the sum with 0 has no negative zero.
        if (list % 2 === 0) number = -keys[list >> 1]! + 0;
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
    const groups: HolderListsIndex["groups"] = [];
    const chosen = HOLDER_GROUPS.map((group) => this.#lists[group].map(({ first }) => first.end()));
    const { rows, numbers } = this.#byBestPlace(chosen.flat().map(({ rows }) => rows));
    const room = emptyRows(LIST_GROUP_ROWS, this.#facts.words);
    for (let begin = 0; begin < rows.length; begin += LIST_GROUP_ROWS) {
      const picked = this.#kept.pick(rows.subarray(begin, begin + LIST_GROUP_ROWS), room);
      groups.push(yield* servedGroup(encoder, picked));
    }
    let offset = encoder.written.end;
    const orders = bySort(() => ({ desc: NO_PLACE, asc: NO_PLACE }));
    for (const [l, { sort, order, sign }] of this.#lists.users.entries()) {
      const compareEqual = (a: number, b: number) =>
        (sort === "balance" ? sign * this.#kept.compareBalances(a, b) : 0) || a - b;
      const lists = chosen.map((ofGroup) => ofGroup[l]!);
      const own = HOLDER_GROUPS.map((group, g) => [group, lists[g]!.rows.map((row) => numbers[row]!)]);
      const bytes = packOrder(Object.fromEntries(own), mixOf(lists, compareEqual, this.wanted));
      orders[sort][order] = { offset, length: bytes.length, digest: sha256Hex(bytes).slice(0, DIGEST_DIGITS) };
      offset += bytes.length;
      yield bytes;
    }
    const counts = HOLDER_GROUPS.map((group, g) => [group, chosen[g]![0]!.rows.length]);
    const { bytes, place } = encodeIndex({ groups, rows: Object.fromEntries(counts), orders }, offset);
    yield bytes;
    yield* encoder.end();
    return place;
  }

  /**
   * The rows of lists, each once, by their best places in any list: so the first of all lists lie side by side.
   *
   * @returns also the number of each kept row among them
   */
  #byBestPlace(lists: readonly Uint32Array[]): { rows: Uint32Array; numbers: Uint32Array } {
    const rows = new Uint32Array(this.#kept.count);
    const numbers = new Uint32Array(this.#kept.count);
    const isIn = new Uint8Array(this.#kept.count);
    let count = 0;
    for (let place = 0; place < this.wanted; place++) {
      for (const list of lists) {
        const row = list[place];
        if (row === undefined || isIn[row] === 1) continue;
        isIn[row] = 1;
        numbers[row] = count;
        rows[count++] = row;
      }
    }
    return { rows: rows.subarray(0, count), numbers };
  }
}

/** The groups whose rows come first, one after the other, as places in `HOLDER_GROUPS`. */
function mixOf(
  lists: readonly { rows: Uint32Array; numbers: Float64Array }[],
  compareEqual: (row: number, other: number) => number,
  wanted: number,
): number[] {
  const next = lists.map(() => 0);
  /** The number of the next row of each list; NaN behind the last. */
  const heads = lists.map(({ numbers }) => numbers[0] ?? Number.NaN);
  const mix: number[] = [];
  while (mix.length < wanted) {
    let best = -1;
    for (let i = 0; i < lists.length; i++) {
      const head = heads[i]!;
      if (Number.isNaN(head)) continue;
      if (best >= 0 && head > heads[best]!) continue;
      const isFirst =
        best < 0 || head < heads[best]! || compareEqual(lists[i]!.rows[next[i]!]!, lists[best]!.rows[next[best]!]!) < 0;
      if (isFirst) best = i;
    }
    if (best < 0) break;
    heads[best] = lists[best]!.numbers[++next[best]!] ?? Number.NaN;
    mix.push(best);
  }
  return mix;
}

const NO_PLACE: HolderOrderPlace = { offset: 0, length: 0, digest: "" };

const bySort = <Of>(of: () => Of) =>
  Object.fromEntries(HOLDER_SORTS.map((sort) => [sort, of()])) as Record<HolderSort, Of>;
