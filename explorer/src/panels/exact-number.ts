/** A number to read, and all its digits on hover. */

import type { FormulaUnit } from "../../../data-schema/formula.ts";
import { exact, short } from "../format/numbers.ts";
import { h } from "./dom.ts";

export const exactNumber = (value: number, unit: FormulaUnit): HTMLElement =>
  h("span", { title: Number.isFinite(value) && exact(value, unit) }, short(value, unit));
