/** How snippets write the functions of the language, form by form. */

import type { FunctionForm } from "../../../../../data-schema/formula.ts";
import { AVERAGES } from "./averages.ts";
import { CHANGES } from "./changes.ts";
import { CHOICE } from "./choice.ts";
import { EACH_ROW } from "./each-row.ts";
import { EXTREMES } from "./extremes.ts";
import type { FormCode } from "./form-code.ts";
import { INDEXED } from "./indexed.ts";
import { PAIRS } from "./pairs.ts";
import { SPREAD } from "./spread.ts";

const CODE: ReadonlyMap<FunctionForm, FormCode> = new Map([
  ...AVERAGES,
  ...SPREAD,
  ...EXTREMES,
  ...PAIRS,
  ...CHANGES,
  ...INDEXED,
  ...EACH_ROW,
  ...CHOICE,
]);

/** @throws {Error} a form that has none */
export function codeOf(form: FunctionForm): FormCode {
  const code = CODE.get(form);
  if (code === undefined) throw new Error(`no code of ${form.pandas}`);
  return code;
}
