/** Reads what serves holders, and compares its bytes with the manifest and with its indexes. */

import {
  addressText,
  decodeHolders,
  groupOfLabel,
  HOLDER_KEYS,
  type HolderColumns,
  type HolderGroupPlace,
  rawAt,
  tokensOfRaw,
} from "../../../../data-schema/holders.ts";
import { DIGEST_DIGITS } from "../../../../data-schema/parquet.ts";
import type { HolderGroup, HolderOrder, HolderSort, IndexPlace } from "../../../../data-schema/stored.ts";
import type { ObjectStore } from "../../../store/store.ts";
import { sha256Hex } from "../../../store/stored-content.ts";

/** An object that is missing, or not as the manifest or its index says. The message is a sentence. */
export class Unreadable extends Error {}

/** Counts a comparison, and notes the sentence if it failed. */
export type NoteCheck = (isRight: boolean, problem: string) => void;

/** Comparisons, and a sentence for each that failed. */
export interface NotedChecks {
  checks: number;
  problems: string[];
}

/** Nothing found yet, and what notes comparisons there. */
export function newChecks(): { found: NotedChecks; check: NoteCheck } {
  const found: NotedChecks = { checks: 0, problems: [] };
  const check: NoteCheck = (isRight, problem) => {
    found.checks++;
    if (!isRight) found.problems.push(problem);
  };
  return { found, check };
}

export class HolderReader {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** @throws {Unreadable} what is read of the object can't be read */
  async inObject<T>(key: string, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof Unreadable) throw error;
      throw new Unreadable(`${key} can't be read: ${(error as Error).message}.`);
    }
  }

  async index(key: string, place: IndexPlace): Promise<Uint8Array> {
    const bytes = await this.#range(key, place);
    if (!sha256Hex(bytes).startsWith(place.hash)) throw new Unreadable(`${key} is damaged: it has another index.`);
    return bytes;
  }

  async group(key: string, place: HolderGroupPlace): Promise<HolderColumns> {
    const bytes = await this.#range(key, place);
    if (sha256Hex(bytes).slice(0, DIGEST_DIGITS) !== place.digest) {
      throw new Unreadable(`${key} is damaged: the row group at byte ${place.offset} is not the one of its index.`);
    }
    const columns = decodeHolders(bytes);
    if (columns.rows !== place.rows)
      throw new Unreadable(`${key} has a row group of another length than in its index.`);
    return columns;
  }

  async whole(key: string, { hash, size }: { hash: string; size: number }): Promise<Uint8Array> {
    const bytes = await this.#range(key, { offset: 0, length: size });
    if (!sha256Hex(bytes).startsWith(hash)) throw new Unreadable(`${key} is damaged: it has another checksum.`);
    return bytes;
  }

  async #range(key: string, { offset, length }: { offset: number; length: number }): Promise<Uint8Array> {
    const bytes = (await this.#store.get(key, { offset, length }))?.bytes;
    if (bytes?.length !== length) throw new Unreadable(`${key} is missing, or shorter than the manifest says.`);
    return bytes;
  }
}

/** A holder, as lists sort it. */
export interface HolderRow {
  address: string;
  group: HolderGroup;
  raw: bigint;
  keys: Record<HolderSort, number>;
  /** All that its columns say: equal rows have equal texts. */
  text: string;
}

export function holderRow(columns: HolderColumns, row: number, decimals: number, price: number): HolderRow {
  const raw = rawAt(columns.balance, row, columns.words);
  const facts = {
    balance: tokensOfRaw(raw, decimals),
    basis: columns.basis[row]!,
    realised: columns.realised[row]!,
    sent: columns.sent[row]!,
    firstEvent: columns.firstEvent[row]!,
    lastEvent: columns.lastEvent[row]!,
  };
  const keys = Object.fromEntries(Object.entries(HOLDER_KEYS).map(([sort, key]) => [sort, key(facts, price)]));
  const { label, since, receipts, sends, cohorts } = columns;
  const others = [label, since, receipts, sends, cohorts].map((column) => column[row]!);
  return {
    address: addressText(columns.address, row),
    group: groupOfLabel(label[row]!),
    raw,
    keys: keys as Record<HolderSort, number>,
    text: [raw, ...Object.values(facts), ...others].join(),
  };
}

/** Below 0 if a row comes before another. Balances are compared exactly, and equal rows by address. */
export function compareHolders(sort: HolderSort, order: HolderOrder, a: HolderRow, b: HolderRow): number {
  const sign = order === "desc" ? -1 : 1;
  const difference = sort === "balance" ? Number(a.raw > b.raw) - Number(a.raw < b.raw) : a.keys[sort] - b.keys[sort];
  return sign * difference || (a.address < b.address ? -1 : Number(a.address > b.address));
}
