/** How values change: as differences and, where that says something, as parts of the value before. */

import type { FormulaUnit } from "../../../data-schema/formula.ts";
import type { NaturalLook } from "../../../data-schema/registry.ts";
import { signed, signedDifference } from "../format/numbers.ts";

/**
 * Whether the changes of some values are told as parts of the value before. Those of shares are in percentage points; and of what
 * may be below zero, such as NUPL, a part of nearly nothing would be a thousand per cent.
 */
export const changesByPart = (
  { unit, look }: { unit: FormulaUnit; look: NaturalLook | null },
  values: Float64Array | undefined,
): boolean => unit !== "share" && look?.level !== 0 && !values?.some((value) => value < 0);

/** A cell: what is shown, and what it is sorted by. */
export interface Cell {
  text: string;
  value: number;
}

const MISSING: Cell = { text: "–", value: Number.NaN };

/** @param isByPart whether the change is told as a part of the first value, too */
export function changeCells(
  [before, now]: readonly number[],
  { unit }: { unit: FormulaUnit },
  isByPart: boolean,
): [Cell, Cell] {
  if (before === undefined || now === undefined || Number.isNaN(now - before)) return [MISSING, MISSING];
  const change = { text: signedDifference(now - before, unit), value: now - before };
  if (before === 0 || !isByPart) return [change, MISSING];
  const share = Math.round((now / before - 1) * 1e4) / 1e4;
  return [change, { text: signed(share, "share"), value: share }];
}
