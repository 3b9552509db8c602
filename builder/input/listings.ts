/** Which lists of an asset name an address: the user's own and those that `soprano fetch` has placed. */

import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { AssetFile } from "./asset/asset.ts";
import { EXCHANGE } from "./cells/rules.ts";
import { withDatabase } from "./duckdb/database.ts";
import { openInputTable, textRows } from "./duckdb/input-table.ts";
import { inputsFolder, readFetched } from "./fetched/fetched.ts";
import { findFiles } from "./files/files.ts";
import { exchangeRows } from "./labels/exchange-rows.ts";
import { ownCohort } from "./labels/own-cohorts.ts";

/** A row of a list that names an address. */
export interface Listing {
  /** What the list says of it, such as `exchange binance`. */
  what: string;
  /** The file, as ASSET.json writes it, and the row, from 1 without the header. */
  file: string;
  row: number;
}

interface AssetList {
  /** The key of ASSET.json, for messages. */
  key: string;
  files: readonly string[];
  columns: readonly string[];
  /** The kind whose rows count, of a table of all kinds. */
  kind?: string | undefined;
  whatOf(cells: readonly string[]): string;
}

const exchangeOf = ([, exchange = ""]: readonly string[]) => `exchange ${EXCHANGE.parse(exchange) ?? exchange}`;

const depositOf = ([, exchange = ""]: readonly string[]) =>
  `deposit address of ${EXCHANGE.parse(exchange) ?? exchange}`;

function listsOf(asset: AssetFile, isFetched: boolean): AssetList[] {
  const { source, exchanges = [], labels = [], deposits = [], contracts = [], cohorts = [] } = asset;
  const hasContracts = !source || isFetched || contracts.some((file) => !file.startsWith("inputs/"));
  const hasDeposits = deposits.every(
    (file) => !asset.detectsDeposits || existsSync(resolve(dirname(asset.path), file)),
  );
  return [
    { key: "exchanges", files: exchanges, columns: ["address", "exchange"], whatOf: exchangeOf },
    { key: "labels", files: isFetched ? labels : [], columns: ["address", "exchange"], whatOf: exchangeOf },
    { key: "deposits", files: hasDeposits ? deposits : [], columns: ["address", "exchange"], whatOf: depositOf },
    { key: "contracts", files: hasContracts ? contracts : [], columns: ["address"], whatOf: () => "contract" },
    ...cohorts
      .filter(({ isDeposits }) => !isDeposits)
      .map(({ name, path, kind, shippedAs }) => ({
        key: `cohorts.${name}`,
        files: kind && !shippedAs && !isFetched ? [] : [path],
        columns: kind ? ["address", "kind"] : ["address"],
        kind,
        whatOf: () => `cohort ${ownCohort(name)}`,
      })),
  ];
}

/**
 * Looks for an address in all lists of an asset. What is yet to be fetched is left out.
 *
 * @param address lower-case
 * @throws {Failure} a list is missing, or lacks its columns
 */
export async function listingsOf(asset: AssetFile, address: string): Promise<Listing[]> {
  const { path, symbol, source } = asset;
  const isFetched = source !== undefined && (await readFetched(inputsFolder(path, symbol))) !== undefined;
  const found: Listing[] = [];
  await withDatabase(1, async (connection) => {
    for (const { key, files, columns, kind, whatOf } of listsOf(asset, isFetched)) {
      for (const file of await findFiles(dirname(path), files, key)) {
        const table = await openInputTable(connection, file);
        const all = columns.includes("exchange")
          ? exchangeRows(connection, [table], () => {})
          : textRows(connection, [table], columns, () => {});
        for await (const rows of all) {
          const own = rows.filter(
            ({ cells }) => cells[0]!.trim().toLowerCase() === address && (!kind || cells[1] === kind),
          );
          found.push(...own.map(({ cells, place }) => ({ what: whatOf(cells), ...place })));
        }
      }
    }
  });
  return found;
}
