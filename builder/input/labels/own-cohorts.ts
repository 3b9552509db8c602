/** Own cohorts: a list of addresses each (`address`; other columns are ignored). Source: docs/building.md#own-cohorts. */

import { createHash } from "node:crypto";
import { type ContractKind, MAX_OWN_ADDRESSES, OWN_PREFIX, type OwnCohort } from "../../../data-schema/registry.ts";
import { Failure } from "../../lib/failure.ts";
import { count, counted } from "../../lib/terminal/amount-text.ts";
import { ADDRESS_BYTES } from "../../lib/widths.ts";
import { withDatabase } from "../duckdb/database.ts";
import { openInputTable, textRows } from "../duckdb/input-table.ts";
import type { InputFile } from "../files/files.ts";
import { LabelRows } from "./address-labels.ts";

/** The file that lists a cohort's addresses. */
export interface CohortFile extends InputFile {
  /** The kind whose rows count, of a table of all kinds. */
  kind?: ContractKind;
}

/** What is known of a list, without its addresses. JSON. */
export interface OwnCohortList {
  cohort: OwnCohort;
  file: CohortFile;
  /** SHA-256 in hex of its addresses, each once, in ascending order. */
  sha256: string;
  addresses: number;
}

/** The list of a cohort, read. */
export interface ReadOwnCohort {
  list: OwnCohortList;
  /** 20 bytes each, each once, ascending. */
  address: Uint8Array;
  rows: number;
  notices: string[];
}

/** The cohort of a key of `cohorts` in ASSET.json. */
export const ownCohort = (name: string): OwnCohort => `${OWN_PREFIX}${name}`;

/**
 * Reads the list of a cohort.
 *
 * @throws {Failure} the file can't be read, has no column of addresses, an address is invalid, or there are too many
 */
export async function readOwnCohort(cohort: OwnCohort, file: CohortFile): Promise<ReadOwnCohort> {
  const { kind } = file;
  const found = new LabelRows();
  const rows = await withDatabase(1, async (connection) => {
    const table = await openInputTable(connection, file);
    const columns = kind === undefined ? ["address"] : ["address", "kind"];
    let listed = 0;
    for await (const texts of textRows(connection, [table], columns, () => {})) {
      const own = kind === undefined ? texts : texts.filter(({ cells }) => cells[1] === kind);
      found.add(own, () => undefined);
      listed += own.length;
    }
    return listed;
  });
  found.endList();
  const { address, notices } = found.end();
  const addresses = address.length / ADDRESS_BYTES;
  if (addresses > MAX_OWN_ADDRESSES) {
    throw new Failure(
      `${file.name} lists ${count(addresses)} addresses, but a cohort may have ${count(MAX_OWN_ADDRESSES)}; divide it.`,
    );
  }
  const hasZeroAddress = notices.length > 0;
  const repeats = rows - addresses - (hasZeroAddress ? 1 : 0);
  return {
    list: { cohort, file, sha256: createHash("sha256").update(address).digest("hex"), addresses },
    address,
    rows,
    notices: [
      ...(kind && addresses === 0
        ? [
            `${file.name} has no address of the kind “${kind}”, so ${cohort} is empty: Soprano ships none for this chain.`,
          ]
        : []),
      ...(hasZeroAddress ? [`${file.name}: the zero address is left out, as it is never a holder.`] : []),
      ...(repeats > 0 ? [`${file.name}: ${counted(repeats, "row")} repeat an address, which counts once.`] : []),
    ],
  };
}
