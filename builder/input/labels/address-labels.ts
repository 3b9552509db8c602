/**
 * Labels: centralised exchanges (`address`, `exchange`), their deposit addresses (`address`, `exchange`) and contracts
 * (`address`). Source: docs/methodology.md §1.
 */

import type { DuckDBConnection } from "@duckdb/node-api";
import { EXCHANGE_SELECTORS } from "../../../data-schema/registry.ts";
import { CONTRACT, DEPOSIT_ADDRESS, FIRST_EXCHANGE, OTHER_EXCHANGES, USER } from "../../engine/classification.ts";
import type { Groups } from "../../engine/history.ts";
import { Failure } from "../../lib/failure.ts";
import { collectIfLarge } from "../../lib/garbage.ts";
import { counted } from "../../lib/terminal/amount-text.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import { addressOrder, compareAddresses, copyAddress, viewOf, wordsOf } from "../address-order.ts";
import { ADDRESS, EXCHANGE, readCell, rowPlace } from "../cells/rules.ts";
import { RowPlaces, type Table, type TextRow, textRows } from "../duckdb/input-table.ts";
import type { InputFile } from "../files/files.ts";
import { exchangeRows } from "./exchange-rows.ts";

/** Each address once, in ascending order. Columns, because there may be millions. */
export interface LabelColumns {
  /** 20 bytes each. */
  address: Uint8Array;
  /** The group of each, as in `Groups`, with the mark of deposit addresses. */
  label: Uint8Array;
}

export interface AddressLabels extends LabelColumns {
  /** Whether there is a list of deposit addresses. */
  hasDeposits: boolean;
  notices: string[];
}

/** Groups by label. `all`, the first selector, is a sum and not a label. */
const EXCHANGE_GROUPS = new Map<string, number>(
  EXCHANGE_SELECTORS.slice(1).map((exchange, index) => [exchange, FIRST_EXCHANGE + index]),
);

/** Name of a label, for messages. */
export function labelText(label: number): string {
  if (label === USER) return "none";
  if (label === CONTRACT) return "contract";
  const exchange = EXCHANGE_SELECTORS[(label & ~DEPOSIT_ADDRESS) - FIRST_EXCHANGE + 1]!;
  return label & DEPOSIT_ADDRESS ? `deposit address of ${exchange}` : exchange;
}

/** Addresses by what they are labelled as. */
export interface LabelCounts {
  exchanges: number;
  contracts: number;
}

/** @param counts to which the labels are added */
export function countLabels(
  groups: Iterable<number>,
  counts: LabelCounts = { exchanges: 0, contracts: 0 },
): LabelCounts {
  for (const group of groups) {
    if (group >= FIRST_EXCHANGE) counts.exchanges++;
    else if (group === CONTRACT) counts.contracts++;
  }
  return counts;
}

/** The tables of labels, by what they are to the user. */
export interface LabelTables {
  exchanges: readonly Table[];
  /** Exchanges that ship with Soprano. */
  shipped: readonly Table[];
  /** Deposit addresses of exchanges. */
  deposits: readonly Table[];
  contracts: readonly Table[];
}

/**
 * Reads the tables of exchanges, then those of deposit addresses and of contracts. The user's exchanges win over the shipped
 * ones, both over deposit addresses, and all over contracts.
 *
 * @returns the rows, to be sorted when DuckDB has given its memory back
 * @throws {Failure} a cell is invalid
 */
export async function readLabels(
  connection: DuckDBConnection,
  { exchanges, shipped, deposits, contracts }: LabelTables,
  onFile: (file: InputFile) => void,
): Promise<LabelRows> {
  const rows = new LabelRows();
  for (const tables of [exchanges, shipped, ...(deposits.length > 0 ? [deposits] : [])]) {
    for await (const texts of exchangeRows(connection, tables, onFile)) {
      rows.add(texts, ({ place, columns, cells }) => readCell(EXCHANGE, cells[1]!, place, columns[1]!));
    }
    rows.endList();
  }
  for await (const texts of textRows(connection, contracts, ["address"], onFile)) rows.add(texts, () => undefined);
  return rows;
}

/** Stands for no exchange. */
const NO_NAME = 0xffff_ffff;

/** Exchanges that a notice names; the others are counted. */
const MOST_NAMED = 10;

/** The place of the deposit addresses among the lists with exchanges. */
const DEPOSITS = 2;

/**
 * The rows of lists of labels, in the order in which they win: first the user's exchanges, then the shipped ones, then deposit
 * addresses.
 */
export class LabelRows {
  /** The addresses in pieces, as they come: columns that grow would be there twice. */
  #addresses: Uint8Array[] = [];
  /** Numbers of names. */
  #nameOf: Uint32Array[] = [];
  #count = 0;
  readonly #names = new Map<string, number>();
  readonly #places = new RowPlaces();
  /** Rows up to the end of each list of exchanges, and names up to there. */
  readonly #lists: { rows: number; names: number }[] = [];

  add(texts: readonly TextRow[], nameOf: (row: TextRow) => string | undefined): void {
    this.#places.add(texts);
    const addresses = Buffer.alloc(ADDRESS_BYTES * texts.length);
    const names = new Uint32Array(texts.length).fill(NO_NAME);
    for (const [index, row] of texts.entries()) {
      const address = readCell(ADDRESS, row.cells[0]!.trim(), row.place, row.columns[0]!);
      addresses.write(address.slice(2), ADDRESS_BYTES * index, "hex");
      const name = nameOf(row);
      if (name === undefined) continue;
      if (!this.#names.has(name)) this.#names.set(name, this.#names.size);
      names[index] = this.#names.get(name)!;
    }
    this.#addresses.push(addresses);
    this.#nameOf.push(names);
    this.#count += texts.length;
  }

  endList(): void {
    this.#lists.push({ rows: this.#count, names: this.#names.size });
  }

  /**
   * The labels. The rows are let go of.
   *
   * @throws {Failure} an address has two exchanges in the same list
   */
  end(): AddressLabels {
    const { notices, ...labels } = this.#sorted();
    const { address, label } = labels;
    const unknown = this.#namesGiven()
      .filter((name) => !EXCHANGE_GROUPS.has(name))
      .sort();
    if (unknown.length > 0) {
      const others = unknown.length > MOST_NAMED ? `, and ${unknown.length - MOST_NAMED} more` : "";
      const names = unknown.slice(0, MOST_NAMED).join(", ");
      notices.unshift(`Exchanges without a series of their own count as “other”: ${names}${others}.`);
    }
    // It would be the first.
    if (label.length > 0 && address.subarray(0, ADDRESS_BYTES).every((byte) => byte === 0)) {
      notices.push("The label of the zero address is ignored: it is never a holder.");
      return { ...labels, address: address.subarray(ADDRESS_BYTES), label: label.subarray(1), notices };
    }
    return { ...labels, notices };
  }

  /** The exchanges that the user names: in lists of exchanges and of deposit addresses, but not in shipped ones. */
  #namesGiven(): string[] {
    const names = [...this.#names.keys()];
    const [own, shipped, deposits] = this.#lists;
    return [...names.slice(0, own!.names), ...(deposits ? names.slice(shipped!.names, deposits.names) : [])];
  }

  #sorted(): AddressLabels {
    const names = [...this.#names.keys()];
    const groups = names.map((name) => EXCHANGE_GROUPS.get(name) ?? OTHER_EXCHANGES);
    const all = new Uint8Array(ADDRESS_BYTES * this.#count);
    const nameOf = new Uint32Array(this.#count);
    let read = 0;
    for (const [piece, addresses] of this.#addresses.entries()) {
      all.set(addresses, ADDRESS_BYTES * read);
      nameOf.set(this.#nameOf[piece]!, read);
      read += this.#nameOf[piece]!.length;
    }
    [this.#addresses, this.#nameOf] = [[], []];
    // Nothing else is as large as what sorting leaves behind: V8 would collect it too late.
    collectIfLarge();
    const view = viewOf(all);
    const order = addressOrder(all);
    collectIfLarge();
    const winners = new Uint32Array(order.length);
    let conflict: [first: number, second: number] | undefined;
    let kept = 0;
    /** The deposit addresses that have another label, with that and the one they lack. */
    const lacking: [label: number, deposit: number][] = [];
    /** The first row of an address in each list of exchanges. */
    const firsts = new Map<number, number>();
    for (let place = 0; place < order.length; place++) {
      const row = order[place]!;
      const isNew = place === 0 || compareAddresses(view, order[place - 1]!, view, row) !== 0;
      if (isNew) {
        firsts.clear();
        winners[kept++] = row;
      }
      if (nameOf[row] === NO_NAME) continue;
      const list = this.#listOf(row);
      if (list === DEPOSITS && !firsts.has(list)) {
        const winner = winners[kept - 1]!;
        if (groups[nameOf[winner]!] !== groups[nameOf[row]!]) lacking.push([winner, row]);
      }
      const first = firsts.get(list) ?? row;
      firsts.set(list, first);
      if (nameOf[first] !== nameOf[row] && !(conflict && conflict[1] < row)) conflict = [first, row];
    }
    const said = (row: number) => `${names[nameOf[row]!]} (${rowPlace(this.#places.of(row))})`;
    const addressText = (row: number) =>
      `0x${Buffer.from(all.subarray(ADDRESS_BYTES * row, ADDRESS_BYTES * (row + 1))).toString("hex")}`;
    if (conflict) {
      const exchanges = conflict.map(said).join(" and ");
      throw new Failure(`${addressText(conflict[0])} has two exchanges: ${exchanges}; remove one.`);
    }
    const [lack] = lacking;
    const notices = lack
      ? [
          `${counted(lacking.length, "deposit address")} ${lacking.length > 1 ? "keep" : "keeps"} another label that the lists ` +
            `of exchanges have, the first ${addressText(lack[0])}: ${said(lack[0])}, not ${said(lack[1])}.`,
        ]
      : [];
    const columns = { address: new Uint8Array(ADDRESS_BYTES * kept), label: new Uint8Array(kept) };
    const [from, into] = [wordsOf(all), wordsOf(columns.address)];
    for (let at = 0; at < kept; at++) {
      const row = winners[at]!;
      copyAddress(from, row, into, at);
      columns.label[at] = nameOf[row] === NO_NAME ? CONTRACT : groups[nameOf[row]!]! | this.#markOf(row);
    }
    return { ...columns, hasDeposits: this.#lists.length > DEPOSITS, notices };
  }

  /** What the label of a row with an exchange has beside its group. */
  #markOf(row: number): number {
    return this.#listOf(row) === DEPOSITS ? DEPOSIT_ADDRESS : 0;
  }

  /** The list of a row with an exchange. */
  #listOf(row: number): number {
    return this.#lists.findIndex(({ rows }) => row < rows);
  }
}

/** The label of all addresses of a list that has none of its own. */
export const LIST_MEMBER = 1;

/** A list of addresses as labels. @param address 20 bytes each, each once, ascending */
export const listColumns = (address: Uint8Array): LabelColumns => ({
  address,
  label: new Uint8Array(address.length / ADDRESS_BYTES).fill(LIST_MEMBER),
});

/** Looks up the label of each address of a column, 20 bytes each. */
export function labelsOf(labels: LabelColumns): (addresses: Uint8Array) => Groups {
  const index = new LabelIndex(labels);
  return (addresses) => {
    const view = viewOf(addresses);
    const groups = new Uint8Array(addresses.length / ADDRESS_BYTES);
    for (let row = 0; row < groups.length; row++) groups[row] = index.labelOf(view, row);
    return groups;
  };
}

const PREFIXES = 1 << 16;

/** Finds addresses among those of labels. */
export class LabelIndex {
  readonly #label: Uint8Array;
  readonly #view: DataView;
  /** The first row of each beginning of 16 bits, and the end of the last. */
  readonly #starts = new Uint32Array(PREFIXES + 1);

  constructor({ address, label }: LabelColumns) {
    this.#label = label;
    this.#view = viewOf(address);
    for (let row = 0; row < label.length; row++) this.#starts[this.#view.getUint16(ADDRESS_BYTES * row) + 1]!++;
    for (let prefix = 0; prefix < PREFIXES; prefix++) this.#starts[prefix + 1]! += this.#starts[prefix]!;
  }

  /** The label of an address of a column; `USER` if it has none. */
  labelOf(addresses: DataView, row: number): number {
    const prefix = addresses.getUint16(ADDRESS_BYTES * row);
    let [low, high] = [this.#starts[prefix]!, this.#starts[prefix + 1]!];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = compareAddresses(addresses, row, this.#view, middle);
      if (order === 0) return this.#label[middle]!;
      if (order > 0) low = middle + 1;
      else high = middle;
    }
    return USER;
  }
}
