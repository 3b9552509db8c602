/** Addresses as the rows of an answer, and what it says beside them. */

import {
  HOLDER_COLUMNS,
  type HolderValues,
  LARGEST_COLUMNS,
  type Manifest,
  type RecordColumn,
} from "../../../data-schema/stored.ts";
import { isoTimeWithoutZone } from "../../../data-schema/text.ts";
import type { SeriesContext } from "../../context.ts";
import { everySymbol } from "../../locate/listed-assets.ts";
import { ASSETS_AT_ONCE, inEach } from "../../locate/locate.ts";
import { findHolder, lacksHolders, readHolders, type WantedHolders } from "../../read/holders/holders.ts";
import { spendReads, spendUncached } from "../../read/plan-table.ts";
import type { AddressQuery } from "../../request/holders-query.ts";
import type { Records } from "./records.ts";

/** Bytes of a row: as values, and as text that is being made. */
const ROW_BYTES = 2_048;

/** An index and three groups of addresses, or four days. */
const READS_OF_LIST = 4;

/**
 * The rows of a list.
 *
 * @throws {Problem} 500 or 503 as `readRange`; 503 there is no place in memory
 */
export async function holdersRecords(wanted: WantedHolders, context: SeriesContext): Promise<Records> {
  const { manifest, day } = wanted;
  spendReads(READS_OF_LIST, context);
  const rows = await readHolders(wanted, ROW_BYTES, context);
  return {
    name: "holders",
    facts: { ...builtFrom(manifest), ...(day !== null && { at: isoTimeWithoutZone(day) }) },
    columns: day === null ? HOLDER_COLUMNS : LARGEST_COLUMNS,
    rows: rows.map((row) => ("cohorts" in row ? namedIn(row as HolderValues) : row)),
  };
}

export const builtFrom = ({ symbol, build, asOf }: Manifest) => ({ asset: symbol, build, asOf });

/** Own cohorts by their names, which selectors have after an @. */
const namedIn = ({ cohorts, ...values }: HolderValues) => ({
  ...values,
  cohorts: cohorts.map((name) => name.slice(1)),
});

/** The columns of an address, which is in several assets. */
const ADDRESS_COLUMNS: readonly RecordColumn[] = [
  { name: "asset", type: "text", description: "The symbol of the asset." },
  { name: "build", type: "text", description: "The id of its build." },
  { name: "asOf", type: "text", description: "The time up to which its data is complete." },
  ...HOLDER_COLUMNS,
];

/** Version of what is told of an address: raise it if the same rows give another text. */
export const ADDRESS_REPRESENTATION = 1;

/** An index, and a row group. */
const READS_OF_ADDRESS = 2;
/** Bytes that looking into an asset takes: a row group as it is stored, decompressed, and as columns. */
const LOOKUP_BYTES = 3 << 20;

/**
 * The rows of an address: one for each asset that it has ever held.
 *
 * @throws {Problem} 400 there are too many assets to look into; 404 there is no such asset; 500 or 503 as `readRange`
 */
export async function addressRecords({ address, symbols }: AddressQuery, context: SeriesContext): Promise<Records> {
  const asked = symbols ?? (await everySymbol(context));
  // Row groups of addresses are rarely asked for again, and caches would take more calls than a request may make.
  const uncached = { ...context, edge: null };
  spendUncached(asked.length * (1 + READS_OF_ADDRESS), context, "assets", "a");
  await context.lease.grow(LOOKUP_BYTES * Math.min(ASSETS_AT_ONCE, asked.length));
  const find = async (manifest: Manifest) => ({ manifest, values: await findHolder(address, manifest, uncached) });
  const rows: Records["rows"][number][] = [];
  const unavailable: string[] = [];
  for await (const { manifest, values } of inEach(asked, context, find)) {
    if (lacksHolders(manifest)) unavailable.push(manifest.symbol);
    if (values !== null) rows.push({ ...builtFrom(manifest), ...namedIn(values) });
  }
  return {
    name: "holders",
    facts: { address, ...(unavailable.length > 0 && { unavailable }) },
    columns: ADDRESS_COLUMNS,
    rows,
  };
}
