/** Labels: centralised exchanges (`address`, `exchange`) and contracts (`address`). Source: docs/methodology.md §1. */

import type { DuckDBConnection } from "@duckdb/node-api";
import { ZERO_ADDRESS } from "../../data-schema/asset.ts";
import { EXCHANGE_SELECTORS } from "../../data-schema/exchanges.ts";
import { sharedBytes } from "../columns/shared.ts";
import type { Groups } from "../engine/history.ts";
import { CONTRACT, FIRST_EXCHANGE, USER } from "../engine/kernel/classification.ts";
import { Failure } from "../failure.ts";
import { ADDRESS_BYTES, AddressTable, NO_NUMBER } from "./addresses.ts";
import { ADDRESS, EXCHANGE, placeText, readCell } from "./cells/rules.ts";
import { type Place, type Table, textRows } from "./duckdb/table.ts";
import type { InputFile } from "./files.ts";

/** Columns, because there may be millions, and every garbage collection would visit each entry of a map. */
export interface LabelColumns {
  /** 20 bytes each. */
  address: Uint8Array;
  /** The group of each, as in `Groups`. */
  label: Uint8Array;
}

export interface Labels extends LabelColumns {
  notices: string[];
}

/** @param groups by `0x…` address */
export function labelColumns(groups: ReadonlyMap<string, number>): LabelColumns {
  const columns = { address: Buffer.alloc(ADDRESS_BYTES * groups.size), label: new Uint8Array(groups.size) };
  let row = 0;
  for (const [address, group] of groups) {
    columns.address.write(address.slice(2), ADDRESS_BYTES * row, "hex");
    columns.label[row++] = group;
  }
  return columns;
}

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
  const own = await readExchanges(connection, exchanges, onFile);
  const names = new Map([...(await readExchanges(connection, shipped, onFile)), ...own]);
  const groups = new Map<string, number>();
  for (const [address, { exchange }] of names) groups.set(address, EXCHANGE_GROUPS.get(exchange) ?? OTHER);
  for await (const rows of textRows(connection, contracts, ["address"], onFile)) {
    for (const { place, columns, cells } of rows) {
      const address = readCell(ADDRESS, cells[0]!.trim(), place, columns[0]!);
      if (!groups.has(address)) groups.set(address, CONTRACT);
    }
  }

  const notices: string[] = [];
  const unknown = new Set(
    Array.from(own.values(), ({ exchange }) => exchange).filter((name) => !EXCHANGE_GROUPS.has(name)),
  );
  if (unknown.size > 0) {
    const list = [...unknown].sort().join(", ");
    notices.push(`Exchanges without a series of their own count as “other”: ${list}.`);
  }
  if (groups.delete(ZERO_ADDRESS)) notices.push("The label of the zero address is ignored: it is never a holder.");
  return { ...labelColumns(groups), notices };
}

/** The exchange of each address, and the row that says so. */
async function readExchanges(
  connection: DuckDBConnection,
  tables: readonly Table[],
  onFile: (file: InputFile) => void,
): Promise<Map<string, { exchange: string; place: Place }>> {
  const names = new Map<string, { exchange: string; place: Place }>();
  for await (const rows of textRows(connection, tables, ["address", "exchange"], onFile)) {
    for (const { place, columns, cells } of rows) {
      const address = readCell(ADDRESS, cells[0]!.trim(), place, columns[0]!);
      const exchange = readCell(EXCHANGE, cells[1]!, place, columns[1]!);
      const known = names.get(address);
      if (known && known.exchange !== exchange) {
        throw new Failure(
          `${address} has two exchanges: ${known.exchange} (${placeText(known.place)}) and ${exchange} (${placeText(place)}); remove one.`,
        );
      }
      if (!known) names.set(address, { exchange, place });
    }
  }
  return names;
}

/** A function that looks up the label of each address of a column, 20 bytes each. */
export function groupsFrom({ address, label }: LabelColumns): (addresses: Uint8Array) => Groups {
  const table = new AddressTable();
  table.numbersOf(address, "insert");
  return (addresses) => {
    const groups = sharedBytes(addresses.length / ADDRESS_BYTES);
    table.numbersOf(addresses, "find").forEach((number, row) => {
      // Number 0 is the zero address, which has none.
      groups[row] = number === NO_NUMBER || number === 0 ? USER : label[number - 1]!;
    });
    return groups;
  };
}
