/** Labels: centralised exchanges (`address`, `exchange`) and contracts (`address`). Source: docs/methodology.md §1. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { EXCHANGE_SELECTORS } from "../../data-schema/exchanges.ts";
import type { Groups } from "../engine/history.ts";
import { CONTRACT, FIRST_EXCHANGE, USER } from "../engine/kernel/classification.ts";
import { withRoom } from "../lib/columns/shared.ts";
import { Failure } from "../lib/failure.ts";
import { addressOrder, compareAddresses, copyAddress, viewOf, wordsOf } from "./address-order.ts";
import { ADDRESS_BYTES } from "./addresses.ts";
import { ADDRESS, EXCHANGE, placeText, readCell } from "./cells/rules.ts";
import { RowPlaces, type Table, type TextRow, textRows } from "./duckdb/table.ts";
import type { InputFile } from "./files.ts";

/** Each address once, in ascending order. Columns, because there may be millions. */
export interface LabelColumns {
  /** 20 bytes each. */
  address: Uint8Array;
  /** The group of each, as in `Groups`. */
  label: Uint8Array;
}

export interface Labels extends LabelColumns {
  notices: string[];
}

export const NO_LABELS: Labels = { address: new Uint8Array(0), label: new Uint8Array(0), notices: [] };

/** Rows for which there is room at first. */
const FIRST_ROWS = 1 << 12;

/** Groups by label. `all`, the first selector, is a sum and not a label. */
const EXCHANGE_GROUPS = new Map<string, number>(
  EXCHANGE_SELECTORS.slice(1).map((exchange, index) => [exchange, FIRST_EXCHANGE + index]),
);
const OTHER = FIRST_EXCHANGE;

/** Name of a group, for messages. */
export function labelText(group: number): string {
  if (group === USER) return "none";
  return group === CONTRACT ? "contract" : EXCHANGE_SELECTORS[group - FIRST_EXCHANGE + 1]!;
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
  contracts: readonly Table[];
}

/**
 * Reads the tables of exchanges, then those of contracts. The user's exchanges win over the shipped ones, and both over
 * contracts.
 *
 * @throws {Failure} a cell is invalid, or an address has two exchanges in the same list
 */
export async function readLabels(
  connection: DuckDBConnection,
  { exchanges, shipped, contracts }: LabelTables,
  onFile: (file: InputFile) => void,
): Promise<Labels> {
  const rows = new LabelRows();
  for (const tables of [exchanges, shipped]) {
    for await (const texts of textRows(connection, tables, ["address", "exchange"], onFile)) {
      rows.add(texts, ({ place, columns, cells }) => readCell(EXCHANGE, cells[1]!, place, columns[1]!));
    }
    rows.endList();
  }
  for await (const texts of textRows(connection, contracts, ["address"], onFile)) rows.add(texts, () => undefined);
  const { columns, ownNames } = rows.end();

  const notices: string[] = [];
  const unknown = ownNames.filter((name) => !EXCHANGE_GROUPS.has(name));
  if (unknown.length > 0) {
    notices.push(`Exchanges without a series of their own count as “other”: ${unknown.sort().join(", ")}.`);
  }
  // It would be the first.
  if (columns.label.length > 0 && columns.address.subarray(0, ADDRESS_BYTES).every((byte) => byte === 0)) {
    notices.push("The label of the zero address is ignored: it is never a holder.");
    return { address: columns.address.subarray(ADDRESS_BYTES), label: columns.label.subarray(1), notices };
  }
  return { ...columns, notices };
}

/** Stands for no exchange. */
const NO_NAME = 0xffff_ffff;

/** The rows of lists of labels, in the order in which they win: first the user's exchanges, then the shipped ones. */
class LabelRows {
  #address = new Uint8Array(ADDRESS_BYTES * FIRST_ROWS);
  /** Numbers of names. */
  #name = new Uint32Array(FIRST_ROWS);
  #count = 0;
  readonly #names = new Map<string, number>();
  readonly #places = new RowPlaces();
  /** Rows up to the end of each list of exchanges, and names up to there. */
  readonly #lists: { rows: number; names: number }[] = [];

  add(texts: readonly TextRow[], nameOf: (row: TextRow) => string | undefined): void {
    this.#places.add(texts);
    const count = this.#count + texts.length;
    this.#address = withRoom(this.#address, ADDRESS_BYTES * count, (length) => new Uint8Array(length));
    this.#name = withRoom(this.#name, count, (length) => new Uint32Array(length));
    const bytes = Buffer.from(this.#address.buffer);
    for (const row of texts) {
      const address = readCell(ADDRESS, row.cells[0]!.trim(), row.place, row.columns[0]!);
      bytes.write(address.slice(2), ADDRESS_BYTES * this.#count, "hex");
      const name = nameOf(row);
      if (name !== undefined && !this.#names.has(name)) this.#names.set(name, this.#names.size);
      this.#name[this.#count++] = name === undefined ? NO_NAME : this.#names.get(name)!;
    }
  }

  endList(): void {
    this.#lists.push({ rows: this.#count, names: this.#names.size });
  }

  /** @throws {Failure} an address has two exchanges in the same list */
  end(): { columns: LabelColumns; ownNames: string[] } {
    const names = [...this.#names.keys()];
    const groups = names.map((name) => EXCHANGE_GROUPS.get(name) ?? OTHER);
    const all = this.#address.subarray(0, ADDRESS_BYTES * this.#count);
    const view = viewOf(all);
    const order = addressOrder(all);
    const winners = new Uint32Array(order.length);
    let conflict: [first: number, second: number] | undefined;
    let kept = 0;
    /** Of the rows of one address: the first in each list of exchanges. */
    const firsts = new Map<number, number>();
    for (let place = 0; place < order.length; place++) {
      const row = order[place]!;
      const isNew = place === 0 || compareAddresses(view, order[place - 1]!, view, row) !== 0;
      if (isNew) {
        firsts.clear();
        winners[kept++] = row;
      }
      if (this.#name[row] === NO_NAME) continue;
      const list = this.#listOf(row);
      const first = firsts.get(list) ?? row;
      firsts.set(list, first);
      if (this.#name[first] !== this.#name[row] && !(conflict && conflict[1] < row)) conflict = [first, row];
    }
    if (conflict) throw this.#twoExchanges(names, ...conflict);
    const columns = { address: new Uint8Array(ADDRESS_BYTES * kept), label: new Uint8Array(kept) };
    const [from, into] = [wordsOf(all), wordsOf(columns.address)];
    for (let at = 0; at < kept; at++) {
      const row = winners[at]!;
      copyAddress(from, row, into, at);
      columns.label[at] = this.#name[row] === NO_NAME ? CONTRACT : groups[this.#name[row]!]!;
    }
    return { columns, ownNames: names.slice(0, this.#lists[0]!.names) };
  }

  /** The list of a row with an exchange. */
  #listOf(row: number): number {
    return this.#lists.findIndex(({ rows }) => row < rows);
  }

  #twoExchanges(names: readonly string[], first: number, second: number): Failure {
    const bytes = this.#address.subarray(ADDRESS_BYTES * first, ADDRESS_BYTES * (first + 1));
    const said = [first, second].map((row) => `${names[this.#name[row]!]} (${placeText(this.#places.of(row))})`);
    return new Failure(`0x${Buffer.from(bytes).toString("hex")} has two exchanges: ${said.join(" and ")}; remove one.`);
  }
}

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
