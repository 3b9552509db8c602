/** How much history formulas need. */

import type { Computation } from "../../../data-schema/formula.ts";
import type { Resolution } from "../api/catalog.ts";

/** Unix seconds, inclusive; null is open. */
export interface Bounds {
  since: number | null;
  until: number | null;
}

/**
 * The bounds within which the series of formulas are needed so that the values within others have all the rows that they
 * depend on. All days, weeks and months, which are few; of blocks, only those of the range: how long a number of them
 * takes, nobody knows before.
 *
 * @param before rows that are needed before those of the formulas
 */
export function neededBounds(
  { since, until }: Bounds,
  formulas: readonly Pick<Computation, "reach" | "looksAhead">[],
  resolution: Resolution,
  before = 0,
): Bounds {
  if (resolution === "block") return { since, until };
  const reach = Math.max(0, ...formulas.map((formula) => formula.reach)) + before;
  const isCounted = reach === 0 || (resolution === "hour" && Number.isFinite(reach));
  return {
    since: since !== null && isCounted ? since - reach * 3600 : null,
    until: formulas.some(({ looksAhead }) => looksAhead) ? null : until,
  };
}
