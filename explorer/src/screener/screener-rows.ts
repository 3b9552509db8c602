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

/** What was 0 on all days is as high as ever, which a full bar would tell of a large value. */
export const isAlwaysZero = (value: number, percentile: number) => value === 0 && percentile === 1;

/** Where a value stands among the last year's days, in words. */
export function standingText(value: number, percentile: number): string {
  if (isAlwaysZero(value, percentile)) return "Never above 0 in the last year";
  const percent = Math.floor(100 * percentile);
  if (percent === 0) return `Lower than on ${percentile === 0 ? "all" : "nearly all"} of the last year’s days`;
  return `At least as high as on ${percentile === 1 ? "all" : `${percent}\u202f%`} of the last year’s days`;
}
