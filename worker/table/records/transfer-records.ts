/** Large transfers, and events, as the rows of an answer. */

import { EVENT_COLUMNS, LARGE_TRANSFER_COLUMNS, type Manifest } from "../../../data-schema/stored.ts";
import type { SeriesContext } from "../../context.ts";
import { type DayRange, readTransfersOfDays } from "../../read/large-transfers.ts";
import { builtFrom } from "./holder-records.ts";
import type { Records } from "./records.ts";

/** Bytes of a row: as values, and as text that is being made. */
const ROW_BYTES = 2_048;

/**
 * The rows of large transfers.
 *
 * @param days null: none
 * @throws {Problem} as `readTransfersOfDays`
 */
export async function transferRecords(
  days: DayRange | null,
  manifest: Manifest,
  context: SeriesContext,
): Promise<Records> {
  const rows = days === null ? [] : await readTransfersOfDays(days, manifest, ROW_BYTES, context);
  const cells = rows.map((row) => ({ ...row }));
  return { name: "transfers", facts: builtFrom(manifest), columns: LARGE_TRANSFER_COLUMNS, rows: cells };
}

/** The rows of events. @throws {Problem} 503 there is no place in memory */
export async function eventRecords(manifest: Manifest, context: SeriesContext): Promise<Records> {
  const rows = (manifest.events ?? []).map(({ t, title, link = null }) => ({ t, title, link }));
  await context.lease.grow(ROW_BYTES * rows.length);
  return { name: "events", facts: builtFrom(manifest), columns: EVENT_COLUMNS, rows };
}
