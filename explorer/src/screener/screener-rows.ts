/** The rows of the table of assets: as the API gives them, sorted, filtered and searched. Pure. */

import { type Comparison, holds } from "../../../data-schema/formula.ts";
import type { ScreenerColumn, ScreenerField } from "../../../data-schema/stored.ts";
import { assetMatches } from "../search/find-asset.ts";

/** The fields of each column; null is missing. */
export type AssetRow = { asset: string; name: string; t: string | null; closes: (number | null)[] } & {
  [column: string]: unknown;
};

export type Fields = Record<ScreenerField, number | null>;
export type Change = Exclude<ScreenerField, "v" | "pct">;

/** What rows are sorted by: the value of a column, its change over the chosen days, or its percentile. */
export const SORTED_BY = ["v", "change", "pct"] as const;

export interface ScreenerOrder {
  /** A column, or `asset`. */
  column: string;
  by: (typeof SORTED_BY)[number];
  isDescending: boolean;
}

/** The fields of a column for an asset: null where it has none, undefined until they are computed. */
export type FieldsOf = (row: AssetRow, column: ScreenerColumn) => Fields | null | undefined;

/** What must be true of a row: how a column, or a number, compares with another one. */
export interface RowCondition {
  left: ScreenerColumn | number;
  comparison: Comparison;
  right: ScreenerColumn | number;
}

/** The fields that come with a row. */
export const ownFields: FieldsOf = (row, { name }) => (row[name] as Fields | undefined) ?? null;

/** The rows in the order of a column, or of symbols without one. What is missing comes last, in any order; equals stay as they were. */
export function sorted(
  rows: readonly AssetRow[],
  { by, isDescending }: ScreenerOrder,
  column: ScreenerColumn | null,
  change: Change,
  fieldsOf: FieldsOf = ownFields,
): AssetRow[] {
  const sign = isDescending ? -1 : 1;
  if (column === null) return rows.toSorted((a, b) => sign * (a.asset < b.asset ? -1 : 1));
  const field = by === "change" ? change : by;
  const keyed = rows.map((row) => ({ row, key: fieldsOf(row, column)?.[field] ?? null }));
  const compare = (x: number | null, y: number | null) =>
    x === null || y === null ? Number(x === null) - Number(y === null) : sign * (x - y);
  return keyed.toSorted((a, b) => compare(a.key, b.key)).map(({ row }) => row);
}

/** Whether a condition is true of a row; undefined until it is known. What is missing makes none true. */
export function isTrue(condition: RowCondition, row: AssetRow, fieldsOf: FieldsOf): boolean | undefined {
  const sides = [condition.left, condition.right].map((side) =>
    typeof side === "number" ? side : shownValue(fieldsOf(row, side)),
  );
  const [left, right] = sides;
  if (left === null || right === null) return false;
  return left === undefined || right === undefined ? undefined : holds(condition.comparison, left, right);
}

const shownValue = (fields: Fields | null | undefined) => (fields ? fields.v : fields);

/**
 * The rows that fit: whose asset has all words, is on the watchlist if there is one, and of which all conditions are true.
 *
 * @returns `pending`, the rows of which that isn't known yet
 */
export function fitting(
  rows: readonly AssetRow[],
  {
    words,
    watched,
    conditions,
  }: { words: string; watched: readonly string[] | null; conditions: readonly RowCondition[] },
  fieldsOf: FieldsOf,
): { rows: AssetRow[]; pending: AssetRow[] } {
  const shown: AssetRow[] = [];
  const pending: AssetRow[] = [];
  for (const row of rows) {
    if (watched !== null && !watched.includes(row.asset)) continue;
    if (!assetMatches({ ...row, symbol: row.asset }, words)) continue;
    const known = conditions.map((condition) => isTrue(condition, row, fieldsOf));
    if (known.includes(false)) continue;
    (known.includes(undefined) ? pending : shown).push(row);
  }
  return { rows: shown, pending };
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
