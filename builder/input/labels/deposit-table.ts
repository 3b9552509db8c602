/** The table of deposit addresses, as builds keep it. Source: docs/building.md#deposit-addresses. */

import { isoTime } from "../../../data-schema/text.ts";
import { DEPOSIT_ADDRESS } from "../../engine/classification.ts";
import type { DepositAddress } from "../../engine/deposits.ts";
import { decimalText } from "../../lib/terminal/amount-text.ts";
import { withDatabase } from "../duckdb/database.ts";
import { openInputTable, textRows } from "../duckdb/input-table.ts";
import type { InputFile } from "../files/files.ts";
import { LabelRows, labelText } from "./address-labels.ts";

export interface DepositRow extends Omit<DepositAddress, "number"> {
  /** `0x…`, in lower case. */
  address: string;
}

/**
 * The table as CSV.
 *
 * @param rows in the order of their addresses
 * @param decimals of the asset: tokens are whole ones, exactly
 */
export function formatDeposits(rows: readonly DepositRow[], decimals: number): string {
  const lines = rows.map(({ address, group, since, sends, sent }) =>
    [address, labelText(group), isoTime(since), sends, decimalText(sent, decimals)].join(","),
  );
  return `${["address,exchange,since,sends,tokens", ...lines].join("\n")}\n`;
}

/**
 * The addresses of a table, 20 bytes each, ascending.
 *
 * @throws {Failure} it can't be read, or has no column of addresses
 */
export async function readDepositAddresses(file: InputFile): Promise<Uint8Array> {
  const found = new LabelRows();
  await withDatabase(1, async (connection) => {
    const table = await openInputTable(connection, file);
    for await (const texts of textRows(connection, [table], ["address"], () => {})) found.add(texts, () => undefined);
  });
  found.endList();
  return found.end().address;
}

/** How many deposit addresses each exchange has, by name. */
export function countByExchange(labels: Uint8Array): Record<string, number> {
  const counts = new Uint32Array(DEPOSIT_ADDRESS);
  for (const label of labels) if (label & DEPOSIT_ADDRESS) counts[label & ~DEPOSIT_ADDRESS]!++;
  const entries = [...counts.entries()].filter(([, count]) => count > 0);
  return Object.fromEntries(entries.map(([group, count]) => [labelText(group), count]));
}

/**
 * How often the addresses of each exchange have sent, by its name.
 *
 * @param file a table that builds keep
 * @returns undefined if it does not say, as one that was put in its place
 */
export async function readSends(file: InputFile): Promise<Record<string, number> | undefined> {
  return withDatabase(1, async (connection) => {
    const table = await openInputTable(connection, file);
    if (!table.columns.some(({ name }) => name === "sends")) return undefined;
    const sends: Record<string, number> = {};
    for await (const rows of textRows(connection, [table], ["exchange", "sends"], () => {})) {
      for (const { cells } of rows) sends[cells[0]!] = (sends[cells[0]!] ?? 0) + Number(cells[1]);
    }
    return sends;
  });
}
