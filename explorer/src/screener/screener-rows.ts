/** The rows of the table of assets: as the API gives them, sorted and searched. Pure. */

import type { ScreenerField } from "../../../data-schema/stored.ts";

/** The fields of each column; null is missing. */
export type AssetRow = { asset: string; name: string; t: string | null; closes: (number | null)[] } & {
  [column: string]: unknown;
};

export interface ScreenerOrder {
  /** A column, or `asset`. */
  column: string;
  isDescending: boolean;
}

export const fieldOf = (row: AssetRow, column: string, field: ScreenerField): number | null =>
  (row[column] as Record<ScreenerField, number | null> | undefined)?.[field] ?? null;

/** The rows in an order. What is missing comes last, in any order; equals stay as they were. */
export function sorted(rows: readonly AssetRow[], { column, isDescending }: ScreenerOrder): AssetRow[] {
  const sign = isDescending ? -1 : 1;
  if (column === "asset") return rows.toSorted((a, b) => sign * (a.asset < b.asset ? -1 : 1));
  return rows.toSorted((a, b) => {
    const [x, y] = [fieldOf(a, column, "v"), fieldOf(b, column, "v")];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return sign * (x - y);
  });
}

/** Whether all words of a text are in a row's symbol or name. */
export function matches({ asset, name }: AssetRow, text: string): boolean {
  const own = `${asset} ${name}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => own.includes(word));
}
