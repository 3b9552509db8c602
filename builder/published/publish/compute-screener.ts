/** What the screener says of a build: computed from its days when it is activated. Source: docs/formats.md#the-screener. */

import { computeOnRows, FORMULA_NAMES, readFormula } from "../../../data-schema/formula.ts";
import {
  type Manifest,
  SCREENER_COLUMNS,
  type ScreenedDays,
  type Screener,
  type ScreenerColumn,
  SPARKLINE_CLOSES,
  screenerFields,
  screenerNumber,
} from "../../../data-schema/stored.ts";
import { DAY_SECONDS } from "../../../data-schema/text.ts";
import { Failure, StoreFailure } from "../../lib/failure.ts";
import type { ObjectStore } from "../../store/store.ts";
import { PublishedSeries } from "../read/published-series.ts";

/**
 * The screener of a build.
 *
 * @returns undefined if no day is complete
 */
export async function screenerOf(store: ObjectStore, manifest: Manifest): Promise<Screener | undefined> {
  const t = manifest.resolutions.day.last;
  if (t === null) return undefined;
  const series = new PublishedSeries(store, async () => manifest);
  const columns: Screener["columns"] = {};
  let closes: Screener["closes"] = [];
  for (const column of SCREENER_COLUMNS) {
    const days = await daysOf(column, manifest.symbol, series);
    columns[column.name] = screenerFields(column, days, t);
    if (column.name === "price")
      closes = Array.from({ length: SPARKLINE_CLOSES }, (_, i) =>
        screenerNumber(days.get(t - (SPARKLINE_CLOSES - 1 - i) * DAY_SECONDS)),
      );
  }
  return { t, columns, closes };
}

/** Formulas of columns, by their texts: a build of many assets reads each once. */
const formulas = new Map<string, ReturnType<typeof readFormula>>();

/** A column's values by day; empty if the build lacks a metric or an object is damaged. */
async function daysOf(
  { formula: text }: ScreenerColumn,
  symbol: string,
  series: PublishedSeries,
): Promise<ScreenedDays> {
  const formula = formulas.get(text) ?? readFormula(text, FORMULA_NAMES);
  formulas.set(text, formula);
  const inputs = formula.inputs.map((input) => ({ ...input, asset: symbol }));
  try {
    const { t, of } = await series.lines(inputs, "day");
    const values = new Float64Array(t.length);
    computeOnRows(values, formula, t, inputs.map(of));
    return new Map(
      Array.from(t, (time, row) => [time, values[row]!] as const).filter(([, value]) => !Number.isNaN(value)),
    );
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof StoreFailure) throw error;
    return new Map();
  }
}
