/** The screener as text. */

import { SCREENER_COLUMNS, SCREENER_FIELDS, type Screener } from "../../data-schema/stored.ts";
import { isoTimeWithoutZone } from "../../data-schema/text.ts";
import type { Screened } from "../locate/screeners.ts";
import type { ScreenerFormat } from "../request/screener-query.ts";

/** The values of a column, in the order of the fields; null is missing. */
const valuesOf = (screener: Screener | undefined, name: string) =>
  screener?.columns[name] ?? SCREENER_FIELDS.map(() => null);

/** `mvrv`, `mvrv_1d`, …. */
const fieldName = (column: string, field: string) => (field === "v" ? column : `${column}_${field}`);

/** A row as an object. */
export const rowOf = ({ asset, name, screener }: Screened, columns = SCREENER_COLUMNS) => ({
  asset,
  name,
  t: screener ? isoTimeWithoutZone(screener.t) : null,
  ...Object.fromEntries(
    columns.map((column) => {
      const values = valuesOf(screener, column.name);
      return [column.name, Object.fromEntries(SCREENER_FIELDS.map((field, i) => [field, values[i]]))];
    }),
  ),
});

const WRITERS: Record<ScreenerFormat, (assets: readonly Screened[]) => string> = {
  json: (assets) =>
    JSON.stringify({ assets: assets.map((one) => ({ ...rowOf(one), closes: one.screener?.closes ?? [] })) }),

  csv: (assets) => {
    const names = SCREENER_COLUMNS.flatMap(({ name }) => SCREENER_FIELDS.map((field) => fieldName(name, field)));
    const lines = assets.map(({ asset, screener }) => [
      asset,
      ...SCREENER_COLUMNS.flatMap(({ name }) => valuesOf(screener, name)),
    ]);
    return [["asset", ...names], ...lines].map((line) => `${line.map((cell) => cell ?? "").join(",")}\n`).join("");
  },
};

export const screenerText = (assets: readonly Screened[], format: ScreenerFormat): string => WRITERS[format](assets);
