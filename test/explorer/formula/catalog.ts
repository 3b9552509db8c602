/** Every metric, and two assets; formulas read with them. */

import { type Formula, readFormula } from "../../../data-schema/formula/resolve.ts";
import { NAMED_FORMULAS } from "../../../data-schema/registry/named-formulas.ts";
import type { Catalog, Context } from "../../../explorer/src/api/catalog.ts";
import { namesOf } from "../../../explorer/src/lines/formula-line.ts";
import { tableMetricCatalog } from "../../../worker/catalog/table-metrics.ts";

const { metrics, groups, signs } = tableMetricCatalog();

export const catalog = {
  metrics,
  groups,
  signs,
  terms: [],
  formulas: NAMED_FORMULAS,
  assets: ["ARIA", "DUET", "1INCH", "USDC.E", "LP-3"].map((symbol) => ({ symbol, name: symbol, ranges: {} })),
} as unknown as Catalog;

export const context: Context = { catalog, asset: catalog.assets[0] };

export const read = (text: string): Formula => readFormula(text, namesOf(context));
