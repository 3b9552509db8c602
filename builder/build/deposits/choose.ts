/** Decides which table of deposit addresses a build goes by. Pure. Source: docs/building.md#deposit-addresses. */

import { namePart, type PublishedDeposits } from "../../../data-schema/stored.ts";
import { isoMonth } from "../../../data-schema/text.ts";

/**
 * `compute`: there is none, or a month has ended since. `frozen`: that of the active build, which is here as a file; `stored`:
 * that one, which is in the store alone. `given`: a file that no build has used, as `soprano deposits` leaves one, or an operator.
 */
export type TableChoice = "compute" | "frozen" | "stored" | "given";

interface Known {
  /** SHA-256, hex, of the file in the place of the table; undefined if there is none. */
  file: string | undefined;
  /** Whether the store has that file: some build has used it. */
  isStored: boolean;
  /** What the active build says. */
  active: PublishedDeposits | undefined;
  /** The end of the build, Unix seconds; undefined while only the last transfer could tell. */
  asOf: number | undefined;
}

export function chooseTable({ file, isStored, active, asOf }: Known): TableChoice {
  const known = active?.table;
  const isKnown = file !== undefined && namePart(file) === known?.hash;
  if (file !== undefined && !isKnown && !isStored) return "given";
  // Where a table of an earlier build is left, as on another machine, that of the active build goes before.
  if (!known || isDue(active, asOf)) return "compute";
  return isKnown ? "frozen" : "stored";
}

/** Whether a build of a later calendar month computes the table anew. @param table that of an earlier build, if it is */
export function isDue(table: Pick<PublishedDeposits, "asOf"> | undefined, asOf: number | undefined): boolean {
  if (table?.asOf === undefined || asOf === undefined) return false;
  return isoMonth(asOf) > isoMonth(Date.parse(table.asOf) / 1000);
}
